// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C functions of a run. See include/vmaf_gpu/run.h; run/run.h does it.
#include "api/context.h"
#include "run/places.h"

using vmafgpu::Error;
using vmafgpu::on_any_context;
using vmafgpu::require_given;
using vmafgpu::Run;

namespace {

Run &begun(VmafGpuContext &ctx, const char *text)
{
    if (!ctx.run.has_begun())
        throw Error(EINVAL, text);
    return ctx.run;
}

} // namespace

int vmafgpu_run_enter(const VmafGpuPlace *place, VmafGpuError *error)
{
    return vmafgpu::guarded_with(error, [&] {
        require_given("vmafgpu_run_enter: place must not be NULL", place);
        vmafgpu::enter_place(*place);
        return 0;
    });
}

void vmafgpu_run_forget(void)
{
    vmafgpu::guarded_with(nullptr, [] {
        vmafgpu::forget_places();
        return 0;
    });
}

void vmafgpu_log(void *ctx, int level, const char *text)
{
    auto *context = static_cast<VmafGpuContext *>(ctx);
    on_any_context(context, [&] {
        require_given("vmafgpu_log: text must not be NULL", text);
        context->engine->log()(static_cast<VmafGpuLogLevel>(level), text);
        return 0;
    });
}

int vmafgpu_run_begin(VmafGpuContext *ctx, const VmafGpuRunSettings *settings)
{
    return on_any_context(ctx, [&] {
        if (settings == nullptr || settings->struct_size != sizeof(*settings) ||
            settings->log_format == nullptr || ctx->pairing == nullptr)
            throw Error(EINVAL, "vmafgpu_run_begin: struct_size, log_format or pairing is not set");
        vmafgpu::require_pool(settings->pool);
        ctx->run.begin(*settings);
        return 0;
    });
}

int vmafgpu_run_window(const VmafGpuSettings *settings, const VmafGpuChunk *chunk, int64_t *first,
                       int64_t *last, VmafGpuError *error)
{
    return vmafgpu::guarded_with(error, [&] {
        require_given("vmafgpu_run_window: only error may be NULL", settings, chunk, first, last);
        // What a pair depends on follows from models and features, whatever the device.
        VmafGpuSettings probed = *settings;
        probed.device = "cpu";
        probed.threads = 1;
        probed.self_test = 0;
        probed.log = nullptr;
        probed.chunk = nullptr;
        probed.pairing = nullptr;
        probed.native_context = probed.native_stream = nullptr;
        VmafGpuContext *opened = nullptr;
        const int status = vmafgpu_open(&opened, &probed, error);
        if (status < 0)
            return status;
        vmafgpu::find_window(*chunk, settings->subsample, opened->engine->before(),
                             opened->engine->after(), *first, *last);
        vmafgpu_close(&opened);
        return 0;
    });
}

int vmafgpu_run_progress(VmafGpuContext *ctx, VmafGpuProgress *progress)
{
    return on_any_context(ctx, [&] {
        require_given("vmafgpu_run_progress: progress must not be NULL", progress);
        *progress = ctx->run.progress(progress->total);
        return 0;
    });
}

int vmafgpu_run_each(VmafGpuContext *ctx, const VmafGpuResult *result,
                     void (*sink)(void *opaque, const char *name, const char *value), void *opaque)
{
    return on_any_context(ctx, [&] {
        require_given("vmafgpu_run_each: result and sink must not be NULL", result, sink);
        begun(*ctx, "vmafgpu_run_each: vmafgpu_run_begin() comes first")
            .each_metadata(*result,
                           [&](const char *name, const char *value) { sink(opaque, name, value); });
        return 0;
    });
}

int vmafgpu_run_write(VmafGpuContext *ctx, const VmafGpuLog *log)
{
    return vmafgpu::write_log(ctx, log, Run::Knowledge::kAll);
}

int vmafgpu_run_end(VmafGpuContext *ctx, int reason, const char *failure)
{
    return on_any_context(ctx, [&] {
        vmafgpu::require_reason(reason);
        const Run::Attempt attempt = [&](const std::function<void()> &step) {
            return on_any_context(
                ctx,
                [&] {
                    step();
                    return 0;
                },
                true);
        };
        return begun(*ctx, "vmafgpu_run_end: once, and vmafgpu_run_begin() comes first")
            .end(reason, failure, attempt);
    });
}

void vmafgpu_run_print(VmafGpuContext *ctx, const char *label)
{
    on_any_context(ctx, [&] {
        ctx->run.print(label);
        return 0;
    });
}
