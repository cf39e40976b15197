// SPDX-License-Identifier: BSD-2-Clause-Patent
// See messages.h.
#include "pairing/messages.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace vmafgpu {

namespace {

constexpr const char *kNames[] = {"main", "reference"};
constexpr int64_t kMicrosecond = 1000;

/// A sentence with its values in the places of '%'.
std::string fill(const char *sentence, std::initializer_list<std::string> values)
{
    std::string text;
    const auto *value = values.begin();
    for (; *sentence != '\0'; ++sentence) {
        if (*sentence == '%')
            text += *value++;
        else
            text += *sentence;
    }
    return text;
}

std::string number(int64_t value)
{
    return std::to_string(value);
}

/// Three digits after the point, in every locale.
std::string decimal(double value)
{
    char text[400];
    const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::fixed, 3);
    return std::string(text, end.ptr);
}

std::string seconds(int64_t nanoseconds)
{
    return decimal(static_cast<double>(nanoseconds) / 1e9);
}

std::string milliseconds(int64_t nanoseconds)
{
    return decimal(static_cast<double>(nanoseconds) / 1e6);
}

const char *side_of(int64_t offset)
{
    return offset < 0 ? "before" : "after";
}

} // namespace

void Messages::log(VmafGpuLogLevel level, Fault fault, const char *sentence, Values values)
{
    const std::string text = fill(sentence, values);
    (*log_)(level, text);
    if (level == VMAFGPU_LOG_WARNING)
        warnings_.push_back(text);
    if (fault == Fault::kYes && fault_.empty())
        fault_ = text;
}

/// Merging adds up the numbers of parts. They keep the sentence of none, too, so that all have the
/// same order.
void Messages::log_counted(int64_t count, const std::string &what, Fault fault)
{
    if (count > 0)
        log(VMAFGPU_LOG_WARNING, fault, "%%", {number(count), what});
    else if (settings_.is_part != 0)
        warnings_.push_back(number(count) + what);
}

void Messages::log_summary()
{
    const InputCounts &main = ledger_.of(kMain);
    const InputCounts &reference = ledger_.of(kReference);
    inform("% pairs of %% main and % reference frames, % repeated, % unpaired",
           {number(ledger_.pairs()), ledger_.is_stopped() ? "at least " : "", number(main.frames),
            number(reference.frames), number(main.repeated + reference.repeated),
            number(main.all_unpaired() + reference.all_unpaired())});
}

void Messages::log_undecided()
{
    const int64_t frames = findings_.start_frames;
    const bool has_pairs = ledger_.pairs() > 0;
    warn("main begins % frames % reference and %: paired by time%; if the first frames are "
         "equal use pair=index%",
         {number(std::llabs(frames)), side_of(frames),
          findings_.is_start_compared ? "the pictures do not tell which are equal"
                                      : "no pictures were compared",
          has_pairs ? "" : ", which leaves no pair",
          has_pairs ? ", else offset=" + number(frames) : ""});
}

void Messages::log_start()
{
    const int64_t offset = findings_.start_offset;
    const int64_t frames = findings_.start_frames;
    switch (findings_.start) {
    case Start::kTogether:
        if (std::llabs(offset) > kMillisecond && settings_.rule != VMAFGPU_PAIR_INDEX)
            inform("main begins % s % reference: aligned (pair=framesync for libvmaf's pairing)",
                   {seconds(std::llabs(offset)), side_of(offset)});
        break;
    case Start::kPicturesFirst:
        log(VMAFGPU_LOG_WARNING, Fault::kNo,
            "main begins % frames % reference by its times, but the first pictures agree: "
            "paired by pictures (pair=time to trust the times)",
            {number(std::llabs(frames)), side_of(frames)});
        break;
    case Start::kPicturesTime:
        inform("main begins % frames % reference, and the pictures agree",
               {number(std::llabs(frames)), side_of(frames)});
        break;
    case Start::kUndecided:
        log_undecided();
        break;
    case Start::kByOption:
        break;
    case Start::kBySearch:
        inform("offset=auto applied offset=%: %", {number(findings_.offset), findings_.evidence});
        break;
    }
}

void Messages::log_middle(int input)
{
    const int64_t count = ledger_.of(input).unpaired[kMiddle];
    const bool is_slower = rate(kMain) > 0 && rate(kMain) < rate(kReference) * 0.9995;
    if (count > 0 && input == kReference && is_slower)
        log(VMAFGPU_LOG_INFO, Fault::kYes,
            "main has % and reference % frames per second: % reference frames are not compared",
            {decimal(rate(kMain)), decimal(rate(kReference)), number(count)});
    else if (count > 0)
        warn("% % frames have no partner in %, the first at % s% They are not in the score",
             {number(count), kNames[input], kNames[1 - input],
              seconds(ledger_.of(input).first_missing),
              input == kReference ? ": main dropped frames?" : "."});
}

/// Frames that are left at the end are then no missing end.
void Messages::log_better_offset()
{
    const int64_t offset = findings_.better_offset;
    if (offset != 0)
        warn("the first pairs show different pictures, but those of main agree with those that "
             "come % frames % in reference: use offset=%",
             {number(std::llabs(offset)), offset > 0 ? "later" : "earlier", number(offset)});
}

