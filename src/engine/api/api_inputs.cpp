// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C functions on what the inputs are. See include/vmaf_gpu/inputs.h.
#include "api/context.h"
#include "inputs/inputs.h"
#include "inputs/parse.h"

namespace {

/// Throws Error(EINVAL) unless the fields can be read.
void require_made(const VmafGpuInputs &inputs)
{
    if (inputs.struct_size != sizeof(inputs))
        throw vmafgpu::Error(EINVAL, "inputs were not made by vmafgpu_inputs_default() of this "
                                     "version");
    vmafgpu::require(inputs.model_count >= 0, "model_count", inputs.model_count, "0 or more");
    for (int i = 0; i < inputs.model_count; ++i)
        if (inputs.models == nullptr || inputs.models[i] == nullptr)
            throw vmafgpu::Error(EINVAL, "models must not be NULL");
}

} // namespace

void vmafgpu_inputs_default(VmafGpuInputs *inputs)
{
    if (inputs == nullptr)
        return;
    *inputs = VmafGpuInputs();
    inputs->struct_size = sizeof(*inputs);
}

int vmafgpu_inputs_plan(VmafGpuInputs *inputs)
{
    if (inputs == nullptr)
        return -EINVAL;
    return vmafgpu::guarded_with(nullptr, [inputs] {
        require_made(*inputs);
        vmafgpu::plan_inputs(*inputs);
        return 0;
    });
}

int vmafgpu_inputs_check(const VmafGpuInputs *inputs, VmafGpuError *error)
{
    if (inputs == nullptr)
        return -EINVAL;
    const vmafgpu::Advise advise = [inputs](int level, const vmafgpu::Advice &advice) {
        const VmafGpuAdvice given = {level,
                                     advice.text.c_str(),
                                     {advice.filter[0].c_str(), advice.filter[1].c_str()},
                                     {advice.option[0].c_str(), advice.option[1].c_str()},
                                     advice.model.c_str(),
                                     advice.is_scaling_enough ? 1 : 0};
        if (inputs->advise != nullptr)
            inputs->advise(inputs->advise_opaque, &given);
    };
    return vmafgpu::guarded_with(error, [&] {
        require_made(*inputs);
        vmafgpu::check_pictures(*inputs, advise);
        vmafgpu::check_fields(*inputs, advise);
        vmafgpu::check_colours(*inputs, advise);
        vmafgpu::check_rest(*inputs, advise);
        return 0;
    });
}

int vmafgpu_set_inputs(VmafGpuContext *ctx, const VmafGpuInputs *inputs, VmafGpuError *error)
{
    return vmafgpu::guarded_with(error, [&] {
        vmafgpu::require_given("vmafgpu_set_inputs: ctx and inputs must not be NULL", ctx, inputs);
        require_made(*inputs);
        ctx->run.set_inputs(*inputs);
        return 0;
    });
}

int vmafgpu_input_parse(VmafGpuInput *input, const char *text)
{
    if (input == nullptr || text == nullptr)
        return -EINVAL;
    *input = VmafGpuInput();
    return vmafgpu::guarded_with(nullptr, [&] {
        vmafgpu::parse_input(*input, text);
        return 0;
    });
}
