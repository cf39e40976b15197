/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See pairs.h.
 */
#include "pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int pair_numbers_set(PairNumbers *numbers, long long pair, const long long of[2])
{
    const long long size = pair >= numbers->size ? 2 * (pair > 512 ? pair : 512) : numbers->size;
    for (int i = 0; i < 2 && size > numbers->size; ++i) {
        int64_t *more = realloc(numbers->of[i], (size_t)size * sizeof(*more));
        if (more == NULL)
            return -1;
        numbers->of[i] = more;
    }
    numbers->size = size;
    numbers->of[0][pair] = of[0];
    numbers->of[1][pair] = of[1];
    return 0;
}

void pair_numbers_free(PairNumbers *numbers)
{
    free(numbers->of[0]);
    free(numbers->of[1]);
}

void pairs_settings(const Options *options, const VideoReader readers[2],
                    VmafGpuPairingSettings *out)
{
    *out = options->pairing;
    out->is_part = strcmp(options->log.format, "part") == 0;
    for (int i = 0; i < 2; ++i) {
        const VideoFormat *rated = &readers[readers[i].format.rate_num > 0 ? i : 1 - i].format;
        VmafGpuPairingInput *input = &out->input[i];
        input->rate_num = rated->rate_num > 0 ? rated->rate_num : 25;
        input->rate_den = rated->rate_num > 0 ? rated->rate_den : 1;
        input->time_base_num = input->rate_den;
        input->time_base_den = input->rate_num;
    }
}

static int fail(Pairs *pairs, const char *text)
{
    pairs->failure = text;
    return PAIRS_FAILED;
}

static int fail_engine(Pairs *pairs)
{
    pairs->is_logged = 1;
    return fail(pairs, vmafgpu_error_text(pairs->ctx));
}

/* The log keeps all scores; nothing else wants them here. */
static int collect_one(Pairs *pairs)
{
    VmafGpuResult result;
    return vmafgpu_collect(pairs->ctx, &result, 1) < 0 ? fail_engine(pairs) : PAIRS_DECIDED;
}

/* The next picture of an input, for the engine to release. PAIRS_END: none, and no frame. */
static int take(Pairs *pairs, int input, VmafGpuPicture *picture)
{
    VideoReader *reader = &pairs->readers[input];
    Frame *frame = frame_get(reader);
    if (frame == NULL)
        return fail(pairs, "out of memory");
    const int status = video_read(reader, frame->data);
    if (status <= 0)
        frame_release(frame);
    if (status <= 0)
        return status == 0 ? PAIRS_END : fail(pairs, reader->error);
    video_picture(&reader->format, frame->data, picture);
    picture->opaque = frame;
    picture->release = frame_release;
    return PAIRS_DECIDED;
}

/* Push a picture of an input, or its end. is_counted: nobody looks at it. */
static int push(Pairs *pairs, int input, int is_counted)
{
    VmafGpuPicture picture;
    const int status = take(pairs, input, &picture);
    if (status == PAIRS_END)
        return vmafgpu_push_end(pairs->ctx, input) < 0 ? fail_engine(pairs) : PAIRS_END;
    if (status == PAIRS_FAILED)
        return PAIRS_FAILED;
    const long long number = pairs->number[input]++;
    const int pushed =
        vmafgpu_push(pairs->ctx, input, is_counted ? NULL : &picture, number, 0, (uint64_t)number);
    if (pushed < 0 || is_counted)
        frame_release(picture.opaque);
    return pushed < 0 ? fail_engine(pairs) : PAIRS_DECIDED;
}

int pairs_next(Pairs *pairs, VmafGpuMatch *match)
{
    int status;
    while ((status = vmafgpu_next(pairs->ctx, match, 1)) == -EAGAIN) {
        if (match->needs == 0 && collect_one(pairs) == PAIRS_FAILED)
            return PAIRS_FAILED;
        for (int i = 0; i < 2; ++i)
            if ((match->needs >> i & 1) != 0 &&
                push(pairs, i, (match->needs & VMAFGPU_NEEDS_COUNT) != 0) == PAIRS_FAILED)
                return PAIRS_FAILED;
    }
    if (status == -ENODATA)
        return PAIRS_END;
    return status < 0 ? fail_engine(pairs) : PAIRS_DECIDED;
}
