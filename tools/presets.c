/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Sets of models and features with a name, as libvmaf's `vmaf` tool has them. The texts of models
 * are cut up when they are read, so each use gets a copy, which lives as long as the program.
 */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"

/* A preset that versions `first` to `last` have. */
typedef struct Item {
    int first, last;
    VmafGpuFeature feature; /* or the text of a model, without options */
} Item;

static const Item kAom[] = {
    {1, 7, {"version=vmaf_v0.6.1:name=vmaf", NULL}},
    {1, 7, {"version=vmaf_v0.6.1neg:name=vmaf_neg", NULL}},
    {1, 7, {"psnr", "reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5"}},
    {1, 7, {"ciede", NULL}},
    {1, 6, {"float_ssim", "enable_db=true:clip_db=true"}},
    {7, 7, {"float_ssim", "scale=1:enable_db=true:clip_db=true"}},
    {1, 7, {"float_ms_ssim", "enable_db=true:clip_db=true"}},
    {1, 7, {"psnr_hvs", NULL}},
    {3, 7, {"cambi", NULL}},
};

static const Item kNetflix[] = {
    {1, 1, {"version=vmaf_4k_v0.6.1:name=vmaf", NULL}},
    {1, 1, {"version=vmaf_4k_v0.6.1neg:name=vmaf_neg", NULL}},
    {1, 1, {"psnr", "enable_chroma=true:enable_apsnr=true"}},
    {1, 1, {"float_ssim", "enable_db=true:clip_db=true"}},
    {1, 1, {"cambi", NULL}},
};

/* The first request of a feature counts. In libvmaf's tool v7.0 changes that of SSIM, also if it
 * is the user's. */
static void replace_first(Options *options, const VmafGpuFeature *feature)
{
    for (int i = 0; i < options->settings.feature_count; ++i)
        if (strcmp(options->features[i].name, feature->name) == 0) {
            options->features[i] = *feature;
            return;
        }
}

static int add(Options *options, const Item *item)
{
    const int is_model = strncmp(item->feature.name, "version=", 8) == 0;
    const int most = is_model ? kMaxModels : kMaxFeatures;
    int *const count = is_model ? &options->model_count : &options->settings.feature_count;
    char *const copy = is_model && *count < most ? strdup(item->feature.name) : NULL;
    if (*count == most || (is_model && copy == NULL))
        return output_say("more than %d models or features, or no memory", most);
    if (item->first == 7)
        replace_first(options, &item->feature);
    if (is_model)
        options->models[(*count)++] = copy;
    else
        options->features[(*count)++] = item->feature;
    return 0;
}

static int add_all(Options *options, const Item *items, size_t count, int version)
{
    for (size_t i = 0; i < count; ++i)
        if (items[i].first <= version && version <= items[i].last && add(options, &items[i]) < 0)
            return -1;
    return 0;
}

int presets_add_aom(Options *options, const char *version)
{
    if (strlen(version) == 4 && version[0] == 'v' && version[1] >= '1' && version[1] <= '7' &&
        strcmp(version + 2, ".0") == 0)
        return add_all(options, kAom, sizeof(kAom) / sizeof(*kAom), version[1] - '0');
    return output_say("--aom_ctc: '%s' is not allowed; expected v1.0 to v7.0", version);
}

int presets_add_nflx(Options *options, const char *version)
{
    if (strcmp(version, "v1.0") == 0)
        return add_all(options, kNetflix, sizeof(kNetflix) / sizeof(*kNetflix), 1);
    return output_say("--nflx_ctc: '%s' is not allowed; expected v1.0", version);
}
