// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs the cases of the JSON files: a feature's scores of a clip by the plain code, equal in every
// bit; and Sums of the fast code at every level of this processor, equal to the plain code's.
// Models: test_models.cpp. Tests of one feature read the rest of a file.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "clips.h"
#include "features/registry.h"
#include "golden_file.h"
#include "sums_window.h"

namespace vmafgpu {

using nlohmann::json;

namespace {

/// One case of a feature.
class FeatureCase {
public:
    explicit FeatureCase(const json &text)
        : text_(text), clip_(golden_clip(text.at("clip"))),
          info_(*find_feature(text.at("feature").get<std::string>())),
          compat_(text.value("compat", "3.2") == "3.1" ? Compat::k3_1 : Compat::k3_2),
          values_(values_of(info_, text.at("options")))
    {
    }

    bool is_large() const { return clip_.format.width * clip_.format.height > 352 * 288; }

    void run()
    {
        const auto groups = info_.create(clip_.format, compat_, {values_});
        ASSERT_EQ(groups.size(), 1U);
        const Feature &feature = *groups[0].feature;
        SegmentSums sums(feature);
        fill(feature, sums);
        const auto outputs = info_.outputs(compat_, values_);
        const auto rows = sums.scores(0, 1, outputs.size());
        size_t compared = 0;
        for (const auto &[name, wanted] : text_.at("scores").items())
            for (size_t i = 0; i < outputs.size(); ++i)
                if (report_name(info_, outputs[i], values_) == name)
                    compared += expect_series(name, wanted, column(rows, i));
        EXPECT_GE(compared, text_.at("scores").size()) << "a series is not the feature's";
    }

private:
    /// A feature that looks at other pairs gets all frames; another one those with numbers.
    bool is_wanted(const FeatureTraits &traits, size_t frame) const
    {
        if (traits.history > 0 || traits.delay > 0 || traits.lookback > 0)
            return true;
        for (const json &numbers : text_.at("scores"))
            if (!numbers.at(frame).is_null())
                return true;
        return false;
    }

    void fill(const Feature &feature, SegmentSums &sums)
    {
        const size_t frames = text_.at("scores").begin()->size();
        std::vector<YuvPair> pairs;
        for (size_t frame = 0; frame < frames; ++frame) {
            pairs.push_back(clip_.pair(static_cast<int>(frame)));
            if (!is_wanted(feature.traits(), frame))
                continue;
            PairView view = pairs[frame].view();
            for (size_t back = 1; back <= kMaxHistory && back <= frame; ++back)
                view.previous[back - 1] = pairs[frame - back].view().reference[0];
            add(feature, view, sums);
            rows_.push_back(frame);
        }
    }

    /// The plain code takes seconds for a case that says "fast".
    void add(const Feature &feature, const PairView &view, SegmentSums &sums) const
    {
        if (text_.value("code", "") != "fast")
            return expect_all_levels(feature, view, sums.add_reference(view));
        const Bytes fast = computed(feature, view, 2);
        std::memcpy(sums.add(), fast.data(), fast.size());
    }

    /// By frame; -1e300 where the frame was not computed.
    std::vector<double> column(const std::vector<std::vector<double>> &rows, size_t output) const
    {
        std::vector<double> values(rows_.back() + 1, -1e300);
        for (size_t i = 0; i < rows.size(); ++i)
            values[rows_[i]] = rows[i][output];
        return values;
    }

    const json &text_;
    GoldenClip clip_;
    const FeatureInfo &info_;
    Compat compat_;
    FeatureOptions values_;
    std::vector<size_t> rows_; ///< frame of each row of scores
};

class Golden : public testing::TestWithParam<std::string> {
protected:
    static void run(bool is_large)
    {
        for (const auto &[name, text] : golden_texts()) {
            const json &file = golden_file(name.c_str());
            if (!file.contains("cases"))
                continue;
            for (const json &one : file["cases"]) {
                if (one.value("feature", "") != GetParam())
                    continue;
                SCOPED_TRACE(one["clip"].get<std::string>() + " " + one["options"].dump());
                FeatureCase of_clip(one);
                if (of_clip.is_large() == is_large)
                    of_clip.run();
            }
        }
    }
};

TEST_P(Golden, Vectors)
{
    run(false);
}

/// Minutes where the fused multiply-add is done in software.
TEST_P(Golden, LargeVectors)
{
    run(true);
}

std::set<std::string> features()
{
    std::set<std::string> names;
    for (const auto &[name, text] : golden_texts())
        for (const json &one : golden_file(name.c_str()).value("cases", json::array()))
            if (one.contains("feature"))
                names.insert(one["feature"].get<std::string>());
    return names;
}

INSTANTIATE_TEST_SUITE_P(Features, Golden, testing::ValuesIn(features()),
                         [](const auto &feature) { return feature.param; });

/// A case that is lost, or that nothing reads, fails here.
TEST(GoldenFiles, HaveAllTheirNumbers)
{
    for (const auto &[name, text] : golden_texts()) {
        const json &file = golden_file(name.c_str());
        EXPECT_FALSE(file.at("source").get<std::string>().empty());
        size_t numbers = 0;
        for (const json &one : file.value("cases", json::array())) {
            EXPECT_NE(one.contains("feature"), one.contains("models")) << one["clip"];
            for (const json &series : one["scores"])
                for (const json &number : series)
                    numbers += !number.is_null();
            numbers += one.value("means", json::object()).size();
        }
        EXPECT_GE(numbers, file.value("numbers", size_t{0})) << name;
    }
}

} // namespace

} // namespace vmafgpu
