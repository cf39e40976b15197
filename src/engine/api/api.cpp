// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C boundary: checks arguments, calls the Engine, turns exceptions into error codes and texts.
// It has no logic of its own. See include/vmaf_gpu/vmaf_gpu.h.
#include "vmaf_gpu/vmaf_gpu.h"

#include <cstdio>
#include <utility>

#include "api/context.h"
#include "core/open_executor.h"
#include "model/model.h"
#include "report/report.h"

using vmafgpu::Error;
using vmafgpu::guarded_with;
using vmafgpu::on_context;
using vmafgpu::require;
using vmafgpu::require_given;
using vmafgpu::require_within;

namespace {

constexpr int kMaxDimension = 65535;

void check_size(int width, int height)
{
    const std::string picture = "picture " + std::to_string(width) + "x" + std::to_string(height);
    const std::string minimum = std::to_string(VMAFGPU_MIN_SIZE);
    if (std::min(width, height) < VMAFGPU_MIN_SIZE)
        throw Error(EINVAL, picture + " is smaller than the minimum " + minimum + "x" + minimum +
                                " of the features");
    if (std::max(width, height) > kMaxDimension)
        throw Error(EINVAL, picture + " is larger than the maximum 65535x65535");
}

void check_settings(const VmafGpuSettings &s)
{
    check_size(s.width, s.height);
    require_within("depth", s.depth, 8, 16);
    require_within("chroma", s.chroma, VMAFGPU_CHROMA_400, VMAFGPU_CHROMA_444, "VmafGpuChroma");
    require_within("ring_depth", s.ring_depth, 1, 64);
    require_within("threads", s.threads, 0, 1024);
    require(s.subsample >= 1, "subsample", s.subsample, "1 or more");
    require_within("compat", s.compat, VMAFGPU_COMPAT_3_2, VMAFGPU_COMPAT_3_1, "VmafGpuCompat");
    require(s.model_count >= 0 && (s.models != nullptr || s.model_count == 0), "model_count",
            s.model_count, "the length of models");
    require(s.feature_count >= 0 && (s.features != nullptr || s.feature_count == 0),
            "feature_count", s.feature_count, "the length of features");
    require_within("features_only", s.features_only, 0, 1, "0 or 1");
    require_within("first_features", s.first_features, 0, s.feature_count, "0 to feature_count");
    require(s.frame_rate >= 0, "frame_rate", s.frame_rate, "0 or more");
    require(s.most_held >= 1, "most_held", s.most_held, "1 or more");
}

/// The run keeps the warnings.
vmafgpu::Log make_log(const VmafGpuSettings &s, vmafgpu::Run &run)
{
    const auto callback = s.log;
    void *opaque = s.log_opaque;
    return {[callback, opaque, &run](int level, const std::string &text) {
                if (level == VMAFGPU_LOG_WARNING)
                    run.warn(text);
                if (callback != nullptr)
                    callback(opaque, level, text.c_str());
            },
            s.log_level};
}

/// Null: distorted pictures have the context's size.
std::shared_ptr<const vmafgpu::ScalePlan> scale_plan(const VmafGpuSettings &s)
{
    if ((s.distorted_width == 0) != (s.distorted_height == 0))
        throw Error(EINVAL, "distorted_width and distorted_height are both 0 or neither is");
    if (s.distorted_width == 0 || (s.distorted_width == s.width && s.distorted_height == s.height))
        return nullptr;
    const vmafgpu::Format source = {s.distorted_width, s.distorted_height, s.depth,
                                    static_cast<vmafgpu::Chroma>(s.chroma), 0};
    return std::make_shared<vmafgpu::ScalePlan>(source, s.width, s.height);
}

/// As FFmpeg's filter xpsnr takes it: of main, else of the reference.
int frame_rate(const VmafGpuSettings &s)
{
    if (s.frame_rate > 0 || s.pairing == nullptr ||
        s.pairing->struct_size != sizeof(VmafGpuPairingSettings)) // which is refused later
        return s.frame_rate;
    for (const VmafGpuPairingInput &input : s.pairing->input)
        if (input.rate_num > 0 && input.rate_den > 0)
            return input.rate_num / input.rate_den;
    return 0;
}

vmafgpu::EngineSettings engine_settings(const VmafGpuSettings &s, vmafgpu::Run &run)
{
    check_settings(s);
    vmafgpu::EngineSettings settings;
    settings.scale = scale_plan(s);
    settings.format = {s.width, s.height, s.depth, static_cast<vmafgpu::Chroma>(s.chroma),
                       frame_rate(s)};
    settings.device = s.device == nullptr ? "auto" : s.device;
    settings.native_context = s.native_context;
    settings.native_stream = s.native_stream;
    settings.ring_depth = s.ring_depth;
    settings.threads = s.threads;
    settings.subsample = s.subsample;
    settings.most_held = s.most_held;
    settings.compat =
        s.compat == VMAFGPU_COMPAT_3_1 ? vmafgpu::Compat::k3_1 : vmafgpu::Compat::k3_2;
    settings.self_test = s.self_test != 0;
    settings.features_only = s.features_only != 0;
    settings.log = make_log(s, run);
    if (s.chunk != nullptr) {
        const int64_t end = s.chunk->end == 0 ? vmafgpu::Chunk().end : s.chunk->end;
        settings.chunk = {s.chunk->first, s.chunk->begin, end, s.chunk->total};
        settings.is_chunk = true;
    }
    const std::string shots = s.shots == nullptr ? "0" : s.shots;
    if (shots == "1")
        settings.shots = std::make_unique<vmafgpu::ShotFinder>(settings.chunk);
    else if (shots != "0")
        settings.shots =
            std::make_unique<vmafgpu::ShotFinder>(settings.chunk, vmafgpu::read_shots(shots));
    settings.open_files = vmafgpu::open_picture_files;
    for (int i = 0; i < s.model_count; ++i) {
        if (s.models[i] == nullptr)
            throw Error(EINVAL, "models[" + std::to_string(i) + "] is NULL");
        settings.models.push_back(std::make_unique<vmafgpu::Model>(*s.models[i]->model));
    }
    for (int i = 0; i < s.feature_count; ++i) {
        const VmafGpuFeature &feature = s.features[i];
        if (feature.name == nullptr)
            throw Error(EINVAL, "features[" + std::to_string(i) + "].name is NULL");
        settings.features.push_back({feature.name,
                                     feature.options == nullptr ? "" : feature.options,
                                     i < s.first_features});
    }
    return settings;
}

} // namespace

