/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Options of the vmaf_gpu filter, from text to values: lists of models and
 * features, words, precision. Called by init() and uninit() of vf_vmaf_gpu.c. The
 * option table is in vf_vmaf_gpu_options.h. libavutil checks the ranges of numbers,
 * vf_vmaf_gpu_engine.c finds the device.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libavutil/avstring.h"
#include "libavutil/bprint.h"
#include "libavutil/dict.h"
#include "libavutil/error.h"
#include "libavutil/log.h"
#include "libavutil/opt.h"

#include "vf_vmaf_gpu.h"

static int is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(text, *words))
            return 1;
    return 0;
}

static int unknown_word(AVFilterContext *ctx, const char *option, const char *text,
                        const AVBPrint *known)
{
    av_log(ctx, AV_LOG_ERROR, "unknown %s '%s' (known:%s)\n", option, text, known->str);
    return AVERROR(EINVAL);
}

/* Find the constant of the option table that a text names, in upper or lower case. */
static int find_constant(AVFilterContext *ctx, const char *option, const char *text,
                         const AVOption **out)
{
    const AVOption *constant = NULL;
    AVBPrint known;

    av_bprint_init(&known, 0, AV_BPRINT_SIZE_AUTOMATIC);
    while ((constant = av_opt_next(ctx->priv, constant))) {
        if (constant->type != AV_OPT_TYPE_CONST || strcmp(constant->unit, option))
            continue;
        *out = constant;
        if (!av_strcasecmp(constant->name, text))
            return 0;
        av_bprintf(&known, " %s", constant->name);
    }
    return unknown_word(ctx, option, text, &known);
}

/* ------------------------------------------------------- model and feature */

/*
 * Cut the next '|'-separated entry off a list. Quotes and escapes stay, since
 * av_dict_parse_string() removes them later.
 */
static char *next_entry(char **cursor)
{
    char *start = *cursor, *p = start;
    int quoted = 0;

    if (!*start)
        return NULL;
    for (; *p && (quoted || *p != '|'); p++) {
        if (*p == '\'')
            quoted = !quoted;
        else if (*p == '\\' && !quoted && p[1])
            p++;
    }
    *cursor = p;
    if (*p)
        *(*cursor)++ = '\0';
    return start;
}

static int parse_entry(AVFilterContext *ctx, const char *option, const char *entry,
                       const char *example, AVDictionary **dict)
{
    int ret = av_dict_parse_string(dict, entry, "=", ":", 0);

    if (ret >= 0 && av_dict_count(*dict) > 0)
        return 0;
    av_log(ctx, AV_LOG_ERROR, "cannot read %s '%s': expected key=value:key=value, e.g. %s\n",
           option, entry, example);
    return ret == AVERROR(ENOMEM) ? ret : AVERROR(EINVAL);
}

const char *ff_vmafgpu_find_builtin(const char *version)
{
    const char *name;

    for (int i = 0; (name = vmafgpu_model_builtin(i)); i++)
        if (!strcmp(name, version))
            return name;
    return NULL;
}

static int unknown_version(AVFilterContext *ctx, const char *version)
{
    const char *name;
    AVBPrint known;

    av_bprint_init(&known, 0, AV_BPRINT_SIZE_AUTOMATIC);
    for (int i = 0; (name = vmafgpu_model_builtin(i)); i++)
        av_bprintf(&known, " %s", name);
    av_log(ctx, AV_LOG_ERROR, "unknown model version '%s' (known:%s); use path=FILE for a JSON file\n",
           version, known.str);
    return AVERROR(EINVAL);
}

static int load_model_file(AVFilterContext *ctx, VmafGpuModel **model, const char *path)
{
    /* To the engine, a text without a slash is the name of a built-in model. */
    char *marked = av_asprintf(strchr(path, '/') ? "%s" : "./%s", path);
    VmafGpuError error = {0};
    int ret;

    if (!marked)
        return AVERROR(ENOMEM);
    ret = vmafgpu_model_load(model, marked, &error);
    if (ret < 0)
        av_log(ctx, AV_LOG_ERROR, "model path '%s': %s\n", path, error.text);
    av_free(marked);
    return ret;
}

