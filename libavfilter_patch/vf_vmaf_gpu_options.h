/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The option table of the vmaf_gpu filter. Included once, by vf_vmaf_gpu.c; the
 * values are checked and converted in vf_vmaf_gpu_options.c. A test compares this
 * table with the manuals and the command-line tool (tests/lint/options.py).
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */
#ifndef AVFILTER_VF_VMAF_GPU_OPTIONS_H
#define AVFILTER_VF_VMAF_GPU_OPTIONS_H

#include <limits.h>
#include <stddef.h>

#include "libavutil/opt.h"

#include "vf_vmaf_gpu.h"

#define OFFSET(field) offsetof(VmafGpuFilter, opt.field)
#define FLAGS (AV_OPT_FLAG_FILTERING_PARAM | AV_OPT_FLAG_VIDEO_PARAM)
#define EXPORTED (FLAGS | AV_OPT_FLAG_EXPORT | AV_OPT_FLAG_READONLY)
#define OLD (FLAGS | AV_OPT_FLAG_DEPRECATED)
#define TEXT(name, field, value, help) \
    { name, help, OFFSET(field), AV_OPT_TYPE_STRING, {.str = value}, .flags = FLAGS }
#define NUMBER(name, field, value, low, high, help) \
    { name, help, OFFSET(field), AV_OPT_TYPE_INT, {.i64 = value}, low, high, .flags = FLAGS }
#define SWITCH(name, field, value, flag, help) \
    { name, help, OFFSET(field), AV_OPT_TYPE_BOOL, {.i64 = value}, 0, 1, .flags = flag }

/*
 * A choice is a text that names one of the constants below it, in any case. It is
 * not an AV_OPT_TYPE_INT: libavutil compares the constants of integer options
 * exactly, so that pool=Mean fails, and it evaluates every other text, so that
 * pool=none is 0. "-h filter=vmaf_gpu" lists the constants of both types.
 */
#define CHOICE(name, field, value, help) \
    { name, help, OFFSET(field), AV_OPT_TYPE_STRING, {.str = value}, .flags = FLAGS, .unit = name }
/* A number with names. The first one is the default. */
#define NAMED(name, field, value, high, help) \
    { name, help, OFFSET(field), AV_OPT_TYPE_INT, {.i64 = value}, 0, high, .flags = FLAGS, .unit = name }
#define CONSTANT(option, name, number, help) \
    { name, help, 0, AV_OPT_TYPE_CONST, {.i64 = number}, .flags = FLAGS, .unit = option }
/* A constant that the engine takes by its name. */
#define NAME(option, name, help) CONSTANT(option, name, 0, help)

/*
 * libavutil gives values without a name to the options in this order. So the first
 * ones are in the order of FFmpeg 7.1's libvmaf and later. The last ones are those of
 * FFmpeg's framesync, which other filters with two inputs have.
 */