const char *vmafgpu_version(void)
{
    return VMAFGPU_VERSION;
}

int vmafgpu_api_version(void)
{
    return VMAFGPU_API_VERSION;
}

const char *vmafgpu_strerror(int error)
{
    static constexpr std::pair<int, const char *> kTexts[] = {
        {0, "success"},
        {EAGAIN, "try again: collect first, or submit more"},
        {EINVAL, "invalid argument"},
        {EIO, "the device or a file failed"},
        {ENODATA, "no data: everything has been collected"},
        {ENODEV, "no such device"},
        {ENOENT, "no such file or model"},
        {ENOMEM, "out of memory"},
        {ENOTSUP, "not supported by this backend"},
        {ENOSPC, "no space left"},
        {ENOSYS, "not in this build"},
    };
    for (const auto &[code, text] : kTexts)
        if (error == code || error == -code)
            return text;
    return "error of the operating system";
}

int vmafgpu_devices(VmafGpuDevice *out, int max)
{
    if (max < 0 || (out == nullptr && max > 0))
        return -EINVAL;
    return guarded_with(nullptr, [&] {
        const auto list = vmafgpu::list_devices();
        for (size_t i = 0; i < list.size() && i < static_cast<size_t>(max); ++i)
            out[i] = list[i];
        return static_cast<int>(list.size());
    });
}

int vmafgpu_unusable_device(int i, VmafGpuDevice *out, char *reason, size_t size)
{
    if (i < 0)
        return -EINVAL;
    return guarded_with(nullptr, [&] {
        const auto list = vmafgpu::list_unusable_devices();
        if (static_cast<size_t>(i) >= list.size())
            return -ENODEV;
        const vmafgpu::FoundDevice &device = list[static_cast<size_t>(i)];
        if (out != nullptr)
            *out = device.info;
        if (reason != nullptr && size > 0)
            std::snprintf(reason, size, "%s", device.why_not.c_str());
        return 0;
    });
}