/* *builtin is the name of the built-in model, or NULL. */
static int load_model(AVFilterContext *ctx, VmafGpuModel **model, const char **builtin,
                      const AVDictionary *dict)
{
    const AVDictionaryEntry *version = av_dict_get(dict, "version", NULL, AV_DICT_MATCH_CASE);
    const AVDictionaryEntry *path = av_dict_get(dict, "path", NULL, AV_DICT_MATCH_CASE);
    VmafGpuError error = {0};
    int ret;

    if (version && path) {
        av_log(ctx, AV_LOG_ERROR, "a model has either version=%s or path=%s, not both\n",
               version->value, path->value);
        return AVERROR(EINVAL);
    }
    *builtin = NULL;
    if (path)
        return load_model_file(ctx, model, path->value);
    *builtin = ff_vmafgpu_find_builtin(version ? version->value : VMAF_GPU_DEFAULT_MODEL);
    if (!*builtin)
        return unknown_version(ctx, version->value);
    ret = vmafgpu_model_load(model, *builtin, &error);
    if (ret < 0)
        av_log(ctx, AV_LOG_ERROR, "model: %s\n", error.text);
    return ret;
}

static int set_model_option(AVFilterContext *ctx, VmafGpuModel *model, const char *key,
                            const char *value)
{
    static const char *const known[] = {"name", "disable_clip", "enable_transform", NULL};
    VmafGpuError error = {0};
    int ret;

    if (!is_one_of(key, known) && !strchr(key, '.')) {
        av_log(ctx, AV_LOG_ERROR, "unknown key '%s' in model (known: version path name disable_clip "
               "enable_transform FEATURE.OPTION)%s\n", key, strcmp(key, "pool") ? "" :
               "; pool is an option of the filter: write vmaf_gpu=pool=METHOD:model=...");
        return AVERROR(EINVAL);
    }
    ret = vmafgpu_model_option(model, key, value, &error);
    if (ret < 0)
        av_log(ctx, AV_LOG_ERROR, "model option %s=%s: %s\n", key, value, error.text);
    return ret;
}

static int set_model_options(AVFilterContext *ctx, VmafGpuModel *model, const AVDictionary *dict)
{
    const VmafGpuFilter *s = ctx->priv;
    const AVDictionaryEntry *e = NULL;
    int ret;

    if (s->opt.enable_transform || s->opt.phone_model) {
        ret = set_model_option(ctx, model, "enable_transform", "true");
        if (ret < 0)
            return ret;
    }
    while ((e = av_dict_get(dict, "", e, AV_DICT_IGNORE_SUFFIX))) {
        if (!strcmp(e->key, "version") || !strcmp(e->key, "path"))
            continue;
        ret = set_model_option(ctx, model, e->key, e->value);
        if (ret < 0)
            return ret;
    }
    return 0;
}

static int add_model(AVFilterContext *ctx, const AVDictionary *dict)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuModel **models, *model = NULL;
    const char **names;
    int ret;

    models = av_realloc_array(s->models, s->model_count + 1, sizeof(*models));
    if (!models)
        return AVERROR(ENOMEM);
    s->models = models;
    names = av_realloc_array(s->builtin_names, s->model_count + 1, sizeof(*names));
    if (!names)
        return AVERROR(ENOMEM);
    s->builtin_names = names;
    ret = load_model(ctx, &model, &names[s->model_count], dict);
    if (ret < 0)
        return ret;
    s->models[s->model_count++] = model;
    return set_model_options(ctx, model, dict);
}

/* "name=motion:key=value" to {"motion", "key=value"}. */
static int add_feature(AVFilterContext *ctx, const AVDictionary *dict)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuFeature *features;
    const AVDictionaryEntry *name = av_dict_get(dict, "name", NULL, AV_DICT_MATCH_CASE);
    AVDictionary *options = NULL;
    char *text;
    int ret;

    if (!name) {
        av_log(ctx, AV_LOG_ERROR, "a feature needs a name, e.g. feature=name=motion\n");
        return AVERROR(EINVAL);
    }
    features = av_realloc_array(s->features, s->feature_count + 1, sizeof(*features));
    if (!features)
        return AVERROR(ENOMEM);
    s->features = features;

    ret = av_dict_copy(&options, dict, 0);
    av_dict_set(&options, "name", NULL, AV_DICT_MATCH_CASE);
    if (ret >= 0)
        ret = av_dict_get_string(options, &text, '=', ':'); /* with escapes, for paths */
    av_dict_free(&options);
    if (ret < 0)
        return ret;
    features[s->feature_count].options = text;
    features[s->feature_count].name = av_strdup(name->value);
    return features[s->feature_count++].name ? 0 : AVERROR(ENOMEM);
}

