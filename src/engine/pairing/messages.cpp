// SPDX-License-Identifier: BSD-2-Clause-Patent
// See messages.h.
#include "pairing/messages.h"

#include <algorithm>
#include <cstdlib>

#include "base/format_number.h"
#include "base/text.h"

namespace vmafgpu {

namespace {

constexpr const char *kNames[] = {"main", "reference"};
constexpr int64_t kMicrosecond = 1000;

std::string text_of(double value)
{
    return format_fixed(value, 3);
}
std::string text_of(int64_t value)
{
    return std::to_string(value);
}
std::string text_of(std::string value)
{
    return value;
}

/// A sentence with its values in the places of '%'.
template <typename... Values> std::string fill(const char *sentence, const Values &...values)
{
    const std::string texts[] = {text_of(values)..., ""};
    std::string text;
    for (const std::string *value = texts; *sentence != '\0'; ++sentence)
        text += *sentence == '%' ? *value++ : std::string(1, *sentence);
    return text;
}

double milliseconds(int64_t nanoseconds)
{
    return static_cast<double>(nanoseconds) / 1e6;
}

std::string frames_text(int64_t count)
{
    return text_of(count) + (count == 1 ? " frame" : " frames");
}

const char *left_out(int64_t count)
{
    return count == 1 ? "that frame is not in the score" : "those frames are not in the score";
}

const char *side_of(int64_t offset)
{
    return offset < 0 ? "before" : "after";
}

template <typename... Values>
std::string mismatch_text(const Mismatch &mismatch, const char *what, const Values &...values)
{
    return fill("from pair % (% s) on, the pictures of % % ", mismatch.first,
                seconds(mismatch.time), mismatch.pairs, mismatch.pairs == 1 ? "pair" : "pairs") +
           fill(what, values...);
}

/// Pictures that play backwards agree with one offset here and there, by which most pairs have no
/// partner.
bool leaves_most(const Mismatch &mismatch, const FrameCounts &frames)
{
    const int64_t before = std::max<int64_t>(mismatch.start, 0);
    const int64_t behind = std::max<int64_t>(-mismatch.start, 0);
    return 2 * std::min(frames[kMain] - behind, frames[kReference] - before) >= mismatch.pairs;
}

std::string elsewhere_text(const Mismatch &mismatch, const FrameCounts &frames, bool is_framesync)
{
    const int64_t offset = mismatch.offset;
    if (offset == 0)
        return mismatch_text(mismatch, "agree with others near theirs: main's frames are in "
                                       "another order");
    if (mismatch.is_from_start && !leaves_most(mismatch, frames))
        return mismatch_text(mismatch, "agree with others far from theirs: main's frames are in "
                                       "another order");
    return mismatch_text(
        mismatch, "agree with those that come % frames % in reference%", std::abs(offset),
        offset > 0 ? "later" : "earlier",
        !mismatch.is_constant ? ", others with others"
        : mismatch.is_from_start
            ? fill(": use %offset=%", is_framesync ? "pair=auto:" : "", mismatch.start)
        : offset > 0 ? ": main lacks frames there"
                     : ": main has more frames there, or shows "
                       "blended pictures");
}

std::string unrelated_text(const Mismatch &mismatch, Turn turn)
{
    static constexpr const char *kTurns[] = {
        "", ": main is mirrored (FFmpeg's filter hflip mends it)",
        ": main is upside down (FFmpeg's filter vflip mends it)",
        ": main is turned by 180 degrees (FFmpeg's filters hflip,vflip mend it)",
        ": main is cropped, padded or moved (its pictures fit at another place or size)"};
    return mismatch_text(mismatch, "do not belong together%", kTurns[static_cast<int>(turn)]);
}

struct Messages {
    const PairingSettings &settings;
    const Ledger &ledger;
    const Findings &findings;
    const Log &log;
    const VmafGpuInputCounts &main = ledger.of(kMain), &reference = ledger.of(kReference);
    Said said = {};
    bool has_cause = false; ///< of what is said next

