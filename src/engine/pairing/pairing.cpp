// SPDX-License-Identifier: BSD-2-Clause-Patent
// See pairing.h.
#include "pairing/pairing.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace vmafgpu {

namespace {

/// Pictures that wait in a line so that a device makes their sketches together.
constexpr uint64_t kMostLag = 16, kLeastLag = 2;
constexpr uint64_t kLagBytes = 32 << 20;
/// Frames whose sketches are waited for later, when they are there, beside those of pairs that
/// wait for their scores.
constexpr size_t kMostSeen = 32;
/// Frames that may be pushed before next() is called.
constexpr size_t kAhead = 16;
/// How long the rest of the reference is counted before that is said.
constexpr double kQuietSeconds = 60, kUsualRate = 25;

/// The last chunk looks for the end of its inputs: they must have no more pairs.
int64_t pairs_needed(const Engine &engine)
{
    const Chunk &chunk = engine.chunk();
    if (chunk.end == Chunk().end || chunk.end == chunk.total)
        return Chunk().end;
    return chunk.needed(engine.after());
}

bool has_agreed(const Disagreement &found)
{
    return found.agreeing > 0 && found.elsewhere.pairs + found.unrelated.pairs == 0;
}

/// The n-th frame of an input has to be the n-th one of the whole run.
void check_chunk(const Chunk &chunk, const PairingSettings &settings)
{
    if (!chunk.is_whole() &&
        (settings.rule != VMAFGPU_PAIR_INDEX || settings.has_offset != 0 || settings.shortest != 0))
        throw Error(EINVAL, "chunk: parts of a run are pairs by number: add pair=index; it cannot "
                            "be combined with offset= or shortest=1");
}

} // namespace

void add_disagreement(const Disagreement &found, VmafGpuPairing &out)
{
    const Mismatch &first = found.first();
    out.elsewhere = found.elsewhere.pairs;
    out.unrelated = found.unrelated.pairs;
    out.mismatch_pair = first.first;
    out.mismatch_time = seconds(first.time);
    out.mismatch_offset = first.offset;
}

Pairing::Pairing(Engine &engine, const PairingSettings &settings)
    : engine_(engine),
      settings_(adapted_to_pictures(settings, engine.settings().format, engine.log())),
      rule_(make_rule(
          settings_,
          [&engine](const Frame &frame) { return engine.executor().sketch(*frame.image); })),
      ledger_(engine.chunk()), most_pairs_(pairs_needed(engine)),
      agreement_(!engine.chunk().has_all_pairs())
{
    check_chunk(engine.chunk(), settings);
    if (settings_.needs_sketches())
        lag_ = std::clamp(kLagBytes / std::max<uint64_t>(engine.executor().image_bytes(), 1),
                          kLeastLag, kMostLag);
}

// ------------------------------------------------------------ frames come

bool Pairing::push(Input input, const VmafGpuPicture *picture, int64_t time, int flags,
                   uint64_t tag)
{
    if (has_ended_[input])
        throw Error(EINVAL, "vmafgpu_push: the input has ended");
    Frame frame;
    frame.number = pushed_[input];
    frame.pts = time;
    frame.time = nanoseconds(time, settings_.base(input));
    frame.tag = tag;
    frame.is_disabled = (flags & VMAFGPU_PUSH_DISABLED) != 0;
    frame.is_damaged = (flags & VMAFGPU_PUSH_DAMAGED) != 0;
    frame.lacks_grain = (flags & VMAFGPU_PUSH_GRAIN) != 0;
    const bool is_counted = picture == nullptr || !agreement_.wants_reference();
    if (is_over_ || (is_rest_ && (input == kMain || is_counted))) {
        if (!is_over_ && input == kReference) {
            keep_rest(frame);
            ++pushed_[input];
            tell_rest();
        }
        if (picture != nullptr)
            HeldPicture(*picture).own(); // released at once
        return true;
    }
    if (picture == nullptr)
        throw Error(EINVAL, "vmafgpu_push: picture may only be NULL after VMAFGPU_NEEDS_COUNT");
    if (line_[input].size() >= lag_ + kAhead)
        return false;
    line_[input].emplace_back(); // first what may fail: afterwards the picture is the engine's
    try {
        const auto held = std::make_shared<HeldPicture>(*picture);
        frame.image = engine_.take(held, true);
        if (keeps_pictures_ && picture->memory == VMAFGPU_MEMORY_HOST)
            frame.kept = held;
    } catch (...) {
        line_[input].pop_back();
        throw;
    }
    line_[input].back() = std::move(frame);
    ++pushed_[input];
    return true;
}

