/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See presets.h. The tool cuts the texts up while it reads them, so each use gets a copy of them,
 * which lives as long as the program.
 */
#include "presets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(char **list, int *count, int max, const char *text)
{
    if (*count == max) {
        fprintf(stderr, "vmaf_gpu: more than %d models or features\n", max);
        return -1;
    }
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy == NULL) {
        fprintf(stderr, "vmaf_gpu: out of memory\n");
        return -1;
    }
    list[(*count)++] = memcpy(copy, text, size);
    return 0;
}

static int add_model(Options *options, const char *text)
{
    return add(options->models, &options->model_count, kMaxModels, text);
}

static int add_feature(Options *options, const char *text)
{
    return add(options->features, &options->feature_count, kMaxFeatures, text);
}

/* The first request of a feature counts. In libvmaf's tool v7.0 changes it, also if it is the
 * user's. */
static void replace_first(Options *options, char *text)
{
    const size_t length = strcspn(text, "=");
    for (int i = 0; i < options->feature_count; ++i) {
        const char *feature = options->features[i];
        if (strcspn(feature, "=") != length || strncmp(feature, text, length) != 0)
            continue;
        options->features[i] = text;
        return;
    }
}

int presets_add_aom(Options *options, const char *version)
{
    static const char model[] = "version=vmaf_v0.6.1:name=vmaf";
    static const char neg[] = "version=vmaf_v0.6.1neg:name=vmaf_neg";
    static const char psnr[] = "psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5";
    static const char ciede[] = "ciede";
    static const char ssim[] = "float_ssim=enable_db=true:clip_db=true";
    static char ssim_full[] = "float_ssim=scale=1:enable_db=true:clip_db=true";
    static const char ms_ssim[] = "float_ms_ssim=enable_db=true:clip_db=true";
    static const char psnr_hvs[] = "psnr_hvs";
    static const char cambi[] = "cambi";
    if (strlen(version) != 4 || version[0] != 'v' || version[1] < '1' || version[1] > '7' ||
        strcmp(version + 2, ".0") != 0) {
        fprintf(stderr, "vmaf_gpu: --aom_ctc: '%s' is not allowed; expected v1.0 to v7.0\n",
                version);
        return -1;
    }
    const int major = version[1] - '0';
    const char *const features[] = {psnr,    ciede,    major >= 7 ? ssim_full : ssim,
                                    ms_ssim, psnr_hvs, cambi};
    if (add_model(options, model) != 0 || add_model(options, neg) != 0)
        return -1;
    for (int i = 0; i < (major >= 3 ? 6 : 5); ++i)
        if (add_feature(options, features[i]) != 0)
            return -1;
    if (major >= 7)
        replace_first(options, ssim_full);
    return 0;
}

int presets_add_nflx(Options *options, const char *version)
{
    static const char model[] = "version=vmaf_4k_v0.6.1:name=vmaf";
    static const char neg[] = "version=vmaf_4k_v0.6.1neg:name=vmaf_neg";
    static const char psnr[] = "psnr=enable_chroma=true:enable_apsnr=true";
    static const char ssim[] = "float_ssim=enable_db=true:clip_db=true";
    static const char cambi[] = "cambi";
    if (strcmp(version, "v1.0") != 0) {
        fprintf(stderr, "vmaf_gpu: --nflx_ctc: '%s' is not allowed; expected v1.0\n", version);
        return -1;
    }
    return add_model(options, model) != 0 || add_model(options, neg) != 0 ||
                   add_feature(options, psnr) != 0 || add_feature(options, ssim) != 0 ||
                   add_feature(options, cambi) != 0
               ? -1
               : 0;
}
