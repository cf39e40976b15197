// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of the C boundary that merges parts of a run: see VmafGpuMerge in
// include/vmaf_gpu/report.h. Reading is in parts/log_read.h, checks are in parts/part_merge.h.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "api/context.h"
#include "core/pooling.h"
#include "inputs/inputs.h"
#include "parts/part_merge.h"
#include "parts/run_facts.h"
#include "report/report.h"
#include "vmaf_gpu/vmaf_gpu.h"

using vmafgpu::Error;
using vmafgpu::guarded_with;
using vmafgpu::require_given;

struct VmafGpuMerge {
    vmafgpu::MergedRun merged;
};

int vmafgpu_merge_open(VmafGpuMerge **merge, const char *const *parts, int count,
                       VmafGpuError *error)
{
    if (merge != nullptr)
        *merge = nullptr;
    return guarded_with(error, [&] {
        if (merge == nullptr || parts == nullptr || count < 1)
            throw Error(EINVAL, "vmafgpu_merge_open: merge and parts must not be NULL");
        std::vector<vmafgpu::Part> read;
        for (int i = 0; i < count; ++i) {
            if (parts[i] == nullptr)
                throw Error(EINVAL, "vmafgpu_merge_open: no part may be NULL");
            read.push_back(vmafgpu::read_part(parts[i]));
        }
        auto opened = std::make_unique<VmafGpuMerge>();
        opened->merged = vmafgpu::merge_parts(std::move(read));
        *merge = opened.release();
        return 0;
    });
}

int64_t vmafgpu_merge_compared(const VmafGpuMerge *merge)
{
    return merge == nullptr ? -EINVAL : merge->merged.compared;
}

const char *vmafgpu_merge_warning(const VmafGpuMerge *merge, int i)
{
    return merge == nullptr ? nullptr : vmafgpu::name_at(merge->merged.run.warnings, i);
}

int vmafgpu_merge_score_count(const VmafGpuMerge *merge)
{
    return merge == nullptr ? -EINVAL : static_cast<int>(merge->merged.run.table.names().size());
}

const char *vmafgpu_merge_score_name(const VmafGpuMerge *merge, int i)
{
    return merge == nullptr ? nullptr : vmafgpu::name_at(merge->merged.run.table.names(), i);
}

int vmafgpu_merge_model_score(const VmafGpuMerge *merge, int i)
{
    return merge == nullptr ? -EINVAL : vmafgpu::column_at(merge->merged.run.model_columns, i);
}

int vmafgpu_merge_pooled(const VmafGpuMerge *merge, int score, int pool, double *value)
{
    if (merge == nullptr || value == nullptr)
        return -EINVAL;
    return guarded_with(nullptr, [&] {
        *value = vmafgpu::pooled(merge->merged.run.table, static_cast<size_t>(score),
                                 static_cast<VmafGpuPool>(pool));
        return 0;
    });
}

int vmafgpu_merge_mean_interval(const VmafGpuMerge *merge, int score, double interval[2])
{
    if (merge == nullptr || interval == nullptr || score < 0 ||
        score >= vmafgpu_merge_score_count(merge))
        return -EINVAL;
    return guarded_with(nullptr, [&] {
        const vmafgpu::Part &run = merge->merged.run;
        const auto ends = vmafgpu::interval_of(run.table, run, static_cast<size_t>(score));
        if (!ends)
            return -ENODATA;
        std::copy(ends->begin(), ends->end(), interval);
        return 0;
    });
}

int vmafgpu_merge_set_input(VmafGpuMerge *merge, int input, const VmafGpuInput *tags)
{
    if (merge == nullptr || tags == nullptr || input < VMAFGPU_MAIN || input > VMAFGPU_REFERENCE)
        return -EINVAL;
    return guarded_with(nullptr, [&] {
        vmafgpu::Part &run = merge->merged.run;
        (input == VMAFGPU_MAIN ? run.main_stream : run.reference_stream) =
            vmafgpu::stream_text(*tags);
        return 0;
    });
}

int vmafgpu_merge_write_log(VmafGpuMerge *merge, const VmafGpuLog *log, VmafGpuError *error)
{
    return guarded_with(error, [&] {
        require_given("vmafgpu_merge_write_log: merge and log must not be NULL", merge, log);
        const vmafgpu::Part &part = merge->merged.run;
        vmafgpu::RunFacts run = part;
        // XML has no times, so that nobody gives them to a whole run's.
        if (log->format != nullptr && std::strcmp(log->format, "xml") == 0) {
            run.time_base.clear();
        } else if (run.base[0] > 0) {
            run.pts = merge->merged.pts.data();
            run.pts_count = static_cast<int64_t>(merge->merged.pts.size());
        }
        vmafgpu::write_report(
            {part.table, run, *log, log->output == nullptr ? nullptr : log->output->file.get()});
        return 0;
    });
}

void vmafgpu_merge_free(VmafGpuMerge **merge)
{
    vmafgpu::free_handle(merge);
}