/// Gives the rule a frame of each input that it needs, or its end. False: there is none.
bool Pairing::feed(unsigned needs, bool wait, unsigned &missing)
{
    bool has_fed = false;
    missing = 0;
    for (const Input input : {kMain, kReference}) {
        std::deque<Frame> &line = line_[input];
        if ((needs >> input & 1) == 0)
            continue;
        if (line.empty() && has_ended_[input]) {
            rule_->end(input);
            has_fed = true;
        } else if (!line.empty() && (wait || has_ended_[input] || line.size() > lag_)) {
            if (input == kReference)
                watch({line.front().image, {0, 0, 0, line.front().number}, false});
            rule_->add(input, std::move(line.front()));
            line.pop_front();
            has_fed = true;
        } else {
            missing |= 1U << input;
        }
    }
    return has_fed;
}

// -------------------------------------------------------------- decisions

/// Main has ended: what is left of the reference is counted. Its pictures may still tell where
/// those of main belong.
int Pairing::count_rest(unsigned &needs)
{
    for (const Frame &frame : line_[kReference]) {
        if (frame.image != nullptr && agreement_.wants_reference())
            watch({frame.image, {0, 0, 0, frame.number}, false});
        keep_rest(frame);
    }
    line_[kReference].clear();
    is_over_ = has_ended_[kReference];
    needs = is_over_ ? 0 : VMAFGPU_NEEDS_REFERENCE;
    if (!is_over_ && !agreement_.wants_reference())
        needs |= VMAFGPU_NEEDS_COUNT;
    return is_over_ ? -ENODATA : -EAGAIN;
}

/// Once, after some seconds: the reference may go on for hours, and nothing else would happen.
void Pairing::tell_rest()
{
    const double rate = settings_.rate(kReference).value();
    if (++rest_ == std::lround(kQuietSeconds * (rate > 0 ? rate : kUsualRate)))
        engine_.log()(VMAFGPU_LOG_INFO, "main has ended, and reference goes on: what is left of it "
                                        "is read only to count its frames");
}

int Pairing::decide(unsigned &needs, bool wait)
{
    unsigned wanted = 0;
    is_over_ |= engine_.reached() >= most_pairs_;
    if (is_over_)
        return -ENODATA;
    while (!is_rest_) {
        switch (rule_->next(decision_, wanted)) {
        case Rule::Status::kDecided:
            has_decision_ = true;
            return 0;
        case Rule::Status::kNeeds:
            if (!feed(wanted, wait, needs))
                return -EAGAIN;
            break;
        case Rule::Status::kRest:
            keep(std::move(decision_.facts));
            is_rest_ = true;
            break;
        case Rule::Status::kEnd:
            keep(std::move(decision_.facts));
            is_over_ = true;
            return -ENODATA;
        }
    }
    return count_rest(needs);
}

bool Pairing::submit(const VmafGpuPicture &reference, const VmafGpuPicture &main, uint64_t tag)
{
    if (settings_.rule != VMAFGPU_PAIR_INDEX || settings_.has_offset != 0)
        throw Error(EINVAL, "pairs cannot be submitted: settings.pairing has another rule than "
                            "index, or an offset, so that vmafgpu_next() submits them");
    if (has_ended_[kMain] || has_ended_[kReference] || pushed_[kMain] != pushed_[kReference])
        throw Error(EINVAL, "pairs cannot be submitted: frames were pushed, or an input has ended");
    keep_submitted();
    if (std::exchange(is_finished_, false)) // each clip is judged by itself
        agreement_ = Agreement(!engine_.chunk().has_all_pairs());
    submitted_tag_ = tag;
    return engine_.submit(reference, main, tag, &submitted_);
}

