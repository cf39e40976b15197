/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See report.h.
 */
#include "report.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "vmaf_gpu/vmaf_gpu.h"

enum { kMaxLogs = 16, kTitle = 256, kRates, kLabels, kOverwrite, kHelp };

static const struct option kLongOptions[] = {
    {"output", required_argument, NULL, 'o'},
    {"title", required_argument, NULL, kTitle},
    {"rates", required_argument, NULL, kRates},
    {"labels", required_argument, NULL, kLabels},
    {"overwrite", no_argument, NULL, kOverwrite},
    {"help", no_argument, NULL, kHelp},
    {NULL, 0, NULL, 0},
};

static const char kHelpText[] =
    "Usage: vmaf_gpu report LOG.json [LOG.json ...] -o PAGE.html [options]\n"
    "\n"
    "Writes a page that compares up to 16 JSON logs of vmaf_gpu or libvmaf.\n"
    "\n"
    "  -o, --output FILE    the page; \"-\" is standard output\n"
    "      --rates N,N,...  kbit/s of each log's distorted video, 0 if unknown: adds a\n"
    "                       plot of the scores over the rates\n"
    "      --labels A,B,... what the logs are called (default: their titles or names)\n"
    "      --title TEXT     heading of the page\n"
    "      --overwrite      the page may replace one of the logs or what is none\n";

typedef struct Command {
    VmafGpuReportLog logs[kMaxLogs];
    VmafGpuReport report;
    const char *path; /* of the page */
    char *rates, *labels;
    int overwrite;
} Command;

static int fail(const char *text)
{
    fprintf(stderr, "vmaf_gpu: report: %s\n", text);
    return -1;
}

/* The next part of a list behind its commas, or NULL. Parts may be empty. */
static char *next_part(char **list)
{
    char *part = *list;
    if (part == NULL)
        return NULL;
    char *comma = strchr(part, ',');
    *list = comma == NULL ? NULL : comma + 1;
    if (comma != NULL)
        *comma = '\0';
    return part;
}

static int parse_rates(Command *command)
{
    char *list = command->rates;
    int count = 0;
    for (char *part; (part = next_part(&list)) != NULL; ++count) {
        char *end;
        const double rate = strtod(part, &end);
        if (end == part || *end != '\0' || !isfinite(rate) || rate < 0) {
            fprintf(stderr, "vmaf_gpu: report: --rates: '%s' is not allowed; expected kbit/s\n",
                    part);
            return -1;
        }
        if (count < command->report.log_count)
            command->logs[count].rate = rate;
    }
    return count == 0 || count == command->report.log_count
               ? 0
               : fail("--rates: expected one number for each log");
}

static int parse_labels(Command *command)
{
    char *list = command->labels;
    int count = 0;
    for (char *part; (part = next_part(&list)) != NULL; ++count)
        if (count < command->report.log_count)
            command->logs[count].label = part;
    return count == 0 || count == command->report.log_count
               ? 0
               : fail("--labels: expected one text for each log");
}

/* 1: help was printed. */
static int parse(Command *command, int argc, char **argv)
{
    int option;
    while ((option = getopt_long(argc, argv, "o:", kLongOptions, NULL)) != -1) {
        switch (option) {
        case 'o':
            command->path = optarg;
            break;
        case kTitle:
            command->report.title = optarg;
            break;
        case kRates:
            command->rates = optarg;
            break;
        case kLabels:
            command->labels = optarg;
            break;
        case kOverwrite:
            command->overwrite = 1;
            break;
        case kHelp:
            printf("%s", kHelpText);
            return 1;
        default:
            return -1; /* getopt_long has said why */
        }
    }
    if (argc - optind > kMaxLogs)
        return fail("more than 16 logs");
    for (int i = optind; i < argc; ++i)
        command->logs[command->report.log_count++].path = argv[i];
    if (command->report.log_count == 0 || command->path == NULL)
        return fail("a log and --output are needed; see vmaf_gpu report --help");
    return parse_rates(command) < 0 || parse_labels(command) < 0 ? -1 : 0;
}

int report_command(int argc, char **argv)
{
    Command command;
    VmafGpuError error;
    memset(&command, 0, sizeof(command));
    command.report.struct_size = sizeof(command.report);
    command.report.logs = command.logs;
    const int status = parse(&command, argc, argv);
    if (status != 0)
        return status > 0 ? 0 : -1;
    for (int i = 0; i < command.report.log_count && !command.overwrite; ++i)
        if (output_is_input(command.path, command.logs[i].path))
            return -1;
    if (output_open(&command.report.output, command.path, "report", command.overwrite) < 0)
        return -1;
    const int result = vmafgpu_write_report(&command.report, &error) < 0
                           ? fail(error.text)
                           : output_finish(command.report.output);
    vmafgpu_output_close(&command.report.output);
    return result;
}