static int parse_list(AVFilterContext *ctx, const char *option, const char *text,
                      const char *example, int (*add)(AVFilterContext *, const AVDictionary *))
{
    char *copy = av_strdup(text), *cursor = copy, *entry;
    int ret = copy ? 0 : AVERROR(ENOMEM);

    while (ret >= 0 && (entry = next_entry(&cursor))) {
        AVDictionary *dict = NULL;

        ret = parse_entry(ctx, option, entry, example, &dict);
        if (ret >= 0)
            ret = add(ctx, dict);
        av_dict_free(&dict);
    }
    av_free(copy);
    return ret;
}

/* The whole text is the path: it is not parsed as key=value. */
static int add_model_path(AVFilterContext *ctx, const char *path)
{
    AVDictionary *dict = NULL;
    int ret = av_dict_set(&dict, "path", path, 0);

    if (ret >= 0)
        ret = add_model(ctx, dict);
    av_dict_free(&dict);
    return ret;
}

static int parse_models(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;
    const VmafGpuOptions *opt = &s->opt;

    if (!opt->model_path)
        return parse_list(ctx, "model", opt->model, VMAF_GPU_DEFAULT_MODEL_CFG, add_model);
    if (strcmp(opt->model, VMAF_GPU_DEFAULT_MODEL_CFG)) {
        av_log(ctx, AV_LOG_ERROR, "model_path is an old name of model=path=...: use only one\n");
        return AVERROR(EINVAL);
    }
    return add_model_path(ctx, opt->model_path);
}

/* ----------------------------------------------------------- other options */

/* The options of FFmpeg 5.1's libvmaf, which computes these features in front of the models'. */
static int add_old_features(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    static const char *const texts[] = {"name=psnr:enable_chroma=false", "name=float_ssim", "name=float_ms_ssim"};
    const int wanted[] = {s->opt.psnr, s->opt.ssim, s->opt.ms_ssim};
    int ret = 0;

    for (int i = 0; i < FF_ARRAY_ELEMS(texts) && ret >= 0; i++)
        if (wanted[i])
            ret = parse_list(ctx, "feature", texts[i], "name=motion", add_feature);
    s->first_features = s->feature_count;
    if (s->opt.conf_interval)
        av_log(ctx, AV_LOG_VERBOSE, "enable_conf_interval: bootstrap models always give their interval\n");
    return ret;
}

static int parse_precision(AVFilterContext *ctx, const char *text, int *precision)
{
    char *end;
    long digits = strtol(text, &end, 10);

    if (!av_strcasecmp(text, "max")) {
        *precision = VMAFGPU_PRECISION_MAX;
        return 0;
    }
    if (end == text || *end || digits < 6 || digits > 17) {
        av_log(ctx, AV_LOG_ERROR, "precision '%s' is neither 6 ... 17 nor max\n", text);
        return AVERROR(EINVAL);
    }
    *precision = digits;
    return 0;
}

/* The engine knows which backends exist. The table's constants are for -h only. */
static int parse_backend(AVFilterContext *ctx, const char *text, const char **backend)
{
    AVBPrint known;

    av_bprint_init(&known, 0, AV_BPRINT_SIZE_AUTOMATIC);
    for (int i = 0; (*backend = vmafgpu_backend_name(i)); i++) {
        if (!av_strcasecmp(*backend, text))
            return 0;
        av_bprintf(&known, " %s", *backend);
    }
    return unknown_word(ctx, "backend", text, &known);
}

/* "93" or "NAME:93". */
static int parse_fail_below(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const char *text = s->opt.fail_below, *colon = text ? strrchr(text, ':') : NULL;
    const char *number = colon ? colon + 1 : text;
    char *end;

    s->fail_limit = NAN;
    if (!text)
        return 0;
    s->fail_limit = strtod(number, &end);
    if (end == number || *end || !isfinite(s->fail_limit) || colon == text) {
        av_log(ctx, AV_LOG_ERROR, "fail_below '%s' is neither a number nor NAME:number\n", text);
        return AVERROR(EINVAL);
    }
    s->fail_name = colon ? av_strndup(text, colon - text) : NULL;
    return !colon || s->fail_name ? 0 : AVERROR(ENOMEM);
}

/* The option of framesync that only pair=framesync can follow, or NULL. */
static const char *framesync_option(const VmafGpuFilter *s)
{
    if (s->opt.eof_action != VMAFGPU_EOF_REPEAT)
        return "eof_action";
    if (!s->opt.repeatlast)
        return "repeatlast";
    return s->opt.ts_sync_mode ? "ts_sync_mode" : NULL;
}