    /// The cause comes first. What follows from it is no further warning.
    Said log_all(const Shots *shots)
    {
        log_summary();
        log_damage();
        log_pictures();
        if (!settings.is_framesync())
            log_start();
        if (!settings.is_framesync())
            log_corrections();
        log_unpaired();
        log_repeats();
        has_cause = false;
        if (!settings.is_framesync())
            log_times();
        log_grain();
        if (shots != nullptr)
            log_shots(*shots);
        if (ledger.largest_distance() > kMicrosecond)
            say(kInfo, "time distance of the pairs: median % ms, largest % ms",
                milliseconds(ledger.median_distance()), milliseconds(ledger.largest_distance()));
        return said;
    }

    /// kQuietFault: a strict run fails for what is no warning to others.
    enum Kind { kInfo, kWarning, kFault, kQuietFault };

    void say_text(Kind kind, const std::string &text)
    {
        kind = has_cause ? kInfo : kind;
        const bool is_warning = kind == kWarning || kind == kFault;
        log(is_warning ? VMAFGPU_LOG_WARNING : VMAFGPU_LOG_INFO, text);
        if (is_warning)
            said.warnings.push_back(text);
        if (kind >= kFault && said.fault.empty())
            said.fault = text;
    }
    template <typename... Values> void say(Kind kind, const char *sentence, const Values &...values)
    {
        say_text(kind, fill(sentence, values...));
    }
    /// Merging adds up the numbers of parts, whose words do not depend on the number.
    std::string counted(int64_t count, const std::string &what) const
    {
        return settings.is_part != 0 ? text_of(count) + what : counted_text(count, what);
    }

    /// Parts keep the sentence of none, too, so that all have the same order.
    void log_counted(int64_t count, const std::string &what, Kind kind)
    {
        if (count > 0)
            say_text(kind, counted(count, what));
        else if (settings.is_part != 0)
            said.warnings.push_back(text_of(count) + what);
    }

    double rate(int input) const { return settings.rate(input).value(); }

    void log_summary()
    {
        say(kInfo, "% pairs of %% main and % reference frames, % repeated, % unpaired",
            ledger.pairs(), ledger.is_stopped() ? "at least " : "", main.frames, reference.frames,
            main.repeated + reference.repeated, all_unpaired(main) + all_unpaired(reference));
    }

    void log_undecided(int64_t frames)
    {
        const bool has_pairs = ledger.pairs() > 0;
        say(kFault, "main begins % % reference and %: paired by time%%",
            frames_text(std::abs(frames)), side_of(frames),
            findings.is_start_compared ? "the pictures do not tell which are equal"
                                       : "no pictures were compared",
            has_pairs ? "" : ", which leaves no pair",
            main.frames == reference.frames ? "; if the first frames are equal use pair=index"
                                            : "");
    }

    void log_start()
    {
        const int64_t offset = findings.start_offset;
        const int64_t frames = findings.start_frames;
        switch (findings.start) {
        case Start::kTogether:
            if (std::abs(offset) > kMillisecond && settings.rule != VMAFGPU_PAIR_INDEX)
                say(kInfo,
                    "main begins % s % reference: aligned (pair=framesync for libvmaf's "
                    "pairing)",
                    seconds(std::abs(offset)), side_of(offset));
            break;
        case Start::kPicturesFirst:
            say(kWarning,
                "main begins % % reference by its times, but the first pictures agree: "
                "paired by pictures (pair=time to trust the times)",
                frames_text(std::abs(frames)), side_of(frames));
            break;
        case Start::kPicturesTime:
            say(kInfo, "main begins % % reference, and the pictures agree",
                frames_text(std::abs(frames)), side_of(frames));
            break;
        case Start::kUndecided:
            log_undecided(frames);
            break;
        case Start::kByNumber:
            say(kWarning,
                "the times of main and reference tick at different rates, but the n-th pictures "
                "agree: paired by number (pair=time to trust the times)");
            break;
        case Start::kByOption:
            break;
        case Start::kBySearch:
            say(kInfo, "offset=auto applied offset=%: %", findings.offset, findings.evidence);
            break;
        }
    }

