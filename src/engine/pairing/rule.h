// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a rule is: it gets the frames of both inputs and says, main frame by main frame, which
// reference frame each one meets. Rules know times, numbers and sketches, no engine: tests run them
// alone. pairing.h feeds them and submits what they decide.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pairing/agreement.h"
#include "pairing/settings.h"

namespace vmafgpu {

/// How the time shift between the inputs was found.
enum class Start {
    kTogether,      ///< both begin within one frame
    kPicturesFirst, ///< the pictures say: first with first
    kPicturesTime,  ///< the pictures say: the times hold
    kUndecided,     ///< by time, but nothing confirms it
    kByOption,      ///< by the user's offset
    kBySearch,      ///< by the offset that the pictures showed
    kByNumber,      ///< the pictures say: n-th with n-th, whatever the rates
};

/// Frames apart up to which a rule lets pictures decide about the beginning.
constexpr int kMostStartOffset = 16;

/// What a rule found out about the inputs. Times are in nanoseconds.
struct Findings {
    Start start = Start::kTogether;
    bool is_start_compared = false; ///< pictures had a say in it
    int64_t start_offset = 0;       ///< first main time - first reference time
    int64_t start_frames = 0;       ///< the same in frames, rounded
    int64_t shift = 0;              ///< main time - time of the partner that is wanted
    int64_t corrections = 0;        ///< times that pictures moved shift
    int64_t first_correction = 0;   ///< main time of the first one
    Disagreement pictures;          ///< set by Pairing, which shows all of them to Agreement
    int64_t offset = 0;             ///< with kByOption and kBySearch
    std::string evidence;           ///< with kBySearch: what the pictures said
};

/// What a decision adds to the counts.
struct Facts {
    /// Given up, before the frames that are used.
    std::array<std::vector<FrameFacts>, kInputs> unpaired;
    VmafGpuMatchKind kind = VMAFGPU_MATCH_UNPAIRED; ///< of the main frame, if it is in use
    FrameFacts used[kInputs];
    int64_t time = kNoTime; ///< of the output, in main's time base
    int64_t distance = 0;   ///< main time - shift - time of the partner
};

struct Decision {
    Frame main, reference;
    Facts facts;
};

class Rule {
public:
    enum class Status {
        kDecided, ///< about one main frame
        kNeeds,   ///< of inputs that have not ended, each one frame or its end
        kRest,    ///< no main frame comes any more: the reference is only counted
        kEnd,     ///< nothing more is decided nor counted
    };

    Rule() = default;
    virtual ~Rule() = default;
    Rule(const Rule &) = delete;
    Rule &operator=(const Rule &) = delete;

    /// Add a frame, or say that there is none. Only to an input that was needed.
    virtual void add(Input input, Frame frame) = 0;
    virtual void end(Input input) = 0;
    /// needs: bit i is input i. kRest and kEnd set decision.facts alone.
    virtual Status next(Decision &decision, unsigned &needs) = 0;

    const Findings &findings() const { return findings_; }

protected:
    Findings findings_;
};

/// What the settings ask for.
std::unique_ptr<Rule> make_rule(const PairingSettings &settings, SketchOf sketch_of);
std::unique_ptr<Rule> make_framesync_rule(const PairingSettings &settings);
/// Rules time and auto.
std::unique_ptr<Rule> make_time_rule(const PairingSettings &settings, SketchOf sketch_of);

} // namespace vmafgpu
