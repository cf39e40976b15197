// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the C functions on a context share: its struct, and how exceptions become error codes and
// texts. For the files of this folder only.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "base/require.h"
#include "core/engine.h"
#include "output/report_file.h"
#include "pairing/pairing.h"
#include "run/run.h"
#include "vmaf_gpu/run.h"

struct VmafGpuModel {
    std::unique_ptr<vmafgpu::Model> model;
};

struct VmafGpuOutput {
    std::unique_ptr<vmafgpu::ReportFile> file;
};

struct VmafGpuContext {
    vmafgpu::Run run; ///< gets warnings up to the engine's end
    std::unique_ptr<vmafgpu::Engine> engine;
    std::unique_ptr<vmafgpu::Pairing> pairing; ///< null: the caller submits pairs
    std::string error;                         ///< text of the last failure
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
    } catch (const std::exception &error) { // the engine throws none by intention
        char text[sizeof(VmafGpuError::text)];
        std::snprintf(text, sizeof(text), "internal error: %.200s" VMAFGPU_REPORT_IT, error.what());
        return fail(-EIO, text);
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

inline void require_reason(int reason)
{
    require_within("reason", reason, VMAFGPU_FINISH_END, VMAFGPU_FINISH_FAILED, "VmafGpuFinish");
}

/// vmafgpu_write_log() and vmafgpu_run_write().
int write_log(VmafGpuContext *ctx, const VmafGpuLog *log, Run::Knowledge knowledge);

/// What a picture is taken for. An image may become either.
enum class Use { kReference, kDistorted, kImage };

/// Throws Error(EINVAL) unless the context's pictures may be like this one.
void check_picture(const VmafGpuPicture &picture, const Engine &engine, Use use);

} // namespace vmafgpu
