/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * The public header alone, as pedantic C99: it must compile with nothing
 * included before it, and every function must link from C.
 */
#include "vmaf_gpu/run.h"

static int call_pairing(void)
{
    VmafGpuMatch match;
    VmafGpuPairing pairing;
    uint64_t differing = 0;
    int failures = 0;
    failures += vmafgpu_compare(NULL, NULL, NULL, &differing) >= 0;
    vmafgpu_pairing_default(NULL);
    failures += vmafgpu_push(NULL, VMAFGPU_MAIN, NULL, VMAFGPU_NO_TIME, 0, 0) >= 0;
    failures += vmafgpu_push_end(NULL, VMAFGPU_REFERENCE) >= 0;
    failures += vmafgpu_next(NULL, &match, 1) >= 0;
    failures += vmafgpu_finish(NULL, VMAFGPU_FINISH_END) >= 0;
    failures += vmafgpu_pairing(NULL, &pairing) >= 0;
    failures += vmafgpu_pairing_fault(NULL)[0] != '\0';
    return failures;
}

int main(void)
{
    /* Each function by its declared type; NULL everywhere must be harmless. */
    VmafGpuSettings settings;
    VmafGpuError error;
    VmafGpuResult result;
    VmafGpuOutput *output = NULL;
    double value = 0;
    char text[16];
    int failures = 0;
    vmafgpu_settings_default(&settings);
    failures += vmafgpu_version() == NULL;
    failures += vmafgpu_api_version() != VMAFGPU_API_VERSION;
    failures += vmafgpu_strerror(0) == NULL;
    failures += vmafgpu_devices(NULL, 0) < 1;
    failures += vmafgpu_model_load(NULL, NULL, &error) >= 0;
    failures += vmafgpu_model_option(NULL, NULL, NULL, NULL) >= 0;
    vmafgpu_model_free(NULL);
    failures += vmafgpu_model_builtin(0) == NULL;
    failures += vmafgpu_open(NULL, &settings, NULL) >= 0;
    vmafgpu_close(NULL);
    failures += vmafgpu_device_info(NULL, NULL) >= 0;
    failures += vmafgpu_score_count(NULL) >= 0;
    failures += vmafgpu_score_name(NULL, 0) != NULL;
    failures += vmafgpu_model_score(NULL, 0) >= 0;
    failures += vmafgpu_needs_chroma(NULL) >= 0;
    failures += vmafgpu_error_text(NULL) == NULL;
    failures += vmafgpu_submit(NULL, NULL, NULL, 0) >= 0;
    failures += vmafgpu_import_memory(NULL, 0, 1, NULL) >= 0;
    failures += vmafgpu_release_import(NULL, NULL) != 0;
    failures += call_pairing();
    failures += vmafgpu_flush(NULL) >= 0;
    failures += vmafgpu_collect(NULL, &result, 1) >= 0;
    failures += vmafgpu_reset(NULL) >= 0;
    failures += vmafgpu_cut(NULL) >= 0;
    failures += vmafgpu_pool_by_name("mean") != VMAFGPU_POOL_MEAN;
    failures += vmafgpu_pooled(NULL, 0, VMAFGPU_POOL_MEAN, &value) >= 0;
    failures += vmafgpu_format_score(text, sizeof(text), 1.0, 6) != 8;
    failures += vmafgpu_stream_log(NULL, NULL) >= 0;
    failures += vmafgpu_write_log(NULL, NULL) >= 0;
    failures += vmafgpu_write_report(NULL, NULL) >= 0;
    failures += vmafgpu_output_open(NULL, NULL, NULL, 0, NULL) >= 0;
    failures += vmafgpu_output_path(output) != NULL;
    failures += vmafgpu_output_write(output, text, 0, NULL) >= 0;
    failures += vmafgpu_output_finish(output, 1, &error) >= 0;
    vmafgpu_output_close(&output);
    return failures;
}
