// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pairs of an engine out of the frames of two inputs: it takes their pictures, asks a rule (rule.h)
// which belong together, submits them, ends segments, and counts. See vmafgpu_push() and
// vmafgpu_next() in the public header.
#pragma once

#include <deque>

#include "core/engine.h"
#include "pairing/agreement.h"
#include "pairing/ledger.h"
#include "pairing/messages.h"
#include "pairing/rule.h"
#include "pairing/settings.h"

namespace vmafgpu {

/// The log has the place of one kind of pairs: of the one that comes first.
void add_disagreement(const Disagreement &found, VmafGpuPairing &out);

/// A frame waits in its line, in the rule, or in a pair; its facts are counted once it has left.
class Pairing {
public:
    /// engine must outlive it.
    Pairing(Engine &engine, const PairingSettings &settings);

    /// False: the line is full. If it throws or is false, the picture remains the caller's. null:
    /// the frame is only counted, see VMAFGPU_NEEDS_COUNT.
    bool push(Input input, const VmafGpuPicture *picture, int64_t time, int flags, uint64_t tag);
    /// Pictures in host memory that are pushed from now on are not released while somebody has
    /// them: take_pictures() has those of the latest pair, or null.
    void keep_pictures() { keeps_pictures_ = true; }
    using Pictures = std::array<std::shared_ptr<HeldPicture>, kInputs>;
    Pictures take_pictures() { return std::exchange(latest_, {}); }
    void push_end(Input input) { has_ended_[input] = true; }
    /// 0, -EAGAIN or -ENODATA.
    int next(VmafGpuMatch &match, bool wait);
    /// A pair that the caller made by number, in place of push() and next(). If it is false or
    /// throws, the pictures remain the caller's. After finish(), another clip of the run begins.
    bool submit(const VmafGpuPicture &reference, const VmafGpuPicture &main, uint64_t tag);

    /// The engine has returned the result of the oldest pair: its facts count.
    void complete(VmafGpuResult &result);
    /// The engine has dropped the pairs that were not collected.
    void drop();
    /// reason: VmafGpuFinish. Does nothing more than once, unless pairs are submitted in between.
    void finish(int reason);

    VmafGpuPairing report() const;
    /// Why a chunk has not got all its pairs, after finish(); "": it has, or there is none.
    std::string lacks() const;
    const PairingSettings &settings() const { return settings_; }
    const Said &said() const { return said_; }                          ///< by finish()
    const Disagreement &pictures() const { return findings_.pictures; } ///< by finish()
    std::vector<std::string> picture_messages() const;

private:
    /// A frame whose sketch agreement_ is to see: of main, if it is in a pair.
    struct Seen {
        std::shared_ptr<TakenImage> image;
        Agreement::Pair pair;
        bool is_pair = false;
    };

    int decide(unsigned &needs, bool wait);
    bool feed(unsigned needs, bool wait, unsigned &missing);
    int count_rest(unsigned &needs);
    bool start(VmafGpuMatch &match);
    void trim();
    void keep(Facts facts);
    void keep_rest(const FrameFacts &frame);
    void watch(Seen seen);
    void look(size_t left);
    void keep_submitted();
    void tell_rest();

    Engine &engine_;
    PairingSettings settings_;
    std::unique_ptr<Rule> rule_;
    Ledger ledger_;
    Findings findings_; ///< by finish(); their pictures are those of all clips
    Said said_;

    bool keeps_pictures_ = false;
    Pictures latest_;                 ///< the latest pair's
    std::deque<Frame> line_[kInputs]; ///< until the sketches are likely to be there
    size_t lag_ = 0;                  ///< frames that wait in a line
    bool has_ended_[kInputs] = {};
    int64_t pushed_[kInputs] = {};
    int64_t rest_ = 0;      ///< frames that were pushed only to be counted
    int64_t collected_ = 0; ///< pairs of the whole run up to the last one that was collected
    int64_t most_pairs_;    ///< of the whole run: those that the chunk needs
    Decision decision_;     ///< the next one, if has_decision_
    bool has_decision_ = false;
    bool is_rest_ = false, is_over_ = false, is_finished_ = false;
    Engine::Images submitted_; ///< the latest pair of submit(), until keep_submitted()
    uint64_t submitted_tag_ = 0;
    /// Of decisions that are not counted: of a pair that waits for its scores, or behind it.
    std::deque<Facts> pending_;
    Agreement agreement_;
    std::deque<Seen> seen_; ///< in their order, until their sketches are likely to be there
    size_t seen_pairs_ = 0;
};

} // namespace vmafgpu
