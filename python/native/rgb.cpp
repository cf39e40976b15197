// SPDX-License-Identifier: BSD-2-Clause-Patent
// See rgb.h. Coefficients are multiples of 1/10000 and samples are integers, so that every value is
// a fraction that is rounded once: to the nearest integer, halves upward.
#include "rgb.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "error.h"

namespace nb = nanobind;

namespace vmafgpu_python {
namespace {

constexpr int64_t kOne = 10000;

struct Picture {
    const char *data;
    int64_t row, column, channel; ///< bytes from one to the next
    int width, height, depth;
};

struct Matrix {
    int64_t red, green, blue; ///< in 1/10000
    bool is_full_range;
};

int64_t floor_divide(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// numerator / denominator * range + zero, rounded.
struct Scale {
    int64_t range, denominator, zero, largest;

    int64_t operator()(int64_t numerator) const
    {
        const int64_t value = floor_divide(2 * range * numerator + denominator, 2 * denominator);
        return std::clamp<int64_t>(value + zero, 0, largest);
    }
};

/// plane 0: Y', 1: Cb, 2: Cr.
Scale scale_of(const Matrix &matrix, int depth, int plane)
{
    const int64_t largest = (int64_t(1) << depth) - 1;
    const int64_t step = int64_t(1) << (depth - 8);
    if (plane == 0)
        return {matrix.is_full_range ? largest : 219 * step, kOne * largest,
                matrix.is_full_range ? 0 : 16 * step, largest};
    const int64_t own = plane == 1 ? matrix.blue : matrix.red;
    return {matrix.is_full_range ? largest : 224 * step, 2 * (kOne - own) * largest, 128 * step,
            largest};
}

template <typename Sample> int64_t sample_at(const char *from)
{
    Sample sample;
    std::memcpy(&sample, from, sizeof(sample));
    return sample;
}

/// Returns the largest sample that was read.
template <typename Sample>
int64_t convert(const Picture &picture, const Matrix &matrix, int plane, Sample *to)
{
    const Scale scale = scale_of(matrix, picture.depth, plane);
    int64_t largest = 0;
    for (int y = 0; y < picture.height; ++y) {
        const char *from = picture.data + picture.row * y;
        for (int x = 0; x < picture.width; ++x, from += picture.column) {
            const int64_t red = sample_at<Sample>(from);
            const int64_t green = sample_at<Sample>(from + picture.channel);
            const int64_t blue = sample_at<Sample>(from + 2 * picture.channel);
            const int64_t luma = matrix.red * red + matrix.green * green + matrix.blue * blue;
            const int64_t own = plane == 1 ? blue : red;
            largest = std::max({largest, red, green, blue});
            *to++ = static_cast<Sample>(scale(plane == 0 ? luma : kOne * own - luma));
        }
    }
    return largest;
}

/// One plane, as a bytearray. strides: of rows, columns and channels, in bytes.
nb::object rgb_plane(uint64_t address, const nb::tuple &strides, const nb::tuple &size, int depth,
                     const nb::tuple &matrix, int plane)
{
    const Picture picture = {
        reinterpret_cast<const char *>(address), // NOLINT(performance-no-int-to-ptr): from Python
        nb::cast<int64_t>(strides[0]),
        nb::cast<int64_t>(strides[1]),
        nb::cast<int64_t>(strides[2]),
        nb::cast<int>(size[0]),
        nb::cast<int>(size[1]),
        depth};
    const auto red = nb::cast<int64_t>(matrix[0]);
    const auto blue = nb::cast<int64_t>(matrix[1]);
    const Matrix coefficients = {red, kOne - red - blue, blue, nb::cast<bool>(matrix[2])};
    const int64_t bytes = depth > 8 ? 2 : 1;
    nb::object memory = nb::steal(PyByteArray_FromStringAndSize(
        nullptr, static_cast<Py_ssize_t>(bytes * picture.width * picture.height)));
    if (!memory.is_valid())
        throw nb::python_error();
    char *to = PyByteArray_AsString(memory.ptr());
    int64_t largest = 0;
    {
        const nb::gil_scoped_release release;
        largest = depth > 8
                      ? convert(picture, coefficients, plane, reinterpret_cast<uint16_t *>(to))
                      : convert(picture, coefficients, plane, reinterpret_cast<uint8_t *>(to));
    }
    if (largest >> depth != 0)
        throw CallError(-EINVAL, "an RGB sample is " + std::to_string(largest) + ", but " +
                                     std::to_string(depth) + " bits hold 0 to " +
                                     std::to_string((int64_t(1) << depth) - 1));
    return memory;
}

} // namespace

void bind_rgb(nb::module_ &module)
{
    module.def("rgb_plane", rgb_plane);
}

} // namespace vmafgpu_python
