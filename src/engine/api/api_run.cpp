// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a program needs to show a run. See include/vmaf_gpu/run.h.
#include "vmaf_gpu/run.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "api/context.h"
#include "model/text.h"
#include "report/format_number.h"

namespace {

using vmafgpu::Error;
using vmafgpu::guarded_with;

/// Two to four numbers between dashes. The last two may be empty, which stands for 0.
bool read_numbers(const char *at, uint64_t (&numbers)[4])
{
    constexpr uint64_t kMost = uint64_t{1} << 40;
    const char *const end = at + std::strlen(at);
    for (size_t i = 0; i < std::size(numbers); ++i, ++at) {
        const auto [rest, code] = std::from_chars(at, end, numbers[i]);
        const bool is_empty = code == std::errc::invalid_argument;
        if (code == std::errc::result_out_of_range || numbers[i] > kMost || (is_empty && i < 2))
            return false;
        if (rest == end)
            return i > 0;
        if (*rest != '-')
            return false;
        at = rest;
    }
    return false;
}

} // namespace

int vmafgpu_format_score(char *out, size_t size, double value, int precision)
{
    if (out == nullptr)
        return -EINVAL;
    return guarded_with(nullptr, [&] {
        const std::string text = vmafgpu::format_score(value, precision);
        if (text.size() >= size)
            return -ENOSPC;
        std::memcpy(out, text.c_str(), text.size() + 1);
        return static_cast<int>(text.size());
    });
}

void vmafgpu_log(void *ctx, int level, const char *text)
{
    auto *context = static_cast<VmafGpuContext *>(ctx);
    vmafgpu::on_any_context(context, [&] {
        if (text == nullptr)
            throw Error(EINVAL, "vmafgpu_log: text must not be NULL");
        context->engine->log()(static_cast<VmafGpuLogLevel>(level), text);
        return 0;
    });
}

int vmafgpu_read_chunk(VmafGpuChunk *chunk, const char *text, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        vmafgpu::require_given("vmafgpu_read_chunk: chunk and text must not be NULL", chunk, text);
        const std::string name = std::string("chunk=") + text + ": expected ";
        uint64_t numbers[4] = {};
        if (!read_numbers(text, numbers))
            throw Error(EINVAL, name + "FIRST-BEGIN-END-TOTAL, four numbers of pairs, of which END "
                                       "and TOTAL may be 0 or left out");
        *chunk = {static_cast<int64_t>(numbers[0]), static_cast<int64_t>(numbers[1]),
                  static_cast<int64_t>(numbers[2]), static_cast<int64_t>(numbers[3])};
        if (chunk->end == 0)
            chunk->end = chunk->total; // may be 0, too
        if (chunk->first > chunk->begin || (chunk->end != 0 && chunk->begin >= chunk->end) ||
            (chunk->total != 0 && chunk->end > chunk->total))
            throw Error(EINVAL, name + "FIRST <= BEGIN < END <= TOTAL");
        return 0;
    });
}

int vmafgpu_read_offset(VmafGpuPairingSettings *pairing, const char *text, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        if (pairing == nullptr || text == nullptr)
            throw Error(EINVAL, "vmafgpu_read_offset: pairing and text must not be NULL");
        double value = 0;
        const bool is_auto = std::strcmp(text, "auto") == 0;
        if (!is_auto && (!vmafgpu::parse_double(text, &value) || std::trunc(value) != value ||
                         std::fabs(value) > VMAFGPU_MOST_OFFSET))
            throw Error(EINVAL, std::string("offset '") + text +
                                    "' is not a whole number, -1000000000 ... 1000000000, or auto");
        pairing->has_offset = is_auto ? VMAFGPU_OFFSET_AUTO : VMAFGPU_OFFSET_GIVEN;
        pairing->offset = is_auto ? 0 : static_cast<int64_t>(value);
        return 0;
    });
}
