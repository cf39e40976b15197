// SPDX-License-Identifier: BSD-2-Clause-Patent
// See settings.h.
#include "pairing/settings.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.h"
#include "pairing/offset_search.h"
#include "pairing/rule_framesync.h"
#include "pairing/rule_index.h"

namespace vmafgpu {

namespace {

constexpr const char *kNames[] = {"auto", "time", "index", "framesync"};

/// Bytes of pictures that wait for a decision. Fewer frames are held of large pictures.
constexpr int64_t kMostBytes = int64_t{256} << 20;
/// With fewer frames to look at, pictures decide nothing.
constexpr int64_t kLeastMain = 4, kLeastReference = 6;
/// The same while the offset is searched for.
constexpr int64_t kMostSearchBytes = int64_t{3} << 30;
constexpr int64_t kLeastFurthest = 24;
constexpr int kMostWindow = 60, kUsualWindow = 5; ///< seconds
constexpr int64_t kUsualMain = 14, kUsualReference = 23;

void check(bool is_good, const char *what, int64_t value, const char *allowed)
{
    if (!is_good)
        throw Error(EINVAL, std::string("pairing: ") + what + " is " + std::to_string(value) +
                                "; allowed: " + allowed);
}

void check_switch(int value, const char *what)
{
    check(value == 0 || value == 1, what, value, "0 or 1");
}

/// In which the offset is searched for, in seconds; 0: it is not.
int window_of(const VmafGpuPairingSettings &s)
{
    const bool is_search = s.has_offset == VMAFGPU_OFFSET_AUTO;
    if (s.offset_window == -1)
        return is_search ? kUsualWindow : 0;
    check(s.offset_window >= 1 && s.offset_window <= kMostWindow, "offset_window", s.offset_window,
          "1 to 60 seconds");
    if (!is_search)
        throw Error(EINVAL, "pairing: offset_window has no meaning without offset=auto");
    return s.offset_window;
}

int64_t interval_of(Rational rate)
{
    return rate.is_known() ? rescale(1, {rate.den, rate.num}, kNanosecond) : 0;
}

} // namespace

PairingSettings pairing_settings(const VmafGpuPairingSettings &s)
{
    check(s.struct_size == sizeof(s), "struct_size", s.struct_size,
          "what "
          "vmafgpu_pairing_default() sets");
    check(s.rule >= VMAFGPU_PAIR_AUTO && s.rule <= VMAFGPU_PAIR_FRAMESYNC, "rule", s.rule,
          "VmafGpuPairingRule");
    check(s.offset >= -VMAFGPU_MOST_OFFSET && s.offset <= VMAFGPU_MOST_OFFSET, "offset", s.offset,
          "-VMAFGPU_MOST_OFFSET to VMAFGPU_MOST_OFFSET");
    check(s.eof_action >= VMAFGPU_EOF_REPEAT && s.eof_action <= VMAFGPU_EOF_PASS, "eof_action",
          s.eof_action, "VmafGpuEofAction");
    check(s.has_offset >= VMAFGPU_OFFSET_NONE && s.has_offset <= VMAFGPU_OFFSET_AUTO, "has_offset",
          s.has_offset, "VmafGpuOffset");
    check_switch(s.shortest, "shortest");
    check_switch(s.repeatlast, "repeatlast");
    check_switch(s.nearest, "nearest");
    check_switch(s.has_fixed_pool, "has_fixed_pool");
    check_switch(s.is_part, "is_part");
    const bool is_framesync = s.rule == VMAFGPU_PAIR_FRAMESYNC;
    if (is_framesync && s.has_offset != 0)
        throw Error(EINVAL, "pairing: offset has no meaning with pair=framesync, which eof_action, "
                            "repeatlast and ts_sync_mode choose, too");
    if (!is_framesync &&
        (s.eof_action != VMAFGPU_EOF_REPEAT || s.repeatlast == 0 || s.nearest != 0))
        throw Error(EINVAL, "pairing: eof_action, repeatlast and ts_sync_mode need pair=framesync");
    PairingSettings all;
    all.rule = s.rule;
    all.name = kNames[s.rule];
    all.has_offset = s.has_offset != VMAFGPU_OFFSET_NONE;
    all.offset = s.has_offset == VMAFGPU_OFFSET_GIVEN ? s.offset : 0;
    all.window = window_of(s);
    all.is_shortest = s.shortest != 0;
    all.eof_action = s.eof_action;
    all.repeats_last = s.repeatlast != 0;
    all.is_nearest = s.nearest != 0;
    all.has_fixed_pool = s.has_fixed_pool != 0;
    all.is_part = s.is_part != 0;
    for (int i = 0; i < kInputs; ++i) {
        const VmafGpuPairingInput &input = s.input[i];
        check(input.time_base_num > 0, "time_base_num", input.time_base_num, "1 or more");
        check(input.time_base_den > 0, "time_base_den", input.time_base_den, "1 or more");
        all.base[i] = {input.time_base_num, input.time_base_den};
        all.rate[i] = {input.rate_num, input.rate_den};
    }
    return all;
}

namespace {

/// Files of variable rate may declare 1000 frames a second or more.
constexpr int64_t kLeastSearchInterval = 4 * kMillisecond;

/// How far an offset is searched for, in frames of the faster input.
void limit_search(PairingSettings &settings, int64_t picture_bytes, const Log &log)
{
    if (settings.has_fixed_pool)
        throw Error(EINVAL,
                    "offset=auto: main has few surfaces, which cannot wait until the offset "
                    "is found: give offset=N, or copy them to memory (hwdownload)");
    const int64_t own = interval_of(settings.rate[kMain]);
    const int64_t other = interval_of(settings.rate[kReference]);
    // The n-th frames are compared with the n-th; 2 % are a tenth of a second in five.
    if (settings.rule != VMAFGPU_PAIR_INDEX && own > 0 && other > 0 && differ(own, other, 40))
        throw Error(EINVAL, "offset=auto: the frame rates of the inputs differ, so that no number "
                            "of frames is their offset: give offset=N");
    const int64_t known = shorter(own, other);
    const int64_t interval =
        known == 0 ? FrameQueue::kUsualInterval : std::max(known, kLeastSearchInterval);
    const int64_t wanted = (settings.window * 1000 * kMillisecond + interval / 2) / interval;
    const int64_t most = kMostSearchBytes / kInputs / picture_bytes - offset_frames(0);
    settings.furthest = std::max(std::min(wanted, most), kLeastFurthest);
    settings.search_frames = offset_frames(settings.furthest) +
                             std::clamp<int64_t>(most - settings.furthest, 0, kMoreOffsetPairs);
    if (most < kLeastFurthest)
        throw Error(EINVAL, "offset=auto: the pictures are too large to hold " +
                                std::to_string(settings.search_frames) +
                                " of each input: give offset=N");
    if (most < wanted)
        log(VMAFGPU_LOG_INFO, "offset=auto: the pictures are large: offsets of up to " +
                                  std::to_string(most) + " frames are looked for");
}

} // namespace

void adapt_to_pictures(PairingSettings &settings, const Format &format, const Log &log)
{
    const int64_t bytes = format.depth > 8 ? 2 : 1;
    const int64_t samples = static_cast<int64_t>(format.width) * format.height;
    const int64_t frames = kMostBytes / (samples * bytes * 3 / 2);
    const int64_t planes = format.chroma == Chroma::k444   ? 6
                           : format.chroma == Chroma::k422 ? 4
                                                           : 3;
    if (settings.window > 0)
        limit_search(settings, samples * bytes * planes / 2, log);
    const auto by_time = [&settings, &log](const std::string &why) {
        settings.rule = VMAFGPU_PAIR_TIME;
        settings.name = "auto-without-pictures";
        log(VMAFGPU_LOG_INFO, why + ": paired by time");
    };
    if (settings.uses_pictures() && settings.has_fixed_pool)
        by_time("main has few surfaces, which cannot wait for later frames");
    if (settings.uses_pictures() && frames < kLeastMain + kLeastReference)
        by_time("pictures of " + std::to_string(format.width) + "x" +
                std::to_string(format.height) + " are too large to hold many");
    if (!settings.uses_pictures())
        return;
    const int64_t most = FrameQueue::kMost;
    const int64_t main =
        std::clamp(frames * kUsualMain / (kUsualMain + kUsualReference), kLeastMain, most);
    settings.limit[kMain] = static_cast<int>(main);
    settings.limit[kReference] = static_cast<int>(std::clamp(frames - main, kLeastReference, most));
}

std::unique_ptr<Rule> make_rule(const PairingSettings &settings, SketchOf sketch_of)
{
    if (settings.is_framesync()) {
        FramesyncSettings sync;
        sync.at_end = static_cast<FramesyncSettings::AtEnd>(settings.eof_action);
        sync.is_shortest = settings.is_shortest;
        sync.repeats_last = settings.repeats_last;
        sync.is_nearest = settings.is_nearest;
        std::copy_n(settings.base, kInputs, sync.base);
        return std::make_unique<FramesyncRule>(sync);
    }
    QueueSettings queues;
    queues.has_offset = settings.has_offset;
    queues.offset = settings.offset;
    queues.furthest = settings.furthest;
    queues.search_frames = settings.search_frames;
    queues.sketch_of = sketch_of;
    queues.is_shortest = settings.is_shortest;
    for (int i = 0; i < kInputs; ++i) {
        queues.interval[i] = interval_of(settings.rate[i]);
        queues.limit[i] = settings.limit[i];
    }
    if (settings.rule == VMAFGPU_PAIR_INDEX)
        return std::make_unique<IndexRule>(queues);
    if (settings.rule == VMAFGPU_PAIR_TIME)
        return std::make_unique<TimeRule>(queues);
    return std::make_unique<PictureRule>(queues, std::move(sketch_of));
}

} // namespace vmafgpu
