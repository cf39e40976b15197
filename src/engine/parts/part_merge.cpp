// SPDX-License-Identifier: BSD-2-Clause-Patent
// See part_merge.h.
#include "parts/part_merge.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "pairing/messages.h"
#include "pairing/pairing.h"
#include "plan/score_plan.h"

namespace vmafgpu {
namespace {

[[noreturn]] void refuse(const std::string &text)
{
    throw Error(EINVAL, text);
}

std::string range_of(const Part &part)
{
    return "'" + part.path + "' (pairs " + std::to_string(part.chunk.begin) + " to " +
           std::to_string(part.chunk.end - 1) + ")";
}

/// Pairs of [begin, end) that subsampling keeps.
int64_t kept_between(int64_t begin, int64_t end, int64_t subsample)
{
    return (end + subsample - 1) / subsample - (begin + subsample - 1) / subsample;
}

/// A part has all pairs that it should, and has looked at enough around them.
void check_part(const Part &part, int64_t total)
{
    const Chunk &chunk = part.chunk;
    int64_t scored = 0, counted = 0;
    for (const PartRow &row : part.rows)
        counted += chunk.counts(row.index) ? 1 : 0;
    for (size_t row = 0; row < part.table.rows(); ++row)
        scored += chunk.counts(part.table.index(row)) ? 1 : 0;
    if (scored != kept_between(chunk.begin, chunk.end, part.subsample))
        refuse("pairs are missing in " + range_of(part));
    if (part.words > 0 && counted != chunk.end - chunk.begin)
        refuse("Sums of pairs are missing in " + range_of(part));
    if (chunk.first > 0 && chunk.begin - chunk.first < part.before)
        refuse(range_of(part) + " began at pair " + std::to_string(chunk.first) + ", but needed " +
               std::to_string(part.before) + " pairs before its own");
    if (part.reached < std::min(chunk.end + part.after, total))
        refuse(range_of(part) + " ended at pair " + std::to_string(part.reached - 1) +
               ", but needed " + std::to_string(part.after) + " pairs behind its own");
}

/// The number of pairs of the run.
int64_t check_order(const std::vector<Part> &parts)
{
    if (parts.empty())
        refuse("there are no parts to merge");
    if (parts.front().chunk.begin != 0)
        refuse("the first part is " + range_of(parts.front()) + "; those before it are missing");
    for (size_t i = 1; i < parts.size(); ++i) {
        if (parts[i].key != parts[0].key)
            refuse("the parts '" + parts[0].path + "' and '" + parts[i].path +
                   "' are not of one run: they differ in size, format, colours, models, features, "
                   "options or title");
        if (parts[i].chunk.begin < parts[i - 1].chunk.end)
            refuse(range_of(parts[i - 1]) + " and " + range_of(parts[i]) + " have the same pairs");
        if (parts[i].chunk.begin > parts[i - 1].chunk.end)
            refuse("between " + range_of(parts[i - 1]) + " and " + range_of(parts[i]) +
                   " there are pairs missing");
    }
    const Part &last = parts.back();
    if (last.chunk.total == 0)
        refuse(range_of(last) + " is the last part, but the run goes on behind it");
    for (const Part &part : parts)
        if (part.chunk.total != 0 && part.chunk.total != last.chunk.total)
            refuse("the run has " + std::to_string(part.chunk.total) + " pairs according to '" +
                   part.path + "', and " + std::to_string(last.chunk.total) + " according to '" +
                   last.path + "'");
    if (last.chunk.end != last.chunk.total)
        refuse("the run has " + std::to_string(last.chunk.total) + " pairs, but " + range_of(last) +
               " is the last part");
    return last.chunk.total;
}

/// A few rows must not make the list of times huge.
void add_time(const Part &part, const PartRow &row, std::vector<int64_t> &times)
{
    constexpr int64_t kMostPerRow = 10000;
    const auto rows = static_cast<int64_t>(part.rows.size());
    if (row.index - part.chunk.begin > rows * kMostPerRow)
        refuse(range_of(part) + " has the time of pair " + std::to_string(row.index) +
               ", but only " + std::to_string(rows) + " rows");
    times.resize(static_cast<size_t>(row.index) + 1, kUnknownTime);
    times.back() = row.pts;
}

/// Adds the rows that count. Every other part has them in the same order.
void add_rows(const Part &part, MergedRun &merged)
{
    std::vector<double> scores(part.table.names().size());
    for (const PartRow &row : part.rows) {
        if (!part.chunk.counts(row.index))
            continue;
        if (row.pts != kUnknownTime)
            add_time(part, row, merged.pts);
        const size_t at = part.table.find(row.index);
        if (at == part.table.rows())
            continue;
        for (size_t i = 0; i < scores.size(); ++i)
            scores[i] = part.table.value(at, i);
        merged.run.table.add(row.index, scores.data());
    }
    merged.run.sums.insert(merged.run.sums.end(), part.sums.begin(), part.sums.end());
}

int64_t time_at(const std::vector<int64_t> &times, int64_t index)
{
    const auto at = static_cast<size_t>(index);
    return at < times.size() ? times[at] : kUnknownTime;
}

uint64_t bits_of(double value)
{
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

[[noreturn]] void refuse_overlap(const Part &part, int64_t index, const std::string &what)
{
    throw Error(EBADMSG, "'" + part.path + "' and the part with pair " + std::to_string(index) +
                             " disagree on " + what +
                             " of that pair: one of them did not see the "
                             "pictures of the whole run, or a device erred");
}

/// The pairs around a chunk: neighbours have computed them too.
void compare_overlap(const Part &part, MergedRun &merged)
{
    for (const PartRow &row : part.rows) {
        const ScoreTable &table = merged.run.table;
        const size_t mine = part.table.find(row.index), other = table.find(row.index);
        if (part.chunk.counts(row.index) || mine == part.table.rows())
            continue;
        if (other == table.rows())
            refuse_overlap(part, row.index, "the existence");
        for (const size_t column : part.spatial) {
            const double a = part.table.value(mine, column), b = table.value(other, column);
            if (bits_of(a) != bits_of(b))
                refuse_overlap(part, row.index, "'" + table.names()[column] + "'");
            ++merged.compared;
        }
        if (row.pts != time_at(merged.pts, row.index))
            refuse_overlap(part, row.index, "the time");
    }
}

void add_text(std::string &list, const std::string &text, const char *separator)
{
    if (list.find(text) == std::string::npos)
        list.append(list.empty() ? "" : separator).append(text);
}

/// A text whose number parts add up; -1: it has none.
struct Warning {
    int64_t count;
    std::string text; ///< after the count
};

Warning parse_warning(const std::string &warning)
{
    const size_t digits = warning.find_first_not_of("0123456789");
    constexpr size_t kMostDigits = 15;
    if (digits == 0 || digits > kMostDigits)
        return {-1, warning};
    return {std::stoll(warning), warning.substr(digits)};
}

/// The last warnings of each part are about its pairs and may begin with a number; or those before
/// them. Of all parts, each once, in the order of each part, as far as they agree.
std::vector<std::string> merge_warnings(const std::vector<Part> &parts, bool are_about_pairs)
{
    std::vector<Warning> all;
    for (const Part &part : parts) {
        const size_t size = part.warnings.size();
        const auto last = static_cast<size_t>(part.pairing ? part.pairing->counts.warnings : 0);
        const size_t border = size - std::min(size, last);
        auto at = all.end();
        for (size_t i = are_about_pairs ? size : border; i-- > (are_about_pairs ? border : 0);) {
            const std::string &text = part.warnings[i];
            const Warning warning = are_about_pairs ? parse_warning(text) : Warning{-1, text};
            const auto found = std::find_if(all.begin(), all.end(), [&](const Warning &other) {
                return other.text == warning.text && (other.count < 0) == (warning.count < 0);
            });
            if (found != all.end() && warning.count > 0)
                found->count += warning.count;
            at = found == all.end() ? all.insert(at, warning) : found;
        }
    }
    std::vector<std::string> texts;
    for (const auto &[count, text] : all)
        if (count != 0) // parts have these, too, so that their order is known
            texts.push_back(count < 0 ? text : counted_text(count, text));
    return texts;
}

/// In a part of few pairs, pictures that belong together may fit elsewhere by chance. What such
/// parts show counts only if no part is longer, and if it is shown by most of their pairs.
void drop_chance(std::vector<Part> &parts)
{
    constexpr int64_t kBlock{Agreement::kBlock};
    int64_t pairs = 0, told = 0, longest = 0;
    const auto length = [](const Part &part) {
        return std::min(part.chunk.end, part.reached) - part.chunk.begin;
    };
    for (const Part &part : parts) {
        longest = std::max(longest, length(part));
        if (!part.pairing || length(part) >= kBlock)
            continue;
        pairs += length(part);
        told += part.pairing->pictures.elsewhere.pairs + part.pairing->pictures.unrelated.pairs;
    }
    if (parts.size() == 1 || (longest < kBlock && 2 * told >= pairs))
        return;
    for (Part &part : parts)
        if (part.pairing && length(part) < kBlock) {
            const int64_t agreeing = part.pairing->pictures.agreeing;
            part.pairing->pictures = Disagreement();
            part.pairing->pictures.agreeing = agreeing;
        }
}

/// Each part has counted the frames of its own pairs only.
void add_pairing(const Part &part, RunPairing &run)
{
    if (part.pairing->rule != run.rule || part.pairing->start != run.start ||
        part.pairing->counts.has_offset != run.counts.has_offset ||
        part.pairing->counts.offset != run.counts.offset)
        refuse(range_of(part) + " was paired otherwise than the part before it");
    VmafGpuPairing part_counts = part.pairing->counts;
    const auto more = pairing_counts(part_counts), sum = pairing_counts(run.counts);
    for (size_t i = 0; i < sum.size(); ++i)
        for (size_t j = 0; j < sum[i].names.size(); ++j)
            *sum[i].values[j] += *more[i].values[j];
    run.counts.at_least |= part_counts.at_least;
    run.pictures.add(part.pairing->pictures);
    add_disagreement(run.pictures, run.counts);
}

void add_pairings(const std::vector<Part> &parts, Part &run)
{
    for (size_t i = 1; i < parts.size(); ++i) {
        if (parts[i].pairing.has_value() != run.pairing.has_value())
            refuse("only one of '" + parts[0].path + "' and '" + parts[i].path +
                   "' says how its pairs were found");
        if (run.pairing)
            add_pairing(parts[i], *run.pairing);
        for (const Part *part : {&parts[0], &parts[i]})
            if (part->pairing && (part->pairing->counts.corrections != 0 ||
                                  part->pairing->counts.distance_largest != 0))
                refuse(range_of(*part) +
                       " was paired by time, which only a part of a whole run is");
    }
    std::vector<std::string> about_pairs; // pictures are the cause of others
    if (run.pairing)
        about_pairs = picture_messages(
            run.pairing->pictures,
            {run.pairing->counts.of[kMain].frames, run.pairing->counts.of[kReference].frames},
            false);
    const auto counted = merge_warnings(parts, true);
    about_pairs.insert(about_pairs.end(), counted.begin(), counted.end());
    run.warnings = merge_warnings(parts, false);
    run.warnings.insert(run.warnings.end(), about_pairs.begin(), about_pairs.end());
    if (run.pairing)
        run.pairing->counts.warnings = static_cast<int>(about_pairs.size());
}

void add_shots(const std::vector<Part> &parts, Part &run)
{
    for (const Part &part : parts)
        if (part.shots.has_value() != run.shots.has_value() ||
            (run.shots && part.shots->are_given != run.shots->are_given))
            refuse("the shots of '" + parts.front().path + "' and '" + part.path +
                   "' do not come from the same option");
    if (!run.shots)
        return;
    run.shots->begin = 0;
    run.shots->end = run.chunk.total;
    for (size_t i = 1; i < parts.size(); ++i)
        run.shots->cuts.append(parts[i].shots->cuts);
}

/// What is counted and told over all parts.
void add_facts(const std::vector<Part> &parts, Part &run)
{
    double seconds = 0, slow_seconds = 0;
    for (const Part &part : parts) {
        add_text(run.backend, part.backend, ", ");
        add_text(run.device, part.device, "; ");
        for (const std::string &name : part.host_features)
            if (std::find(run.host_features.begin(), run.host_features.end(), name) ==
                run.host_features.end())
                run.host_features.push_back(name);
        const double own =
            part.fps > 0 ? static_cast<double>(part.reached - part.chunk.first) / part.fps : 0;
        seconds += own;
        slow_seconds += part.is_slowed_by_host ? own : 0;
    }
    run.is_slowed_by_host = 2 * slow_seconds > seconds;
    add_shots(parts, run);
    add_pairings(parts, run);
    run.fps = seconds > 0 ? static_cast<double>(run.chunk.total) / seconds : 0;
}

/// Values of the run, from the Sums of its pairs in their order, as one process adds them up.
ScorePlan::NamedValues aggregates_of(const Part &run)
{
    if (run.words == 0)
        return {};
    std::vector<FeatureRequest> requests;
    for (const auto &[name, options] : run.features)
        requests.push_back({name, options, false});
    const auto *const chroma = std::find(kChromaNames.begin(), kChromaNames.end(), run.chroma);
    if (chroma == kChromaNames.end())
        throw Error(EINVAL, "unknown chroma " + run.chroma);
    const ScorePlan plan(
        {run.width, run.height, run.depth, static_cast<Chroma>(chroma - kChromaNames.begin()), 0},
        run.compat == "3.1" ? Compat::k3_1 : Compat::k3_2, {}, requests);
    if (plan.aggregate_words() != run.words)
        throw Error(EINVAL, "the parts' Sums are not those of their features");
    std::vector<uint64_t> state(plan.state_bytes() / sizeof(uint64_t));
    std::vector<uint64_t> sums(plan.sums_bytes() / sizeof(uint64_t));
    for (size_t at = 0; at < run.sums.size(); at += run.words) {
        plan.unpack_sums(run.sums.data() + at, sums.data());
        plan.accumulate(sums.data(), state.data());
    }
    return plan.aggregates(state.data());
}

} // namespace

MergedRun merge_parts(std::vector<Part> parts)
{
    std::sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) {
        return std::make_pair(a.chunk.begin, a.path) < std::make_pair(b.chunk.begin, b.path);
    });
    const int64_t total = check_order(parts);
    for (const Part &part : parts)
        check_part(part, total);
    drop_chance(parts);
    MergedRun merged;
    merged.run = parts.front();
    merged.run.chunk = {0, 0, total, total};
    merged.run.rows.clear();
    merged.run.sums.clear();
    merged.run.table.clear();
    merged.pts = {kUnknownTime}; // not empty: the run has times, even if all are unknown
    for (const Part &part : parts)
        add_rows(part, merged);
    for (const Part &part : parts)
        compare_overlap(part, merged);
    add_facts(parts, merged.run);
    merged.run.aggregates = aggregates_of(merged.run);
    return merged;
}

} // namespace vmafgpu
