/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Aggregates: values that a feature gives once per run, where a series has one per pair. Plain C99.
 * vmaf_gpu.h includes this file, and says what holds for all functions.
 */
#ifndef VMAF_GPU_AGGREGATE_H
#define VMAF_GPU_AGGREGATE_H

#include "vmaf_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Number of aggregates: values that a feature gives once per run instead of once per pair, such as
 * "apsnr_y". Does not change after vmafgpu_open(). Logs in XML and JSON have them.
 */
VMAFGPU_API int vmafgpu_aggregate_count(const VmafGpuContext *ctx);

/** Name of aggregate i; NULL if there is no such aggregate. */
VMAFGPU_API const char *vmafgpu_aggregate_name(const VmafGpuContext *ctx, int i);

/** Value of aggregate i over the pairs collected so far, also those that subsampling left out;
 *  may be infinite. -ENODATA: there are none. */
VMAFGPU_API int vmafgpu_aggregate(VmafGpuContext *ctx, int i, double *value);

#ifdef __cplusplus
}
#endif

#endif /* VMAF_GPU_AGGREGATE_H */
