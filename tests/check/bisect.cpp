// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where a backend's Sums part from the plain code's. Any backend can be asked, since
// only its inputs are changed: everything outside a window of the pictures becomes
// grey, and the window shrinks from all sides as long as the same word differs.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>

#include "base/error.h"
#include "job.h"
#include "planes.h"

namespace vmafgpu {
namespace {

struct Window {
    int left, top, right, bottom; ///< right and bottom are not part of it
};

struct Difference {
    size_t group = 0, word = 0, words = 0; ///< words: that the group has
    int frame = -1;                        ///< -1: none
    uint64_t expected = 0, got = 0;
};

void grey_outside(TestPlane &plane, const Window &window, unsigned grey, bool is_chroma)
{
    // Chroma follows luma's window, rounded outwards; only its size tells how.
    const int shrink = is_chroma ? 2 : 1;
    for (int y = 0; y < plane.height(); ++y)
        for (int x = 0; x < plane.width(); ++x)
            if (x * shrink < window.left / shrink * shrink || x * shrink >= window.right ||
                y * shrink < window.top / shrink * shrink || y * shrink >= window.bottom)
                plane.set(x, y, grey);
}

class Search {
public:
    Search(const ParityJob &job, const Target &target)
        : target_(target), groups_(create_groups(job)), clip_(job.clip())
    {
    }

    Difference first_difference()
    {
        for (size_t group = 0; group < groups_.size(); ++group) {
            const Difference found = compare(group, clip_);
            if (found.frame >= 0)
                return found;
        }
        return {};
    }

    /// Keeps in mind what has to differ from now on.
    void pursue(const Difference &found) { pursued_ = found; }

    bool differs_within(const Window &window)
    {
        TestClip masked = clip_;
        const unsigned grey = 1U << (clip_.format().depth - 1);
        for (int frame = 0; frame < masked.frames(); ++frame) {
            TestPair &pair = masked.editable_pair(frame);
            for (size_t p = 0; p < pair.reference.size(); ++p) {
                grey_outside(pair.reference[p], window, grey, p > 0);
                grey_outside(pair.distorted[p], window, grey, p > 0);
            }
        }
        ++evaluations_;
        const Feature &feature = *groups_[pursued_.group].feature;
        const AllSums expected = reference_sums(feature, masked);
        const AllSums got = target_sums(feature, masked, target_);
        const auto frame = static_cast<size_t>(pursued_.frame);
        return expected[frame][pursued_.word] != got[frame][pursued_.word];
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

    const Format &format() const { return clip_.format(); }
    int evaluations() const { return evaluations_; }

private:
    Difference compare(size_t group, const TestClip &clip) const
    {
        const AllSums expected = reference_sums(*groups_[group].feature, clip);
        const AllSums got = target_sums(*groups_[group].feature, clip, target_);
        for (size_t frame = 0; frame < expected.size(); ++frame)
            for (size_t word = 0; word < expected[frame].size(); ++word)
                if (expected[frame][word] != got[frame][word])
                    return {group,
                            word,
                            expected[frame].size(),
                            static_cast<int>(frame),
                            expected[frame][word],
                            got[frame][word]};
        return {};
    }

    const Target &target_;
    std::vector<FeatureGroup> groups_;
    TestClip clip_;
    Difference pursued_;
    int evaluations_ = 0;
};

/// The planes of all frames that a backend's kernels write for later ones, in the order
/// in which a pair's are made; none if the backend has no device to look at.
WrittenPlanes written_planes(const ParityJob &job, const std::string &backend, size_t group)
{
    WrittenPlanes planes;
    auto target = open_parity_target(backend, job.threads);
    if (!target->device)
        return planes;
    target->device = watch_planes(std::move(target->device), &planes);
    target_sums(*create_groups(job)[group].feature, job.clip(), *target);
    std::stable_sort(planes.begin(), planes.end(),
                     [](const auto &a, const auto &b) { return a.frame < b.frame; });
    return planes;
}

/// The first sample that is not the plain code's, or null.
nlohmann::json first_wrong_sample(const ParityJob &job, const WrittenPlanes &planes)
{
    const TestClip clip = job.clip();
    for (const WrittenPlane &plane : planes) {
        const auto expected = expected_plane(clip.format(), clip.view(plane.frame), plane);
        if (expected.size() != plane.samples.size())
            throw Error(EINVAL, plane.kernel + " wrote a plane of another size than expected");
        const auto [wrong, right] =
            std::mismatch(plane.samples.begin(), plane.samples.end(), expected.begin());
        if (wrong == plane.samples.end())
            continue;
        const auto at = static_cast<int>(wrong - plane.samples.begin());
        return {
            {"kernel", plane.kernel},  {"frame", plane.frame},
            {"scale", plane.scale},    {"picture", plane.is_distorted ? "distorted" : "reference"},
            {"row", at / plane.width}, {"column", at % plane.width},
            {"expected", *right},      {"got", *wrong}};
    }
    return nullptr;
}

} // namespace

nlohmann::json bisect(const ParityJob &job, const std::string &backend)
{
    if (job.is_scores || backend == kReferenceBackend)
        throw Error(EINVAL, "only Sums of a backend can be bisected");
    const auto target = open_parity_target(backend, job.threads);
    Search search(job, *target);
    const Difference found = search.first_difference();
    nlohmann::json result = {{"differs", found.frame >= 0}};
    if (found.frame < 0)
        return result;
    result["name"] = std::to_string(found.group) + "." + std::to_string(found.word);
    result["words"] = found.words;
    result["frame"] = found.frame;
    result["expected"] = found.expected;
    result["got"] = found.got;
    search.pursue(found);
    Window window = {0, 0, search.format().width, search.format().height};
    const bool is_everywhere = search.differs_within({0, 0, 0, 0});
    if (!is_everywhere) {
        // The bottom first: what is left then is the first row that shows it.
        search.shrink(window, &Window::bottom, 0);
        search.shrink(window, &Window::right, 0);
        search.shrink(window, &Window::top, window.bottom);
        search.shrink(window, &Window::left, window.right);
    }
    result["needs_content"] = !is_everywhere;
    result["window"] = {window.left, window.top, window.right, window.bottom};
    result["evaluations"] = search.evaluations();
    result["plane"] = first_wrong_sample(job, written_planes(job, backend, found.group));
    return result;
}

nlohmann::json look_at_planes(const ParityJob &job, const std::string &backend)
{
    WrittenPlanes planes;
    for (size_t group = 0; group < create_groups(job).size(); ++group)
        for (WrittenPlane &plane : written_planes(job, backend, group))
            planes.push_back(std::move(plane));
    std::set<std::string> kernels;
    for (const WrittenPlane &plane : planes)
        kernels.insert(plane.kernel);
    return {{"planes", planes.size()},
            {"kernels", kernels},
            {"plane", first_wrong_sample(job, planes)}};
}

} // namespace vmafgpu
