// SPDX-License-Identifier: BSD-2-Clause-Patent
// Chunks of a run, written as parts and merged, give the whole run's logs. And what is refused.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fixture.h"
#include "report_fixtures.h"

namespace vmafgpu::chunks_test {
namespace {

constexpr int kPairs = 14;
const char *const kFormats[] = {"json", "xml", "csv", "csv_strict", "sub", "html"};

VmafGpuLog log_to(const std::string &path, const char *format, const VmafGpuRun *run)
{
    VmafGpuLog log = {};
    log.path = path.c_str();
    log.format = format;
    log.precision = VMAFGPU_PRECISION_MAX;
    log.run = run;
    return log;
}

/// Times of the pairs, as a caller gives them for a whole run and for a chunk.
struct Times {
    Times()
    {
        for (int i = 0; i < kPairs; ++i)
            pts.push_back(1000 + i * i);
        run.struct_size = sizeof(run);
        run.main_format = "yuv420p";
        run.reference_format = "yuv420p10le";
        run.options = "subsample=1";
        run.pts = pts.data();
        run.pts_count = kPairs;
        run.time_base_num = 1;
        run.time_base_den = 90000;
    }
    std::vector<int64_t> pts;
    VmafGpuRun run = {};
};

/// Submits pairs [first, last) of the clip and drains. Released pictures are scribbled over, so
/// each run has its own.
void score(TestContext &context, const TestSettings &settings, int first, int last)
{
    ASSERT_EQ(0, context.status) << context.error.text;
    std::vector<std::unique_ptr<StoredPicture>> pictures;
    VmafGpuResult result;
    for (int i = first; i < last; ++i) {
        for (const bool is_distorted : {false, true})
            pictures.push_back(std::make_unique<StoredPicture>(
                make_image(settings.width, settings.height, settings.depth, i, is_distorted)));
        const VmafGpuPicture &reference = pictures[pictures.size() - 2]->picture;
        while (vmafgpu_submit(context.get(), &reference, &pictures.back()->picture,
                              static_cast<uint64_t>(i)) == -EAGAIN)
            ASSERT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
    }
    ASSERT_EQ(0, vmafgpu_flush(context.get()));
    while (vmafgpu_collect(context.get(), &result, 1) == 0)
        EXPECT_EQ(static_cast<int64_t>(result.tag), result.index);
}

struct Merged {
    int status = 0;
    std::string error;
    int64_t compared = 0;
    std::vector<std::string> logs; ///< one log for each of kFormats
};

Merged merge(const std::vector<std::string> &parts, const TemporaryFolder &folder)
{
    Merged merged;
    std::vector<const char *> paths;
    paths.reserve(parts.size());
    for (const std::string &part : parts)
        paths.push_back(part.c_str());
    VmafGpuMerge *handle = nullptr;
    VmafGpuError error = {};
    merged.status =
        vmafgpu_merge_open(&handle, paths.data(), static_cast<int>(paths.size()), &error);
    merged.error = error.text;
    if (merged.status < 0)
        return merged;
    merged.compared = vmafgpu_merge_compared(handle);
    for (const char *format : kFormats) {
        const std::string path = folder / std::string("merged.") + format;
        const VmafGpuLog log = log_to(path, format, nullptr);
        EXPECT_EQ(0, vmafgpu_merge_write_log(handle, &log, &error)) << error.text;
        merged.logs.push_back(read_text(path));
    }
    vmafgpu_merge_free(&handle);
    EXPECT_EQ(nullptr, handle);
    return merged;
}

/// A kind of run, whole and in chunks.
class Chunks {
public:
    explicit Chunks(TestSettings settings) : settings_(std::move(settings))
    {
        TestContext context(settings_);
        score(context, settings_, 0, kPairs);
        EXPECT_EQ(0, vmafgpu_history(context.get(), &before, &after));
        for (const char *format : kFormats) {
            const std::string path = folder / std::string("whole.") + format;
            VmafGpuRun run = times_.run;
            if (std::strcmp(format, "xml") == 0)
                run.pts = nullptr; // XML has no times, so the tool and the filter give it none
            const VmafGpuLog log = log_to(path, format, &run);
            EXPECT_EQ(0, vmafgpu_write_log(context.get(), &log));
            whole.push_back(read_text(path));
        }
    }

