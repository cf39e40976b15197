// SPDX-License-Identifier: BSD-2-Clause-Patent
// What logs are made from, as plain data: what the engine knows of a run besides its scores, what
// json_read.cpp reads back of one, and the input of every format's writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/score_range.h"
#include "core/chunk.h"
#include "core/score_table.h"
#include "core/shots.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

class ReportFile;
class RowStream;

/// A time that nothing is known of, in units of a time base.
constexpr int64_t kUnknownTime = std::numeric_limits<int64_t>::min();

using TextPairs = std::vector<std::pair<std::string, std::string>>;

/// A model as it was used.
struct ModelFacts {
    std::string name, source, digest;
    TextPairs options; ///< that were set
    ScoreRange range;  ///< to which its score is clipped
};

/// What the engine knows of itself.
struct EngineFacts {
    int depth = 8;
    int chroma = VMAFGPU_CHROMA_420;
    int compat = VMAFGPU_COMPAT_3_2;
    int subsample = 1;
    std::string scaler;  ///< of distorted pictures, and their size; empty: none is scaled
    std::string colours; ///< how they were taken; empty: nothing is known of them
    std::vector<ModelFacts> models;
    TextPairs features;                     ///< asked for: name, options
    std::vector<std::string> host_features; ///< that the device leaves to the host
    std::vector<std::string> warnings;
};

/// VmafGpuPairing with texts of its own; rule and start of counts are not set.
struct ReadPairing {
    VmafGpuPairing counts = {};
    std::string rule, start;
};

struct ReadRun {
    int width = 0, height = 0; ///< 0: unknown
    EngineFacts facts;
    std::string backend, device, title, main_format, reference_format, options;
    int time_base[2] = {0, 0}; ///< 0: times are unknown
    double fps = 0;
    std::optional<ReadPairing> pairing;
};

/// A run for the writers of logs. Points into `read`.
struct LogOfRun {
    LogOfRun(const ReadRun &read, const VmafGpuLog &wanted);
    LogOfRun(const LogOfRun &) = delete;
    LogOfRun &operator=(const LogOfRun &) = delete;

    VmafGpuRun run = {};
    VmafGpuPairing pairing = {};
    VmafGpuDevice device = {};
    VmafGpuLog log;
};

/// What the log format "part" needs besides.
struct PartFacts {
    Chunk chunk;
    int64_t reached;           ///< pairs of the run up to the last one that was submitted
    int before, after;         ///< ScorePlan's
    const ScoreTable &overlap; ///< rows of pairs that do not count
    std::vector<size_t> spatial;
    size_t words; ///< of `sums`, for each pair
    const std::vector<uint64_t> &sums;
};

struct ReportInput {
    const ScoreTable &table;
    int width, height; ///< luma samples, for the XML head
    const VmafGpuLog &log;
    std::vector<size_t> model_columns = {}; ///< of the table, for the page
    const VmafGpuDevice *device = nullptr;  ///< what computed the scores
    const EngineFacts *facts = nullptr;     ///< nullptr: the log has libvmaf's keys only
    ReportFile *file = nullptr;             ///< where to write, instead of the log's path
    RowStream *stream = nullptr;            ///< has written the rows that left the table
    /// Values per run, in order.
    std::vector<std::pair<std::string, double>> aggregates = {};
    const PartFacts *part = nullptr; ///< of a chunk
    const Shots *shots = nullptr;    ///< json, html, part; nullptr: not in the log
};

} // namespace vmafgpu
