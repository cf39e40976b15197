/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Scores two raw 8-bit 4:2:0 files with the C API; prints one line a frame, then the mean.
 * A complete program: C99, the public header, nothing else. docs/user/api.md explains it.
 *
 *     score REFERENCE DISTORTED WIDTH HEIGHT [DEVICE]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <vmaf_gpu/vmaf_gpu.h>

/* Reads one frame into memory of its own. Returns 0 at the end of the file. */
static int read_picture(FILE *file, int width, int height, VmafGpuPicture *picture)
{
    const size_t chroma_width = (size_t)(width + 1) / 2, chroma_height = (size_t)(height + 1) / 2;
    const size_t luma = (size_t)width * (size_t)height, chroma = chroma_width * chroma_height;
    const VmafGpuPicture empty = {0};
    unsigned char *samples = malloc(luma + 2 * chroma);
    if (!samples || fread(samples, 1, luma + 2 * chroma, file) != luma + 2 * chroma) {
        free(samples);
        return 0;
    }
    *picture = empty;
    picture->width = width;
    picture->height = height;
    picture->depth = 8;
    picture->plane[0].data = samples;
    picture->plane[0].pitch = width;
    picture->plane[1].data = samples + luma;
    picture->plane[1].pitch = (ptrdiff_t)chroma_width;
    picture->plane[2].data = samples + luma + chroma;
    picture->plane[2].pitch = (ptrdiff_t)chroma_width;
    /* The engine calls free(samples) when it no longer needs the picture. */
    picture->release = free;
    picture->opaque = samples;
    return 1;
}

/* Waits for the next pair in order and prints its score. */
static int print_next(VmafGpuContext *ctx)
{
    VmafGpuResult result;
    /* Asked first: result.scores is valid until the next call only. */
    const int score = vmafgpu_model_score(ctx, 0);
    const int ret = vmafgpu_collect(ctx, &result, 1);
    if (ret == 0)
        printf("%d %.17g\n", (int)result.index, result.scores[score]);
    return ret;
}

static int score_files(VmafGpuContext *ctx, FILE *reference_file, FILE *distorted_file, int width,
                       int height)
{
    VmafGpuPicture reference, distorted;
    double mean;
    int ret = 0;
    while (read_picture(reference_file, width, height, &reference)) {
        if (!read_picture(distorted_file, width, height, &distorted)) {
            free(reference.opaque);
            break;
        }
        /* -EAGAIN: as many pairs are in flight as the context holds; take a result first. */
        while ((ret = vmafgpu_submit(ctx, &reference, &distorted, 0)) == -EAGAIN)
            if ((ret = print_next(ctx)) < 0)
                break;
        if (ret < 0) { /* on failure the pictures are still ours */
            free(reference.opaque);
            free(distorted.opaque);
            return ret;
        }
    }
    /* The end of the clip: now the last scores, which wait for a next frame, become final. */
    ret = vmafgpu_flush(ctx);
    while (ret == 0)
        ret = print_next(ctx);
    if (ret != -ENODATA) /* -ENODATA: every pair has been collected */
        return ret;
    ret = vmafgpu_pooled(ctx, vmafgpu_model_score(ctx, 0), VMAFGPU_POOL_MEAN, &mean);
    if (ret == 0)
        printf("mean %.17g\n", mean);
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
    if (argc < 5) {
        fprintf(stderr, "usage: score REFERENCE DISTORTED WIDTH HEIGHT [DEVICE]\n");
        return 2;
    }
    reference = fopen(argv[1], "rb");
    distorted = fopen(argv[2], "rb");
    if (!reference || !distorted) {
        perror("cannot open the input");
        return 2;
    }
    vmafgpu_settings_default(&settings);
    settings.width = atoi(argv[3]);
    settings.height = atoi(argv[4]);
    settings.depth = 8;
    settings.chroma = VMAFGPU_CHROMA_420;
    settings.device = argc > 5 ? argv[5] : "auto";
    settings.models = &model;
    settings.model_count = 1;
    ret = vmafgpu_model_load(&model, "vmaf_v0.6.1", &error);
    if (ret == 0)
        ret = vmafgpu_open(&ctx, &settings, &error);
    if (ret == 0) {
        ret = score_files(ctx, reference, distorted, settings.width, settings.height);
        if (ret < 0)
            fprintf(stderr, "%s: %s\n", vmafgpu_strerror(ret), vmafgpu_error_text(ctx));
    } else {
        fprintf(stderr, "%s: %s\n", vmafgpu_strerror(ret), error.text);
    }
    vmafgpu_close(&ctx);
    vmafgpu_model_free(&model);
    fclose(reference);
    fclose(distorted);
    return ret == 0 ? 0 : 1;
}
