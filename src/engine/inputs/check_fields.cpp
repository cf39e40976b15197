// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures that are two fields, of two moments: which input has them, which field comes first, and
// film that was spread over them. Only tags are looked at: a filter that has deinterlaced before
// leaves none.
#include <cmath>
#include <string>

#include "base/format_number.h"
#include "inputs/inputs.h"

namespace vmafgpu {

namespace {

constexpr char kDeinterlace[] = "bwdif=mode=send_frame";

double rate_of(const VmafGpuInput &input)
{
    return input.rate_num > 0 && input.rate_den > 0
               ? static_cast<double>(input.rate_num) / input.rate_den
               : 0;
}

/// The input that has five frames for four of the other one; -1: none.
int pulled_down(const VmafGpuInputs &inputs)
{
    for (int i = 0; i < 2; ++i) {
        const double four = rate_of(inputs.compared[1 - i]) * 5;
        if (four > 0 && std::abs(rate_of(inputs.compared[i]) * 4 - four) < four * 0.0005)
            return i;
    }
    return -1;
}

/// Returns true if the cause is sure, since the frames are marked as interlaced. Frames without a
/// mark get an information only: their rate may have been converted.
bool warn_pulldown(const VmafGpuInputs &inputs, const Advise &advise)
{
    const int input = pulled_down(inputs);
    if (input < 0 || inputs.compared[1 - input].is_interlaced != 0)
        return false;
    const bool is_marked = inputs.compared[input].is_interlaced != 0;
    const std::string name = kInputNames[input];
    Advice text = "main has " + format_fixed(rate_of(inputs.compared[0]), 3) + " and reference " +
                  format_fixed(rate_of(inputs.compared[1]), 3) + " frames per second" +
                  (is_marked ? ", and " + name +
                                   " is interlaced, as film with pulldown "
                                   "(telecine) is: take it out"
                             : ": if " + name + " is film with pulldown (telecine)");
    add_example_for(text, inputs, input, "fieldmatch,yadif=deint=interlaced,decimate");
    advise(is_marked ? VMAFGPU_LOG_WARNING : VMAFGPU_LOG_INFO, text);
    return is_marked;
}

void warn_one(const VmafGpuInputs &inputs, int input, const Advise &advise)
{
    const std::string name = kInputNames[input];
    Advice text =
        name + " is interlaced, " + kInputNames[1 - input] + " is progressive: deinterlace " + name;
    add_example_for(text, inputs, input, kDeinterlace);
    advise(VMAFGPU_LOG_WARNING, text);
}

/// The encode is as its source; if its order is another one, that is the cause of a low score.
void warn_both(const VmafGpuInputs &inputs, const Advise &advise)
{
    const bool main_is_bottom = inputs.compared[VMAFGPU_MAIN].is_bottom_first != 0;
    const bool reference_is_bottom = inputs.compared[VMAFGPU_REFERENCE].is_bottom_first != 0;
    Advice text = "main and reference are interlaced: a picture shows two moments, and no "
                  "model was made for that: deinterlace both";
    std::string main_filters = kDeinterlace;
    if (main_is_bottom != reference_is_bottom) {
        const std::string names[] = {"top", "bottom"};
        text = "main has its " + names[main_is_bottom] + " field first, reference its " +
               names[reference_is_bottom] +
               ": once they are deinterlaced, their pictures are half a frame apart; if both show "
               "the same fields, the tag of one is wrong";
        main_filters.insert(0, reference_is_bottom ? "setfield=bff," : "setfield=tff,");
    }
    add_example(text, inputs, main_filters.c_str(), kDeinterlace);
    advise(VMAFGPU_LOG_WARNING, text);
}

} // namespace

void check_fields(const VmafGpuInputs &inputs, const Advise &advise)
{
    const bool main_is = inputs.compared[VMAFGPU_MAIN].is_interlaced != 0;
    const bool reference_is = inputs.compared[VMAFGPU_REFERENCE].is_interlaced != 0;
    if (warn_pulldown(inputs, advise))
        return;
    if (main_is && reference_is)
        warn_both(inputs, advise);
    else if (main_is || reference_is)
        warn_one(inputs, main_is ? VMAFGPU_MAIN : VMAFGPU_REFERENCE, advise);
}

} // namespace vmafgpu
