/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See presets.h. The tool cuts the texts up while it reads them, so each use gets a copy of them,
 * which lives as long as the program.
 */
#include "presets.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"

/* Of versions `first` to `last`. */
typedef struct Item {
    int first, last;
    const char *text;
} Item;

static const Item kAom[] = {
    {1, 7, "version=vmaf_v0.6.1:name=vmaf"},
    {1, 7, "version=vmaf_v0.6.1neg:name=vmaf_neg"},
    {1, 7, "psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5"},
    {1, 7, "ciede"},
    {1, 6, "float_ssim=enable_db=true:clip_db=true"},
    {7, 7, "float_ssim=scale=1:enable_db=true:clip_db=true"},
    {1, 7, "float_ms_ssim=enable_db=true:clip_db=true"},
    {1, 7, "psnr_hvs"},
    {3, 7, "cambi"},
};

static const Item kNetflix[] = {
    {1, 1, "version=vmaf_4k_v0.6.1:name=vmaf"},
    {1, 1, "version=vmaf_4k_v0.6.1neg:name=vmaf_neg"},
    {1, 1, "psnr=enable_chroma=true:enable_apsnr=true"},
    {1, 1, "float_ssim=enable_db=true:clip_db=true"},
    {1, 1, "cambi"},
};

/* The first request of a feature counts. In libvmaf's tool v7.0 changes that of SSIM, also if it
 * is the user's. */
static int replace_first(Options *options, const char *text)
{
    const size_t length = strcspn(text, "=");
    for (int i = 0; i < options->feature_count; ++i) {
        if (strcspn(options->features[i], "=") != length ||
            strncmp(options->features[i], text, length) != 0)
            continue;
        options->features[i] = strdup(text);
        return options->features[i] != NULL ? 0 : -1;
    }
    return 0;
}

static int add(Options *options, const Item *item)
{
    const int is_model = strncmp(item->text, "version=", 8) == 0;
    const int most = is_model ? kMaxModels : kMaxFeatures;
    int *const count = is_model ? &options->model_count : &options->feature_count;
    char *const copy = *count == most ? NULL : strdup(item->text);
    if (copy == NULL || (item->first == 7 && replace_first(options, item->text) < 0)) {
        return output_say("more than %d models or features, or no memory", most);
    }
    (is_model ? options->models : options->features)[(*count)++] = copy;
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
