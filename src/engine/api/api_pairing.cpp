// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C functions that pair frames, and the checks of pictures. See include/vmaf_gpu/pairing.h.
#include "api/context.h"

namespace vmafgpu {

namespace {

constexpr const char *kUseNames[] = {"reference", "distorted", "the"};

/// The format that a picture of its size must have. Throws if its size is not allowed.
Format format_of(const VmafGpuPicture &picture, const Engine &engine, Use use)
{
    const Format &format = engine.settings().format;
    const ScalePlan *scale = use == Use::kReference ? nullptr : engine.settings().scale.get();
    const bool is_only_scaled = scale != nullptr && use == Use::kDistorted;
    if (scale != nullptr && scale->is_source(picture.width, picture.height)) {
        check_scale_depth(picture.depth);
        return scale->source();
    }
    if (!is_only_scaled && picture.width == format.width && picture.height == format.height)
        return format;
    const auto text = [](int width, int height) {
        return std::to_string(width) + "x" + std::to_string(height);
    };
    std::string wanted = is_only_scaled ? "" : text(format.width, format.height);
    if (scale != nullptr)
        wanted += (wanted.empty() ? "" : " or ") +
                  text(scale->source().width, scale->source().height) + " for distorted pictures";
    throw Error(EINVAL, std::string(kUseNames[static_cast<int>(use)]) + " picture is " +
                            text(picture.width, picture.height) + ", the context " + wanted);
}

} // namespace

void check_picture(const VmafGpuPicture &picture, const Engine &engine, Use use)
{
    const std::string which = kUseNames[static_cast<int>(use)];
    const Format format = format_of(picture, engine, use);
    require_within("picture depth", picture.depth, 8, format.depth);
    const int container = picture.depth > 8 ? 16 : 8;
    require_within("picture shift", picture.shift, 0, container - picture.depth,
                   "0 to the container's bits less the depth");
    require((picture.flags & ~VMAFGPU_PICTURE_HOLD) == 0, "picture flags", picture.flags,
            "VMAFGPU_PICTURE_HOLD or 0");
    require_within("picture memory", picture.memory, VMAFGPU_MEMORY_HOST, VMAFGPU_MEMORY_DEVICE,
                   "VmafGpuMemory");
    const int planes = engine.plan().needs_chroma() ? 3 : 1;
    for (int p = 0; p < planes; ++p) {
        const VmafGpuPlane &plane = picture.plane[p];
        if (plane.data == nullptr)
            throw Error(EINVAL, which + " picture: plane " + std::to_string(p) + " is NULL");
        const int bytes = container / 8;
        const int step = plane.step == 0 ? bytes : plane.step;
        require(plane.step == 0 || plane.step >= bytes, "plane step", plane.step,
                "0 or at least the bytes of a sample");
        const ptrdiff_t row = static_cast<ptrdiff_t>(step) * (format.plane_width(p) - 1) + bytes;
        require(plane.pitch >= row || plane.pitch <= -row, "plane pitch", plane.pitch,
                "at least a row of samples, or as much negative");
        // A GPU cannot read them, and would be lost.
        const auto all = reinterpret_cast<uintptr_t>(plane.data) |
                         static_cast<uintptr_t>(plane.pitch) | static_cast<uintptr_t>(step);
        if (picture.memory == VMAFGPU_MEMORY_DEVICE && all % static_cast<uintptr_t>(bytes) != 0)
            throw Error(EINVAL, which + " picture: samples of 16 bits in device memory must lie at "
                                        "even addresses");
    }
}

} // namespace vmafgpu

namespace {

vmafgpu::Pairing &pairing_of(const VmafGpuContext &ctx)
{
    if (ctx.pairing == nullptr)
        throw vmafgpu::Error(EINVAL, "the context was opened without settings.pairing");
    return *ctx.pairing;
}

/// on_context() with the context's Pairing.
template <typename Fn> int on_pairing(VmafGpuContext *ctx, const Fn &fn)
{
    return vmafgpu::on_context(ctx, [&] { return fn(pairing_of(*ctx)); });
}

vmafgpu::Input input_of(int input)
{
    vmafgpu::require_within("input", input, VMAFGPU_MAIN, VMAFGPU_REFERENCE,
                            "VMAFGPU_MAIN or VMAFGPU_REFERENCE");
    return static_cast<vmafgpu::Input>(input);
}

} // namespace

