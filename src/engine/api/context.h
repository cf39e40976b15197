// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the C functions on a context share: its struct, and how exceptions become error codes and
// texts. For the files of this folder only.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/require.h"
#include "core/engine.h"
#include "inputs/history.h"
#include "output/report_file.h"
#include "pairing/pairing.h"
#include "parts/run_facts.h"
#include "report/report_rows.h"
#include "report/stopped_log.h"
#include "vmaf_gpu/run.h"

struct VmafGpuModel {
    std::unique_ptr<vmafgpu::Model> model;
};

struct VmafGpuOutput {
    std::unique_ptr<vmafgpu::ReportFile> file;
};

namespace vmafgpu {

/// What a context keeps of its run for the caller's logs.
struct RunRecord {
    static constexpr size_t kMostWarnings = 64; ///< more of them would say nothing new

    void keep_warning(const std::string &text)
    {
        if (warnings.size() < kMostWarnings &&
            std::find(warnings.begin(), warnings.end(), text) == warnings.end())
            warnings.push_back(text);
    }

    void keep_time(int64_t time)
    {
        if (has_times)
            times.push_back(time);
    }

    /// Another run begins, of the same engine.
    void reset()
    {
        warnings.resize(std::min(of_engine, warnings.size()));
        times.clear();
        has_logged_cuts = false;
    }

    std::vector<std::string> warnings;
    size_t of_engine = 0;         ///< warnings that opening gave, so that they hold for all runs
    std::vector<int64_t> times;   ///< times of the collected pairs; only with pairing
    bool has_times = true;        ///< rows are kept only if this is true
    bool has_logged_cuts = false; ///< one input's cuts were logged; else vmafgpu_finish() does
    std::string streams[2];       ///< which video of its file each input is, "1 of 0,1"
    std::string doubt;            ///< why a strict run fails because of its inputs; or empty
};

/// What came of both inputs.
struct SeenInputs {
    /// A frame, with that time in the base.
    void add(int input, int64_t time, Rational base)
    {
        ++frames[input];
        if (time != VMAFGPU_NO_TIME)
            last_time[input] = static_cast<double>(time) * base.value();
    }

    InputHistory history;
    int64_t frames[2] = {};
    double last_time[2] = {}; ///< time of each input's latest frame, in seconds
    std::string fault;        ///< what a strict run fails for; "": nothing
};

/// What a run writes and has to reach, as vmafgpu_run_begin() was told, and what became of it.
struct RunReport {
    /// A score that the run has to reach.
    struct Limit {
        size_t score = 0;
        double least = 0;
        std::string text; ///< the number as it was given
    };

    /// A pair was submitted. The speed counts from the first one.
    void begin_pair()
    {
        if (!start)
            start = std::chrono::steady_clock::now();
    }
    /// A pair was collected: counts it, and writes its line of statistics.
    void add(const VmafGpuContext &ctx, const VmafGpuResult &result);
    double frames_per_second() const;

    VmafGpuRunSettings settings;
    VmafGpuOutput log, stats;           ///< without a file: not wanted, or closed
    std::string formats[2];             ///< pixel formats that vmafgpu_set_inputs() got
    std::string log_path;               ///< path of the log that was written
    std::optional<StoppedLog> log_copy; ///< a stopped run's log, if that has a place
    std::optional<Limit> limit;
    std::optional<std::chrono::steady_clock::time_point> start;
    int64_t scored_times[2] = {}; ///< times of the first and the last scored pair
    int stats_error = 0;          ///< why the first lost line could not be written
    int64_t collected = 0;        ///< pairs
    int64_t scored = 0; ///< scored pairs that are the chunk's, and not left out by subsampling
    bool has_ended = false;
    std::vector<double> pooled; ///< pooled score of each model, at the end
};

} // namespace vmafgpu

struct VmafGpuContext {
    vmafgpu::RunRecord record;                  ///< gets warnings up to the engine's end
    std::unique_ptr<vmafgpu::RowStream> stream; ///< gets the rows that leave the engine's table
    std::unique_ptr<vmafgpu::Engine> engine;
    std::unique_ptr<vmafgpu::Pairing> pairing; ///< null: the caller submits pairs
    vmafgpu::SeenInputs seen;
    std::optional<vmafgpu::RunReport> run; ///< what vmafgpu_run_begin() asked for
    std::string error;                     ///< text of the last failure
    bool has_failed = false; ///< no device or no memory is left: every later call fails
};

