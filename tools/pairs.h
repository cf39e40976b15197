/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Which pictures of the two videos meet: the engine pairs them (vmaf_gpu/pairing.h), and the
 * numbers of those that met are kept. Reading is in video.h.
 */
#ifndef VMAF_GPU_TOOLS_PAIRS_H
#define VMAF_GPU_TOOLS_PAIRS_H

#include "options.h"
#include "video.h"
#include "vmaf_gpu/vmaf_gpu.h"

/** The pictures of the files that met in one pair. */
typedef struct PairNumbers {
    int64_t *of[2]; /**< main, reference; from 0, with those that are left out */
    long long size;
} PairNumbers;

/** Returns 0, or -1 if there is no memory. */
int pair_numbers_set(PairNumbers *numbers, long long pair, const long long of[2]);

void pair_numbers_free(PairNumbers *numbers);

/** The two videos, in the engine's order: main, reference. */
typedef struct Pairs {
    VmafGpuContext *ctx;
    VideoReader *readers;
    long long number[2]; /**< number of each file's next picture */
    const char *failure; /**< one line, after PAIRS_FAILED */
    int is_logged;       /**< the log's callback said why */
} Pairs;

/** Settings of the rule. Pictures come at the videos' rates; 25 a second if none is told. */
void pairs_settings(const Options *options, const VideoReader readers[2],
                    VmafGpuPairingSettings *out);

enum { PAIRS_END, PAIRS_DECIDED, PAIRS_FAILED };

/** The next picture of main, and what became of it. Reads what is needed for that. */
int pairs_next(Pairs *pairs, VmafGpuMatch *match);

#endif