static int parse_offset(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const char *text = s->opt.offset;
    char *end;
    long offset;

    if (!text)
        return 0;
    errno = 0;
    offset = strtol(text, &end, 10);
    if (end == text || *end || errno || offset < -VMAFGPU_MOST_OFFSET ||
        offset > VMAFGPU_MOST_OFFSET) {
        av_log(ctx, AV_LOG_ERROR, "offset '%s' is not a number of frames, -%d ... %d\n", text,
               VMAFGPU_MOST_OFFSET, VMAFGPU_MOST_OFFSET);
        return AVERROR(EINVAL);
    }
    s->has_offset = 1;
    s->offset = offset;
    return 0;
}

static int parse_pairing(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const char *other = framesync_option(s);
    const AVOption *pair;
    int ret = find_constant(ctx, "pair", s->opt.pair ? s->opt.pair : other ? "framesync" : "auto", &pair);
    if (ret < 0)
        return ret;
    s->pair = pair->default_val.i64;
    if (s->pair != VMAFGPU_PAIR_FRAMESYNC && other) {
        av_log(ctx, AV_LOG_ERROR, "option %s needs pair=framesync, but pair=%s was given\n", other,
               pair->name);
        return AVERROR(EINVAL);
    }
    if (s->pair == VMAFGPU_PAIR_FRAMESYNC && s->opt.offset) {
        av_log(ctx, AV_LOG_ERROR, "offset=%s has no meaning with pair=framesync%s%s\n", s->opt.offset,
               s->opt.pair ? "" : ", which follows from ", s->opt.pair ? "" : other);
        return AVERROR(EINVAL);
    }
    return parse_offset(ctx);
}

static int parse_choices(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const VmafGpuOptions *opt = &s->opt;
    const AVOption *format, *csv, *pool, *compat, *formats, *depth, *scale;
    int ret;

    if ((ret = find_constant(ctx, "log_fmt", opt->log_fmt, &format)) < 0 ||
        (ret = find_constant(ctx, "csv", opt->csv, &csv)) < 0 ||
        (ret = find_constant(ctx, "pool", opt->pool, &pool)) < 0 ||
        (ret = find_constant(ctx, "compat", opt->compat, &compat)) < 0 ||
        (ret = find_constant(ctx, "formats", opt->formats, &formats)) < 0 ||
        (ret = find_constant(ctx, "depth", opt->depth, &depth)) < 0 ||
        (ret = find_constant(ctx, "scale", opt->scale, &scale)) < 0 ||
        (ret = parse_backend(ctx, opt->backend, &s->backend)) < 0 ||
        (ret = parse_pairing(ctx)) < 0 || (ret = parse_fail_below(ctx)) < 0 ||
        (ret = parse_precision(ctx, opt->precision, &s->precision)) < 0)
        return ret;
    s->log_format = format->name;
    s->csv_strict = csv->default_val.i64;
    s->pool = pool->default_val.i64;
    s->compat = compat->default_val.i64;
    s->as_is = formats->default_val.i64;
    s->deeper = depth->default_val.i64;
    s->scales = scale->default_val.i64;
    return ff_vmafgpu_parse_chunk(ctx);
}

int ff_vmafgpu_parse_options(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const VmafGpuOptions *opt = &s->opt;
    int ret;

    /* If memory runs out for a default, FFmpeg leaves the option NULL without an error. */
    if (!opt->model || !opt->log_fmt || !opt->csv || !opt->pool || !opt->backend || !opt->precision ||
        !opt->compat || !opt->formats || !opt->depth || !opt->scale)
        return AVERROR(ENOMEM);
    if ((ret = add_old_features(ctx)) < 0 || (ret = parse_choices(ctx)) < 0 ||
        (ret = parse_models(ctx)) < 0)
        return ret;
    return opt->feature ? parse_list(ctx, "feature", opt->feature, "name=motion", add_feature) : 0;
}

void ff_vmafgpu_free_options(VmafGpuFilter *s)
{
    for (int i = 0; i < s->model_count; i++)
        vmafgpu_model_free(&s->models[i]);
    av_freep(&s->models);
    av_freep(&s->builtin_names);
    s->model_count = 0;
    for (int i = 0; i < s->feature_count; i++) {
        av_free((void *)s->features[i].name);
        av_free((void *)s->features[i].options);
    }
    av_freep(&s->features);
    s->feature_count = 0;
    av_freep(&s->fail_name);
}
