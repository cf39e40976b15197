// SPDX-License-Identifier: BSD-2-Clause-Patent
// See settings.h.
#include "pairing/settings.h"

#include <algorithm>
#include <cerrno>

#include "base/require.h"
#include "pairing/offset_search.h"

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

} // namespace

int64_t PairingSettings::interval(int i) const
{
    return rate(i).is_known() ? rescale(1, {rate(i).den, rate(i).num}, kNanosecond) : 0;
}

PairingSettings pairing_settings(const VmafGpuPairingSettings &s)
{
    require(s.struct_size == sizeof(s), "pairing: struct_size", s.struct_size,
            "what vmafgpu_pairing_default() sets");
    require_within("pairing: rule", s.rule, VMAFGPU_PAIR_AUTO, VMAFGPU_PAIR_FRAMESYNC,
                   "VmafGpuPairingRule");
    require_within("pairing: offset", s.offset, -VMAFGPU_MOST_OFFSET, VMAFGPU_MOST_OFFSET,
                   "-VMAFGPU_MOST_OFFSET to VMAFGPU_MOST_OFFSET");
    require_within("pairing: eof_action", s.eof_action, VMAFGPU_EOF_REPEAT, VMAFGPU_EOF_PASS,
                   "VmafGpuEofAction");
    require_within("pairing: has_offset", s.has_offset, VMAFGPU_OFFSET_NONE, VMAFGPU_OFFSET_AUTO,
                   "VmafGpuOffset");
    require_within("pairing: shortest", s.shortest, 0, 1, "0 or 1");
    require_within("pairing: repeatlast", s.repeatlast, 0, 1, "0 or 1");
    require_within("pairing: nearest", s.nearest, 0, 1, "0 or 1");
    require_within("pairing: has_fixed_pool", s.has_fixed_pool, 0, 1, "0 or 1");
    require_within("pairing: is_part", s.is_part, 0, 1, "0 or 1");
    const bool is_framesync = s.rule == VMAFGPU_PAIR_FRAMESYNC;
    if (is_framesync && s.has_offset != 0)
        throw Error(EINVAL, "pairing: offset has no meaning with pair=framesync, which eof_action, "
                            "repeatlast and ts_sync_mode choose, too");
    if (!is_framesync &&
        (s.eof_action != VMAFGPU_EOF_REPEAT || s.repeatlast == 0 || s.nearest != 0))
        throw Error(EINVAL, "pairing: eof_action, repeatlast and ts_sync_mode need pair=framesync");
    PairingSettings all;
    static_cast<VmafGpuPairingSettings &>(all) = s;
    all.name = kNames[s.rule];
    all.offset = s.has_offset == VMAFGPU_OFFSET_GIVEN ? s.offset : 0;
    if (s.offset_window == -1)
        all.offset_window = kUsualWindow;
    require_within("pairing: offset_window", all.offset_window, 1, kMostWindow, "1 to 60 seconds");
    if (s.offset_window != -1 && s.has_offset != VMAFGPU_OFFSET_AUTO)
        throw Error(EINVAL, "pairing: offset_window has no meaning without offset=auto");
    for (const VmafGpuPairingInput &input : s.input) {
        require(input.time_base_num > 0, "pairing: time_base_num", input.time_base_num,
                "1 or more");
        require(input.time_base_den > 0, "pairing: time_base_den", input.time_base_den,
                "1 or more");
    }
    return all;
}

namespace {

/// Files of variable rate may declare 1000 frames a second or more.
constexpr int64_t kLeastSearchInterval = 4 * kMillisecond;

/// How far an offset is searched for, in frames of the faster input.
void limit_search(PairingSettings &settings, int64_t picture_bytes, const Log &log)
{
    if (settings.has_fixed_pool != 0)
        throw Error(EINVAL,
                    "offset=auto: main has few surfaces, which cannot wait until the offset "
                    "is found: give offset=N, or copy them to memory (hwdownload)");
    const int64_t own = settings.interval(kMain);
    const int64_t other = settings.interval(kReference);
    // The n-th frames are compared with the n-th; 2 % are a tenth of a second in five.
    if (settings.rule != VMAFGPU_PAIR_INDEX && own > 0 && other > 0 && differ(own, other, 40))
        throw Error(EINVAL, "offset=auto: the frame rates of the inputs differ, so that no number "
                            "of frames is their offset: give offset=N");
    const int64_t known = shorter(own, other);
    const int64_t interval =
        known == 0 ? FrameQueue::kUsualInterval : std::max(known, kLeastSearchInterval);
    const int64_t wanted = (settings.offset_window * 1000 * kMillisecond + interval / 2) / interval;
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

PairingSettings adapted_to_pictures(PairingSettings settings, const Format &format, const Log &log)
{
    const int64_t bytes = format.depth > 8 ? 2 : 1;
    const int64_t samples = static_cast<int64_t>(format.width) * format.height;
    const int64_t frames = kMostBytes / (samples * bytes * 3 / 2);
    const int64_t planes = format.chroma == Chroma::k444   ? 6
                           : format.chroma == Chroma::k422 ? 4
                                                           : 3;
    if (settings.is_search())
        limit_search(settings, samples * bytes * planes / 2, log);
    const auto by_time = [&settings, &log](const std::string &why) {
        settings.rule = VMAFGPU_PAIR_TIME;
        settings.name = "auto-without-pictures";
        log(VMAFGPU_LOG_INFO, why + ": paired by time");
    };
    if (settings.uses_pictures() && settings.has_fixed_pool != 0)
        by_time("main has few surfaces, which cannot wait for later frames");
    if (settings.uses_pictures() && frames < kLeastMain + kLeastReference)
        by_time("pictures of " + std::to_string(format.width) + "x" +
                std::to_string(format.height) + " are too large to hold many");
    if (!settings.uses_pictures())
        return settings;
    const int64_t most = FrameQueue::kMost;
    const int64_t main =
        std::clamp(frames * kUsualMain / (kUsualMain + kUsualReference), kLeastMain, most);
    settings.limit[kMain] = static_cast<int>(main);
    settings.limit[kReference] = static_cast<int>(std::clamp(frames - main, kLeastReference, most));
    return settings;
}

} // namespace vmafgpu
