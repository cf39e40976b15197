// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C functions on output files. The work is done in report/report_file.h; here, exceptions
// become error codes and texts. See include/vmaf_gpu/vmaf_gpu.h.
#include "vmaf_gpu/vmaf_gpu.h"

#include <string_view>

#include "api/context.h"

using vmafgpu::Error;
using vmafgpu::guarded_with;
using vmafgpu::require_given;

int vmafgpu_output_open(VmafGpuOutput **output, const char *path, const char *kind, int flags,
                        VmafGpuError *error)
{
    if (output != nullptr)
        *output = nullptr;
    return guarded_with(error, [&] {
        require_given("vmafgpu_output_open: output and path must not be NULL", output, path);
        auto opened = std::make_unique<VmafGpuOutput>();
        vmafgpu::FileOptions options;
        options.kind = kind == nullptr ? "file" : kind;
        options.may_overwrite = (flags & VMAFGPU_OUTPUT_OVERWRITE) != 0;
        options.is_live = (flags & VMAFGPU_OUTPUT_LIVE) != 0;
        options.may_number = true;
        opened->file = std::make_unique<vmafgpu::ReportFile>(path, options);
        *output = opened.release();
        return 0;
    });
}

const char *vmafgpu_output_path(const VmafGpuOutput *output)
{
    return output == nullptr ? nullptr : output->file->path().c_str();
}

int vmafgpu_output_write(VmafGpuOutput *output, const char *text, size_t size, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        if (output == nullptr || (text == nullptr && size > 0))
            throw Error(EINVAL, "vmafgpu_output_write: output and text must not be NULL");
        output->file->write(std::string_view(text, size));
        return 0;
    });
}

int vmafgpu_output_finish(VmafGpuOutput *output, int is_complete, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        require_given("vmafgpu_output_finish: output must not be NULL", output);
        output->file->commit(is_complete != 0);
        return 0;
    });
}

void vmafgpu_output_close(VmafGpuOutput **output)
{
    vmafgpu::free_handle(output);
}