void vmafgpu_pairing_default(VmafGpuPairingSettings *pairing)
{
    if (pairing == nullptr)
        return;
    *pairing = VmafGpuPairingSettings();
    pairing->struct_size = sizeof(*pairing);
    pairing->repeatlast = 1;
    pairing->offset_window = -1;
    for (VmafGpuPairingInput &input : pairing->input)
        input = {vmafgpu::kNanosecond.num, vmafgpu::kNanosecond.den, 0, 1};
}

int vmafgpu_push(VmafGpuContext *ctx, int input, const VmafGpuPicture *picture, int64_t time,
                 int flags, uint64_t tag)
{
    return on_pairing(ctx, [&](vmafgpu::Pairing &pairing) {
        const vmafgpu::Input to = input_of(input);
        vmafgpu::require(
            (flags & ~(VMAFGPU_PUSH_DISABLED | VMAFGPU_PUSH_DAMAGED | VMAFGPU_PUSH_GRAIN)) == 0,
            "flags", flags, "VMAFGPU_PUSH_DISABLED, VMAFGPU_PUSH_DAMAGED and VMAFGPU_PUSH_GRAIN");
        if (picture != nullptr)
            vmafgpu::check_picture(*picture, *ctx->engine,
                                   to == vmafgpu::kMain ? vmafgpu::Use::kDistorted
                                                        : vmafgpu::Use::kReference);
        if (!pairing.push(to, picture, time, flags, tag))
            return -EAGAIN;
        ctx->run.came(to, time);
        return 0;
    });
}

int vmafgpu_push_end(VmafGpuContext *ctx, int input)
{
    return on_pairing(ctx, [&](vmafgpu::Pairing &pairing) {
        pairing.push_end(input_of(input));
        return 0;
    });
}

int vmafgpu_next(VmafGpuContext *ctx, VmafGpuMatch *match, int wait)
{
    return on_pairing(ctx, [&](vmafgpu::Pairing &pairing) {
        vmafgpu::require_given("vmafgpu_next: match must not be NULL", match);
        const int status = pairing.next(*match, wait != 0);
        if (status == 0 && match->kind == VMAFGPU_MATCH_PAIR)
            ctx->run.met(*match, pairing.take_pictures());
        return status;
    });
}

int vmafgpu_finish(VmafGpuContext *ctx, int reason)
{
    return vmafgpu::on_any_context(ctx, [&] {
        vmafgpu::require_reason(reason);
        pairing_of(*ctx); // throws if there is none
        ctx->run.finish(reason);
        return 0;
    });
}

int vmafgpu_pairing(VmafGpuContext *ctx, VmafGpuPairing *out)
{
    if (ctx == nullptr || ctx->pairing == nullptr || out == nullptr)
        return -EINVAL;
    *out = ctx->pairing->report();
    return 0;
}

const char *vmafgpu_pairing_fault(const VmafGpuContext *ctx)
{
    return ctx == nullptr || ctx->pairing == nullptr ? "" : ctx->run.fault().c_str();
}

int vmafgpu_compare(VmafGpuContext *ctx, const VmafGpuPicture *first, const VmafGpuPicture *second,
                    uint64_t *differing)
{
    if (differing != nullptr)
        *differing = 0;
    return vmafgpu::on_context(ctx, [&] {
        vmafgpu::require_given("vmafgpu_compare: no argument may be NULL", first, second,
                               differing);
        vmafgpu::check_picture(*first, *ctx->engine, vmafgpu::Use::kImage);
        vmafgpu::check_picture(*second, *ctx->engine, vmafgpu::Use::kImage);
        *differing = ctx->engine->compare(*first, *second);
        return 0;
    });
}