/// Nothing may fail once the engine has the pictures of submit(). So this follows later, before
/// the pair is collected. It is the latest one, pair N, at time N.
void Pairing::keep_submitted()
{
    if (submitted_[0] == nullptr)
        return;
    const auto &[reference, main] = submitted_;
    Facts facts;
    facts.kind = VMAFGPU_MATCH_PAIR;
    facts.time = engine_.reached() - 1;
    for (const Input input : {kMain, kReference}) {
        FrameFacts &frame = facts.used[input];
        frame.number = pushed_[input]++;
        frame.tag = submitted_tag_;
        frame.time = nanoseconds(facts.time, settings_.base(input));
    }
    const auto &[of_main, of_reference] = facts.used;
    watch({reference, {0, 0, 0, of_reference.number}, false});
    if (engine_.chunk().counts(facts.time))
        watch({main, {facts.time, of_main.time, of_main.number, of_reference.number}, true});
    keep(std::move(facts));
    submitted_ = {};
}

/// False: the engine has no place for the pair.
bool Pairing::start(VmafGpuMatch &match)
{
    const Frame &main = decision_.main;
    const Frame &reference = decision_.reference;
    const bool is_pair = decision_.facts.kind == VMAFGPU_MATCH_PAIR;
    const int64_t total = engine_.chunk().total;
    if (is_pair && total > 0 && engine_.reached() >= total)
        throw Error(EINVAL, "chunk: the run has more than " + std::to_string(total) +
                                " pairs: both inputs go on");
    if (engine_.settings().is_chunk && decision_.facts.kind == VMAFGPU_MATCH_DISABLED)
        throw Error(EINVAL, "chunk: it cannot be combined with enable=: a part has all its pairs");
    match.index = is_pair ? engine_.reached() : -1;
    if (!is_pair)
        engine_.flush();
    else if (!engine_.submit_images(reference.image, main.image, main.tag))
        return false;
    if (is_pair)
        latest_ = {main.kept, reference.kept};
    match.kind = decision_.facts.kind;
    for (const auto &[i, frame] : {std::pair{kMain, &main}, std::pair{kReference, &reference}}) {
        match.number[i] = frame->number;
        match.tag[i] = frame->tag;
    }
    match.time = decision_.facts.time;
    if (is_pair && engine_.chunk().counts(match.index))
        watch({main.image, {match.index, main.time, main.number, reference.number}, true});
    return true;
}

// --------------------------------------------------------------- pictures

void Pairing::watch(Seen seen)
{
    if (seen.image == nullptr) // tests of the rules have none
        return;
    seen_pairs_ += seen.is_pair ? 1 : 0;
    seen_.push_back(std::move(seen));
    look(kMostSeen + seen_pairs_ * kInputs);
}

/// Shows agreement_ the oldest sketches, until so many are left.
void Pairing::look(size_t left)
{
    for (; seen_.size() > left; seen_.pop_front()) {
        const Seen &seen = seen_.front();
        const uint8_t *sketch = engine_.executor().sketch(*seen.image);
        seen_pairs_ -= seen.is_pair ? 1 : 0;
        if (seen.is_pair)
            agreement_.add_pair(seen.pair, sketch);
        else
            agreement_.add_reference(seen.pair.reference, sketch);
    }
}

/// Many more frames wait for the offset than afterwards. Once the last of them has left, their
/// memory goes, too.
void Pairing::trim()
{
    const int64_t last = settings_.search_frames + std::abs(rule_->findings().offset);
    if (settings_.search_frames > 0 && decision_.main.number == last)
        engine_.executor().trim();
}

int Pairing::next(VmafGpuMatch &match, bool wait)
{
    unsigned needs = 0;
    match = VmafGpuMatch();
    const int status = has_decision_ ? 0 : decide(needs, wait);
    match.needs = static_cast<int>(needs);
    if (status != 0)
        return status;
    if (!start(match))
        return -EAGAIN;
    has_decision_ = false;
    keep(std::move(decision_.facts));
    trim();
    decision_ = Decision(); // its images may go
    return 0;
}

// ------------------------------------------------------------------ facts

void Pairing::keep(Facts facts)
{
    if (pending_.empty() && facts.kind != VMAFGPU_MATCH_PAIR)
        ledger_.add(facts);
    else
        pending_.push_back(std::move(facts));
}

