/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Pages that compare several logs. vmaf_gpu.h includes this; logs and pages of a single run are
 * there.
 */
#ifndef VMAF_GPU_REPORT_H
#define VMAF_GPU_REPORT_H

#include "vmaf_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A log for vmafgpu_write_report(). */
typedef struct VmafGpuReportLog {
    const char *path;  /**< JSON log of vmaf_gpu or of libvmaf */
    const char *label; /**< NULL: the title in the log, or the name of the file */
    double rate; /**< kbit/s of the distorted video, for the rate-distortion plot; 0: unknown */
} VmafGpuReportLog;

/** Set struct_size to sizeof(VmafGpuReport). */
typedef struct VmafGpuReport {
    uint32_t struct_size;
    int log_count;                /**< 1 to 16 */
    const VmafGpuReportLog *logs; /**< in the order of the legend */
    const char *path;             /**< of the HTML page, or "-" for standard output */
    const char *title;            /**< in UTF-8; NULL: "VMAF report" */
} VmafGpuReport;

/**
 * Write a page that compares several logs: curves over each other, pooled values, and a
 * rate-distortion plot if two logs have a rate. Needs no device. The file is written as by
 * vmafgpu_write_log(). -EINVAL: a file is not such a log.
 */
VMAFGPU_API int vmafgpu_write_report(const VmafGpuReport *report, VmafGpuError *error);

#ifdef __cplusplus
}
#endif

#endif /* VMAF_GPU_REPORT_H */
