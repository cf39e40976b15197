/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * The command line of the tool as plain data. Option names follow libvmaf's
 * `vmaf` tool. Values are only parsed here; what they allow is the library's
 * to say, so that its error texts are the only ones.
 */
#ifndef VMAF_GPU_TOOLS_OPTIONS_H
#define VMAF_GPU_TOOLS_OPTIONS_H

#include "video.h"
#include "vmaf_gpu/pairing.h"
#include "vmaf_gpu/vmaf_gpu.h"

enum { kMaxModels = 32, kMaxFeatures = 64 };

typedef enum Command { COMMAND_SCORE = 1, COMMAND_MERGE = 2, COMMAND_REPORT = 4 } Command;

typedef struct Options {
    const char *help;     /**< the text that options_parse() chose */
    const char *paths[2]; /**< main, reference, as all that there are two of */
    VideoFormat raw;      /**< width 0: the inputs are Y4M */

    char *models[kMaxModels]; /**< models as given: "version=...:name=..." */
    int model_count;
    VmafGpuFeature features[kMaxFeatures];

    VmafGpuSettings settings; /**< without models, sizes and callbacks */
    VmafGpuPairingSettings pairing;
    int is_scaling; /**< the distorted video may have another size */

    VmafGpuLog log; /**< path NULL: none */
    int pool;       /**< VmafGpuPool of the values that are printed */
    int no_thumbnails;

    const char *backend, *selector;
    char device[64]; /**< device, as VmafGpuSettings.device */

    long long frame_count; /**< 0: all */
    int has_chunk, has_chunk_first;
    long long chunk_begin, chunk_end; /**< pairs; an end of 0: all that are left */
    long long chunk_first;            /**< the pair with which the inputs begin */
    long long skips[2];
    int streams[2];      /**< which of the file; -1: ffmpeg chooses */
    int is_as_is;        /**< --formats asis: nothing is converted */
    const char *tags[2]; /**< only say what has to be converted; else NULL */
    int strict;          /**< fail for what vmafgpu_pairing_fault() says */
    int history;         /**< only say what chunks need; the inputs may be NULL */
    int quiet;
    int lists_devices;

    char *rates, *labels; /**< options of report: one for each log, with commas between */
    char **rest;          /**< parts or logs */
    int rest_count;
} Options;

typedef enum OptionsAction {
    OPTIONS_RUN,
    OPTIONS_DONE, /**< help, version or device list was printed */
    OPTIONS_ERROR /**< told on stderr */
} OptionsAction;

/** help: what --help prints; NULL: that of scoring. */
OptionsAction options_parse(Options *options, Command command, const char *help, int argc,
                            char **argv);

/**
 * In presets.c: add the models and features of --aom_ctc VERSION or --nflx_ctc VERSION, which are
 * the common test conditions of AOM and of Netflix. Failures are told on stderr.
 */
int presets_add_aom(Options *options, const char *version);
int presets_add_nflx(Options *options, const char *version);

#endif
