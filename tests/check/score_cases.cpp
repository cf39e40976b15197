// SPDX-License-Identifier: BSD-2-Clause-Patent
// Cases of the whole engine: ring, batches, order, scores and models, against scores that are made
// from the reference code's Sums by the same arithmetic on the host.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "check.h"
#include "core/engine.h"
#include "features/registry.h"

namespace vmafgpu {
namespace {

/// What a run computes.
struct Wanted {
    std::string name; ///< the middle of the name of its cases
    std::vector<std::string> models;
    std::vector<FeatureRequest> features;
    Compat compat = Compat::k3_2;
};

struct Clip {
    Format format;
    Content content;
    int frames;
};

/// Smallest, odd, around tiles, waves and vectors, all depths. Deep noise uses every bit.
constexpr Clip kClips[] = {
    {{17, 17, 8, Chroma::k420}, Content::kNoise, 4},
    {{33, 47, 10, Chroma::k420}, Content::kNoise, 4},
    {{65, 33, 9, Chroma::k420}, Content::kTexture, 3},
    {{129, 65, 8, Chroma::k420}, Content::kNoise, 7},
    {{129, 65, 10, Chroma::k420}, Content::kTexture, 4},
    {{111, 35, 12, Chroma::k420}, Content::kExtreme, 3},
    {{95, 63, 16, Chroma::k420}, Content::kNoise, 3},
    {{64, 48, 8, Chroma::k420}, Content::kFlat, 3},
    {{241, 40, 14, Chroma::k420}, Content::kRamp, 3},
    {{130, 66, 10, Chroma::k420}, Content::kNoise, 5},
};
/// For models and features that need more of a picture: chroma, 216 columns, bands. ciede of 4:2:0
/// pictures of an odd height is undefined.
constexpr Clip kLargerClips[] = {
    {{83, 81, 10, Chroma::k444}, Content::kTexture, 3},
    {{163, 162, 10, Chroma::k420}, Content::kNoise, 2},
    {{257, 217, 10, Chroma::k444}, Content::kBands, 2},
};

std::vector<std::unique_ptr<Model>> load(const Wanted &wanted)
{
    std::vector<std::unique_ptr<Model>> models;
    for (const std::string &name : wanted.models) {
        models.push_back(Model::load(name));
        models.back()->set_option("name", name);
    }
    return models;
}

/// Whether the format is one that the models and features take.
bool fits(const Wanted &wanted, const Format &format)
{
    try {
        const ScorePlan plan(format, wanted.compat, load(wanted), wanted.features);
        return true;
    } catch (const Error &) {
        return false;
    }
}

/// The pairs of a clip, of which one is being scored.
class ClipWindow final : public SumsWindow {
public:
    ClipWindow(const AllSums &sums, int frame) : sums_(sums), frame_(frame) {}

