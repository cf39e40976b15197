// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the C functions on a context share: its struct, and how exceptions become error codes and
// texts. For the files of this folder only.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include "api/run_record.h"
#include "api/run_report.h"
#include "base/error.h"
#include "core/engine.h"
#include "pairing/pairing.h"
#include "report/report_file.h"
#include "report/report_rows.h"

struct VmafGpuImage {
    std::shared_ptr<vmafgpu::TakenImage> image;
};

struct VmafGpuContext {
    ~VmafGpuContext()
    {
        for (const VmafGpuImage *image : images)
            delete image;
    }

    vmafgpu::RunRecord record;                  ///< gets warnings up to the engine's end
    std::unique_ptr<vmafgpu::RowStream> stream; ///< gets the rows that leave the engine's table
    std::unique_ptr<vmafgpu::Engine> engine;    ///< outlives the images
    std::unique_ptr<vmafgpu::Pairing> pairing;  ///< null: the caller submits pairs
    std::set<VmafGpuImage *> images;            ///< those that the caller has not freed
    std::optional<vmafgpu::RunReport> run;      ///< of vmafgpu_run_begin()
    std::string error;                          ///< text of the last failure
    bool has_failed = false;                    ///< the device is lost: every later call fails
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
template <typename Fn> int on_any_context(VmafGpuContext *ctx, const Fn &fn)
{
    if (ctx == nullptr)
        return -EINVAL;
    return guarded(fn, [ctx](int code, const char *text) {
        ctx->has_failed |= code == -EIO;
        ctx->error.clear();
        ctx->error = text;
        ctx->engine->log()(VMAFGPU_LOG_ERROR, text);
    });
}

template <typename Fn> int on_context(VmafGpuContext *ctx, const Fn &fn)
{
    return ctx != nullptr && ctx->has_failed ? -EIO : on_any_context(ctx, fn);
}

/// Throws Error(EINVAL) unless is_good.
inline void require(bool is_good, const char *what, int64_t value, const char *allowed)
{
    if (!is_good)
        throw Error(EINVAL,
                    std::string(what) + " is " + std::to_string(value) + "; allowed: " + allowed);
}

inline void require_pool(int pool)
{
    require(pool >= VMAFGPU_POOL_MIN && pool <= VMAFGPU_POOL_PERC20, "pool", pool, "VmafGpuPool");
}

/// Throws Error(EINVAL) if pairs are submitted by vmafgpu_next().
inline void require_own_pairs(const VmafGpuContext &ctx)
{
    if (ctx.pairing != nullptr)
        throw Error(EINVAL, "pairs cannot be submitted: settings.pairing is set, so that "
                            "vmafgpu_next() submits them");
}

/// What a picture is taken for. An image may become either.
enum class Use { kReference, kDistorted, kImage };

/// Throws Error(EINVAL) unless the context's pictures may be like this one.
void check_picture(const VmafGpuPicture &picture, const Engine &engine, Use use);

} // namespace vmafgpu