    /// Parts leave it to merging, which knows the pictures of all of them.
    void log_pictures()
    {
        const auto texts = picture_messages(findings.pictures, {main.frames, reference.frames},
                                            settings.is_framesync());
        for (const std::string &text : texts)
            say_text(kFault, text);
        if (settings.is_part != 0)
            said.warnings.resize(said.warnings.size() - texts.size());
        has_cause = !texts.empty();
    }

    /// Times say that main is a part of the reference, and pictures agree.
    bool is_excerpt() const
    {
        return findings.start == Start::kPicturesTime &&
               std::abs(findings.start_frames) > kMostStartOffset;
    }

    void log_unpaired()
    {
        for (int i = 0; i < kInputs; ++i)
            log_begin(i);
        for (int i = 0; i < kInputs; ++i)
            log_middle(i);
        if (main.unpaired[kEnd] > 0 && reference.unpaired[kEnd] > 0 && !ledger.is_stopped())
            say(kFault,
                "the times of an input jump: at the end % main and % reference frames have no "
                "partner%",
                main.unpaired[kEnd], reference.unpaired[kEnd],
                may_be_equal() ? "; if both inputs have the same frames use pair=index" : "");
        else
            for (int i = 0; i < kInputs; ++i)
                log_end(i);
    }

    void log_begin(int input)
    {
        const int64_t by_offset = input == kReference ? findings.offset : -findings.offset;
        const int64_t count = ledger.of(input).unpaired[kBegin] - std::max<int64_t>(by_offset, 0);
        if (count > 0 && ledger.pairs() > 0) // else neither begins before the other
            say(is_excerpt() ? kInfo : kFault, "% begins % before %: %", kNames[input],
                frames_text(count), kNames[1 - input], left_out(count));
    }

    void log_middle(int input)
    {
        const int64_t count = ledger.of(input).unpaired[kMiddle];
        const bool is_slower = rate(kMain) > 0 && rate(kMain) < rate(kReference) * 0.9995;
        if (count > 0 && input == kReference && is_slower)
            say(kQuietFault,
                "main has % and reference % frames per second: % reference % not compared",
                rate(kMain), rate(kReference), count, count == 1 ? "frame is" : "frames are");
        else if (count > 0)
            say(kFault,
                count == 1 ? "% % frame has no partner in %, at % s% It is not in the score"
                           : "% % frames have no partner in %, the first at % s% They are not in "
                             "the score",
                count, kNames[input], kNames[1 - input], seconds(ledger.first_missing(input)),
                input == kReference ? ": main dropped frames?" : ".");
    }

    void log_end(int input)
    {
        const int64_t count = ledger.of(input).unpaired[kEnd];
        if (count == 0 || ledger.is_stopped())
            return;
        const std::string length =
            rate(input) > 0 ? fill("(% s) ", static_cast<double>(count) / rate(input)) : "";
        // One frame of main lasts as long as those.
        const bool is_last_frame = input == kReference && rate(kMain) > 0 &&
                                   static_cast<double>(count) * rate(kMain) < rate(kReference);
        // What pictures found to be missing on one side is too much at the other's end.
        const bool follows = findings.corrections > 0 && ledger.of(1 - input).unpaired[kMiddle] > 0;
        say(is_last_frame || follows || is_excerpt() ? kInfo : kFault, "% ends % %before %: %%",
            kNames[1 - input], frames_text(count), length, kNames[input], left_out(count),
            ledger.has_one_frame(1 - input) ? " (is its only frame a still or cover of a file?)"
                                            : "");
    }

    void log_repeats()
    {
        const int64_t count = reference.repeated;
        if (main.repeated > 0)
            say(kFault, "% of % pairs repeat a main frame", main.repeated, ledger.pairs());
        if (count == 0)
            return;
        std::string what = " pairs reuse a reference frame";
        if (settings.is_framesync())
            what += " (pair=auto aligns the inputs)";
        else if (ledger.has_one_frame(kReference))
            what = " pairs reuse the only reference frame (if it is the cover of a file, name the "
                   "streams: [0:V][1:V]vmaf_gpu)";
        else if (rate(kMain) > 0 && rate(kReference) > 0)
            what += fill(" (main has % fps, reference %)", rate(kMain), rate(kReference));
        say_text(kFault, counted(count, what));
    }

