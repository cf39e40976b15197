// SPDX-License-Identifier: BSD-2-Clause-Patent
// The comparison of pictures at offsets, for everything that pictures decide: whether pairs belong
// together (agreement.h), whether the times are wrong (rule_time.cpp), and the constant offset of
// two inputs. All limits of what it proves are here.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "picture/sketch.h"

namespace vmafgpu {

/// Pairs that an offset needs; and more, where there are frames for them. A black second alone does
/// not make the inputs alike at the largest offsets then, which have the fewest pairs.
constexpr int64_t kOffsetPairs = 24, kMoreOffsetPairs = 24;

/// Frames of each input that are needed to know all offsets up to `furthest`, and one more.
constexpr int64_t offset_frames(int64_t furthest)
{
    return furthest + 1 + kOffsetPairs;
}

/// A sketch with the usual brightness and contrast, so that a graded copy or a fade is close to its
/// original.
Sketch even_out(const uint8_t *sketch);

using Sketches = std::vector<const uint8_t *>;

/// Where pictures change more than on the average: a background that stands still says nothing.
std::vector<size_t> moving_places(const Sketches &pictures);

using Samples = std::vector<uint8_t>;

/// The samples at some places of a sketch; empty: there is no sketch.
Samples samples_at(const std::vector<size_t> &places, const uint8_t *sketch);

/// Pairs of main frames in their order.
struct OffsetInput {
    Sketches mains;
    std::vector<int64_t> partners;                            ///< numbers of their reference frames
    std::function<const uint8_t *(int64_t number)> reference; ///< null: that frame is not known
    int64_t nearest = 0, furthest = 0;                        ///< offsets that are compared
    int64_t least = 0;                                        ///< pairs that an offset must have

    /// Adds a pair unless main stands still: its picture says nothing about times then. before:
    /// main's picture before it; null: the last one that was added. Returns whether it was added.
    bool add(const uint8_t *main, int64_t partner, const uint8_t *before = nullptr);
};

/// What offsets differ by. Differences are of a sample where main moves, in levels.
struct OffsetComparison {
    struct Offset {
        int64_t offset = 0;
        double mean = 0;
        bool operator<(const Offset &other) const { return mean < other.mean; }
    };
    /// Frames on which main moves: fewer prove no offset; so many prove one alone.
    static constexpr int kLeastFrames = 8, kManyFrames = 12;
    /// At the offset to which pictures belong, they differ clearly less than at most others.
    static constexpr double kBelowUsual = 0.6;

    size_t places = 0;  ///< samples that were compared; 0: main stands still
    size_t offsets = 0; ///< that have enough pairs; less than 3: nothing else is set
    Offset now;         ///< the partners as they are
    Offset best, next;
    Offset nearest;         ///< as good as best, or nearly, and much closer if there is such a one
    double usual = 0;       ///< median over the offsets
    bool is_blend = false;  ///< main shows a mean of pictures around `nearest`, not that one
    bool is_inside = false; ///< offsets on both sides of the best one were compared
    int frames = 0, agreeing = 0; ///< that have pictures for now and nearest; closer at nearest
    bool is_first_agreeing = false;

    bool is_known() const { return offsets > 2; }
    /// The partners are right as they are.
    bool is_right() const
    {
        return is_known() && nearest.offset == 0 && now.mean < usual * kBelowUsual;
    }
    /// The pictures agree with their partners at `nearest`. What codecs blur in time is less.
    bool is_better() const
    {
        return is_known() && is_inside && frames >= kLeastFrames && agreeing * 10 >= frames * 9 &&
               nearest.mean < now.mean * 0.75 && nearest.mean < usual * kBelowUsual && !is_blend;
    }
    /// An offset that is no better than this may be chance.
    bool is_far_better() const { return nearest.mean < now.mean * 0.5; }
    /// As they are, the pictures differ nearly as much as at most offsets.
    bool is_as_elsewhere() const
    {
        return is_known() && frames >= kLeastFrames && usual > 8 && now.mean > usual * 0.7;
    }
    /// They differ as much as at any other.
    bool is_astray() const { return is_as_elsewhere() && now.mean > usual * 0.85; }
    /// They may show two videos. Two scenes in front of one background differ that much, too.
    bool may_be_foreign() const
    {
        return is_as_elsewhere() && usual > 16 && now.mean > usual * 0.92;
    }
    /// The next frames, the first of them included, show that the times are wrong. Few frames do
    /// if the times are in doubt; else the evidence is overwhelming. Filters that blend main's
    /// pictures make them look like earlier ones.
    bool overrules_times(bool in_doubt, int least) const
    {
        const double limit = in_doubt ? 0.5 : nearest.offset < 0 ? 0.15 : 0.2;
        return is_known() && nearest.offset != 0 && is_first_agreeing && frames >= least &&
               (in_doubt || agreeing == frames) && nearest.mean < now.mean * limit;
    }
    /// Encoders of pictures that stand still make small differences at all offsets.
    bool tells() const { return usual >= 1; }
    /// No other offset comes near the best one. The pictures agree if they differ by less than a
    /// quarter of what is usual; then the next offset may be close, as neighbours of a slow
    /// movement are. Else they may only be alike, as what returns in a video is.
    bool is_clear() const
    {
        return is_inside && best.mean < next.mean * (best.mean < usual * 0.25 ? 0.9 : 0.75);
    }
};

OffsetComparison compare_offsets(const OffsetInput &input);

/// Looks for a few pictures of one input among all later pictures of the other, further away than
/// sketches are kept.
class FarSearch {
public:
    /// partners: what the pictures were paired with. places: of the pictures, in frames of the
    /// other input behind the first one.
    void begin(const Sketches &pictures, const Sketches &partners, std::vector<int64_t> places);
    /// The next picture of the other input, evened out as all of them.
    void add(int64_t number, const uint8_t *even);

    bool is_active() const { return !pictures_.empty(); }
    /// Number of the frame that the first picture is, if they agree clearly there; else -1.
    int64_t found() const;

private:
    struct Sum {
        int64_t first = 0; ///< number of the frame that is compared with the first picture
        int64_t difference = 0;
        size_t count = 0; ///< pictures that were compared
    };

    std::vector<size_t> samples_; ///< where the pictures change; everywhere, if they stand still
    std::vector<Samples> pictures_;
    std::vector<int64_t> places_;
    int64_t paired_ = 0;   ///< difference of the pictures from their partners
    std::deque<Sum> open_; ///< not all pictures were compared
    Sum best_;
    int64_t total_ = 0, sums_ = 0; ///< of all that are complete
};

struct OffsetAnswer {
    bool is_clear = false;
    int64_t offset = 0; ///< number of the reference frame that the first main frame meets
    std::string text;   ///< what the pictures say of it, or why it is not clear
};

/// Compares the first frames of both inputs. furthest: offset that is looked for, in both
/// directions.
OffsetAnswer search_offset(const Sketches &main, const Sketches &reference, int64_t furthest);

} // namespace vmafgpu