/// Of a reference frame behind the last pair.
void Pairing::keep_rest(const FrameFacts &frame)
{
    Facts facts;
    facts.unpaired[kReference].push_back(frame);
    keep(std::move(facts));
}

/// The sketches up to the pair's are there, too.
void Pairing::complete(VmafGpuResult &result)
{
    keep_submitted();
    collected_ = result.index + 1;
    const auto later = std::find_if(seen_.begin(), seen_.end(), [&](const Seen &seen) {
        return seen.is_pair && seen.pair.index > result.index;
    });
    look(static_cast<size_t>(seen_.end() - later));
    if (pending_.empty()) // finish() came first
        return;
    result.time = pending_.front().time;
    result.reference_tag = pending_.front().used[kReference].tag;
    do {
        ledger_.add(pending_.front());
        pending_.pop_front();
    } while (!pending_.empty() && pending_.front().kind != VMAFGPU_MATCH_PAIR);
}

void Pairing::drop()
{
    keep_submitted();
    pending_.clear();
    seen_pairs_ = 0;
    seen_.erase(
        std::remove_if(seen_.begin(), seen_.end(), [](const Seen &seen) { return seen.is_pair; }),
        seen_.end());
}

void Pairing::finish(int reason)
{
    if (is_finished_)
        return;
    if (reason == VMAFGPU_FINISH_END)
        keep_submitted();
    submitted_ = {};
    if (reason == VMAFGPU_FINISH_END && !pending_.empty())
        throw Error(EBUSY, "vmafgpu_finish: not all pairs were collected");
    is_finished_ = is_over_ = true;
    if (reason == VMAFGPU_FINISH_END)
        look(0);
    seen_.clear();
    pending_.clear();
    agreement_.finish();
    ledger_.finish(engine_.reached(), reason != VMAFGPU_FINISH_END);
    const std::optional<Shots> shots = engine_.shots();
    Disagreement pictures = findings_.pictures; // what the clips before have shown
    pictures.add(agreement_.found());
    findings_ = rule_->findings();
    findings_.pictures = pictures;
    // That pictures agree so far from where both begin is no chance.
    if (findings_.start == Start::kUndecided &&
        std::abs(findings_.start_frames) > kMostStartOffset && has_agreed(findings_.pictures))
        findings_.start = Start::kPicturesTime;
    said_ = log_messages(settings_, ledger_, findings_, shots ? &*shots : nullptr, engine_.log());
}

std::string Pairing::lacks() const
{
    return !engine_.settings().is_chunk
               ? ""
               : chunk_lacks(engine_.chunk(), engine_.after(),
                             std::max(collected_, engine_.chunk().first), ledger_.is_stopped());
}

std::vector<std::string> Pairing::picture_messages() const
{
    return vmafgpu::picture_messages(findings_.pictures,
                                     {ledger_.of(kMain).frames, ledger_.of(kReference).frames},
                                     settings_.is_framesync());
}

VmafGpuPairing Pairing::report() const
{
    static constexpr const char *kStarts[] = {"together",  "pictures_first", "pictures_time",
                                              "undecided", "by_option",      "by_search",
                                              "by_number"};
    const Findings &findings = is_finished_ ? findings_ : rule_->findings();
    VmafGpuPairing out = {};
    out.struct_size = sizeof(out);
    out.at_least = ledger_.is_stopped() ? 1 : 0;
    out.rule = settings_.name.c_str();
    out.start = kStarts[static_cast<int>(findings.start)];
    for (int i = 0; i < kInputs; ++i)
        out.of[i] = ledger_.of(i);
    out.pairs = ledger_.pairs();
    out.by_number = ledger_.by_number();
    out.corrections = findings.corrections;
    add_disagreement(findings_.pictures, out);
    out.has_offset = findings.start == Start::kByOption || findings.start == Start::kBySearch;
    out.offset = out.has_offset != 0 ? findings.offset : 0;
    out.start_offset = seconds(findings.start_offset);
    out.shift = seconds(findings.shift);
    out.distance_median = seconds(ledger_.median_distance());
    out.distance_largest = seconds(ledger_.largest_distance());
    out.warnings = static_cast<int>(said_.warnings.size());
    return out;
}

} // namespace vmafgpu