int vmafgpu_model_load(VmafGpuModel **model, const char *name_or_path, VmafGpuError *error)
{
    if (model != nullptr)
        *model = nullptr;
    return guarded_with(error, [&] {
        require_given("vmafgpu_model_load: model and name_or_path must not be NULL", model,
                      name_or_path);
        auto loaded = std::make_unique<VmafGpuModel>();
        loaded->model = vmafgpu::Model::load(name_or_path);
        *model = loaded.release();
        return 0;
    });
}

int vmafgpu_model_option(VmafGpuModel *model, const char *key, const char *value,
                         VmafGpuError *error)
{
    return guarded_with(error, [&] {
        require_given("vmafgpu_model_option: no argument may be NULL", model, key, value);
        model->model->set_option(key, value);
        return 0;
    });
}

void vmafgpu_model_free(VmafGpuModel **model)
{
    vmafgpu::free_handle(model);
}

const char *vmafgpu_model_builtin(int i)
{
    const auto &models = vmafgpu::builtin_models();
    return i >= 0 && static_cast<size_t>(i) < models.size() ? models[static_cast<size_t>(i)].name
                                                            : nullptr;
}

void vmafgpu_settings_default(VmafGpuSettings *settings)
{
    if (settings == nullptr)
        return;
    *settings = VmafGpuSettings();
    settings->struct_size = sizeof(*settings);
    settings->depth = 8;
    settings->chroma = VMAFGPU_CHROMA_420;
    settings->ring_depth = 4;
    settings->subsample = 1;
    settings->self_test = 1;
    settings->most_held = vmafgpu::EngineSettings().most_held;
    settings->log_level = VMAFGPU_LOG_INFO;
}

int vmafgpu_open(VmafGpuContext **ctx, const VmafGpuSettings *settings, VmafGpuError *error)
{
    if (ctx != nullptr)
        *ctx = nullptr;
    return guarded_with(error, [&] {
        require_given("vmafgpu_open: ctx and settings must not be NULL", ctx, settings);
        if (settings->struct_size != sizeof(VmafGpuSettings))
            throw Error(EINVAL, "vmafgpu_open: settings were not made by "
                                "vmafgpu_settings_default() of this version");
        auto opened = std::make_unique<VmafGpuContext>();
        opened->engine = std::make_unique<vmafgpu::Engine>(engine_settings(*settings, opened->run));
        if (settings->pairing != nullptr)
            opened->pairing = std::make_unique<vmafgpu::Pairing>(
                *opened->engine, vmafgpu::pairing_settings(*settings->pairing));
        opened->run.open(*opened->engine, opened->pairing.get());
        *ctx = opened.release();
        return 0;
    });
}

void vmafgpu_close(VmafGpuContext **ctx)
{
    vmafgpu::free_handle(ctx);
}

int vmafgpu_device_info(const VmafGpuContext *ctx, VmafGpuDevice *out)
{
    if (ctx == nullptr || out == nullptr)
        return -EINVAL;
    *out = ctx->engine->executor().info();
    return 0;
}

int vmafgpu_score_count(const VmafGpuContext *ctx)
{
    return ctx == nullptr ? -EINVAL : static_cast<int>(ctx->engine->plan().names().size());
}

const char *vmafgpu_score_name(const VmafGpuContext *ctx, int i)
{
    return ctx == nullptr ? nullptr : vmafgpu::name_at(ctx->engine->plan().names(), i);
}

int vmafgpu_model_score(const VmafGpuContext *ctx, int i)
{
    return ctx == nullptr ? -EINVAL : vmafgpu::column_at(ctx->engine->plan().model_columns(), i);
}

int vmafgpu_needs_chroma(const VmafGpuContext *ctx)
{
    if (ctx == nullptr)
        return -EINVAL;
    return ctx->engine->plan().needs_chroma() ? 1 : 0;
}

int vmafgpu_history(const VmafGpuContext *ctx, int64_t *before, int64_t *after)
{
    if (ctx == nullptr || before == nullptr || after == nullptr)
        return -EINVAL;
    *before = ctx->engine->before();
    *after = ctx->engine->after();
    return 0;
}

