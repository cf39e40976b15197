// SPDX-License-Identifier: BSD-2-Clause-Patent
// check compares every implementation of every feature with the reference code, bit for
// bit. This header is what the cases see: cases.cpp (VIF, ADM, motion), score_cases.cpp (the
// engine), and NAME_cases.cpp of other features. check.cpp is the program, run.cpp runs a case,
// bench.cpp times one, bisect.cpp follows a difference to its place, content.h makes the pictures.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "content.h"
#include "device/device.h"
#include "features/feature.h"
#include "system/thread_pool.h"

namespace vmafgpu {

struct Settings {
    uint64_t seed = 1;
    bool is_bench = false;
    bool is_stopping = false; ///< run nothing after the first failure
    int half = -1;            ///< 0 or 1: half of the cases; -1: all
    bool is_listing = false;  ///< groups of cases are collected, nothing runs
    bool is_bisecting = false;
    int random_pairs = 20; ///< number of pairs for features that have random cases
    std::string filter;    ///< begin of a word of a case's name; empty: all cases
};

/// Where features run: the CPU's fast code or a Device.
struct Target {
    std::string name;                 ///< "cpu", "emu32", "cuda:0"
    std::unique_ptr<ThreadPool> pool; ///< CPU only
    std::unique_ptr<Device> device;   ///< Device only
    bool is_slow = false;             ///< emulated: smaller pictures
    bool is_bisecting = false;        ///< A difference is followed to its place.
};
/// Opens a target by its name; an emulated one is slow in any case.
std::unique_ptr<Target> open_target(const std::string &name, bool is_slow);

/// Pass, or what differed.
struct Outcome {
    bool is_equal = true;
    std::string text;
};

/// Seconds of a pair on one target.
struct BenchTime {
    std::string target;
    double alone;
    double in_batches; ///< on a device; else 0
};

/// Times of one case on all targets.
struct BenchCase {
    std::string name;
    double reference = 0; ///< The plain code takes so long; 0 if it was not timed.
    std::vector<BenchTime> targets;
};

/// Prints the speed-up of each target beside the reference code.
void print_bench(const std::vector<BenchCase> &cases);

/// Collects results and prints failures with a line that reproduces them.
class Report {
public:
    explicit Report(const Settings &settings) : settings_(settings) {}

    const Settings &settings() const { return settings_; }
    /// Runs `body` if the case's name passes the filter; of a listing, keeps its group.
    void run(const Target &target, const std::string &name, const std::function<Outcome()> &body);
    /// Prints a reason once.
    void skip(const std::string &what, const std::string &why);
    /// The case's times, empty at first.
    BenchCase &bench_case(const std::string &name);
    int finish() const; ///< prints groups or times, and the summary line; exit status

private:
    int finish_listing() const;

    Settings settings_;
    std::vector<std::string> groups_;
    std::vector<BenchCase> bench_cases_;
    std::set<std::string> reasons_; ///< why cases were skipped
    int passed_ = 0, failed_ = 0, skipped_ = 0;
};

/// A clip in memory: as many pairs as the test wants, previous references linked.
class TestClip {
public:
    TestClip(const Format &format, Content content, int frames, uint64_t seed);

