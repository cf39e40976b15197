// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of ciede: outputs, refusals, and scores from Sums. Pixel work: ciede_cpu.cpp,
// ciede_ref.cpp, ciede_kernels.cpp.
#include "features/ciede/ciede.h"

#include <cerrno>
#include <memory>
#include <string>

#include "base/error.h"
#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "libm/libm.h"

namespace vmafgpu::ciede {

namespace {

std::vector<OutputInfo> outputs(Compat /*compat*/, const FeatureOptions & /*options*/)
{
    return {Output("ciede2000").is_default()};
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

class Ciede final : public FeatureOf<Format, Sums, Forms> {
public:
    using FeatureOf::FeatureOf;

    FeatureTraits traits() const override
    {
        FeatureTraits traits;
        traits.needs_chroma = true;
        return traits;
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const Format &format = config_;
        const auto pixels = static_cast<double>(static_cast<int64_t>(format.width) * format.height);
        out[0][0] = 45 - 20 * libm::log10(sums_of(window).difference / pixels);
    }
};

std::vector<FeatureGroup> create(const Format &format, Compat /*compat*/,
                                 const std::vector<FeatureOptions> &variants)
{
    require_size(format);
    return make_plain(variants, [&] { return std::make_unique<Ciede>(format); });
}

} // namespace

const FeatureInfo kFeature =
    Info("ciede").outputs(outputs).depths({8, 10, 12, 16}).refuses_400().create(create);

} // namespace vmafgpu::ciede
