// SPDX-License-Identifier: BSD-2-Clause-Patent
// Shots of a run: where the pictures change, found from the sketches of all pairs, or given by a
// file. Integers only, so that every backend finds the same. What logs make of them is in
// report/report_shots.h.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "plan/chunk.h"

namespace vmafgpu {

/// A decision on a pair looks at so many pairs before it and after it, also at those around a
/// chunk.
constexpr int kShotBefore = 4, kShotAfter = 3;

struct PairSketch {
    int64_t index;
    std::array<std::vector<uint8_t>, 2> of; ///< VMAFGPU_MAIN's, VMAFGPU_REFERENCE's
};

/// Texts about cuts in one input only; their number comes first.
constexpr char kMainOnlyCuts[] = " cuts are in main only: see shots in the log";
constexpr char kReferenceOnlyCuts[] = " cuts are in the reference only: see shots in the log";

/// Pairs that begin a shot; those where only one input has a cut, which may begin none. Ascending.
struct Cuts {
    std::vector<int64_t> all, main_only, reference_only;

    /// Forgets those from `begin` to `end` - 1.
    void erase(int64_t begin, int64_t end);
    void append(const Cuts &more);
};

/// Shots and cuts as logs have them.
struct Shots {
    bool are_given = false; ///< a file gave them
    int64_t beyond = 0;     ///< shots of the file that begin behind the run's last pair
    Cuts cuts;
    int64_t begin = 0, end = 0; ///< the pairs that the last list is about
};

/// "1, 2, 3"; of many the first ones.
std::string list_of_pairs(const std::vector<int64_t> &pairs);

/// First pairs of the shots, one a line. Throws Error: the errno of what failed, or EINVAL; the
/// text names the path.
std::vector<int64_t> read_shots(const std::string &path);

/// The shots of the pairs that an engine has collected.
class ShotFinder {
public:
    explicit ShotFinder(const Chunk &chunk) : chunk_(chunk), next_(chunk.first) {}
    /// Takes shots that are known. No sketch is looked at.
    ShotFinder(const Chunk &chunk, std::vector<int64_t> given) : chunk_(chunk), are_given_(true)
    {
        cuts_.all = std::move(given);
    }

    bool wants_sketches() const { return !are_given_; }
    /// Adds the pictures of the next pair.
    void add(int64_t index, const uint8_t *main, const uint8_t *reference);
    /// Ends a segment: later pictures are not compared with earlier ones.
    void end_segment();
    /// Pairs from `index` on are forgotten.
    void cut(int64_t index);
    void clear();

    /// Number of the pair's shot in the whole run; -1: not known (yet, or in this chunk).
    int64_t shot_of(int64_t index) const;
    /// end: first pair that was not collected.
    Shots shots(int64_t end) const;

private:
    void decide();

    Chunk chunk_;
    bool are_given_ = false;
    Cuts cuts_;
    std::deque<PairSketch> window_; ///< latest pairs of the segment
    int64_t next_ = 0;              ///< the pair to be decided on
};

} // namespace vmafgpu
