// SPDX-License-Identifier: BSD-2-Clause-Patent
// Prints checksums of the results of the engine's elementary functions in both
// forms, and of the C library's. scripts/ci/test-musl.sh links it with musl.
#include <cinttypes>
#include <cstdio>

#include "libm/fma.h"
#include "libm_functions.h"

int main()
{
    using namespace vmafgpu;
    const libm::Fma fast = libm::fma_in_use();
    bool is_right = fast == libm::Fma::kHardware;
    if (!is_right)
        std::puts("hardware fma is not in use");
    for (const Function &function : kFunctions) {
        libm::set_fma(libm::Fma::kHardware);
        const uint64_t hardware = checksum_of(function, function.ours);
        libm::set_fma(libm::Fma::kSoftware);
        const uint64_t software = checksum_of(function, function.ours);
        const uint64_t system = checksum_of(function, function.system);
        is_right = is_right && hardware == function.checksum && software == function.checksum;
        std::printf("%-5s ours %016" PRIx64 " %016" PRIx64 " C library %016" PRIx64 "%s\n",
                    function.name, hardware, software, system,
                    system == function.checksum ? "" : " (other bits)");
    }
    std::puts(is_right ? "ours: equal to glibc's with FMA" : "ours: NOT equal");
    return is_right ? 0 : 1;
}
