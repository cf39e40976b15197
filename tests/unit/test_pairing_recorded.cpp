// SPDX-License-Identifier: BSD-2-Clause-Patent
// The pairing rules against recordings, block by block: FFmpeg's own framesync on random lists of
// times and all options, and the rules of the FFmpeg filter from before they were in the engine.
// What is recorded is a hash of every decision; the lists that a reader can follow are in
// test_pairing_rules.cpp and in the rows of tests/pairing.
#include <gtest/gtest.h>

#include <vector>

#include "framesync_lists.h"
#include "framesync_recorded.h"
#include "pairing/ledger.h"
#include "pairing/pairing.h"
#include "pairing_lists.h"
#include "pairing_recorded.h"
#include "picture/sketch.h"

namespace vmafgpu::pairing_recorded_test {
namespace {

constexpr uint64_t kEmptyHash = UINT64_C(14695981039346656037);

/// Brings what the rule needs; came: frames of each input so far.
template <typename FrameOf> void bring(Rule &rule, unsigned needs, const int (&count)[2],
                                       int (&came)[2], const FrameOf &frame_of)
{
    for (const Input input : {kMain, kReference}) {
        if ((needs >> input & 1) == 0)
            continue;
        if (came[input] == count[input])
            rule.end(input);
        else
            rule.add(input, frame_of(input, came[input]++));
    }
}

uint64_t hash_of_events(uint64_t hash, const FramesyncCase &list)
{
    PairingSettings settings;
    settings.eof_action = list.eof_action;
    settings.shortest = list.shortest;
    settings.repeatlast = list.repeatlast;
    settings.nearest = list.nearest;
    for (int i = 0; i < kInputs; ++i)
        settings.input[i] = {list.base_num[i], list.base_den[i], 0, 1};
    const auto rule = make_framesync_rule(settings);
    const auto frame_of = [&list](Input input, int number) {
        Frame frame;
        frame.pts = list.pts[input][number];
        return frame;
    };
    int came[2] = {};
    int64_t events = 0;
    for (;;) {
        Decision decision;
        unsigned needs = 0;
        const Rule::Status status = rule->next(decision, needs);
        if (status == Rule::Status::kEnd || status == Rule::Status::kRest)
            return framesync_hash(hash, events);
        if (status == Rule::Status::kNeeds) {
            bring(*rule, needs, list.count, came, frame_of);
            continue;
        }
        ++events;
        hash = framesync_hash(hash, decision.main.number);
        hash = framesync_hash(hash, decision.reference.number);
        hash = framesync_hash(hash, decision.facts.time);
    }
}

TEST(FramesyncRecorded, IsFfmpegs)
{
    FramesyncCase list;
    for (int block = 0; block < FRAMESYNC_LISTS / FRAMESYNC_BLOCK; ++block) {
        uint64_t hash = kEmptyHash;
        for (int i = 0; i < FRAMESYNC_BLOCK; ++i) {
            framesync_case(block * FRAMESYNC_BLOCK + i, &list);
            hash = hash_of_events(hash, list);
        }
        ASSERT_EQ(hash, kFramesyncRecorded[block]) << "block " << block;
    }
}

std::unique_ptr<Rule> rule_of(const PairingCase &list, SketchOf sketch_of)
{
    PairingSettings settings;
    settings.rule = list.mode; // as VmafGpuPairingRule
    settings.has_offset = list.has_offset;
    settings.offset = list.offset;
    for (int i = 0; i < kInputs; ++i) {
        settings.limit[i] = list.limit[i];
        settings.input[i] = {1, 1000, 1000000000, static_cast<int>(list.nominal[i])};
    }
    return make_rule(settings, std::move(sketch_of));
}

void add_faults(VmafGpuInputCounts &faults, const FrameFacts &frame)
{
    faults.without_time += frame.lacks_time ? 1 : 0;
    faults.backward_time += frame.is_backward ? 1 : 0;
}

uint64_t add_facts(uint64_t hash, const Findings &found, const int (&came)[2],
                   const VmafGpuInputCounts (&faults)[2])
{
    for (const int64_t value :
         {static_cast<int64_t>(found.start), int64_t{found.is_start_compared}, found.start_offset,
          found.start_frames, found.shift, found.corrections, found.first_correction,
          int64_t{came[0]}, int64_t{came[1]}, faults[0].without_time, faults[1].without_time,
          faults[0].backward_time, faults[1].backward_time})
        hash = framesync_hash(hash, value);
    return hash;
}

class PairingRecorded : public testing::Test {
protected:
    uint64_t hash_of_pairs(uint64_t hash);

    PairingCase list_ = {};
    std::vector<uint8_t> sketches_ = std::vector<uint8_t>(size_t{2} * PAIRING_MOST * kSketchBytes);

private:
    uint8_t *sketch(int input, int64_t number)
    {
        return &sketches_[static_cast<size_t>(input * PAIRING_MOST + number) * kSketchBytes];
    }
};

uint64_t PairingRecorded::hash_of_pairs(uint64_t hash)
{
    VmafGpuInputCounts faults[2] = {};
    int came[2] = {};
    int64_t last_used = -1;
    const auto frame_of = [&](Input input, int number) {
        Frame frame;
        frame.time = list_.time[input][number];
        if (list_.mode == 0)
            pairing_sketch(&list_, input, number, sketch(input, number));
        frame.tag = static_cast<uint64_t>(input);
        return frame;
    };
    const auto rule = rule_of(list_, [this](const Frame &frame) {
        return sketch(static_cast<int>(frame.tag), frame.number);
    });
    for (;;) {
        Decision decision;
        unsigned needs = 0;
        const Rule::Status status = rule->next(decision, needs);
        for (int i = 0; i < kInputs; ++i)
            for (const FrameFacts &frame : decision.facts.unpaired[i])
                add_faults(faults[i], frame);
        if (status == Rule::Status::kRest)
            return add_facts(hash, rule->findings(), came, faults);
        if (status == Rule::Status::kNeeds) {
            bring(*rule, needs, list_.count, came, frame_of);
            continue;
        }
        if (decision.facts.kind == VMAFGPU_MATCH_PAIR)
            add_faults(faults[0], decision.main);
        if (decision.reference.exists() && decision.reference.number != last_used)
            add_faults(faults[1], decision.reference);
        last_used = decision.reference.exists() ? decision.reference.number : last_used;
        hash = framesync_hash(hash, decision.main.number);
        hash = framesync_hash(hash, decision.reference.number);
        hash = framesync_hash(hash, decision.facts.distance);
    }
}

TEST_F(PairingRecorded, RulesAreThoseOfTheFilter)
{
    for (int block = 0; block < PAIRING_LISTS / PAIRING_BLOCK; ++block) {
        uint64_t hash = kEmptyHash;
        for (int i = 0; i < PAIRING_BLOCK; ++i) {
            pairing_case(block * PAIRING_BLOCK + i, &list_);
            hash = hash_of_pairs(hash);
        }
        ASSERT_EQ(hash, kPairingRecorded[block]) << "block " << block;
    }
}

} // namespace
} // namespace vmafgpu::pairing_recorded_test
