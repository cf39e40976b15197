/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * The filter's pairing rule alone, with times that no good file has: 69 years apart, equal,
 * falling, missing, random. Overflow traps (see meson.build). Checked is what must hold for
 * any times: every main frame is decided once, in order, the reference never goes back, queues
 * stay within their limits, and the rule comes to an end. Which frames belong together is
 * tested by tests/pairing.
 */
#include <stdio.h>
#include <stdlib.h>

#include "vf_vmaf_gpu_pair.h"

enum { RUNS = 4000, MOST_FRAMES = 150, MOST_STEPS = 100000, PICTURES = 16 };
enum {
    STEADY, LATE, FAST, FALLING, EQUAL, GAPS, MISSING, EXTREME, FAR_STEPS, ONE_JUMP, RANDOM,
    OUTLIERS, KINDS
};

static uint8_t pictures[PICTURES][VMAF_GPU_SKETCH_SIZE];
static uint64_t state;

static int64_t choose(int64_t count) /* 0 ... count - 1 */
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)(state % (uint64_t)count);
}

static int64_t any_time(void)
{
    return choose(2 * VMAF_GPU_MOST_TIME) - VMAF_GPU_MOST_TIME;
}

static int64_t time_of(int kind, int64_t n)
{
    const int64_t frame = 41708333, most = VMAF_GPU_MOST_TIME;

    switch (kind) {
    case LATE: return n * frame + frame * 12;
    case FAST: return n * frame / 2;
    case FALLING: return -n * frame;
    case EQUAL: return most;
    case GAPS: return n * frame + (n > 20) * 3600 * INT64_C(1000000000);
    case MISSING: return n % 7 ? n * frame : VMAF_GPU_NO_TIME;
    case EXTREME: return n < 1 ? -most : n < 2 ? most : VMAF_GPU_NO_TIME;
    case FAR_STEPS: return -most + most / 100 * n;
    case ONE_JUMP: return n ? most : -most;
    case RANDOM: return any_time();
    case OUTLIERS: return choose(5) ? n * frame : any_time();
    default: return n * frame;
    }
}

static const uint8_t *get_sketch(void *opaque, VmafGpuPairItem *item)
{
    (void)opaque;
    return item->frame;
}

typedef struct Run {
    VmafGpuPairRule rule;
    int kind[VMAF_GPU_NB_INPUTS];
    int64_t frames[VMAF_GPU_NB_INPUTS], came[VMAF_GPU_NB_INPUTS];
    int64_t decided, last_reference;
} Run;

static void prepare(Run *run, int64_t number)
{
    static const int64_t nominal[] = {0, 41708333, 41666667, 1, INT64_C(2147483647000000000)};
    VmafGpuPairRule *rule = &run->rule;

    state = 88172645463325252U + (uint64_t)number * 7919;
    *run = (Run){.last_reference = -1};
    ff_vmafgpu_pair_init(rule, (VmafGpuPairMode)choose(VMAF_GPU_PAIR_FRAMESYNC));
    rule->get_sketch = get_sketch;
    rule->most_main = 4 + (int)choose(VMAF_GPU_QUEUE - 3);
    rule->most_reference = 6 + (int)choose(VMAF_GPU_QUEUE - 5);
    rule->has_offset = !choose(4);
    if (rule->has_offset)
        rule->offset = choose(2) ? choose(41) - 20 : 1000000000 - 2000000000 * choose(2);
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        rule->in[i].nominal = nominal[choose(5)];
        run->kind[i] = (int)choose(KINDS);
        run->frames[i] = choose(6) ? choose(MOST_FRAMES) : choose(4);
    }
    for (int i = 0; i < PICTURES; i++)
        for (int k = 0; k < VMAF_GPU_SKETCH_SIZE; k++)
            pictures[i][k] = (uint8_t)(number & 1 ? choose(256) : 128);
}

/* Bring what the rule asked for. NULL, or what is wrong. */
static const char *bring(Run *run, unsigned needs)
{
    if (!needs)
        return "it needs nothing, and decides nothing";
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        const int64_t n = run->came[i];

        if (!(needs >> i & 1))
            continue;
        if (run->rule.in[i].ended)
            return "it needs an input that has ended";
        if (run->rule.in[i].count >= (i ? run->rule.most_reference : run->rule.most_main))
            return "it needs more frames than it may hold";
        if (n == run->frames[i]) {
            run->rule.in[i].ended = 1;
            continue;
        }
        ff_vmafgpu_pair_add(&run->rule, i, time_of(run->kind[i], n), pictures[n % PICTURES]);
        run->came[i]++;
    }
    return NULL;
}

static const char *hand_out(Run *run, VmafGpuPairChoice *choice)
{
    const VmafGpuPairInput *in = run->rule.in;

    if (choice->reference >= in[VMAF_GPU_REFERENCE].count)
        return "the partner is not in the queue";
    if (in[VMAF_GPU_MAIN].item[0].number != run->decided++)
        return "a main frame is missing";
    for (; choice->reference > 0; choice->reference--)
        ff_vmafgpu_pair_drop_reference(&run->rule);
    if (choice->reference == 0 && in[VMAF_GPU_REFERENCE].item[0].number < run->last_reference)
        return "the reference goes back";
    if (choice->reference == 0)
        run->last_reference = in[VMAF_GPU_REFERENCE].item[0].number;
    ff_vmafgpu_pair_drop_main(&run->rule, choice);
    return NULL;
}

static const char *pair(Run *run)
{
    const char *wrong = NULL;
    VmafGpuPairChoice choice;

    for (int steps = 0; !wrong; steps++) {
        const int status = ff_vmafgpu_pair_decide(&run->rule, &choice);

        if (steps == MOST_STEPS)
            return "it does not end";
        if (status == VMAF_GPU_PAIR_END)
            return run->decided == run->frames[VMAF_GPU_MAIN] ? NULL : "main frames are lost";
        if (status == VMAF_GPU_PAIR_DECIDED)
            wrong = hand_out(run, &choice);
        else if (status == VMAF_GPU_PAIR_FAILED)
            wrong = "it has no sketch";
        else if (!choice.unused)
            wrong = bring(run, choice.needs);
        else if (choice.unused > run->rule.in[VMAF_GPU_REFERENCE].count)
            wrong = "it drops frames that are not there";
        for (; !wrong && status == VMAF_GPU_PAIR_NEEDS_FRAMES && choice.unused > 0; choice.unused--)
            ff_vmafgpu_pair_drop_reference(&run->rule);
    }
    return wrong;
}

int main(void)
{
    Run *run = malloc(sizeof(*run));
    int failed = !run;

    for (int64_t i = 0; run && i < RUNS; i++) {
        const char *wrong;

        prepare(run, i);
        wrong = pair(run);
        if (wrong)
            fprintf(stderr, "run %d, kinds %d and %d: %s\n", (int)i, run->kind[0],
                    run->kind[1], wrong);
        failed |= !!wrong;
    }
    free(run);
    return failed;
}