const char *vmafgpu_error_text(const VmafGpuContext *ctx)
{
    return ctx == nullptr ? "" : ctx->error.c_str();
}

int vmafgpu_submit(VmafGpuContext *ctx, const VmafGpuPicture *reference,
                   const VmafGpuPicture *distorted, uint64_t tag)
{
    return on_context(ctx, [&] {
        require_given("vmafgpu_submit: no picture may be NULL", reference, distorted);
        vmafgpu::check_picture(*reference, *ctx->engine, vmafgpu::Use::kReference);
        vmafgpu::check_picture(*distorted, *ctx->engine, vmafgpu::Use::kDistorted);
        if (!(ctx->pairing != nullptr ? ctx->pairing->submit(*reference, *distorted, tag)
                                      : ctx->engine->submit(*reference, *distorted, tag)))
            return -EAGAIN;
        ctx->run.submitted();
        return 0;
    });
}

namespace {

int import_memory(VmafGpuContext *ctx, int fd, size_t bytes, bool is_vulkan, void **memory)
{
    if (memory != nullptr)
        *memory = nullptr;
    return on_context(ctx, [&] {
        require(memory != nullptr, "memory", 0, "a pointer");
        require(fd >= 0, "fd", fd, "0 or more");
        require(bytes > 0, "bytes", 0, "1 or more");
        try {
            *memory = ctx->engine->executor().import_memory(fd, bytes, is_vulkan);
        } catch (const Error &error) { // the caller has other ways, unless the device is lost
            if (error.code() == EIO)
                throw;
            ctx->error = error.what();
            ctx->engine->log()(VMAFGPU_LOG_VERBOSE, error.what());
            return -error.code();
        }
        return 0;
    });
}

} // namespace

int vmafgpu_import_memory(VmafGpuContext *ctx, int fd, size_t bytes, void **memory)
{
    return import_memory(ctx, fd, bytes, false, memory);
}

int vmafgpu_import_vulkan(VmafGpuContext *ctx, int fd, size_t bytes, void **memory)
{
    return import_memory(ctx, fd, bytes, true, memory);
}

int vmafgpu_release_import(VmafGpuContext *ctx, void **memory)
{
    if (memory == nullptr || *memory == nullptr)
        return 0;
    return on_context(ctx, [&] {
        ctx->engine->executor().release_import(*memory);
        *memory = nullptr;
        return 0;
    });
}

int vmafgpu_flush(VmafGpuContext *ctx)
{
    return on_context(ctx, [&] {
        ctx->engine->flush();
        return 0;
    });
}

int vmafgpu_collect(VmafGpuContext *ctx, VmafGpuResult *result, int wait)
{
    return on_context(ctx, [&] {
        require_given("vmafgpu_collect: result must not be NULL", result);
        const int status = ctx->engine->collect(wait != 0, result);
        if (status == 0 && ctx->pairing != nullptr)
            ctx->pairing->complete(*result);
        if (status == 0)
            ctx->run.scored(*result);
        return status;
    });
}

int vmafgpu_reset(VmafGpuContext *ctx)
{
    return on_context(ctx, [&] {
        ctx->run.require_reset();
        ctx->engine->reset();
        if (ctx->pairing != nullptr)
            ctx->pairing =
                std::make_unique<vmafgpu::Pairing>(*ctx->engine, ctx->pairing->settings());
        ctx->run.reset(ctx->pairing.get());
        return 0;
    });
}

int vmafgpu_cut(VmafGpuContext *ctx)
{
    return on_context(ctx, [&] {
        ctx->engine->cut();
        if (ctx->pairing != nullptr)
            ctx->pairing->drop();
        return 0;
    });
}

int vmafgpu_write_report(const VmafGpuReport *report, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        require_given("vmafgpu_write_report: report must not be NULL", report);
        if (report->struct_size != sizeof(*report))
            throw Error(EINVAL, "VmafGpuReport.struct_size is " +
                                    std::to_string(report->struct_size) +
                                    "; allowed: sizeof(VmafGpuReport)");
        require_given("vmafgpu_write_report: logs and output must not be NULL", report->logs,
                      report->output);
        vmafgpu::write_comparison(*report, *report->output->file);
        return 0;
    });
}
