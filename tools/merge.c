/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See commands.h.
 */
#include "commands.h"

#include <errno.h>
#include <string.h>

#include "options.h"
#include "output.h"
#include "vmaf_gpu/vmaf_gpu.h"

enum { kUsage = 64, kBadData = 65, kDisagree = 70, kCannotWrite = 74 };

static const char kHelpText[] =
    "Usage: vmaf_gpu merge PART [PART ...] [-o LOG] [options]\n"
    "\n"
    "Puts the parts of a run together, which --chunk and --part have written: prints the\n"
    "scores of the whole run and writes its log. Parts that do not fit together, and scores\n"
    "that differ where two parts have the same pair, are errors.\n"
    "\n"
    "  -o, --output FILE    write a log; \"-\" is standard output\n"
    "      --xml --json --csv --sub --html   its format (default: xml)\n"
    "      --csv=strict     CSV without libvmaf's comma at the end of each line\n"
    "      --precision N|max  digits after the point: 6 (default) to 17, or as many as it\n"
    "                       takes to read back the same number\n"
    "      --pool METHOD    what is printed: mean (default), min, max, harmonic_mean,\n"
    "                       perc1, perc5, perc10 or perc20\n"
    "      --tags_ref TAGS  for the log, which stream of its file the reference is, as in\n"
    "                       streams=0,1:stream=1\n"
    "      --tags_dist TAGS of the distorted video\n"
    "      --overwrite      the log may replace a part or what is no log\n"
    "  -q, --quiet          print no scores\n"
    "\n"
    "Exit status: 0, or 64 (command line), 65 (parts), 70 (two parts disagree), 74 (log).\n";

static int fail(const char *text, int status)
{
    output_say("merge: %s", text);
    return status;
}

static int print_score(const Options *options, const VmafGpuMerge *merge, int score)
{
    double value;
    if (vmafgpu_merge_pooled(merge, score, options->pool, &value) < 0)
        return fail("there is nothing to pool", kBadData);
    output_score(vmafgpu_merge_score_name(merge, score), value, options->log.precision);
    return 0;
}

/* Its interval, unless all pairs were scored, and its pooled score. */
static int print_model(const Options *options, const VmafGpuMerge *merge, int score)
{
    double ends[2];
    if (options->pool == VMAFGPU_POOL_MEAN && vmafgpu_merge_mean_interval(merge, score, ends) >= 0)
        output_interval(vmafgpu_merge_score_name(merge, score), ends, options->log.precision);
    return print_score(options, merge, score);
}

static int print_scores(const Options *options, const VmafGpuMerge *merge)
{
    int status = 0, models = 0;
    char text[4096];
    if (options->quiet)
        return 0;
    for (int i = 0; vmafgpu_merge_warning(merge, i) != NULL; ++i) {
        output_spell(text, sizeof(text), vmafgpu_merge_warning(merge, i));
        output_say("warning: %s", text);
    }
    for (; status == 0 && vmafgpu_merge_model_score(merge, models) >= 0; ++models)
        status = print_model(options, merge, vmafgpu_merge_model_score(merge, models));
    for (int i = 0; status == 0 && models == 0 && i < vmafgpu_merge_score_count(merge); ++i)
        status = print_score(options, merge, i);
    output_say("%d parts; %lld scores of pairs that two of them have are equal",
               options->rest_count, (long long)vmafgpu_merge_compared(merge));
    return status;
}

/* Parts whose pictures came through a pipe do not know which stream of its file was scored. */
static int set_streams(const Options *options, VmafGpuMerge *merge)
{
    for (int i = 0; i < 2; ++i) {
        VmafGpuInput input;
        if (options->tags[i] == NULL)
            continue;
        if (vmafgpu_input_parse(&input, options->tags[i]) < 0 ||
            vmafgpu_merge_set_input(merge, i, &input) < 0)
            return fail("--tags_ref, --tags_dist: expected streams=0,1:stream=1", kUsage);
    }
    return 0;
}

static int write_log(const Options *options, VmafGpuMerge *merge)
{
    VmafGpuError error;
    VmafGpuLog log = options->log;
    if (output_open(&log.output, &log, "log", (const char *const *)options->rest,
                    options->rest_count) < 0)
        return kCannotWrite;
    int status = 0;
    if (vmafgpu_merge_write_log(merge, &log, &error) < 0)
        status = fail(error.text, kCannotWrite);
    else if (output_finish(log.output) < 0)
        status = kCannotWrite;
    vmafgpu_output_close(&log.output);
    return status;
}

int merge_command(int argc, char **argv)
{
    Options options;
    VmafGpuMerge *merge = NULL;
    VmafGpuError error;
    const OptionsAction action = options_parse(&options, COMMAND_MERGE, kHelpText, argc, argv);
    if (action != OPTIONS_RUN)
        return action == OPTIONS_DONE ? 0 : kUsage;
    if (options.rest_count == 0)
        return fail("no parts were given; see vmaf_gpu merge --help", kUsage);
    int status =
        vmafgpu_merge_open(&merge, (const char *const *)options.rest, options.rest_count, &error);
    if (status < 0)
        return fail(error.text, status == -EBADMSG ? kDisagree : kBadData);
    status = set_streams(&options, merge);
    if (status == 0 && options.log.path != NULL)
        status = write_log(&options, merge);
    if (status == 0)
        status = print_scores(&options, merge);
    vmafgpu_merge_free(&merge);
    return status;
}
