// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C functions that pair frames. See include/vmaf_gpu/pairing.h.
#include "api/context.h"

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
        return pairing.push(to, picture, time, flags, tag) ? 0 : -EAGAIN;
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
        if (ctx->run && status == 0 && match->kind == VMAFGPU_MATCH_PAIR)
            ctx->run->begin_pair();
        return status;
    });
}

int vmafgpu_finish(VmafGpuContext *ctx, int reason)
{
    return vmafgpu::on_any_context(ctx, [&] {
        vmafgpu::require_within("reason", reason, VMAFGPU_FINISH_END, VMAFGPU_FINISH_FAILED,
                                "VmafGpuFinish");
        vmafgpu::Pairing &pairing = pairing_of(*ctx);
        vmafgpu::RunRecord &record = ctx->record;
        const size_t before = record.warnings.size();
        pairing.finish(reason);
        record.warnings.resize(before); // a part has more of them than were said
        for (const std::string &text : pairing.said().warnings)
            record.keep_warning(text);
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
    return ctx == nullptr || ctx->pairing == nullptr ? "" : ctx->pairing->said().fault.c_str();
}
