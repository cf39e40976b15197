// SPDX-License-Identifier: BSD-2-Clause-Patent
// check --bisect: where a target's Sums part from the reference code's. Any target can be asked,
// since only its inputs are changed: everything outside a window of the pictures becomes grey, and
// the window shrinks from all sides as long as the same word differs.
#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/error.h"
#include "check.h"
#include "planes.h"

namespace vmafgpu {
namespace {

struct Window {
    int left, top, right, bottom; ///< right and bottom are not part of it
};

/// Chroma follows luma's window, rounded outwards.
void grey_outside(TestPlane &plane, const Window &window, const Format &format, bool is_chroma)
{
    const unsigned grey = 1U << (format.depth - 1);
    const int wide = is_chroma && format.chroma != Chroma::k444 ? 2 : 1;
    const int high = is_chroma && format.chroma == Chroma::k420 ? 2 : 1;
    for (int y = 0; y < plane.height(); ++y)
        for (int x = 0; x < plane.width(); ++x)
            if (x * wide < window.left / wide * wide || x * wide >= window.right ||
                y * high < window.top / high * high || y * high >= window.bottom)
                plane.set(x, y, grey);
}

class Search {
public:
    Search(const Feature &feature, const TestClip &clip, const Target &target)
        : feature_(feature), clip_(clip), target_(target)
    {
        const AllSums expected = reference_sums(feature_, clip_);
        const AllSums got = target_sums(feature_, clip_, target_);
        while (frame_ < expected.size() && expected[frame_] == got[frame_])
            ++frame_;
        if (frame_ == expected.size())
            throw Error(EIO, "the second time, nothing differs");
        const auto &right = expected[frame_];
        word_ = static_cast<size_t>(
            std::mismatch(right.begin(), right.end(), got[frame_].begin()).first - right.begin());
    }

    bool differs_within(const Window &window)
    {
        TestClip masked = clip_;
        for (int frame = 0; frame < masked.frames(); ++frame) {
            TestPair &pair = masked.editable_pair(frame);
            for (size_t p = 0; p < pair.reference.size(); ++p) {
                grey_outside(pair.reference[p], window, clip_.format(), p > 0);
                grey_outside(pair.distorted[p], window, clip_.format(), p > 0);
            }
        }
        ++evaluations_;
        return reference_sums(feature_, masked)[frame_][word_] !=
               target_sums(feature_, masked, target_)[frame_][word_];
    }

    /// Moves one side inwards as far as the difference allows; every window
    /// that is kept has been seen to differ.
    void shrink(Window &window, int Window::*side, int limit)
    {
        int step = std::abs(limit - window.*side);
        while (step > 0) {
            Window smaller = window;
            smaller.*side += limit > window.*side ? step : -step;
            const bool is_empty = smaller.left >= smaller.right || smaller.top >= smaller.bottom;
            if (!is_empty && differs_within(smaller))
                window = smaller;
            else
                step /= 2;
            step = std::min(step, std::abs(limit - window.*side));
        }
    }

    int evaluations() const { return evaluations_; }

private:
    const Feature &feature_;
    const TestClip &clip_;
    const Target &target_;
    size_t frame_ = 0, word_ = 0; ///< what has to differ
    int evaluations_ = 0;
};

/// The planes of all frames that the target's kernels write for later ones, in the order in which a
/// pair's are made; none if it has no device.
WrittenPlanes written_planes(const Feature &feature, const TestClip &clip, const Target &target)
{
    WrittenPlanes planes;
    if (!target.device)
        return planes;
    const auto watched = open_target(target.name, target.is_slow);
    watched->device = watch_planes(std::move(watched->device), &planes);
    target_sums(feature, clip, *watched);
    std::stable_sort(planes.begin(), planes.end(),
                     [](const auto &a, const auto &b) { return a.frame < b.frame; });
    return planes;
}

/// The first sample that is not the reference code's, or "".
std::string first_wrong_sample(const TestClip &clip, const WrittenPlanes &planes)
{
    for (const WrittenPlane &plane : planes) {
        const auto expected = expected_plane(clip.format(), clip.view(plane.frame), plane);
        if (expected.size() != plane.samples.size())
            throw Error(EINVAL, plane.kernel + " wrote a plane of another size than expected");
        const auto [wrong, right] =
            std::mismatch(plane.samples.begin(), plane.samples.end(), expected.begin());
        if (wrong == plane.samples.end())
            continue;
        const auto at = static_cast<int>(wrong - plane.samples.begin());
        return "first wrong sample: frame " + std::to_string(plane.frame) + ", " + plane.kernel +
               ", " + (plane.is_distorted ? "distorted" : "reference") + " plane for scale " +
               std::to_string(plane.scale) + ", row " + std::to_string(at / plane.width) +
               ", column " + std::to_string(at % plane.width) + ": reference " +
               std::to_string(*right) + ", got " + std::to_string(*wrong);
    }
    return "";
}

Outcome compare_planes(const Feature &feature, const TestClip &clip, const Target &target,
                       size_t least)
{
    const WrittenPlanes planes = written_planes(feature, clip, target);
    const std::string wrong = first_wrong_sample(clip, planes);
    if (wrong.empty() && planes.size() < least)
        return {false, std::to_string(planes.size()) + " planes were seen of at least " +
                           std::to_string(least)};
    return {wrong.empty(), wrong};
}

} // namespace

void check_planes(const Target &target, Report &report)
{
    struct Case {
        const char *feature, *options;
        Format format;
        Content content;
        size_t least; ///< planes of its clip
    };
    constexpr Case kCases[] = {
        {"vif", "", {129, 65, 8, Chroma::k400}, Content::kNoise, 12},
        {"vif", "", {130, 66, 10, Chroma::k400}, Content::kNoise, 12},
        {"adm", "", {129, 65, 8, Chroma::k400}, Content::kNoise, 12},
        {"adm", "", {130, 66, 10, Chroma::k400}, Content::kNoise, 12},
        {"cambi", "", {257, 217, 10, Chroma::k400}, Content::kBands, 12},
        {"cambi", "full_ref=true", {257, 217, 10, Chroma::k400}, Content::kBands, 24},
    };
    if (target.pool)
        return;
    for (const Case &one : kCases) {
        const bool has_options = one.options[0] != '\0';
        const std::string begin =
            std::string("engine/planes_") + one.feature + (has_options ? "_both" : "");
        report.run(target, case_name(begin, one.format, content_name(one.content), false), [&] {
            const TestClip clip(one.format, one.content, 2, report.settings().seed);
            const auto groups = create_groups(one.feature, one.options, one.format);
            return compare_planes(*groups.front().feature, clip, target, one.least);
        });
    }
}

std::string place_of_difference(const Feature &feature, const TestClip &clip, const Target &target)
{
    std::string wrong = first_wrong_sample(clip, written_planes(feature, clip, target));
    if (!wrong.empty())
        return wrong;
    Search search(feature, clip, target);
    if (search.differs_within({0, 0, 0, 0}))
        return "grey pictures differ, too";
    Window window = {0, 0, clip.format().width, clip.format().height};
    // The bottom first: what is left then is the first row that shows it.
    search.shrink(window, &Window::bottom, 0);
    search.shrink(window, &Window::right, 0);
    search.shrink(window, &Window::top, window.bottom);
    search.shrink(window, &Window::left, window.right);
    return "rows " + std::to_string(window.top) + " to " + std::to_string(window.bottom - 1) +
           ", columns " + std::to_string(window.left) + " to " + std::to_string(window.right - 1) +
           " show it with all else made grey (" + std::to_string(search.evaluations()) + " runs)";
}

} // namespace vmafgpu
