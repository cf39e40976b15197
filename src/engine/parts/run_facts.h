// SPDX-License-Identifier: BSD-2-Clause-Patent
// A run as logs tell of it, besides the scores of its pairs: of this process, merged from parts or
// read back. Writers and readers share it, and the tables of what is in its objects `vmaf_gpu` and
// `pairing`.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/score_range.h"
#include "core/score_table.h"
#include "pairing/agreement.h"
#include "parts/log_value.h"
#include "plan/shots.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// A time that nothing is known of, in units of a time base.
constexpr int64_t kUnknownTime = std::numeric_limits<int64_t>::min();

/// Version of the JSON log and of the element <vmaf_gpu>; see docs/user/log.schema.json. It grows
/// by one when a key changes its meaning or goes away, not when one is added.
constexpr int kLogSchemaVersion = 1;

/// Schema of the log of a chunk (a part). Its number grows with every change of the keys.
constexpr char kPartSchema[] = "vmaf_gpu.part/4";

/// Grows when the same pictures give another double. Parts of two such versions are not merged.
constexpr int kNumericsVersion = 1;

/// Pooled values of a log.
constexpr std::pair<const char *, VmafGpuPool> kLogPools[] = {
    {"min", VMAFGPU_POOL_MIN},
    {"max", VMAFGPU_POOL_MAX},
    {"mean", VMAFGPU_POOL_MEAN},
    {"harmonic_mean", VMAFGPU_POOL_HARMONIC_MEAN},
};

/// By VmafGpuChroma.
constexpr std::array<const char *, 4> kChromaNames = {"4:0:0", "4:2:0", "4:2:2", "4:4:4"};

using TextPairs = std::vector<std::pair<std::string, std::string>>;

/// A model as it was used.
struct ModelFacts {
    std::string name, source, digest;
    TextPairs options; ///< options that were set
    ScoreRange range;  ///< range to which its score is clipped
};

/// VmafGpuPairing with texts of its own; rule and start of counts are not set.
struct RunPairing {
    VmafGpuPairing counts = {};
    std::string rule, start;
    Disagreement pictures; ///< parts have them, and what is merged of parts
};

/// Texts are empty, and numbers 0, if nothing is known.
struct RunFacts {
    std::string version; ///< vmaf_gpu's version; empty: the log has libvmaf's keys only
    std::string title, backend, device, chroma = kChromaNames[VMAFGPU_CHROMA_420], compat = "3.2";
    std::string main_format, reference_format, time_base, options;
    std::string main_stream,
        reference_stream; ///< which of their files' videos were scored, "1 of 0,1"
    std::string scaler;   ///< what scales distorted pictures, and their size; empty: none is scaled
    std::string colours;  ///< how features read colours
    int width = 0, height = 0, depth = 8, subsample = 1;
    std::vector<ModelFacts> models;
    TextPairs features;                     ///< asked for: name, options
    std::vector<std::string> host_features; ///< features that the device leaves to the host
    bool is_slowed_by_host = false;         ///< results waited for them most of the time
    std::vector<std::string> warnings;

    double fps = 0;
    std::string incomplete; ///< the reason why scores are missing
    std::optional<RunPairing> pairing;
    std::optional<Shots> shots;
    std::vector<size_t> model_columns;                      ///< the models' columns of the table
    std::vector<std::pair<std::string, double>> aggregates; ///< values per run, in order

    const int64_t *pts = nullptr; ///< the caller's: of pair pts_first and later ones
    int64_t pts_first = 0, pts_count = 0;
    std::array<int, 2> base = {}; ///< time_base: pts * base[0] / base[1] is in seconds
    std::function<const char *(VmafGpuThumbnail *, int)> thumbnails; ///< VmafGpuRun's
};

/// The values of `vmaf_gpu` that are texts or numbers, in the order of the log.
struct RunField {
    const char *key;
    std::string RunFacts::*text;
    int RunFacts::*number = nullptr;
    int least = 0, most = 0; ///< range; least 1 of a text: it is always there
};
constexpr RunField kRunFields[] = {
    {"version", &RunFacts::version, nullptr, 1},
    {"title", &RunFacts::title},
    {"backend", &RunFacts::backend, nullptr, 1},
    {"device", &RunFacts::device, nullptr, 1},
    {"width", nullptr, &RunFacts::width, VMAFGPU_MIN_SIZE, 65535},
    {"height", nullptr, &RunFacts::height, VMAFGPU_MIN_SIZE, 65535},
    {"depth", nullptr, &RunFacts::depth, 8, 16},
    {"chroma", &RunFacts::chroma, nullptr, 1},
    {"main_format", &RunFacts::main_format},
    {"reference_format", &RunFacts::reference_format},
    {"main_stream", &RunFacts::main_stream},
    {"reference_stream", &RunFacts::reference_stream},
    {"compat", &RunFacts::compat, nullptr, 1},
    {"subsample", nullptr, &RunFacts::subsample, 1, std::numeric_limits<int>::max()},
    {"scaler", &RunFacts::scaler},
    {"colours", &RunFacts::colours},
    {"time_base", &RunFacts::time_base},
    {"options", &RunFacts::options},
};

/// Counts of frames, which merging adds up: as many as there are names, "" for a single one.
struct PairingCounts {
    const char *key;
    const std::vector<const char *> &names;
    std::vector<int64_t *> values;
};
/// Points into `pairing`.
std::vector<PairingCounts> pairing_counts(VmafGpuPairing &pairing);

constexpr std::pair<const char *, double VmafGpuPairing::*> kPairingSeconds[] = {
    {"start_offset", &VmafGpuPairing::start_offset},
    {"shift", &VmafGpuPairing::shift},
    {"distance_median", &VmafGpuPairing::distance_median},
    {"distance_largest", &VmafGpuPairing::distance_largest},
};

/// Adds what only the caller of a log knows. Times stay the caller's. Throws Error(EINVAL) if a
/// field is wrong.
void add_log(const VmafGpuLog &log, RunFacts &run);

/// Time of main in a pair, in units of the run's time base. Nothing if it is unknown.
std::optional<int64_t> pts_of(const RunFacts &run, int64_t index);
/// The time of a pair in seconds, or NaN.
double time_of(const RunFacts &run, int64_t index);

/// mean_interval() of a column; that of a model is clipped as its scores are.
std::optional<std::array<double, 2>> interval_of(const ScoreTable &table, const RunFacts &run,
                                                 size_t column);

/// The objects `vmaf_gpu` and `pairing` of the JSON log.
LogValue describe_run(const RunFacts &run);
LogValue describe_pairing(const RunPairing &pairing);
/// Two of its counts, which logs have outside of it as well.
void add_repeated(const RunFacts &run, LogValue &object);
/// The second one in a line, for pages.
std::string pairing_line(const RunPairing &pairing);

} // namespace vmafgpu
