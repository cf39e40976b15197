// SPDX-License-Identifier: BSD-2-Clause-Patent
// See helpers.h. Of RGB, coefficients are multiples of 1/10000 and samples are integers, so that
// every value is a fraction that is rounded once: to the nearest integer, halves upward.
#include "helpers.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <new>
#include <string>
#include <utility>

struct PythonNotes {
    PythonHeld *released = nullptr;
    std::deque<std::pair<int, std::string>> messages;
    std::string text; ///< the last message
};

PythonNotes *vmafgpu_python_notes(void)
{
    return new (std::nothrow) PythonNotes;
}

void vmafgpu_python_notes_free(PythonNotes *notes)
{
    delete notes;
}

void vmafgpu_python_release(void *held)
{
    auto *one = static_cast<PythonHeld *>(held);
    one->next = std::exchange(one->notes->released, one);
}

void vmafgpu_python_log(void *notes, int level, const char *text)
{
    try {
        static_cast<PythonNotes *>(notes)->messages.emplace_back(level, text);
    } catch (...) { // NOLINT(bugprone-empty-catch): no memory for a message; nothing may leave C
    }
}

void *vmafgpu_python_released(PythonNotes *notes)
{
    PythonHeld *const one = notes->released;
    if (one != nullptr)
        notes->released = static_cast<PythonHeld *>(one->next);
    return one;
}

int vmafgpu_python_message(PythonNotes *notes, const char **text)
{
    if (notes->messages.empty())
        return -1;
    const int level = notes->messages.front().first;
    notes->text = std::move(notes->messages.front().second);
    notes->messages.pop_front();
    *text = notes->text.c_str();
    return level;
}

namespace {

template <typename Sample> Sample sample_at(const char *from)
{
    Sample sample;
    std::memcpy(&sample, from, sizeof(sample));
    return sample;
}

int64_t floor_divide(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

constexpr int64_t kOne = 10000;

/// numerator / denominator * range + zero, rounded.
struct Scale {
    int64_t range, denominator, zero, largest;

    int64_t operator()(int64_t numerator) const
    {
        const int64_t value = floor_divide(2 * range * numerator + denominator, 2 * denominator);
        return std::clamp<int64_t>(value + zero, 0, largest);
    }
};

Scale scale_of(const PythonRgb &rgb, int plane)
{
    const bool is_full = rgb.is_full_range != 0;
    const int64_t largest = (int64_t(1) << rgb.depth) - 1;
    const int64_t step = int64_t(1) << (rgb.depth - 8);
    if (plane == 0)
        return {is_full ? largest : 219 * step, kOne * largest, is_full ? 0 : 16 * step, largest};
    const int64_t own = plane == 1 ? rgb.blue : rgb.red;
    return {is_full ? largest : 224 * step, 2 * (kOne - own) * largest, 128 * step, largest};
}

template <typename Sample> int convert(const PythonRgb &rgb, int plane, Sample *to)
{
    const Scale scale = scale_of(rgb, plane);
    const int64_t of_green = kOne - rgb.red - rgb.blue;
    int64_t largest = 0;
    for (int y = 0; y < rgb.height; ++y) {
        const char *from = static_cast<const char *>(rgb.data) + rgb.row * y;
        for (int x = 0; x < rgb.width; ++x, from += rgb.column) {
            const int64_t red = sample_at<Sample>(from);
            const int64_t green = sample_at<Sample>(from + rgb.channel);
            const int64_t blue = sample_at<Sample>(from + 2 * rgb.channel);
            const int64_t luma = rgb.red * red + of_green * green + rgb.blue * blue;
            const int64_t own = plane == 1 ? blue : red;
            largest = std::max({largest, red, green, blue});
            *to++ = static_cast<Sample>(scale(plane == 0 ? luma : kOne * own - luma));
        }
    }
    return static_cast<int>(largest);
}

} // namespace

int vmafgpu_python_plane(const PythonRgb *rgb, int plane, void *out)
{
    return rgb->depth > 8 ? convert(*rgb, plane, static_cast<uint16_t *>(out))
                          : convert(*rgb, plane, static_cast<uint8_t *>(out));
}

int vmafgpu_python_bits(const VmafGpuPicture *picture)
{
    const VmafGpuPlane &luma = picture->plane[0];
    const ptrdiff_t step = luma.step != 0 ? luma.step : sizeof(uint16_t);
    int all = 0;
    for (int y = 0; y < picture->height; ++y) {
        const char *row = static_cast<const char *>(luma.data) + y * luma.pitch;
        for (int x = 0; x < picture->width; ++x)
            all |= sample_at<uint16_t>(row + x * step) >> picture->shift;
    }
    return all;
}
