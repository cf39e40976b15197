// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of ciede: outputs, refusals, and scores from Sums. Pixel work: ciede_cpu.cpp,
// ciede_ref.cpp.
#include "ciede.h"

#include <string>

#include "base/error.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

class Ciede final : public Feature {
public:
    explicit Ciede(const Format &format) : format_(format) {}

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = sizeof(CiedeSums);
        plan.cpu_scratch = ciede_scratch(format_);
        return plan;
    }
    bool needs_chroma() const override { return true; }
    bool runs_on_host() const override { return true; }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        ciede_compute(format_, pair, *static_cast<CiedeSums *>(sums), scratch, pool);
    }
    void reference(const PairView &pair, void *sums) const override
    {
        ciede_reference(format_, pair, *static_cast<CiedeSums *>(sums));
    }
    void scores(const SumsWindow &window, double *const *out) const override
    {
        const auto *sums = static_cast<const CiedeSums *>(window.at(0));
        const auto pixels =
            static_cast<double>(static_cast<int64_t>(format_.width) * format_.height);
        out[0][0] = 45 - 20 * libm::log10(sums->difference / pixels);
    }

private:
    Format format_;
};

std::vector<OutputInfo> ciede_outputs(Compat /*compat*/, const OptionValues & /*values*/)
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

std::vector<FeatureGroup> ciede_create(const Format &format, Compat /*compat*/,
                                       const std::vector<OptionValues> &variants)
{
    require_size(format);
    std::vector<FeatureGroup> groups;
    for (size_t i = 0; i < variants.size(); ++i)
        groups.push_back({std::make_unique<Ciede>(format), {static_cast<int>(i)}});
    return groups;
}

} // namespace

const FeatureInfo kCiedeFeature = {"ciede",         {},  ciede_outputs, 1, ciede_create,
                                   {8, 10, 12, 16}, true};

} // namespace vmafgpu
