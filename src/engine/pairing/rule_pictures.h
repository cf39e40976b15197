// SPDX-License-Identifier: BSD-2-Clause-Patent
// By times, which pictures overrule where clocks disagree or the evidence is overwhelming. The
// limits were found with 122 pairs of files and 90 pairs of difficult content (tests/pairing):
// looser ones follow pictures that mislead. What the engine's sketches are is in base/sketch.h.
#pragma once

#include "base/sketch.h"
#include "pairing/rule_time.h"
#include "pairing/start_pictures.h"

namespace vmafgpu {

class PictureRule : public TimeRule {
public:
    using TimeRule::TimeRule;

private:
    struct Evidence;
    /// The difference of two frames' sketches. Computed once while both are queued.
    struct Known {
        int64_t main = -1, reference = -1; ///< numbers of the frames
        int value = 0;
    };

    Reach reach() const override;
    bool start_apart(int64_t interval, int64_t by_time, unsigned &needs) override;
    void overrule(Choice &choice, const std::vector<int> &partners) override;
    void forget(const Frame &main) override;
    void conclude() override { findings_.better_offset = start_.better_offset(); }
    void watch_start(int partner);

    /// Sum of absolute differences.
    int difference(int main, int reference);
    double mean_difference(int frames, int64_t shift);
    bool is_in_doubt() const;
    int first_evidence(const std::vector<int> &partners, int by) const;
    bool gather(const std::vector<int> &partners, int by, Evidence &evidence);
    int find_correction(const std::vector<int> &partners);
    void correct(int reference, int by);
    int left_over();
    int closer_neighbour(int reference);
    void follow_clock(int reference);
    void count_correction();

    std::vector<Known> known_ = std::vector<Known>(FrameQueue::kMost * FrameQueue::kMost);
    StartPictures start_;
    std::vector<uint8_t> previous_; ///< sketch of the main frame before; empty: none was made
};

} // namespace vmafgpu
