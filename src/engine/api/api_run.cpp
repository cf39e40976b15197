// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a program needs to show a run. See include/vmaf_gpu/run.h.
#include "vmaf_gpu/run.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "api/context.h"
#include "report/format_number.h"

namespace {

using vmafgpu::Error;
using vmafgpu::fill_error;
using vmafgpu::guarded_with;

int copy_text(char *out, size_t size, const std::string &text)
{
    if (text.size() >= size)
        return -ENOSPC;
    std::memcpy(out, text.c_str(), text.size() + 1);
    return static_cast<int>(text.size());
}

/// "" for nothing, which stands for 0.
int64_t pairs_of(std::string_view text)
{
    constexpr int64_t kMost = int64_t{1} << 40;
    int64_t pairs = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), pairs);
    if (!text.empty() &&
        (code != std::errc() || end != text.data() + text.size() || pairs < 0 || pairs > kMost))
        throw Error(EINVAL, "");
    return pairs;
}

VmafGpuChunk chunk_of(std::string_view text)
{
    int64_t numbers[4] = {};
    size_t count = 0;
    for (bool is_last = false; !is_last; ++count) {
        const size_t dash = std::min(text.find('-'), text.size());
        is_last = dash == text.size();
        if (count == std::size(numbers) || (dash == 0 && count < 2))
            throw Error(EINVAL, "");
        numbers[count] = pairs_of(text.substr(0, dash));
        text.remove_prefix(is_last ? dash : dash + 1);
    }
    if (count < 2)
        throw Error(EINVAL, "");
    return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

} // namespace

int vmafgpu_format_score(char *out, size_t size, double value, int precision)
{
    if (out == nullptr)
        return -EINVAL;
    return guarded_with(
        nullptr, [&] { return copy_text(out, size, vmafgpu::format_score(value, precision)); });
}

int vmafgpu_format_result(char *out, size_t size, const VmafGpuResult *result, int i, int precision)
{
    if (out == nullptr || result == nullptr || result->scores == nullptr || i < 0 ||
        i >= result->score_count)
        return -EINVAL;
    return guarded_with(nullptr, [&] {
        return copy_text(out, size, vmafgpu::result_text(result->scores[i], precision));
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
    const int status = guarded_with(nullptr, [&] {
        if (chunk == nullptr || text == nullptr)
            throw Error(EINVAL, "");
        *chunk = chunk_of(text);
        return 0;
    });
    if (status == -EINVAL)
        fill_error(
            error, status,
            "expected FIRST-BEGIN-END-TOTAL, four numbers of pairs, of which END and TOTAL may be "
            "0 or left out");
    if (status < 0)
        return status;
    if (chunk->end == 0)
        chunk->end = chunk->total; // may be 0, too
    if (chunk->first <= chunk->begin && (chunk->end == 0 || chunk->begin < chunk->end) &&
        (chunk->total == 0 || chunk->end <= chunk->total))
        return 0;
    fill_error(error, -EINVAL, "expected FIRST <= BEGIN < END <= TOTAL");
    return -EINVAL;
}

int vmafgpu_read_offset(VmafGpuPairingSettings *pairing, const char *text, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        if (pairing == nullptr || text == nullptr)
            throw Error(EINVAL, "vmafgpu_read_offset: pairing and text must not be NULL");
        const double value = vmafgpu::number_of(text);
        const bool is_auto = std::strcmp(text, "auto") == 0;
        if (!is_auto && (std::trunc(value) != value || std::fabs(value) > VMAFGPU_MOST_OFFSET))
            throw Error(EINVAL, std::string("offset '") + text +
                                    "' is not a whole number, -1000000000 ... 1000000000, or auto");
        pairing->has_offset = is_auto ? VMAFGPU_OFFSET_AUTO : VMAFGPU_OFFSET_GIVEN;
        pairing->offset = is_auto ? 0 : static_cast<int64_t>(value);
        return 0;
    });
}