    /// Only inputs of one length can hold the same frames, and only if no picture says otherwise.
    bool may_be_equal() const
    {
        return main.frames == reference.frames && !ledger.is_stopped() &&
               findings.pictures.agreeing == 0;
    }

    void log_corrections()
    {
        const bool are_known = rate(kMain) > 0 && rate(kReference) > 0;
        const std::string rates =
            are_known ? fill(" (rates % and %)", rate(kMain), rate(kReference)) : "";
        if (findings.corrections > 0)
            say(kWarning, "times and pictures disagreed %, first at % s: followed the pictures%",
                counted(findings.corrections, " times"), seconds(findings.first_correction), rates);
        if (may_be_equal() && ledger.by_number() < ledger.pairs() && settings.has_offset == 0)
            say(kWarning,
                "both inputs have % frames but % pairs are not n-th with n-th: if they are the "
                "same frames use pair=index",
                main.frames, ledger.pairs() - ledger.by_number());
    }

    void log_times()
    {
        const Kind kind = settings.rule == VMAFGPU_PAIR_INDEX ? kWarning : kFault;
        for (int i = 0; i < kInputs; ++i) {
            log_counted(ledger.of(i).without_time,
                        fill(" frames of % have no time: assumed % fps", kNames[i],
                             rate(i) > 0 ? rate(i) : 25.0),
                        kind);
            log_counted(ledger.of(i).backward_time,
                        fill(" frames of % have a time that is not after that of the frame "
                             "before: it was replaced",
                             kNames[i]),
                        kind);
        }
    }

    void log_damage()
    {
        for (int i = 0; i < kInputs; ++i)
            log_counted(ledger.of(i).damaged,
                        fill(" frames of % are damaged: the decoder reported errors", kNames[i]),
                        kFault);
    }

    void log_grain()
    {
        for (int i = 0; i < kInputs; ++i)
            log_counted(ledger.of(i).film_grain,
                        fill(" frames of % have film grain that the decoder left off: viewers see "
                             "it, and the score is as a rule lower with it; without "
                             "-export_side_data film_grain before its -i the decoder adds it",
                             kNames[i]),
                        kWarning);
    }

    /// The pairs are not named in the warning, in which merging adds up numbers.
    void log_cuts(const std::vector<int64_t> &cuts, const char *what)
    {
        log_counted(static_cast<int64_t>(cuts.size()), what, kWarning);
        if (!cuts.empty())
            say(kInfo, "they are at the pairs %", list_of_pairs(cuts));
    }

    void log_shots(const Shots &shots)
    {
        log_counted(shots.beyond, " shots of the file begin behind the last pair, and are left out",
                    kWarning);
        if (!shots.are_given) {
            log_cuts(shots.cuts.main_only, kMainOnlyCuts);
            log_cuts(shots.cuts.reference_only, kReferenceOnlyCuts);
        }
        const auto cuts = static_cast<int64_t>(shots.cuts.all.size());
        say_text(kInfo, counted(cuts + (shots.end > shots.begin ? 1 : 0), " shots"));
    }
};

} // namespace

std::vector<std::string> picture_messages(const Disagreement &found, const FrameCounts &frames,
                                          bool is_framesync)
{
    std::vector<std::string> texts;
    if (found.elsewhere.pairs > 0)
        texts.push_back(elsewhere_text(found.elsewhere, frames, is_framesync));
    if (found.unrelated.pairs > 0)
        texts.push_back(unrelated_text(found.unrelated, found.turn));
    if (&found.first() == &found.unrelated)
        std::reverse(texts.begin(), texts.end());
    return texts;
}

Said log_messages(const PairingSettings &settings, const Ledger &ledger, const Findings &findings,
                  const Shots *shots, const Log &log)
{
    return Messages{settings, ledger, findings, log}.log_all(shots);
}

} // namespace vmafgpu
