// SPDX-License-Identifier: BSD-2-Clause-Patent
// See counted.h.
#include "counted.h"

#include <cstdio>

namespace vmafgpu {
namespace {

struct CountedKernel {
    const char *name;
    double pixels;         ///< pixels of the kernel's own scale, by luma pixel
    double instructions8;  ///< by own pixel, samples of 8 bits
    double instructions16; ///< deeper samples
    double read, write;    ///< samples by own pixel, of both pictures
    int read_size;         ///< bytes of a sample that is read; 0: as the pictures have it
    int write_size;        ///< likewise
};

// Instructions: the profiler's, at 1080p (VIF at 2160p), but for unpack_planes, which is estimated
// from its source. ADM's own pixels are a scale's band samples; a scale reads four times as many.
constexpr CountedKernel kKernels[] = {
    {"unpack_planes", 1, 12, 24, 2, 2, 0, 0},
    {"vif_matrix0", 1, 202, 253, 2, 0.5, 0, 2},
    {"vif_matrix1", 1.0 / 4, 278, 278, 2, 0.5, 2, 2},
    {"vif_scale2", 1.0 / 16, 310, 310, 2, 0.5, 2, 2},
    {"vif_scale3", 1.0 / 64, 259, 259, 2, 0, 2, 2},
    {"adm_scale0", 1.0 / 4, 436, 436, 8, 2, 0, 2},
    {"adm_scale1", 1.0 / 16, 737, 737, 8, 2, 2, 4},
    {"adm_scale2", 1.0 / 64, 1120, 1120, 8, 2, 4, 4},
    {"adm_scale3", 1.0 / 256, 796, 796, 8, 0, 4, 4},
    {"motion", 1, 46, 46, 2, 0, 0, 0},
};

double bytes(const CountedKernel &kernel, int sample_bytes)
{
    const int read = kernel.read_size == 0 ? sample_bytes : kernel.read_size;
    const int write = kernel.write_size == 0 ? sample_bytes : kernel.write_size;
    return kernel.read * read + kernel.write * write;
}

double instructions(const CountedKernel &kernel, int depth)
{
    return depth > 8 ? kernel.instructions16 : kernel.instructions8;
}

} // namespace

Counted counted_per_pixel(int depth)
{
    Counted sum = {0, 0};
    for (const CountedKernel &kernel : kKernels) {
        sum.instructions += kernel.pixels * instructions(kernel, depth);
        sum.bytes += kernel.pixels * bytes(kernel, depth > 8 ? 2 : 1);
    }
    return sum;
}

void print_counted()
{
    std::printf("by own pixel: instructions of 8 bit and deeper, bytes; by luma pixel: the same\n");
    for (const CountedKernel &kernel : kKernels)
        std::printf("%-12s %7.1f %7.1f %6.1f %6.1f   %7.1f %7.1f %6.2f %6.2f\n", kernel.name,
                    kernel.instructions8, kernel.instructions16, bytes(kernel, 1), bytes(kernel, 2),
                    kernel.pixels * kernel.instructions8, kernel.pixels * kernel.instructions16,
                    kernel.pixels * bytes(kernel, 1), kernel.pixels * bytes(kernel, 2));
    const Counted low = counted_per_pixel(8);
    const Counted high = counted_per_pixel(10);
    std::printf("%-12s %31s %7.1f %7.1f %6.2f %6.2f\n", "all", "", low.instructions,
                high.instructions, low.bytes, high.bytes);
}

} // namespace vmafgpu
