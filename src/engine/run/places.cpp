// SPDX-License-Identifier: BSD-2-Clause-Patent
// A filter that is set up again in mid-stream: the run in its place is over, and another one would
// be about other pairs. See include/vmaf_gpu/run.h.
#include "run/places.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include "base/error.h"
#include "base/format_number.h"
#include "inputs/inputs.h"

namespace vmafgpu {

namespace {

struct Places {
    std::mutex mutex;
    std::map<std::string, StoppedRun> runs; ///< by the name of their place
};

/// Never destroyed: filters may end after static objects.
Places &places()
{
    static auto *const all = new Places;
    return *all;
}

bool has_name(const VmafGpuPlace *place)
{
    return place != nullptr && place->name[0] != '\0';
}

std::string frames_of(int64_t count, int input)
{
    return std::to_string(count) + " " + kInputNames[input] + (count == 1 ? " frame" : " frames");
}

/// Which input changes; -1: what it changes, VmafGpuInput does not know.
int changed_input(const StoppedRun &before, const VmafGpuPlace &now)
{
    for (int i = 0; i < 2; ++i)
        if (!change_of(before.source[static_cast<size_t>(i)], now.source[i]).empty())
            return i;
    return -1;
}

std::string what_changes(const StoppedRun &before, const VmafGpuPlace &now, int input)
{
    const auto at = static_cast<size_t>(std::max(input, 0));
    const std::string time = " after " + format_fixed(before.last[at], 3) + " s";
    if (input < 0)
        return "the orientation of an input changes" + time + ", or its hardware frames";
    const std::string stream =
        now.stream[input][0] == '\0' ? "" : std::string(" (stream ") + now.stream[input] + ")";
    return kInputNames[input] + stream + " changes" + time + ": " +
           change_of(before.source[at], now.source[input]);
}

/// Only FFmpeg's filter has a place.
std::string what_helps(const StoppedRun &before, const VmafGpuPlace &now, int input)
{
    if (input < 0)
        return "decode in software, and put -noautorotate -reinit_filter 0 before each -i (which "
               "needs FFmpeg 7.1 or later)";
    const std::string filters =
        filters_back(before.source[static_cast<size_t>(input)], now.source[input]);
    return std::string("put -reinit_filter 0 before the -i of ") + kInputNames[input] +
           " and convert its frames, e.g. " +
           (input == VMAFGPU_MAIN ? "[0:v]" + filters + "[d];[d][1:v]"
                                  : "[1:v]" + filters + "[r];[0:v][r]") +
           "vmaf_gpu";
}

std::string refusal(const StoppedRun &before, const VmafGpuPlace &now)
{
    const int input = changed_input(before, now);
    return "FFmpeg sets the filter up again in mid-stream, and a run cannot go on: " +
           what_changes(before, now, input) + ". " + std::to_string(before.pairs) +
           " pairs were scored; at least " + frames_of(before.lost[VMAFGPU_MAIN], VMAFGPU_MAIN) +
           " and " + frames_of(before.lost[VMAFGPU_REFERENCE], VMAFGPU_REFERENCE) +
           " are lost, and all that follow. To score all pairs, " + what_helps(before, now, input);
}

} // namespace

void begin_in_place(const VmafGpuPlace *place)
{
    if (!has_name(place))
        return;
    const std::lock_guard<std::mutex> lock(places().mutex);
    StoppedRun run;
    std::copy(std::begin(place->source), std::end(place->source), run.source.begin());
    places().runs[place->name] = std::move(run);
}

void stop_in_place(const VmafGpuPlace *place, StoppedRun run)
{
    if (!has_name(place))
        return;
    const std::lock_guard<std::mutex> lock(places().mutex);
    const auto found = places().runs.find(place->name);
    if (found == places().runs.end())
        return;
    run.source = found->second.source;
    found->second = std::move(run);
}

void end_in_place(const VmafGpuPlace *place)
{
    if (!has_name(place))
        return;
    const std::lock_guard<std::mutex> lock(places().mutex);
    places().runs.erase(place->name);
}

void enter_place(const VmafGpuPlace &place)
{
    const std::lock_guard<std::mutex> lock(places().mutex);
    const auto found = places().runs.find(place.name);
    if (found == places().runs.end())
        return;
    const std::string text = refusal(found->second, place);
    if (found->second.log)
        found->second.log->mark(found->second.log_path, text);
    throw Error(EINVAL, text);
}

void forget_places()
{
    const std::lock_guard<std::mutex> lock(places().mutex);
    places().runs.clear();
}

} // namespace vmafgpu