    /// A chunk with what it needs around it; the path of its part.
    std::string part(int64_t begin, int64_t end, int64_t total = kPairs)
    {
        const int64_t first =
            std::max<int64_t>(0, begin - before) / settings_.subsample * settings_.subsample;
        return part({first, begin, end, total}, std::min<int64_t>(kPairs, end + after));
    }
    std::string part(const VmafGpuChunk &chunk, int64_t last)
    {
        TestSettings settings = settings_;
        settings.chunk = &chunk;
        TestContext context(settings);
        score(context, settings, static_cast<int>(chunk.first), static_cast<int>(last));
        const std::string path =
            folder / std::to_string(chunk.begin) + "-" + std::to_string(++parts_) + ".part";
        const VmafGpuLog log = log_to(path, "part", &times_.run);
        EXPECT_EQ(0, vmafgpu_write_log(context.get(), &log)) << vmafgpu_error_text(context.get());
        return path;
    }
    std::vector<std::string> parts_of(int64_t size)
    {
        std::vector<std::string> parts;
        for (int64_t begin = 0; begin < kPairs; begin += size)
            parts.push_back(part(begin, std::min<int64_t>(kPairs, begin + size)));
        return parts;
    }

    TemporaryFolder folder;
    std::vector<std::string> whole;
    int64_t before = 0, after = 0;

private:
    TestSettings settings_;
    Times times_;
    int parts_ = 0;
};

/// Where two texts differ first; empty if they do not.
std::string difference(const std::string &a, const std::string &b)
{
    const auto place = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    const size_t at = static_cast<size_t>(place) - std::min<size_t>(static_cast<size_t>(place), 40);
    return a == b ? "" : "'" + a.substr(at, 100) + "' and '" + b.substr(at, 100) + "'";
}

std::vector<TestSettings> kinds()
{
    std::vector<TestSettings> list(4);
    list[1].features = {{"motion", "motion_five_frame_window=true:motion_moving_average=true"},
                        {"psnr", "enable_apsnr=true"},
                        {"float_motion", nullptr}};
    list[1].chroma = VMAFGPU_CHROMA_400;
    list[2].models.clear();
    list[2].chroma = VMAFGPU_CHROMA_400;
    list[2].features = {{"xpsnr", nullptr}, {"ffmpeg_ssim", nullptr}, {"motion", "debug=true"}};
    list[3].models = {"vmaf_b_v0.6.3", "vmaf_v0.6.1neg"};
    list[3].compat = VMAFGPU_COMPAT_3_1;
    return list;
}

TEST(Chunks, MergedLogsAreThoseOfTheWholeRun)
{
    int compared = 0;
    for (TestSettings settings : kinds()) {
        for (const int subsample : {1, 3}) {
            settings.subsample = subsample;
            Chunks run(settings);
            for (const int64_t size : {1, 2, 5, 13, 14}) {
                std::vector<std::string> parts = run.parts_of(size);
                std::reverse(parts.begin(), parts.end());
                const Merged merged = merge(parts, run.folder);
                ASSERT_EQ(0, merged.status) << merged.error;
                for (size_t i = 0; i < run.whole.size(); ++i)
                    ASSERT_EQ("", difference(run.whole[i], merged.logs[i]))
                        << kFormats[i] << ", chunks of " << size << ", subsample " << subsample;
                compared += size < kPairs && merged.compared > 0 ? 1 : 0;
            }
        }
    }
    EXPECT_EQ(4 * 2 * 4, compared) << "runs whose overlap had scores to compare";
}

TEST(Chunks, HistoryFollowsFromTheFeatures)
{
    const std::vector<std::pair<int64_t, int64_t>> expected = {{1, 1}, {4, 2}, {1, 1}, {1, 1}};
    const std::vector<TestSettings> list = kinds();
    for (size_t i = 0; i < list.size(); ++i) {
        const Chunks run(list[i]);
        EXPECT_EQ(expected[i], std::make_pair(run.before, run.after)) << i;
    }
    int64_t number;
    EXPECT_EQ(-EINVAL, vmafgpu_history(nullptr, &number, &number));
}

TEST(Chunks, ALengthThatIsNotKnownBeforehand)
{
    Chunks run{TestSettings()};
    // The last chunk is longer than the rest of the run. Only the end of its input says so.
    const Merged merged =
        merge({run.part({0, 0, 6, 0}, 7), run.part({5, 6, 100, 0}, kPairs)}, run.folder);
    ASSERT_EQ(0, merged.status) << merged.error;
    EXPECT_EQ(run.whole, merged.logs);
    // A chunk up to the end.
    const Merged open =
        merge({run.part({0, 0, 6, 0}, 7), run.part({5, 6, 0, 0}, kPairs)}, run.folder);
    ASSERT_EQ(0, open.status) << open.error;
    EXPECT_EQ(run.whole, open.logs);
}

void expect_refused(const std::vector<std::string> &parts, const Chunks &run, int status,
                    const std::string &text)
{
    const Merged merged = merge(parts, run.folder);
    EXPECT_EQ(status, merged.status) << text;
    EXPECT_NE(std::string::npos, merged.error.find(text)) << merged.error;
}

TEST(Chunks, WhatDoesNotFitTogetherIsRefused)
{
    Chunks run{TestSettings()};
    const std::string a = run.part(0, 5), b = run.part(5, 9), c = run.part(9, kPairs);
    ASSERT_EQ(0, merge({a, b, c}, run.folder).status);
    expect_refused({a, c}, run, -EINVAL, "between");
    expect_refused({b, c}, run, -EINVAL, "those before it are missing");
    expect_refused({a, b}, run, -EINVAL, "has 14 pairs, but");
    expect_refused({a, b, b, c}, run, -EINVAL, "have the same pairs");
    expect_refused({a, run.part(5, 10), c}, run, -EINVAL, "have the same pairs");
    expect_refused({a, b, run.folder / "nothing"}, run, -ENOENT, "nothing");
    expect_refused({a, run.part({4, 5, 9, 20}, 10), c}, run, -EINVAL, "20 pairs");
    expect_refused({run.part({0, 0, 5, 0}, 6), run.part({4, 5, 9, 0}, 10)}, run, -EINVAL,
                   "the run goes on");
    // A part of another run.
    TestSettings other;
    other.models = {"vmaf_v0.6.1neg"};
    Chunks another(other);
    expect_refused({a, another.part(5, 9), c}, run, -EINVAL, "not of one run");
    // An input that ended too early.
    expect_refused({a, run.part({4, 5, 9, kPairs}, 9), c}, run, -EINVAL,
                   "ended after pair 8, but pairs up to 9 are needed");
}

/// The text of a part with the n-th digit after `behind` changed.
void change_digit(const std::string &path, const std::string &behind, int n)
{
    std::string text = read_text(path);
    size_t at = text.find(behind);
    ASSERT_NE(std::string::npos, at);
    at += behind.size();
    for (; n > 0; ++at)
        n -= text[at] >= '0' && text[at] <= '9' ? 1 : 0;
    text[at - 1] = text[at - 1] == '9' ? '8' : static_cast<char>(text[at - 1] + 1);
    std::ofstream(path, std::ios::binary) << text;
}

TEST(Chunks, AWrongScoreInTheOverlapIsReported)
{
    Chunks run{TestSettings()};
    const std::string a = run.part(0, 5), c = run.part(9, kPairs);
    for (const char *row : {"[4, 1016, [", "[9, 1081, [", "[5, 1025, [", "[8, 1064, ["}) {
        const std::string b = run.part(5, 9);
        change_digit(b, row, 14);
        expect_refused({a, b, c}, run, -EBADMSG, "disagree on 'integer_adm2'");
    }
    // The pictures differ: the chunk's input began one pair too early.
    const std::string shifted = run.part(5, 9);
    change_digit(shifted, "[4, ", 4);
    expect_refused({a, shifted, c}, run, -EBADMSG, "disagree on the time");
}

TEST(Chunks, MalformedPartsAreErrors)
{
    Chunks run{TestSettings()};
    const std::string path = run.part(0, kPairs);
    const std::string good = read_text(path);
    const std::string bad = run.folder / "bad.part";
    const auto refuse = [&](const std::string &text, const std::string &why) {
        std::ofstream(bad, std::ios::binary) << text;
        expect_refused({bad}, run, -EINVAL, why);
    };
    const auto replaced = [&good](const std::string &from, const std::string &to) {
        std::string text = good;
        const size_t at = text.find(from);
        EXPECT_NE(std::string::npos, at) << from;
        return at == std::string::npos ? text : text.replace(at, from.size(), to);
    };
    refuse("", "it is empty");
    refuse("[]", "'schema' is missing");
    for (size_t length = 1; length + 2 < good.size(); length += 97)
        refuse(good.substr(0, length), "not a part log");
    refuse(replaced("part/4", "part/2"), "schema");
    refuse(replaced("\"numerics\": 1", "\"numerics\": 2"), "numerics");
    refuse(replaced("\"end\": 14", "\"end\": -1"), "'end' is -1");
    refuse(replaced("\"total\": 14", "\"total\": 13"), "13 pairs");
    refuse(replaced("\"width\": 64", "\"width\": \"64\""), "'width' is no whole number");
    refuse(replaced("[3, 1009, [", "[2, 1009, ["), "row 3 is malformed");
    refuse(replaced("[3, 1009, [", "[3, 1009, [0, "), "row 3 is malformed");
    refuse(replaced("[3, 1009, [", "[3, 1009, [\"x\", "), "row 3 is malformed");
    refuse(replaced("\"spatial\": [", "\"spatial\": [99, "), "not there");
    refuse(replaced("\"ranges\": [[0, 100]", "\"ranges\": [[0, 1], [0, 100]"),
           "one range for each");
    refuse(replaced("\"ranges\": [[0,", "\"ranges\": [[\"x\","), "no list of pairs of numbers");
    refuse(replaced("\"ranges\": [[0,", "\"ranges\": [["), "no list of pairs of numbers");
    refuse(replaced("\"chunk\"", "\"incomplete\": \"no disk\", \"chunk\""), "no disk");
}

TEST(Chunks, SettingsThatAreNotAllowed)
{
    TestSettings settings;
    settings.subsample = 2;
    const auto refuse = [&settings](const VmafGpuChunk &chunk, const char *text) {
        settings.chunk = &chunk;
        const TestContext context(settings);
        EXPECT_EQ(-EINVAL, context.status);
        EXPECT_NE(std::string::npos, std::string(context.error.text).find(text))
            << context.error.text;
    };
    refuse({-1, 0, 5, 5}, "0 <= first <= begin < end <= total");
    refuse({4, 2, 5, 5}, "0 <= first");
    refuse({0, 2, 2, 5}, "0 <= first");
    refuse({0, 2, 6, 5}, "0 <= first");
    refuse({0, 2, -6, 5}, "0 <= first");
    refuse({1, 3, 6, 9}, "a multiple of subsample, 2");
    refuse({2, 2, 6, 9}, "at most begin - 1");
    // Without a chunk there is no part.
    settings.chunk = nullptr;
    TestContext context(settings);
    score(context, settings, 0, 3);
    const TemporaryFolder folder;
    const std::string path = folder / "x.part";
    const VmafGpuLog log = log_to(path, "part", nullptr);
    EXPECT_EQ(-EINVAL, vmafgpu_write_log(context.get(), &log));
    EXPECT_NE(nullptr, strstr(vmafgpu_error_text(context.get()), "VmafGpuSettings.chunk"));
}

std::vector<int64_t *> counts_of(VmafGpuPairing &p)
{
    std::vector<int64_t *> list = {&p.pairs, &p.by_number};
    for (VmafGpuInputCounts &of : p.of)
        for (int64_t *count :
             {&of.frames, &of.repeated, &of.unpaired[0], &of.unpaired[1], &of.unpaired[2],
              &of.disabled, &of.without_time, &of.backward_time, &of.damaged, &of.film_grain})
            list.push_back(count);
    return list;
}

/// Returns counts that all differ.
VmafGpuPairing pairing_from(int64_t first, int64_t step, int warnings)
{
    VmafGpuPairing pairing = {};
    pairing.struct_size = sizeof(pairing);
    pairing.rule = "index";
    pairing.start = "together";
    for (int64_t *count : counts_of(pairing))
        *count = first += step;
    pairing.warnings = warnings;
    return pairing;
}

/// Whole runs and parts that come with counts of frames and warnings about them.
class Counted {
public:
    std::string write(const VmafGpuChunk &chunk, int last, const char *format,
                      const VmafGpuPairing *pairing, std::vector<const char *> warnings)
    {
        TestSettings settings;
        settings.chunk = std::strcmp(format, "part") == 0 ? &chunk : nullptr;
        TestContext context(settings);
        score(context, settings, static_cast<int>(chunk.first), last);
        times_.run.warnings = warnings.data();
        times_.run.warning_count = static_cast<int>(warnings.size());
        times_.run.pts = times_.pts.data() + chunk.first;
        times_.run.pts_first = chunk.first;
        times_.run.pts_count = kPairs - chunk.first;
        const std::string path = folder / std::to_string(chunk.begin) + "." + format;
        VmafGpuLog log = log_to(path, format, &times_.run);
        log.pairing = pairing;
        status = vmafgpu_write_log(context.get(), &log);
        error = vmafgpu_error_text(context.get());
        return path;
    }
    TemporaryFolder folder;
    int status = 0;
    std::string error;

private:
    Times times_;
};

TEST(Chunks, CountsAndWarningsAreAddedUp)
{
    Counted run;
    const char *const colours = "colours differ";
    const VmafGpuPairing a = pairing_from(100, 1, 2), b = pairing_from(5, 2, 4),
                         sum = pairing_from(105, 3, 3);
    const std::vector<std::string> parts = {
        run.write({0, 0, 5, kPairs}, 6, "part", &a,
                  {colours, "0 have no time", "12 frames are damaged"}),
        run.write({4, 5, kPairs, kPairs}, kPairs, "part", &b,
                  {"3 is no count", colours, "main ends", "7 have no time", "0 are late",
                   "30 frames are damaged"})};
    const std::vector<const char *> whole = {"3 is no count", colours, "main ends",
                                             "7 have no time", "42 frames are damaged"};
    const Merged merged = merge(parts, run.folder);
    ASSERT_EQ(0, merged.status) << merged.error;
    for (const size_t i : {0, 5})
        EXPECT_EQ("",
                  difference(read_text(run.write({0, 0, 0, 0}, kPairs, kFormats[i], &sum, whole)),
                             merged.logs[i]))
            << kFormats[i];
}

/// What the pictures of a part say, as parts have it.
nlohmann::json pictures_of(const nlohmann::json &elsewhere, const nlohmann::json &unrelated,
                           int turn, int agreeing)
{
    return {
        {"elsewhere", elsewhere}, {"unrelated", unrelated}, {"turn", turn}, {"agreeing", agreeing}};
}

nlohmann::json pairs_of(int pairs, int first, int offset, bool is_from_start)
{
    return {{"pairs", pairs},
            {"first", first},
            {"time", first * 40000000},
            {"offset", offset},
            {"start", offset},
            {"is_constant", 1},
            {"is_from_start", is_from_start ? 1 : 0}};
}

/// Warnings of a merged run of two parts whose pictures say this.
std::vector<std::string> merged_warnings(const nlohmann::json &first, const nlohmann::json &second)
{
    Counted run;
    std::vector<std::string> parts;
    for (const nlohmann::json *pictures : {&first, &second}) {
        VmafGpuPairing pairing = pairing_from(0, 1, 1);
        pairing.of[VMAFGPU_MAIN].frames = pairing.of[VMAFGPU_REFERENCE].frames = 100;
        const bool is_first = parts.empty();
        const VmafGpuChunk chunk = {is_first ? 0 : 4, is_first ? 0 : 5, is_first ? 5 : kPairs,
                                    kPairs};
        parts.push_back(
            run.write(chunk, is_first ? 6 : kPairs, "part", &pairing, {"1 frames are damaged"}));
        auto part = nlohmann::json::parse(read_text(parts.back()));
        part["pictures"] = *pictures;
        std::ofstream(parts.back()) << part;
    }
    const Merged merged = merge(parts, run.folder);
    EXPECT_EQ(0, merged.status) << merged.error;
    const auto log = nlohmann::json::parse(merged.logs[0]);
    const auto &pairing = log["pairing"];
    EXPECT_EQ(log["vmaf_gpu"]["warnings"].size(), pairing["warnings"]);
    int found = 0;
    for (const nlohmann::json *pictures : {&first, &second})
        for (const char *kind : {"elsewhere", "unrelated"})
            found += (*pictures)[kind]["pairs"].get<int>();
    for (const char *kind : {"elsewhere", "unrelated"})
        EXPECT_EQ(pairing[kind], 2 * found < kPairs ? 0
                                                    : first[kind]["pairs"].get<int>() +
                                                          second[kind]["pairs"].get<int>());
    std::vector<std::string> warnings = log["vmaf_gpu"]["warnings"];
    EXPECT_EQ("2 frames are damaged", warnings.back());
    warnings.pop_back();
    return warnings;
}

/// The run has the place of the first part, and the pairs of all.
TEST(Chunks, PicturesOfPartsAreThoseOfTheRun)
{
    using Texts = std::vector<std::string>;
    const std::string three = "from pair 3 (0.120 s) on, the pictures of 2 pairs ",
                      five = "from pair 5 (0.200 s) on, the pictures of 9 pairs ",
                      all = "from pair 3 (0.120 s) on, the pictures of 11 pairs ",
                      later = "agree with those that come 40 frames later in reference",
                      foreign = "do not belong together",
                      turned = foreign + ": main is mirrored (FFmpeg's filter hflip mends it)",
                      lacks = later + ": main lacks frames there", use = later + ": use offset=40";
    const auto none = pairs_of(0, -1, 0, true);
    const auto silent = pictures_of(none, none, 0, 0), right = pictures_of(none, none, 0, 3);
    const auto elsewhere = [&](bool is_first, int offset, int agreeing) {
        return pictures_of(pairs_of(is_first ? 2 : 9, is_first ? 3 : 5, offset, agreeing == 0),
                           none, 0, agreeing);
    };
    const auto unrelated = [&](bool is_first, int turn) {
        return pictures_of(none, pairs_of(is_first ? 2 : 9, is_first ? 3 : 5, 0, true), turn, 0);
    };
    const auto expect = [](const nlohmann::json &a, const nlohmann::json &b, const Texts &wanted) {
        EXPECT_EQ(merged_warnings(a, b), wanted);
    };
    expect(silent, right, {});
    // A part does not know that pairs of another one agree.
    expect(elsewhere(true, 40, 3), elsewhere(false, 40, 0), {all + lacks});
    expect(elsewhere(true, 40, 0), elsewhere(false, 40, 3), {all + lacks});
    expect(right, elsewhere(false, 40, 0), {five + lacks});
    expect(silent, elsewhere(false, 40, 0), {five + use});
    expect(elsewhere(true, 40, 0), elsewhere(false, 40, 0), {all + use});
    expect(elsewhere(true, 40, 0), elsewhere(false, 7, 0), {all + later + ", others with others"});
    expect(unrelated(true, 1), unrelated(false, 1), {all + turned});
    expect(right, unrelated(false, 1), {five + turned});
    expect(unrelated(true, 4), unrelated(false, 4),
           {all + foreign +
            ": main is cropped, padded or moved (its pictures fit at another place or size)"});
    // Few pairs of short parts may fit elsewhere by chance.
    expect(elsewhere(true, 0, 3), right, {});
    expect(unrelated(true, 0), elsewhere(false, 40, 0), {three + foreign, five + use});
    expect(elsewhere(true, 40, 3), unrelated(false, 0), {three + lacks, five + foreign});
}

/// Returns the part without the member, or with another value of it, as it is merged.
Merged merge_changed(const nlohmann::json &good, const nlohmann::json::json_pointer &member,
                     const nlohmann::json *value, const TemporaryFolder &folder)
{
    nlohmann::json part = good;
    if (value)
        part[member] = *value;
    else
        part[member.parent_pointer()].erase(member.back());
    const std::string path = folder / "changed.part";
    std::ofstream(path, std::ios::binary) << part;
    return merge({path}, folder);
}

bool is_of_kind(const nlohmann::json &value, const nlohmann::json &other)
{
    return value.type() == other.type() || (value.is_number() && other.is_number());
}

/// Other kinds of values, and no value, for each member of a part and of its objects.
TEST(Chunks, EachMemberIsOfItsKindAndMostAreRequired)
{
    const std::vector<std::string> optional = {
        "scaler",  "host_features", "warnings", "title",  "main_format", "reference_format",
        "options", "time_base",     "pairing",  "ranges", "film_grain"};
    Counted run;
    const VmafGpuPairing pairing = pairing_from(100, 1, 0);
    const auto good = nlohmann::json::parse(
        read_text(run.write({0, 0, kPairs, kPairs}, kPairs, "part", &pairing, {})));
    const nlohmann::json kinds[] = {5, "x", {{"x", 5}}};
    int refused = 0;
    for (const char *group : {"", "/vmaf_gpu", "/chunk", "/pairing"}) {
        const nlohmann::json::json_pointer object(group);
        for (const auto &[key, value] : good.at(object).items()) {
            const bool may_lack =
                std::find(optional.begin(), optional.end(), key) != optional.end();
            std::vector<const nlohmann::json *> changes(may_lack ? 0 : 1, nullptr);
            for (const nlohmann::json &kind : kinds)
                if (!is_of_kind(value, kind))
                    changes.push_back(&kind);
            for (const nlohmann::json *change : changes) {
                const Merged merged = merge_changed(good, object / key, change, run.folder);
                EXPECT_EQ(-EINVAL, merged.status) << group << '/' << key;
                EXPECT_NE(std::string::npos, merged.error.find("'" + key + "'"))
                    << group << '/' << key << ": " << merged.error;
                ++refused;
            }
        }
    }
    EXPECT_LT(100, refused);
}

TEST(Chunks, RowsAreListsAndCountsHave64BitsWithASign)
{
    Counted run;
    const VmafGpuPairing pairing = pairing_from(100, 1, 0);
    const auto good = nlohmann::json::parse(
        read_text(run.write({0, 0, kPairs, kPairs}, kPairs, "part", &pairing, {})));
    nlohmann::json number = good["rows"], object = good["rows"];
    number.push_back(5);
    object.push_back({{"x", nlohmann::json::array()}});
    const struct {
        const char *key;
        nlohmann::json value;
        const char *why;
    } cases[] = {{"/rows", {{"x", good["rows"][0]}}, "'rows' is no list"},
                 {"/rows", number, "'rows' has a row that is no list"},
                 {"/rows", object, "row 14 is malformed"},
                 {"/before", UINT64_MAX, "'before' is 9223372036854775807"},
                 {"/reached", uint64_t{1} << 63, "'reached' is 9223372036854775807"}};
    for (const auto &[key, value, why] : cases) {
        const Merged merged =
            merge_changed(good, nlohmann::json::json_pointer(key), &value, run.folder);
        EXPECT_EQ(-EINVAL, merged.status) << key;
        EXPECT_NE(std::string::npos, merged.error.find(why)) << key << ": " << merged.error;
    }
}

TEST(Chunks, CountsThatCannotBeAddedUp)
{
    Counted run;
    const VmafGpuPairing a = pairing_from(0, 1, 0);
    VmafGpuPairing other = a;
    const std::string first = run.write({0, 0, 5, kPairs}, 6, "part", &a, {});
    const auto refused = [&](const VmafGpuPairing *pairing, const char *text) {
        const Merged merged = merge(
            {first, run.write({4, 5, kPairs, kPairs}, kPairs, "part", pairing, {})}, run.folder);
        EXPECT_EQ(-EINVAL, merged.status);
        EXPECT_NE(std::string::npos, merged.error.find(text)) << merged.error;
    };
    refused(nullptr, "says how its pairs were found");
    other.start = "by_option";
    refused(&other, "was paired otherwise");
    other = a;
    other.distance_largest = 0.02;
    refused(&other, "was paired by time");
}

TEST(Chunks, HeatmapsAreForRunsInOnePiece)
{
    const std::string options = "heatmaps_path=" + ::testing::TempDir() + "maps";
    TestSettings settings;
    settings.models.clear();
    settings.features = {{"cambi", options.c_str()}};
    settings.width = settings.height = 216;
    VmafGpuChunk chunk = {0, 0, 5, 0};
    settings.chunk = &chunk;
    const TestContext part(settings);
    EXPECT_EQ(-EINVAL, part.status);
    EXPECT_NE(nullptr, std::strstr(part.error.text, "heatmaps_path"));
    chunk.end = 0;
    const TestContext whole(settings);
    EXPECT_EQ(0, whole.status) << whole.error.text;
}

TEST(Chunks, ResetBeginsAtTheChunkAgain)
{
    Chunks run{TestSettings()};
    TestSettings settings;
    const VmafGpuChunk chunk = {4, 5, 9, kPairs};
    settings.chunk = &chunk;
    TestContext context(settings);
    score(context, settings, 4, 8);
    ASSERT_EQ(0, vmafgpu_reset(context.get()));
    score(context, settings, 4, 10);
    const Times times;
    const std::string path = run.folder / "again.part";
    const VmafGpuLog log = log_to(path, "part", &times.run);
    ASSERT_EQ(0, vmafgpu_write_log(context.get(), &log));
    EXPECT_EQ(read_text(run.part(5, 9)), read_text(path));
}

/// A run that is stopped may leave such a part.
TEST(Chunks, PairsThatWereNotCollectedHaveNoSums)
{
    TestSettings settings;
    settings.features = {{"psnr", "enable_apsnr=true"}};
    settings.chroma = VMAFGPU_CHROMA_400;
    settings.ring = kPairs;
    const VmafGpuChunk chunk = {0, 0, kPairs, 0};
    settings.chunk = &chunk;
    std::vector<std::unique_ptr<StoredPicture>> pictures; // the context releases some at its end
    const TestContext context(settings);
    ASSERT_EQ(0, context.status) << context.error.text;
    for (int i = 0; i < kPairs; ++i) {
        for (const bool is_distorted : {false, true})
            pictures.push_back(std::make_unique<StoredPicture>(
                make_image(settings.width, settings.height, settings.depth, i, is_distorted)));
        ASSERT_EQ(0, vmafgpu_submit(context.get(), &pictures[pictures.size() - 2]->picture,
                                    &pictures.back()->picture, static_cast<uint64_t>(i)));
    }
    VmafGpuResult result;
    ASSERT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
    const TemporaryFolder folder;
    const std::string path = folder / "stopped.part";
    VmafGpuLog log = log_to(path, "part", nullptr);
    log.incomplete = "stopped";
    ASSERT_EQ(0, vmafgpu_write_log(context.get(), &log));
    const std::string text = read_text(path);
    EXPECT_NE(std::string::npos, text.find("[0, null, ["));
    EXPECT_EQ(std::string::npos, text.find("[1, "));
}

} // namespace
} // namespace vmafgpu::chunks_test
