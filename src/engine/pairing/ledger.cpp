// SPDX-License-Identifier: BSD-2-Clause-Patent
// See ledger.h.
#include "pairing/ledger.h"

#include <algorithm>
#include <cstdlib>

namespace vmafgpu {

// -------------------------------------------------------------- distances

void Distances::coarsen()
{
    ++shift_;
    std::map<int64_t, int64_t> fewer;
    for (const auto &[value, count] : counts_)
        fewer[rounded(value)] += count;
    counts_.swap(fewer);
}

void Distances::add(int64_t value)
{
    if (counts_.size() == kMost && counts_.count(rounded(value)) == 0)
        while (counts_.size() > kMost / 2)
            coarsen();
    ++counts_[rounded(value)];
}

int64_t Distances::at(int64_t rank) const
{
    for (const auto &[value, count] : counts_) {
        if (rank < count)
            return value;
        rank -= count;
    }
    return 0;
}

// ----------------------------------------------------------------- frames

namespace {

void add_frame(VmafGpuInputCounts &counts, const FrameFacts &frame)
{
    ++counts.frames;
    counts.damaged += frame.is_damaged ? 1 : 0;
    counts.film_grain += frame.lacks_grain ? 1 : 0;
    counts.without_time += frame.lacks_time ? 1 : 0;
    counts.backward_time += frame.is_backward ? 1 : 0;
}

void add_frames(VmafGpuInputCounts &counts, const VmafGpuInputCounts &more)
{
    counts.frames += more.frames;
    counts.damaged += more.damaged;
    counts.film_grain += more.film_grain;
    counts.without_time += more.without_time;
    counts.backward_time += more.backward_time;
}

} // namespace

/// In a chunk, the n-th frame of an input is of the n-th pair: rule index.
void Ledger::count(int input, const FrameFacts &frame)
{
    const int64_t number = chunk_.first + frame.number;
    if (chunk_.counts(number))
        add_frame(counts_[input], frame);
    else if (number >= chunk_.end)
        add_frame(later_[input], frame);
}

/// At the end unless another pair comes.
void Ledger::count_unpaired(int input, const FrameFacts &frame)
{
    VmafGpuInputCounts &own = counts_[input];
    count(input, frame);
    if (pairs_ == 0)
        ++own.unpaired[kBegin];
    else if (own.unpaired[kEnd]++ == 0 && own.unpaired[kMiddle] == 0)
        first_missing_[input] = frame.time;
}

/// True: for the first time.
bool Ledger::use(int input, const FrameFacts &frame)
{
    if (!frame.exists() || frame.number == last_used_[input])
        return false;
    last_used_[input] = frame.number;
    count(input, frame);
    return true;
}

void Ledger::add_pair(const Facts &facts)
{
    const bool counts = chunk_.counts(chunk_.first + facts.used[kMain].number);
    for (int i = 0; i < kInputs; ++i) {
        const bool is_new = use(i, facts.used[i]);
        if (!counts)
            continue;
        VmafGpuInputCounts &own = counts_[i];
        own.repeated += is_new ? 0 : 1;
        own.unpaired[kMiddle] += own.unpaired[kEnd];
        own.unpaired[kEnd] = 0;
    }
    if (!counts)
        return;
    const int64_t distance = std::llabs(facts.distance);
    ++pairs_;
    by_number_ += facts.used[kMain].number == facts.used[kReference].number ? 1 : 0;
    largest_distance_ = std::max(largest_distance_, distance);
    distances_.add(distance);
}

void Ledger::add(const Facts &facts)
{
    for (int i = 0; i < kInputs; ++i)
        for (const FrameFacts &frame : facts.unpaired[i])
            count_unpaired(i, frame);
    if (facts.kind == VMAFGPU_MATCH_PAIR)
        add_pair(facts);
    for (int i = 0; facts.kind == VMAFGPU_MATCH_DISABLED && i < kInputs; ++i)
        counts_[i].disabled += use(i, facts.used[i]) ? 1 : 0;
}

// ---------------------------------------------------------------- the end

/// Frames behind the chunk are those of its last pair if the run ended there. The next chunk counts
/// them if it goes on; before the first pair of the chunk, nothing is of it.
void Ledger::finish(int64_t reached, bool is_stopped)
{
    is_stopped_ = is_stopped;
    for (int i = 0; !chunk_.is_whole() && i < kInputs; ++i) {
        if (reached <= chunk_.begin)
            counts_[i] = {};
        else if (reached <= chunk_.end)
            add_frames(counts_[i], later_[i]);
        else
            std::fill(std::begin(counts_[i].unpaired), std::end(counts_[i].unpaired), 0);
    }
    median_distance_ = distances_.at(pairs_ / 2);
}

} // namespace vmafgpu
