// SPDX-License-Identifier: BSD-2-Clause-Patent
// By times, which pictures overrule where clocks disagree or the evidence is overwhelming. The
// limits were found with 122 pairs of files and 90 pairs of difficult content (tests/pairing):
// looser ones follow pictures that mislead. What the engine's sketches are is in base/sketch.h.
#pragma once

#include "base/sketch.h"
#include "pairing/rule_time.h"
#include "pairing/start_pictures.h"

namespace vmafgpu {

/// Differences of sketches. Each one is computed once while both frames are queued.
class SketchDifferences {
public:
    explicit SketchDifferences(SketchOf sketch_of);

    const uint8_t *sketch(Frame &frame);
    /// Sum of absolute differences.
    int between(Frame &main, Frame &reference);

private:
    struct Known {
        int64_t main = -1, reference = -1; ///< numbers of the frames
        int value = 0;
    };

    SketchOf sketch_of_;
    std::vector<Known> known_;
};

class PictureRule : public TimeRule {
public:
    PictureRule(const QueueSettings &settings, SketchOf sketch_of);

private:
    struct Evidence;

    Reach reach() const override;
    bool start_apart(int64_t interval, int64_t by_time, unsigned &needs) override;
    void overrule(Choice &choice, const std::vector<int> &partners) override;
    void forget(const Frame &main) override;
    void conclude() override { findings_.better_offset = start_.better_offset(); }
    void watch_start(int partner);

    int difference(int main, int reference)
    {
        return differences_.between(in_[kMain][main], in_[kReference][reference]);
    }
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

    SketchDifferences differences_;
    StartPictures start_;
    std::vector<uint8_t> previous_; ///< sketch of the main frame before; empty: none was made
};

} // namespace vmafgpu
