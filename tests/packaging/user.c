/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * A program outside the project: C99, the installed header and library, nothing else.
 * Scores the luma of two raw 8-bit 4:2:0 files on the CPU and prints the mean.
 * Built by installed.py and scripts/test-deb.sh, as their users would.
 *
 *     user REFERENCE DISTORTED WIDTH HEIGHT
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <vmaf_gpu/vmaf_gpu.h>

static int read_luma(FILE *file, VmafGpuPicture *picture)
{
    size_t luma = (size_t)picture->width * (size_t)picture->height;
    unsigned char *pixels = malloc(luma * 3 / 2);
    if (!pixels || fread(pixels, 1, luma * 3 / 2, file) != luma * 3 / 2) {
        free(pixels);
        return 0;
    }
    picture->plane[0].data = pixels;
    picture->plane[0].pitch = picture->width;
    picture->release = free;
    picture->opaque = pixels;
    return 1;
}

static int score(VmafGpuContext *ctx, FILE *reference_file, FILE *distorted_file, int width,
                 int height)
{
    VmafGpuPicture reference = {0}, distorted;
    VmafGpuResult result;
    double mean;
    int ret;
    reference.width = width;
    reference.height = height;
    reference.depth = 8;
    distorted = reference;
    while (read_luma(reference_file, &reference) && read_luma(distorted_file, &distorted)) {
        while ((ret = vmafgpu_submit(ctx, &reference, &distorted, 0)) == -EAGAIN)
            vmafgpu_collect(ctx, &result, 1);
        if (ret < 0)
            return ret;
    }
    ret = vmafgpu_flush(ctx);
    while (ret == 0)
        ret = vmafgpu_collect(ctx, &result, 1);
    if (ret != -ENODATA)
        return ret;
    ret = vmafgpu_pooled(ctx, vmafgpu_model_score(ctx, 0), VMAFGPU_POOL_MEAN, &mean);
    if (ret == 0)
        printf("%.17g\n", mean);
    return ret;
}

int main(int argc, char **argv)
{
    VmafGpuModel *model = NULL;
    VmafGpuContext *ctx = NULL;
    VmafGpuSettings settings;
    VmafGpuError error = {0};
    FILE *reference, *distorted;
    int ret;
    if (argc != 5 || !(reference = fopen(argv[1], "rb")) || !(distorted = fopen(argv[2], "rb")))
        return 2;
    vmafgpu_settings_default(&settings);
    settings.width = atoi(argv[3]);
    settings.height = atoi(argv[4]);
    settings.depth = 8;
    settings.device = "cpu";
    settings.models = &model;
    settings.model_count = 1;
    ret = vmafgpu_model_load(&model, "vmaf_v0.6.1", &error);
    if (ret == 0)
        ret = vmafgpu_open(&ctx, &settings, &error);
    if (ret == 0)
        ret = score(ctx, reference, distorted, settings.width, settings.height);
    if (ret != 0)
        fprintf(stderr, "%s: %s\n", vmafgpu_strerror(ret), error.text);
    vmafgpu_close(&ctx);
    vmafgpu_model_free(&model);
    fclose(reference);
    fclose(distorted);
    return ret == 0 ? 0 : 1;
}
