/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See commands.h.
 */
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "output.h"
#include "vmaf_gpu/vmaf_gpu.h"

enum { kMaxLogs = 16 };

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

static int set_rate(VmafGpuReportLog *log, char *text)
{
    char *end;
    log->rate = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(log->rate) && log->rate >= 0)
        return 0;
    return output_say("report: --rates: '%s' is not allowed; expected kbit/s", text);
}

static int set_label(VmafGpuReportLog *log, char *text)
{
    log->label = text;
    return 0;
}

/* A list with one part for each log, or none at all. */
static int set_parts(VmafGpuReport *report, VmafGpuReportLog *logs, char *list,
                     int (*set)(VmafGpuReportLog *log, char *text), const char *problem)
{
    int count = 0;
    for (char *part; (part = next_part(&list)) != NULL; ++count)
        if (count < report->log_count && set(&logs[count], part) < 0)
            return -1;
    return count == 0 || count == report->log_count ? 0 : output_say("report: %s", problem);
}

int report_command(int argc, char **argv)
{
    Options options;
    VmafGpuReportLog logs[kMaxLogs];
    VmafGpuReport report;
    VmafGpuError error;
    const OptionsAction action = options_parse(&options, COMMAND_REPORT, kHelpText, argc, argv);
    if (action != OPTIONS_RUN)
        return action == OPTIONS_DONE ? 0 : -1;
    memset(logs, 0, sizeof(logs));
    memset(&report, 0, sizeof(report));
    report.struct_size = sizeof(report);
    report.title = options.log.title;
    report.logs = logs;
    report.log_count = options.rest_count;
    if (report.log_count > kMaxLogs)
        return output_say("report: more than 16 logs");
    if (report.log_count == 0 || options.log.path == NULL)
        return output_say("report: a log and --output are needed; see vmaf_gpu report --help");
    for (int i = 0; i < report.log_count; ++i)
        logs[i].path = options.rest[i];
    if (set_parts(&report, logs, options.rates, set_rate,
                  "--rates: expected one number for each log") < 0 ||
        set_parts(&report, logs, options.labels, set_label,
                  "--labels: expected one text for each log") < 0)
        return -1;
    if (output_open(&report.output, &options.log, "report", (const char *const *)options.rest,
                    options.rest_count) < 0)
        return -1;
    const int result = vmafgpu_write_report(&report, &error) < 0
                           ? output_say("report: %s", error.text)
                           : output_finish(report.output);
    vmafgpu_output_close(&report.output);
    return result;
}