namespace vmafgpu {

/// Run fn; return its int, or the code of what it threw, whose text goes to report(code, text).
template <typename Fn, typename Report> int guarded(const Fn &fn, const Report &report)
{
    // A report needs memory for its text, and so may fail itself.
    const auto fail = [&report](int code, const char *text) {
        try {
            report(code, text);
        } catch (const std::exception &) {
            report(code, "no memory"); // short enough to need none
        }
        return code;
    };
    try {
        return fn();
    } catch (const Error &error) {
        return fail(-error.code(), error.what());
    } catch (const std::bad_alloc &) {
        return fail(-ENOMEM, "out of memory");
    } catch (const std::system_error &error) { // no more threads
        return fail(-ENOMEM, error.what());
    } catch (const std::exception &error) {
        return fail(-EIO, error.what());
    }
}

inline void fill_error(VmafGpuError *error, int code, const char *text)
{
    if (error == nullptr)
        return;
    error->code = code;
    std::snprintf(error->text, sizeof(error->text), "%s", text);
}

/// guarded() for functions that have no context, or whose failure is not the context's.
template <typename Fn> int guarded_with(VmafGpuError *error, const Fn &fn)
{
    fill_error(error, 0, "");
    return guarded(fn, [error](int code, const char *text) { fill_error(error, code, text); });
}

/// guarded() for calls on a context that do not need its device: keeps the text, logs it once.
/// is_of_file: -EIO is that of a file, as of a full disk, and not the device's.
template <typename Fn>
int on_any_context(VmafGpuContext *ctx, const Fn &fn, bool is_of_file = false)
{
    if (ctx == nullptr)
        return -EINVAL;
    return guarded(fn, [ctx, is_of_file](int code, const char *text) {
        ctx->has_failed |= code == -ENOMEM || (code == -EIO && !is_of_file);
        ctx->error.clear();
        ctx->error = text;
        ctx->engine->log()(VMAFGPU_LOG_ERROR, text);
    });
}

template <typename Fn> int on_context(VmafGpuContext *ctx, const Fn &fn)
{
    return ctx != nullptr && ctx->has_failed ? -EIO : on_any_context(ctx, fn);
}

/// Throws Error(EINVAL) with the text if a pointer is null.
template <typename... Pointers> void require_given(const char *text, Pointers... pointers)
{
    if (((pointers == nullptr) || ...))
        throw Error(EINVAL, text);
}

inline void require_pool(int pool)
{
    require_within("pool", pool, VMAFGPU_POOL_MIN, VMAFGPU_POOL_PERC20, "VmafGpuPool");
}

/// What functions with an index return: -EINVAL or null if there is no such one.
inline int column_at(const std::vector<size_t> &columns, int i)
{
    return i >= 0 && static_cast<size_t>(i) < columns.size()
               ? static_cast<int>(columns[static_cast<size_t>(i)])
               : -EINVAL;
}

inline const char *name_at(const std::vector<std::string> &names, int i)
{
    return i >= 0 && static_cast<size_t>(i) < names.size() ? names[static_cast<size_t>(i)].c_str()
                                                           : nullptr;
}

template <typename Handle> void free_handle(Handle **handle)
{
    if (handle == nullptr)
        return;
    delete *handle;
    *handle = nullptr;
}

/// Why a strict run fails, the cause first; "": it does not. Only with pairing.
inline const std::string &fault_of(const VmafGpuContext &ctx)
{
    for (const std::string *cause : {&ctx.seen.fault, &ctx.record.doubt})
        if (!cause->empty())
            return *cause;
    return ctx.pairing->said().fault;
}

/// What the context knows of its run, with what the caller says of the log.
RunFacts facts_of(VmafGpuContext &ctx, const VmafGpuLog &log);

/// What a picture is taken for. An image may become either.
enum class Use { kReference, kDistorted, kImage };

/// Throws Error(EINVAL) unless the context's pictures may be like this one.
void check_picture(const VmafGpuPicture &picture, const Engine &engine, Use use);

} // namespace vmafgpu
