// SPDX-License-Identifier: BSD-2-Clause-Patent
// What two inputs are, from texts in the words of vmafgpu_input_parse().
#pragma once

#include <string>

#include "error.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu_python {

/// Before vmafgpu_inputs_plan().
inline VmafGpuInputs inputs_of(const std::string &main, const std::string &reference, bool is_as_is)
{
    VmafGpuInputs inputs;
    vmafgpu_inputs_default(&inputs);
    throw_if(vmafgpu_input_parse(&inputs.input[VMAFGPU_MAIN], main.c_str()), main.c_str());
    throw_if(vmafgpu_input_parse(&inputs.input[VMAFGPU_REFERENCE], reference.c_str()),
             reference.c_str());
    inputs.is_as_is = is_as_is ? 1 : 0;
    return inputs;
}

} // namespace vmafgpu_python
