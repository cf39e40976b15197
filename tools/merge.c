/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See merge.h.
 */
#include "merge.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "vmaf_gpu/vmaf_gpu.h"

enum { kUsage = 64, kBadData = 65, kDisagree = 70, kCannotWrite = 74 };

enum { kXml = 256, kJson, kCsv, kSub, kHtml, kPrecision, kPool, kOverwrite, kHelp };

static const struct option kLongOptions[] = {
    {"output", required_argument, NULL, 'o'},
    {"xml", no_argument, NULL, kXml},
    {"json", no_argument, NULL, kJson},
    {"csv", optional_argument, NULL, kCsv},
    {"sub", no_argument, NULL, kSub},
    {"html", no_argument, NULL, kHtml},
    {"precision", required_argument, NULL, kPrecision},
    {"pool", required_argument, NULL, kPool},
    {"overwrite", no_argument, NULL, kOverwrite},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, kHelp},
    {NULL, 0, NULL, 0},
};

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
    "      --overwrite      the log may replace a part or what is no log\n"
    "  -q, --quiet          print no scores\n"
    "\n"
    "Exit status: 0, or 64 (command line), 65 (parts), 70 (two parts disagree), 74 (log).\n";

typedef struct Command {
    const char *output, *format;
    int precision, pool, overwrite, is_quiet;
    const char *const *parts;
    int count;
} Command;

static int fail(const char *text, int status)
{
    fprintf(stderr, "vmaf_gpu: merge: %s\n", text);
    return status;
}

static int parse_precision(const char *text, int *precision)
{
    char *end;
    *precision = strcmp(text, "max") == 0 ? VMAFGPU_PRECISION_MAX : (int)strtol(text, &end, 10);
    if (*precision != VMAFGPU_PRECISION_MAX && (*end != '\0' || *precision < 6 || *precision > 17))
        return fail("--precision: expected 6 to 17, or max", kUsage);
    return *precision == VMAFGPU_PRECISION_MAX && strcmp(text, "max") != 0
               ? fail("--precision: expected 6 to 17, or max", kUsage)
               : 0;
}

static int parse_option(Command *command, int option)
{
    static const char *const formats[] = {"xml", "json", "csv", "sub", "html"};
    switch (option) {
    case 'o':
        command->output = optarg;
        return 0;
    case kXml:
    case kJson:
    case kCsv:
    case kSub:
    case kHtml:
        command->format = formats[option - kXml];
        if (option != kCsv || optarg == NULL || strcmp(optarg, "libvmaf") == 0)
            return 0;
        command->format = "csv_strict";
        return strcmp(optarg, "strict") == 0 ? 0
                                             : fail("--csv: expected libvmaf or strict", kUsage);
    case kPrecision:
        return parse_precision(optarg, &command->precision);
    case kPool:
        command->pool = vmafgpu_pool_by_name(optarg);
        return command->pool >= 0 ? 0 : fail("--pool: unknown method; see --help", kUsage);
    case kOverwrite:
        command->overwrite = 1;
        return 0;
    case 'q':
        command->is_quiet = 1;
        return 0;
    default:
        return kUsage; /* getopt_long has said why */
    }
}

/* -1: help was printed. */
static int parse(Command *command, int argc, char **argv)
{
    int option, status = 0;
    while (status == 0 && (option = getopt_long(argc, argv, "o:q", kLongOptions, NULL)) != -1) {
        if (option == kHelp) {
            printf("%s", kHelpText);
            return -1;
        }
        status = parse_option(command, option);
    }
    command->parts = (const char *const *)argv + optind;
    command->count = argc - optind;
    if (status == 0 && command->count == 0)
        return fail("no parts were given; see vmaf_gpu merge --help", kUsage);
    return status;
}

static int print_score(const Command *command, const VmafGpuMerge *merge, int score)
{
    double value;
    char text[400];
    if (vmafgpu_merge_pooled(merge, score, command->pool, &value) < 0 ||
        vmafgpu_format_score(text, sizeof(text), value, command->precision) < 0)
        return fail("there is nothing to pool", kBadData);
    fprintf(stderr, "%s: %s\n", vmafgpu_merge_score_name(merge, score), text);
    return 0;
}

/* Nothing if all pairs were scored. */
static int print_interval(const Command *command, const VmafGpuMerge *merge, int score)
{
    double ends[2];
    char low[400], high[400];
    if (command->pool != VMAFGPU_POOL_MEAN || vmafgpu_merge_mean_interval(merge, score, ends) < 0)
        return 0;
    if (vmafgpu_format_score(low, sizeof(low), ends[0], command->precision) < 0 ||
        vmafgpu_format_score(high, sizeof(high), ends[1], command->precision) < 0)
        return fail("cannot print a score", kBadData);
    fprintf(stderr, "%s, 95 %% interval of the mean: %s to %s\n",
            vmafgpu_merge_score_name(merge, score), low, high);
    return 0;
}

static int print_scores(const Command *command, const VmafGpuMerge *merge)
{
    int status = 0, models = 0;
    if (command->is_quiet)
        return 0;
    for (; status == 0 && vmafgpu_merge_model_score(merge, models) >= 0; ++models) {
        const int score = vmafgpu_merge_model_score(merge, models);
        status = print_interval(command, merge, score);
        status = status == 0 ? print_score(command, merge, score) : status;
    }
    for (int i = 0; status == 0 && models == 0 && i < vmafgpu_merge_score_count(merge); ++i)
        status = print_score(command, merge, i);
    fprintf(stderr, "vmaf_gpu: %d parts; %lld scores of pairs that two of them have are equal\n",
            command->count, (long long)vmafgpu_merge_compared(merge));
    return status;
}

static int write_log(const Command *command, VmafGpuMerge *merge)
{
    VmafGpuError error;
    VmafGpuLog log;
    VmafGpuOutput *output = NULL;
    for (int i = 0; i < command->count && !command->overwrite; ++i)
        if (output_is_input(command->output, command->parts[i]))
            return kUsage;
    if (output_open(&output, command->output, "log", command->overwrite) < 0)
        return kCannotWrite;
    memset(&log, 0, sizeof(log));
    log.output = output;
    log.format = command->format;
    log.precision = command->precision;
    int status = 0;
    if (vmafgpu_merge_write_log(merge, &log, &error) < 0)
        status = fail(error.text, kCannotWrite);
    else if (output_finish(output) < 0)
        status = kCannotWrite;
    vmafgpu_output_close(&output);
    return status;
}

int merge_command(int argc, char **argv)
{
    Command command = {NULL, "xml", 6, VMAFGPU_POOL_MEAN, 0, 0, NULL, 0};
    VmafGpuMerge *merge = NULL;
    VmafGpuError error;
    int status = parse(&command, argc, argv);
    if (status != 0)
        return status < 0 ? 0 : status;
    status = vmafgpu_merge_open(&merge, command.parts, command.count, &error);
    if (status < 0)
        return fail(error.text, status == -EBADMSG ? kDisagree : kBadData);
    status = command.output == NULL ? 0 : write_log(&command, merge);
    if (status == 0)
        status = print_scores(&command, merge);
    vmafgpu_merge_free(&merge);
    return status;
}