    int frames() const { return static_cast<int>(pairs_.size()); }
    const Format &format() const { return format_; }
    PairView view(int frame) const; ///< host planes
    const TestPair &pair(int frame) const { return pairs_[static_cast<size_t>(frame)]; }
    TestPair &editable_pair(int frame) { return pairs_[static_cast<size_t>(frame)]; }

private:
    Format format_;
    std::vector<TestPair> pairs_;
};

/// Sums of every frame, one after the other, each plan().sums bytes.
using AllSums = std::vector<std::vector<uint64_t>>;

AllSums reference_sums(const Feature &feature, const TestClip &clip);
/// Returns the Sums by compute() on a pool. If the pool is null, successive pairs have other
/// numbers of threads.
AllSums cpu_sums(const Feature &feature, const TestClip &clip, ThreadPool *pool = nullptr);
/// On the target: compute() on the CPU, record() in batches on a Device.
/// left_open: how many pairs the Device left to compute(), which would hide its errors.
/// first_batch: pairs of the first batch; each further one has a pair more.
AllSums target_sums(const Feature &feature, const TestClip &clip, const Target &target,
                    int *left_open = nullptr, int first_batch = 1);
/// Median seconds of a pair in batches that follow each other without a pause; pictures
/// lie on the device.
double device_time(const Feature &feature, const TestClip &clip, Device &device, int batch,
                   int repeats);
Outcome compare_sums(const AllSums &expected, const AllSums &got);
/// Compares each group's Sums on the target with those of its reference code.
Outcome compare_groups(const std::vector<FeatureGroup> &groups, const TestClip &clip,
                       const Target &target);

/// Returns where the target's Sums part from those of the reference code, in words: the first wrong
/// sample that a kernel leaves for a later one, or else the part of the pictures that shows it.
std::string place_of_difference(const Feature &feature, const TestClip &clip, const Target &target);

/// A feature with one set of options.
std::vector<FeatureGroup> create_groups(const std::string &feature, const std::string &options,
                                        const Format &format);
/// "BEGIN/WxH/LAYOUT/DEPTHbit/CONTENT".
std::string case_name(const std::string &begin, const Format &format, const std::string &content,
                      bool has_layout = true);
/// Runs one case: a clip of `frames` frames.
void check_feature(const Target &target, Report &report, const std::string &name,
                   const std::string &feature, const std::string &options, const Format &format,
                   Content content, int frames);

/// Runs a case of each feature that has as many pairs as a launch may have.
void check_largest_batches(const Target &target, Report &report);
/// The cases: a feature with sets of variants, on all sizes, depths, contents.
void check_features(const Target &target, Report &report);
/// Runs the cases of adm that make sums of rows negative.
void check_adm_signs(const Target &target, Report &report);
/// Runs the cases of features that read chroma.
void check_chroma_features(const Target &target, Report &report);
/// Runs the cases of psnr.
void check_psnr(const Target &target, Report &report);
void bench_psnr(const Target &target, Report &report);
/// Runs the cases of cambi.
void check_cambi(const Target &target, Report &report);
/// Runs the cases of float_ssim and float_ms_ssim.
void check_ssim(const Target &target, Report &report);
/// Runs the cases of the features in classic_cases.cpp.
void check_classic_features(const Target &target, Report &report);
void bench_classic_features(const Target &target, Report &report);
/// Runs the cases of FFmpeg's metrics.
void check_ffmpeg_features(const Target &target, Report &report);
void bench_ffmpeg_features(const Target &target, Report &report);
/// Runs the cases of ssimulacra2.
void check_ssimulacra2(const Target &target, Report &report);
void bench_ssimulacra2(const Target &target, Report &report);
/// Pairs of a batch that is timed; a clip has at least as many.
constexpr int kTimedBatch = 16;
/// Times of a pair on a device: alone, and in batches.
void bench_features(const Target &target, Report &report);
void bench_chroma_features(const Target &target, Report &report);
void bench_cambi(const Target &target, Report &report);
void bench_ssim(const Target &target, Report &report);
/// Times a case on a target.
void bench_groups(const Target &target, Report &report, const std::string &name,
                  const std::vector<FeatureGroup> &groups, const Format &format,
                  Content content = Content::kTexture);
/// The scaler against its reference code.
void check_scaler(const Target &target, Report &report);
void bench_scaler(const Target &target, Report &report);
/// Sketches against the formula.
void check_sketches(const Target &target, Report &report);
/// What kernels leave for later ones: otherwise place_of_difference() would name a wrong place.
void check_planes(const Target &target, Report &report);
/// The whole engine (ring, batches, order, scores of all models and features).
void check_engine(const Target &target, Report &report);

} // namespace vmafgpu