    const void *at(int offset) const override
    {
        const int frame = frame_ + offset;
        if (frame < 0 || frame >= static_cast<int>(sums_.size()))
            return nullptr;
        return sums_[static_cast<size_t>(frame)].data();
    }
    int64_t position() const override { return frame_; }

private:
    const AllSums &sums_;
    int frame_;
};

/// A row of scores for each pair.
using Scores = std::vector<std::vector<double>>;

Scores reference_scores(const Wanted &wanted, const TestClip &clip)
{
    const ScorePlan plan(clip.format(), wanted.compat, load(wanted), wanted.features);
    AllSums sums(static_cast<size_t>(clip.frames()));
    for (auto &of_frame : sums)
        of_frame.resize(plan.sums_bytes() / sizeof(uint64_t));
    for (const ScorePlan::Group &group : plan.groups()) {
        const AllSums of_group = reference_sums(*group.feature, clip);
        const size_t offset = group.sums_offset / sizeof(uint64_t);
        for (size_t i = 0; i < sums.size(); ++i)
            std::copy(of_group[i].begin(), of_group[i].end(), &sums[i][offset]);
    }
    ScorePlan::Scratch scratch = plan.make_scratch();
    Scores scores(sums.size(), std::vector<double>(plan.names().size()));
    for (size_t i = 0; i < scores.size(); ++i)
        plan.scores(ClipWindow(sums, static_cast<int>(i)), scratch, scores[i].data());
    return scores;
}

VmafGpuPicture picture_of(const std::vector<TestPlane> &planes, const Format &format)
{
    VmafGpuPicture picture = {};
    picture.width = format.width;
    picture.height = format.height;
    picture.depth = format.depth;
    for (size_t p = 0; p < planes.size(); ++p)
        picture.plane[p] = {planes[p].data(), planes[p].pitch(), 0, 0};
    return picture;
}

/// How the engine gets the pairs.
struct Way {
    int ring;
    bool has_images = false; ///< every other pair is one of images
};

std::unique_ptr<Engine> open_engine(const Wanted &wanted, const Target &target,
                                    const Format &format, int ring)
{
    EngineSettings settings;
    settings.format = format;
    settings.device = target.pool ? "cpu" : target.name;
    settings.ring_depth = ring;
    settings.threads = 1 + ring % 3;
    settings.compat = wanted.compat;
    settings.models = load(wanted);
    settings.features = wanted.features;
    auto engine = std::make_unique<Engine>(std::move(settings));
    const std::string backend = engine->executor().info().backend;
    const std::string asked = target.name.substr(0, target.name.find(':'));
    // emu32 and emu64 are devices of one backend.
    if (asked.compare(0, backend.size(), backend) != 0)
        throw Error(EIO, "ran on " + backend + " instead of " + asked);
    return engine;
}

Scores engine_scores(const Wanted &wanted, const Target &target, const TestClip &clip, Way way,
                     const std::vector<std::string> &names)
{
    const auto engine = open_engine(wanted, target, clip.format(), way.ring);
    if (engine->score_table().names() != names)
        throw Error(EIO, "the engine has other series, or in another order");
    Scores scores;
    VmafGpuResult result = {};
    const auto take = [&] {
        int code = 0;
        while ((code = engine->collect(true, &result)) == 0) {
            if (result.index != static_cast<int64_t>(scores.size()) ||
                result.tag != scores.size() || result.scored != 1)
                throw Error(EIO, "pair " + std::to_string(result.tag) + " came out of order");
            scores.emplace_back(result.scores, result.scores + result.score_count);
        }
        return code;
    };
    for (int frame = 0; frame < clip.frames(); ++frame) {
        const auto reference = picture_of(clip.pair(frame).reference, clip.format());
        const auto distorted = picture_of(clip.pair(frame).distorted, clip.format());
        const auto tag = static_cast<uint64_t>(frame);
        if (way.has_images && frame % 2 == 0) {
            const auto first = engine->take(std::make_shared<HeldPicture>(reference), true);
            const auto second = engine->take(std::make_shared<HeldPicture>(distorted), false);
            while (!engine->submit_images(first, second, tag))
                take();
            continue;
        }
        while (!engine->submit(reference, distorted, tag))
            take();
    }
    engine->flush();
    if (take() != -ENODATA)
        throw Error(EIO, "pairs are left that never become final");
    return scores;
}

uint64_t bits_of(double value)
{
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

Outcome compare_scores(const Scores &expected, const Scores &got,
                       const std::vector<std::string> &names)
{
    if (got.size() != expected.size())
        return {false, std::to_string(got.size()) + " rows of scores for " +
                           std::to_string(expected.size()) + " pairs"};
    for (size_t frame = 0; frame < expected.size(); ++frame) {
        if (got[frame].size() != names.size() || expected[frame].size() != names.size())
            return {false, "frame " + std::to_string(frame) + " has not one score for each name"};
        for (size_t i = 0; i < names.size(); ++i) {
            const double values[2] = {expected[frame][i], got[frame][i]};
            if (std::isfinite(values[0]) && bits_of(values[0]) == bits_of(values[1]))
                continue;
            char text[160];
            std::snprintf(text, sizeof(text),
                          "frame %zu, %s: scores are finite and equal: reference "
                          "%.17g, got %.17g",
                          frame, names[i].c_str(), values[0], values[1]);
            return {false, text};
        }
    }
    return {};
}

Outcome check_ways(const Wanted &wanted, const Target &target, const TestClip &clip,
                   const std::vector<Way> &ways)
{
    const ScorePlan plan(clip.format(), wanted.compat, load(wanted), wanted.features);
    const Scores expected = reference_scores(wanted, clip);
    for (const Way &way : ways) {
        Outcome outcome = compare_scores(
            expected, engine_scores(wanted, target, clip, way, plan.names()), plan.names());
        if (!outcome.is_equal)
            return outcome;
    }
    return {};
}

void check_run(const Target &target, Report &report, const Wanted &wanted, const Clip &clip,
               const std::vector<Way> &ways)
{
    const std::string name =
        case_name("engine/" + wanted.name, clip.format, content_name(clip.content), false);
    report.run(target, name, [&] {
        const TestClip pictures(clip.format, clip.content, clip.frames, report.settings().seed);
        return check_ways(wanted, target, pictures, ways);
    });
}

/// Runs on every larger clip that fits; on a slow target, on the first. Throws if none does.
void check_larger(const Target &target, Report &report, const Wanted &wanted)
{
    int count = 0;
    for (const Clip &clip : kLargerClips) {
        if (!fits(wanted, clip.format) || (target.is_slow && count > 0))
            continue;
        ++count;
        check_run(target, report, wanted, clip, {{4}});
    }
    if (count == 0)
        throw Error(EINVAL, "no clip fits " + wanted.name + ", so that it is not compared");
}

/// Runs side by side have the scores of one that is alone.
Outcome check_side_by_side(const Wanted &wanted, const Target &target, const TestClip &clip)
{
    constexpr size_t kRuns = 4;
    Outcome outcomes[kRuns];
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kRuns; ++i)
        threads.emplace_back([&, i] {
            try {
                outcomes[i] = check_ways(wanted, target, clip, {{static_cast<int>(1 + 3 * i)}});
            } catch (const std::exception &error) {
                outcomes[i] = {false, error.what()};
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    for (const Outcome &outcome : outcomes)
        if (!outcome.is_equal)
            return outcome;
    return {};
}

/// Clips of 8 bits that are shifted left would show no error of depth.
Outcome check_varying_bits(const TestClip &clip)
{
    unsigned some = 0;
    unsigned all = ~0U;
    const TestPlane &plane = clip.pair(0).reference[0];
    for (int y = 0; y < plane.height(); ++y)
        for (int x = 0; x < plane.width(); ++x) {
            some |= plane.get(x, y);
            all &= plane.get(x, y);
        }
    return {(some & ~all) == (1U << clip.format().depth) - 1, "not every bit varies"};
}

} // namespace

void check_engine(const Target &target, Report &report)
{
    // Every series that these features have. Models of floats take no depth of 9 or 14.
    Wanted together = {"together",
                       {},
                       {{"vif", "debug=true"},
                        {"adm", "debug=true"},
                        {"adm", "adm_enhn_gain_limit=1.2"},
                        {"motion", "motion_five_frame_window=true"}}};
    std::vector<Wanted> larger;
    for (const BuiltinModel &model : builtin_models()) {
        const std::string name = model.name;
        if (name.find("v0.6.1") != std::string::npos && name.find("float") == std::string::npos)
            together.models.push_back(name);
        else
            larger.push_back({name, {name}, {}});
    }
    for (const FeatureInfo *info : feature_registry())
        larger.push_back({info->name, {}, {{info->name, ""}}});
    const Wanted old = {"compat3.1", {"vmaf_v0.6.1"}, {}, Compat::k3_1};
    constexpr int kRings[] = {1, 4, 7, 16};
    for (size_t i = 0; i < std::size(kClips); ++i) {
        const int ring = kRings[i % std::size(kRings)];
        check_run(target, report, together, kClips[i], {{ring}, {4, true}});
        check_run(target, report, old, kClips[i], {{ring}});
        if (kClips[i].content == Content::kNoise)
            report.run(target, case_name("engine/bits", kClips[i].format, "noise", false), [&] {
                return check_varying_bits(
                    {kClips[i].format, Content::kNoise, 1, report.settings().seed});
            });
    }
    for (const Wanted &wanted : larger)
        check_larger(target, report, wanted);
    report.run(target, case_name("engine/side_by_side", kClips[0].format, "noise", false), [&] {
        const TestClip clip(kClips[0].format, Content::kNoise, 4, report.settings().seed);
        return check_side_by_side(together, target, clip);
    });
}

} // namespace vmafgpu