void Messages::log_end(int input)
{
    const int64_t count = ledger_.of(input).unpaired[kEnd];
    const int64_t offset = findings_.better_offset;
    if (count == 0 || ledger_.is_stopped() || (input == kReference ? offset > 0 : offset < 0))
        return;
    const double rate_of = rate(input);
    const std::string length =
        rate_of > 0 ? fill("(% s) ", {decimal(static_cast<double>(count) / rate_of)}) : "";
    warn("% ends % frames %before %: those frames are not in the score",
         {kNames[1 - input], number(count), length, kNames[input]});
}

void Messages::log_unpaired()
{
    for (int i = 0; i < kInputs; ++i) {
        const int64_t by_offset = i == kReference ? findings_.offset : -findings_.offset;
        const int64_t count = ledger_.of(i).unpaired[kBegin] - std::max<int64_t>(by_offset, 0);
        if (count > 0 && ledger_.pairs() > 0) // else neither begins before the other
            warn("% begins % frames before %: those frames are not in the score",
                 {kNames[i], number(count), kNames[1 - i]});
        log_middle(i);
        log_end(i);
    }
}

void Messages::log_repeats()
{
    const std::string main = number(ledger_.of(kMain).repeated);
    const std::string reference = number(ledger_.of(kReference).repeated);
    if (ledger_.of(kMain).repeated > 0)
        warn("% of % pairs repeat a main frame", {main, number(ledger_.pairs())});
    if (ledger_.of(kReference).repeated == 0)
        return;
    if (settings_.is_framesync())
        warn("% pairs reuse a reference frame (pair=auto aligns the inputs)", {reference});
    else if (ledger_.of(kReference).frames == 1)
        warn("% pairs reuse the only reference frame (if it is the cover of a file, name the "
             "streams: [0:V][1:V]vmaf_gpu)",
             {reference});
    else if (rate(kMain) > 0 && rate(kReference) > 0)
        warn("% pairs reuse a reference frame (main has % fps, reference %)",
             {reference, decimal(rate(kMain)), decimal(rate(kReference))});
    else
        warn("% pairs reuse a reference frame", {reference});
}

void Messages::log_corrections()
{
    const int64_t frames = ledger_.of(kMain).frames;
    if (findings_.corrections > 0)
        log(VMAFGPU_LOG_WARNING, Fault::kNo,
            "times and pictures disagreed % times, first at % s: followed the pictures (rates "
            "% and %; if both hold the same frames use pair=index or -r % before both -i)",
            {number(findings_.corrections), seconds(findings_.first_correction),
             decimal(rate(kMain)), decimal(rate(kReference)), decimal(rate(kMain))});
    if (frames == ledger_.of(kReference).frames && ledger_.by_number() < ledger_.pairs() &&
        settings_.has_offset == 0 && !ledger_.is_stopped())
        log(VMAFGPU_LOG_WARNING, Fault::kNo,
            "both inputs have % frames but % pairs are not n-th with n-th: if they are the "
            "same frames use pair=index",
            {number(frames), number(ledger_.pairs() - ledger_.by_number())});
}

void Messages::log_times()
{
    const Fault fault = settings_.rule == VMAFGPU_PAIR_INDEX ? Fault::kNo : Fault::kYes;
    for (int i = 0; i < kInputs; ++i) {
        const double assumed = rate(i) > 0 ? rate(i) : 25.0;
        log_counted(ledger_.of(i).without_time,
                    fill(" frames of % have no time: assumed % fps", {kNames[i], decimal(assumed)}),
                    fault);
        log_counted(ledger_.of(i).backward,
                    fill(" frames of % have a time that is not after that "
                         "of the frame before: it was replaced",
                         {kNames[i]}),
                    fault);
    }
}

/// The pairs are not named in the warning, in which merging adds up numbers.
void Messages::log_cuts(const std::vector<int64_t> &cuts, const char *what)
{
    log_counted(static_cast<int64_t>(cuts.size()), what, Fault::kNo);
    if (!cuts.empty())
        inform("they are at the pairs %", {list_of_pairs(cuts)});
}

void Messages::log_shots(const Shots &shots)
{
    log_counted(shots.beyond, " shots of the file begin behind the last pair, and are left out",
                Fault::kNo);
    if (!shots.are_given) {
        log_cuts(shots.cuts.main_only, kMainOnlyCuts);
        log_cuts(shots.cuts.reference_only, kReferenceOnlyCuts);
    }
    inform("% shots", {number(static_cast<int64_t>(shots.cuts.all.size()) +
                              (shots.end > shots.begin ? 1 : 0))});
}

void Messages::log_all(const Log &to, const Shots *shots)
{
    log_ = &to;
    log_summary();
    if (!settings_.is_framesync())
        log_start();
    log_better_offset();
    log_unpaired();
    log_repeats();
    if (!settings_.is_framesync()) {
        log_corrections();
        log_times();
    }
    for (int i = 0; i < kInputs; ++i)
        log_counted(ledger_.of(i).damaged,
                    fill(" frames of % are damaged: the decoder reported errors", {kNames[i]}));
    for (int i = 0; i < kInputs; ++i)
        log_counted(
            ledger_.of(i).film_grain,
            fill(" frames of % have film grain that the decoder left off: viewers see it, and the "
                 "score is as a rule lower with it; without -export_side_data film_grain "
                 "before its -i the decoder adds it",
                 {kNames[i]}),
            Fault::kNo);
    if (shots != nullptr)
        log_shots(*shots);
    if (ledger_.largest_distance() > kMicrosecond)
        inform("time distance of the pairs: median % ms, largest % ms",
               {milliseconds(ledger_.median_distance()), milliseconds(ledger_.largest_distance())});
}

} // namespace vmafgpu
