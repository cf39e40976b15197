/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See models.h.
 */
#include "models.h"

#include <stdio.h>
#include <string.h>

#include "output.h"

/* One part of a model's text after the first: "name=x", "disable_clip", "adm.option=1". */
static int set_model_option(VmafGpuModel *model, char *part)
{
    VmafGpuError error;
    char *value = strchr(part, '=');
    if (value != NULL)
        *value++ = '\0';
    if (vmafgpu_model_option(model, part, value == NULL ? "true" : value, &error) < 0)
        return output_say("%s", error.text);
    return 0;
}

/* The source of version=NAME or path=FILE. To the engine, a text without a slash may be a name. */
static char *find_source(char *part)
{
    char *source = strchr(part, '=') + 1;
    const size_t length = strlen(source);
    if (*part == 'v' || length == 0 || strchr(source, '/') != NULL ||
        (length > 5 && strcmp(source + length - 5, ".json") == 0))
        return source;
    return memcpy(source - 2, "./", 2); /* "path=" has room for it */
}

static int load_model(Models *models, char *spec)
{
    char *parts[64];
    int count = 0;
    char *source = NULL;
    int is_named = 0;
    for (char *part = strtok(spec, ":"); part != NULL; part = strtok(NULL, ":")) {
        if (strncmp(part, "version=", 8) == 0 || strncmp(part, "path=", 5) == 0)
            source = find_source(part);
        else if (count < 64)
            parts[count++] = part;
        else
            return output_say("--model: more than 64 options");
        is_named |= strncmp(part, "name=", 5) == 0;
    }
    if (source == NULL)
        return output_say("--model: expected version=NAME or path=FILE");
    VmafGpuError error;
    const int at = models->count;
    if (vmafgpu_model_load(&models->models[at], source, &error) < 0)
        return output_say("%s", error.text);
    models->labels[at] = source;
    ++models->count;
    /* The first model may be plain "vmaf"; the others need names of their own. */
    if (!is_named && at > 0 && vmafgpu_model_option(models->models[at], "name", source, &error) < 0)
        return output_say("%s", error.text);
    for (int i = 0; i < count; ++i)
        if (set_model_option(models->models[at], parts[i]) < 0)
            return -1;
    return 0;
}

int models_load(Models *models, const Options *options)
{
    static char default_model[] = "version=vmaf_v0.6.1";
    if (options->model_count == 0 && !options->settings.features_only)
        return load_model(models, default_model);
    for (int i = 0; i < options->model_count; ++i)
        if (load_model(models, options->models[i]) < 0)
            return -1;
    return 0;
}

void models_free(Models *models)
{
    for (int i = 0; i < models->count; ++i)
        vmafgpu_model_free(&models->models[i]);
}
