// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of ciede: outputs, refusals, and scores from Sums. Pixel work: ciede_cpu.cpp,
// ciede_ref.cpp.
#include "ciede.h"

#include <string>

#include "base/error.h"
#include "features/format_feature.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

void ciede_scores(const Format &format, const CiedeSums &sums, double *out)
{
    const auto pixels = static_cast<double>(static_cast<int64_t>(format.width) * format.height);
    out[0] = 45 - 20 * libm::log10(sums.difference / pixels);
}

std::vector<OutputInfo> ciede_outputs(Compat /*compat*/, const FeatureOptions & /*options*/)
{
    return {{"ciede2000", nullptr, true, false}};
}

/// Sizes for which libvmaf reads memory that is no picture: its result depends on what lies there.
void require_size(const Format &format)
{
    if (format.chroma != Chroma::k420)
        return;
    const std::string size = std::to_string(format.width) + "x" + std::to_string(format.height);
    if (format.height % 2 != 0)
        throw Error(EINVAL,
                    "feature ciede: the height of " + size +
                        " is odd, for which libvmaf's result is undefined in 4:2:0; an even "
                        "height, 4:2:2 and 4:4:4 are allowed");
    if (format.width % 2 != 0 && format.width / 2 % 32 == 0)
        throw Error(EINVAL, "feature ciede: the width of " + size +
                                " is a multiple of 64 plus 1, for which libvmaf's result is "
                                "undefined in 4:2:0; other widths, 4:2:2 and 4:4:4 are allowed");
}

constexpr FormatFunctions<CiedeSums> kCiede = {ciede_compute,         ciede_scratch,
                                               ciede_reference,       ciede_scores,
                                               /*needs_chroma=*/true, require_size};

} // namespace

const FeatureInfo kCiedeFeature = {"ciede",         {},  {},
                                   ciede_outputs,   1,   create_format_feature<CiedeSums, kCiede>,
                                   {8, 10, 12, 16}, true};

} // namespace vmafgpu