static const AVOption vmaf_gpu_options[] = {
    TEXT("log_path", log_path, NULL, "file for the log of all frames, - for standard output"),
    CHOICE("log_fmt", log_fmt, "xml", "format of the log"),
        NAME("log_fmt", "xml", "XML, as libvmaf writes it"),
        NAME("log_fmt", "json", "JSON, as libvmaf writes it"),
        NAME("log_fmt", "csv", "one line per frame, as libvmaf writes it"),
        NAME("log_fmt", "sub", "MicroDVD subtitles, as libvmaf writes them"),
        NAME("log_fmt", "html", "a page with curves, worst frames and pooled values"),
        NAME("log_fmt", "part", "for vmaf_gpu merge: the scores of a chunk, in full"),
    CHOICE("pool", pool, "mean", "pooling method of the final score"),
        CONSTANT("pool", "mean", VMAFGPU_POOL_MEAN, "arithmetic mean"),
        CONSTANT("pool", "min", VMAFGPU_POOL_MIN, "minimum"),
        CONSTANT("pool", "harmonic_mean", VMAFGPU_POOL_HARMONIC_MEAN, "harmonic mean"),
        CONSTANT("pool", "max", VMAFGPU_POOL_MAX, "maximum"),
        CONSTANT("pool", "perc1", VMAFGPU_POOL_PERC1, "1st percentile"),
        CONSTANT("pool", "perc5", VMAFGPU_POOL_PERC5, "5th percentile"),
        CONSTANT("pool", "perc10", VMAFGPU_POOL_PERC10, "10th percentile"),
        CONSTANT("pool", "perc20", VMAFGPU_POOL_PERC20, "20th percentile"),
    NUMBER("n_threads", n_threads, 0, 0, 1024, "threads of the CPU backend, 0 for all cores"),
    NUMBER("n_subsample", n_subsample, 1, 1, INT_MAX, "score every n-th pair of frames"),
    TEXT("model", model, VMAF_GPU_DEFAULT_MODEL_CFG, "models, separated by '|': version=, path=, name=, ..."),
    TEXT("feature", feature, NULL, "features in addition to the models', separated by '|': name=..."),
    CHOICE("csv", csv, "libvmaf", "layout of log_fmt=csv"),
        CONSTANT("csv", "libvmaf", 0, "every line ends with a comma, as libvmaf writes it"),
        CONSTANT("csv", "strict", 1, "no line ends with a comma"),
    TEXT("title", title, NULL, "title of the run, for the log"),
    CHOICE("pair", pair, NULL, "which reference frame a main frame is compared with: auto, or framesync if one of its options is given"),
        CONSTANT("pair", "auto", VMAFGPU_PAIR_AUTO, "by times; by pictures where times mislead"),
        CONSTANT("pair", "time", VMAFGPU_PAIR_TIME, "by times"),
        CONSTANT("pair", "index", VMAFGPU_PAIR_INDEX, "the n-th with the n-th"),
        CONSTANT("pair", "framesync", VMAFGPU_PAIR_FRAMESYNC, "as the filter libvmaf does"),
    TEXT("offset", offset, NULL, "reference frame that the first main frame is compared with"),
    SWITCH("strict", strict, 0, FLAGS, "fail if any frame of the inputs is unpaired, repeated or damaged"),
    TEXT("fail_below", fail_below, NULL, "fail if the pooled score is less than X, or score NAME:X"),
    CHOICE("backend", backend, "auto", "where to compute"),
        NAME("backend", "auto", "the first that opens of cuda, hip, cpu"),
        NAME("backend", "cpu", "the CPU"),
        NAME("backend", "cuda", "NVIDIA GPUs"),
        NAME("backend", "hip", "AMD GPUs"),
        NAME("backend", "emu", "emulated GPU, for tests"),
    TEXT("device", device, NULL, "number or PCI address of the device"),
    NUMBER("inflight", inflight, 4, 1, VMAF_GPU_MAX_INFLIGHT, "pairs of frames in flight"),
    SWITCH("metadata", metadata, 1, FLAGS, "attach the scores to the frames; 0 passes frames on at once"),
    TEXT("precision", precision, "6", "digits after the decimal point: 6 to 17, or max"),
    CHOICE("compat", compat, "3.2", "libvmaf version whose motion scores are computed"),
        CONSTANT("compat", "3.2", VMAFGPU_COMPAT_3_2, "libvmaf 3.2"),
        CONSTANT("compat", "3.1", VMAFGPU_COMPAT_3_1, "libvmaf up to 3.1"),
    CHOICE("formats", formats, "libvmaf", "what FFmpeg converts before the comparison"),
        CONSTANT("formats", "libvmaf", 0, "what it converts for libvmaf: gray, full range, RGB, ..."),
        CONSTANT("formats", "asis", 1, "nothing that can be read: the samples are compared as they are"),
    CHOICE("depth", depth, "libvmaf", "bits at which inputs of different bit depth are compared"),
        CONSTANT("depth", "libvmaf", 0, "those of libvmaf: FFmpeg converts one input to the other's format"),
        CONSTANT("depth", "deeper", 1, "those of the deeper input; no bit is lost"),
    CHOICE("scale", scale, "none", "how a main of another size is scaled to the reference's size"),
        CONSTANT("scale", "none", 0, "not: other sizes are an error"),
        CONSTANT("scale", "bicubic", 1, "on the device, as scale=flags=bicubic+accurate_rnd+bitexact does"),
    TEXT("stats_file", stats_path, NULL, "file for one line per frame, - for standard output"),
    TEXT("f", stats_path, NULL, "same as stats_file"),
    SWITCH("overwrite", overwrite, 0, FLAGS, "write log and statistics also over an input or a video"),
    TEXT("chunk", chunk, NULL, "score a part of a run: FIRST-BEGIN-END-TOTAL, in pairs; see the manual"),
    {"log_written", "name of the log that is written, for programs to read", OFFSET(log_written), AV_OPT_TYPE_STRING, {.str = NULL}, .flags = EXPORTED},
    {"model_path", "use model=path=...", OFFSET(model_path), AV_OPT_TYPE_STRING, {.str = NULL}, .flags = OLD},
    SWITCH("enable_transform", enable_transform, 0, OLD, "use model=...:enable_transform=true"),
    SWITCH("phone_model", phone_model, 0, OLD, "use model=...:enable_transform=true"),
    SWITCH("psnr", psnr, 0, OLD, "use feature=name=psnr"),
    SWITCH("ssim", ssim, 0, OLD, "use feature=name=float_ssim"),
    SWITCH("ms_ssim", ms_ssim, 0, OLD, "use feature=name=float_ms_ssim"),
    SWITCH("enable_conf_interval", conf_interval, 0, OLD, "a bootstrap model gives its interval without it"),
    NAMED("eof_action", eof_action, VMAFGPU_EOF_REPEAT, VMAFGPU_EOF_PASS, "pair=framesync: what comes after the end of the reference"),
        CONSTANT("eof_action", "repeat", VMAFGPU_EOF_REPEAT, "its last frame, again and again"),
        CONSTANT("eof_action", "endall", VMAFGPU_EOF_ENDALL, "the end of the output"),
        CONSTANT("eof_action", "pass", VMAFGPU_EOF_PASS, "main frames without a partner"),
    SWITCH("shortest", shortest, 0, FLAGS, "end the output with the shorter input"),
    SWITCH("repeatlast", repeatlast, 1, FLAGS, "pair=framesync: 0: as eof_action=pass"),
    NAMED("ts_sync_mode", ts_sync_mode, 0, 1, "pair=framesync: which frame of the reference"),
        CONSTANT("ts_sync_mode", "default", 0, "the last one before"),
        CONSTANT("ts_sync_mode", "nearest", 1, "the nearest one"),
    {NULL},
};

#endif /* AVFILTER_VF_VMAF_GPU_OPTIONS_H */
