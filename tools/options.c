/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See options.h.
 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "queries.h"
#include "vmaf_gpu/run.h"

/* Where users report faults: the address that the build was given (Meson option bug_url), else
 * people. help2man makes a section of a line that begins with the first words. */
#ifdef VMAFGPU_BUG_URL
#define BUG_REPORT_TEXT "Report bugs to: " VMAFGPU_BUG_URL "\n"
#else
#define BUG_REPORT_TEXT "Report bugs to whoever gave you this build, or as its README.md says.\n"
#endif

/* The help in two texts: C99 asks for no longer strings of its compilers. */
static const char kHelpText[] =
    "Usage: vmaf_gpu -r REFERENCE -d DISTORTED [options]\n"
    "       vmaf_gpu report LOG.json [LOG.json ...] -o PAGE.html   (report --help)\n"
    "       vmaf_gpu merge PART [PART ...] -o LOG                  (merge --help)\n"
    "\n"
    "Scores a distorted video against its reference. Inputs are Y4M files, raw planar\n"
    "video if a size is given, or any video that ffmpeg can read: the one that the\n"
    "variable VMAF_GPU_FFMPEG names, else one beside this program, else that in PATH.\n"
    "\"-\" is standard input.\n"
    "\n"
    "Input:\n"
    "  -r, --reference FILE       the original video\n"
    "  -d, --distorted FILE       the video to be scored\n"
    "  -w, --width N              of raw input\n"
    "  -h, --height N             of raw input\n"
    "  -p, --pixel_format FORMAT  of raw input: 400, 420, 422 or 444\n"
    "  -b, --bitdepth N           of raw input: 8 to 16 (above 8: two bytes, low one first)\n"
    "      --stream_ref N         take stream N of the reference, as ffmpeg counts them from 0\n"
    "                             (default: the video that ffmpeg would encode)\n"
    "      --stream_dist N        of the distorted video\n"
    "      --frame_cnt N          score at most N pairs\n"
    "      --frame_skip_ref N     leave out the first N pictures of the reference\n"
    "      --frame_skip_dist N    leave out the first N pictures of the distorted video\n"
    "      --pair RULE            which pictures meet: index (default), time, framesync, or auto,\n"
    "                             also by what they show; the log counts all pictures\n"
    "      --offset N             the first distorted picture meets picture N of the reference;\n"
    "                             auto: N is found from the pictures\n"
    "      --offset_window N      how far --offset auto looks, in seconds, 1 to 60 (default 5)\n"
    "      --strict               fail if a picture has no partner, is repeated, or if the\n"
    "                             pictures that meet do not belong together; the log is written\n"
    "      --chunk BEGIN:END      only the pairs from BEGIN to END - 1, with the scores that they\n"
    "                             have in the whole run; see vmaf_gpu merge --help\n"
    "      --chunk_first N        the inputs begin with pair N of the whole run\n"
    "      --formats HOW          convert (default): ranges, matrices, pixel formats and depths\n"
    "                             are made equal by ffmpeg as for the filter; asis: they are not\n"
    "      --tags_ref TAGS        with --tags_dist: print the filter that would convert each\n"
    "                             input, whose tags these are (docs/user/inputs.md), and exit\n"
    "      --tags_dist TAGS       of the distorted video\n"
    "      --history              print how many pairs before and after a chunk its scores\n"
    "                             depend on, with these models and features, and exit; the\n"
    "                             inputs may be left out\n"
    "\n"
    "What to compute:\n"
    "  -m, --model SPEC           version=NAME or path=FILE, then any of :name=NAME\n"
    "                             :disable_clip :enable_transform :FEATURE.OPTION=VALUE;\n"
    "                             may be repeated (default: version=vmaf_v0.6.1)\n"
    "      --feature SPEC         NAME or NAME=OPTION=VALUE:OPTION=VALUE; may be repeated\n"
    "      --aom_ctc VERSION      models and features of AOM's test conditions, v1.0 to v7.0\n"
    "      --nflx_ctc VERSION     those of Netflix, v1.0\n"
    "  -n, --no_prediction        features only, also those that models read\n"
    "      --subsample N          score every N-th pair (default: 1)\n"
    "      --shots[=FILE]         find shots, for logs in JSON and HTML; or take them from a file\n"
    "                             with the first pair of each, one a line\n"
    "      --scale METHOD         none (default) or bicubic: scale a distorted video of another\n"
    "                             size, as FFmpeg's bicubic+accurate_rnd+bitexact\n"
    "      --compat VERSION       whose motion numbers: 3.2 (default) or 3.1\n"
    "\n";

static const char kHelpOfOutput[] =
    "How:\n"
    "      --backend NAME         auto (default), cpu, cuda, hip, opencl; for tests emu; see\n"
    "                             --list-devices\n"
    "      --device SELECTOR      one of several: 1 or 0000:41:00.0, with --backend, or\n"
    "                             both in one as in cuda:1\n"
    "      --threads N            of the cpu backend; 0 (default): one per core\n"
    "      --ring N               pairs in flight, 1 to 64 (default: 4)\n"
    "  -c, --cpumask N            of libvmaf's tool; no effect: scores are the same\n"
    "      --gpumask N            of libvmaf's tool; no effect\n"
    "\n"
    "Output:\n"
    "  -o, --output FILE          write a log; \"-\" is standard output\n"
    "      --xml --json --csv --sub --html --part   its format (default: xml); part is for\n"
    "                             vmaf_gpu merge: the scores of a part of a run, in full\n"
    "      --csv=strict           CSV without libvmaf's comma at the end of each line\n"
    "      --precision N|max      digits after the point: 6 (default) to 17, or as many as\n"
    "                             it takes to read back the same number\n"
    "      --pool METHOD          what the last lines print: mean (default), min, max,\n"
    "                             harmonic_mean, perc1, perc5, perc10 or perc20\n"
    "      --title TEXT           title of the run, for logs in JSON, XML and HTML\n"
    "      --no_thumbnails        HTML without pictures of the worst frames: the videos are not\n"
    "                             read a second time\n"
    "      --overwrite            the log may replace an input or what is no log\n"
    "  -q, --quiet                no progress, only errors\n"
    "  -v, --version              print the version and where to report bugs, and exit\n"
    "      --list-devices         print the devices, the best first, and exit; the emulated\n"
    "                             ones only with --backend emu\n";

static int fail(const char *option, const char *text, const char *allowed)
{
    return output_say("--%s: '%s' is not allowed; expected %s", option, text, allowed);
}

static int parse_number(const char *option, const char *text, long long min, long long max,
                        long long *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 0); /* numbers as libvmaf's tool takes them: 0x140 and 0500 too */
    if (*text == '\0' || *end != '\0' || errno != 0 || *value < min || *value > max) {
        char allowed[64];
        snprintf(allowed, sizeof(allowed), "a whole number from %lld%s", min,
                 max == LLONG_MAX ? "" : " up");
        return fail(option, text, allowed);
    }
    return 0;
}

static int parse_precision(Options *options, const char *text)
{
    char *end;
    const long digits = strtol(text, &end, 0);
    if (strcmp(text, "max") == 0) {
        options->log.precision = VMAFGPU_PRECISION_MAX;
        return 0;
    }
    if (*end != '\0' || digits < 6 || digits > 17)
        return fail("precision", text, "6 to 17, or max");
    options->log.precision = (int)digits;
    return 0;
}

/* Names are taken in any case, as by the filter. */
static char *in_lower_case(char *text)
{
    for (char *at = text; *at != '\0'; ++at)
        *at = (char)tolower((unsigned char)*at);
    return text;
}

static int parse_pool(Options *options, const char *text)
{
    options->pool = vmafgpu_pool_by_name(in_lower_case(optarg));
    return options->pool >= 0
               ? 0
               : fail("pool", text,
                      "mean, min, max, harmonic_mean, perc1, perc5, perc10 or perc20");
}

static int add_model(Options *options, const char *text)
{
    (void)text;
    if (options->model_count == kMaxModels)
        return output_say("--model: given more than %d times", kMaxModels);
    options->models[options->model_count++] = optarg;
    return 0;
}

static int add_feature(Options *options, const char *text)
{
    VmafGpuSettings *settings = &options->settings;
    char *equals = strchr(optarg, '=');
    if (settings->feature_count == kMaxFeatures)
        return output_say("--feature: given more than %d times", kMaxFeatures);
    if (equals != NULL)
        *equals++ = '\0';
    options->features[settings->feature_count++] = (VmafGpuFeature){text, equals};
    return 0;
}

#define MOST_PAIRS (1LL << 40)
#define MOST_STREAMS 9999

/* "BEGIN:END"; END may be left out. */
static int parse_chunk(Options *options, const char *text)
{
    char begin[32];
    const char *colon = strchr(text, ':');
    const size_t length = colon == NULL ? strlen(text) : (size_t)(colon - text);
    options->has_chunk = 1;
    if (length < sizeof(begin)) {
        memcpy(begin, text, length);
        begin[length] = '\0';
        if (colon != NULL && colon[1] == '\0')
            return parse_number("chunk", begin, 0, MOST_PAIRS, &options->chunk_begin);
        if (colon != NULL &&
            parse_number("chunk", begin, 0, MOST_PAIRS, &options->chunk_begin) == 0)
            return parse_number("chunk", colon + 1, options->chunk_begin + 1, MOST_PAIRS,
                                &options->chunk_end);
    }
    return fail("chunk", text, "BEGIN:END or BEGIN: (pairs from 0, END not included)");
}

static int parse_chunk_first(Options *options, const char *text)
{
    options->has_chunk_first = 1;
    return parse_number("chunk_first", text, 0, MOST_PAIRS, &options->chunk_first);
}

static int parse_offset(Options *options, const char *text)
{
    VmafGpuError error;
    return vmafgpu_read_offset(&options->pairing, text, &error) < 0 ? output_say("--%s", error.text)
                                                                    : 0;
}

/* Parses --csv, also without a value. */
static int parse_csv(Options *options, const char *layout)
{
    const int is_strict = layout != NULL && strcmp(layout, "strict") == 0;
    options->log.format = is_strict ? "csv_strict" : "csv";
    return layout == NULL || is_strict || strcmp(layout, "libvmaf") == 0
               ? 0
               : fail("csv", layout, "libvmaf or strict");
}

static int parse_shots(Options *options, const char *file)
{
    options->settings.shots = file == NULL ? "1" : file;
    return 0;
}

static int print_version(Options *options, const char *text)
{
    (void)options, (void)text;
    printf("%s\n%s", vmafgpu_version(), BUG_REPORT_TEXT);
    return OPTIONS_DONE;
}

static int print_help(Options *options, const char *text)
{
    (void)text;
    if (options->help != NULL)
        printf("%s", options->help);
    else
        printf("%s%s\n%s", kHelpText, kHelpOfOutput, BUG_REPORT_TEXT);
    return OPTIONS_DONE;
}

typedef enum Kind {
    kFlag,     /* the member becomes 1 */
    kName,     /* the member becomes the option's name */
    kText,     /* the member becomes the value */
    kLower,    /* the member becomes the value, in lower case */
    kInt,      /* a number of at least `min` */
    kWide,     /* a long long from `min` to `max` */
    kWord,     /* the member becomes the place in `words` */
    kNone,     /* as kWord, but nothing reads it: only libvmaf's tool does more with it */
    kOwn,      /* parse() */
    kOptional, /* parse(), whose text is NULL without a value */
    kAction    /* parse(), without a value */
} Kind;

typedef struct Option {
    const char *name;
    int letter; /* the short name, or 0 */
    Kind kind;
    size_t member;
    long long min, max;
    int (*parse)(Options *options, const char *text); /* 0, or an OptionsAction */
    int commands;                                     /* commands that have it */
    const char *words;                                /* allowed values, as in "400, 420, 422 or
                                                         444" */
} Option;

#define AT(member) offsetof(Options, member)

enum {
    kScore = COMMAND_SCORE,
    kMerge = COMMAND_MERGE,
    kReport = COMMAND_REPORT,
    kLogs = kScore | kMerge,
    kAll = kLogs | kReport
};

static const Option kOptions[] = {
    {"reference", 'r', kText, AT(paths[VMAFGPU_REFERENCE]), 0, 0, NULL, kScore, NULL},
    {"distorted", 'd', kText, AT(paths[VMAFGPU_MAIN]), 0, 0, NULL, kScore, NULL},
    {"width", 'w', kInt, AT(raw.width), 1, INT_MAX, NULL, kScore, NULL},
    {"height", 'h', kInt, AT(raw.height), 1, INT_MAX, NULL, kScore, NULL},
    {"pixel_format", 'p', kWord, AT(raw.chroma), 0, 0, NULL, kScore, "400, 420, 422 or 444"},
    {"bitdepth", 'b', kInt, AT(raw.depth), 1, INT_MAX, NULL, kScore, NULL},
    {"model", 'm', kOwn, 0, 0, 0, add_model, kScore, NULL},
    {"feature", 0, kOwn, 0, 0, 0, add_feature, kScore, NULL},
    {"output", 'o', kText, AT(log.path), 0, 0, NULL, kAll, NULL},
    {"xml", 0, kName, AT(log.format), 0, 0, NULL, kLogs, NULL},
    {"json", 0, kName, AT(log.format), 0, 0, NULL, kLogs, NULL},
    {"csv", 0, kOptional, 0, 0, 0, parse_csv, kLogs, NULL},
    {"sub", 0, kName, AT(log.format), 0, 0, NULL, kLogs, NULL},
    {"html", 0, kName, AT(log.format), 0, 0, NULL, kLogs, NULL},
    {"part", 0, kName, AT(log.format), 0, 0, NULL, kScore, NULL},
    {"chunk", 0, kOwn, 0, 0, 0, parse_chunk, kScore, NULL},
    {"chunk_first", 0, kOwn, 0, 0, 0, parse_chunk_first, kScore, NULL},
    {"history", 0, kFlag, AT(history), 0, 0, NULL, kScore, NULL},
    {"formats", 0, kWord, AT(is_as_is), 0, 0, NULL, kScore, "convert or asis"},
    {"tags_dist", 0, kText, AT(tags[VMAFGPU_MAIN]), 0, 0, NULL, kScore | kMerge, NULL},
    {"tags_ref", 0, kText, AT(tags[VMAFGPU_REFERENCE]), 0, 0, NULL, kScore | kMerge, NULL},
    {"precision", 0, kOwn, 0, 0, 0, parse_precision, kLogs, NULL},
    {"overwrite", 0, kFlag, AT(log.overwrite), 0, 0, NULL, kAll, NULL},
    {"backend", 0, kLower, AT(backend), 0, 0, NULL, kScore, NULL},
    {"device", 0, kLower, AT(selector), 0, 0, NULL, kScore, NULL},
    {"threads", 0, kInt, AT(settings.threads), 0, INT_MAX, NULL, kScore, NULL},
    {"title", 0, kText, AT(log.title), 0, 0, NULL, kScore | kReport, NULL},
    {"no_thumbnails", 0, kFlag, AT(no_thumbnails), 0, 0, NULL, kScore, NULL},
    {"pool", 0, kOwn, 0, 0, 0, parse_pool, kLogs, NULL},
    {"aom_ctc", 0, kOwn, 0, 0, 0, presets_add_aom, kScore, NULL},
    {"nflx_ctc", 0, kOwn, 0, 0, 0, presets_add_nflx, kScore, NULL},
    {"cpumask", 'c', kNone, 0, -1, LLONG_MAX, NULL, kScore, NULL},
    {"gpumask", 0, kNone, 0, -1, LLONG_MAX, NULL, kScore, NULL},
    {"ring", 0, kInt, AT(settings.ring_depth), 1, INT_MAX, NULL, kScore, NULL},
    {"compat", 0, kWord, AT(settings.compat), 0, 0, NULL, kScore, "3.2 or 3.1"},
    {"subsample", 0, kInt, AT(settings.subsample), 1, INT_MAX, NULL, kScore, NULL},
    {"shots", 0, kOptional, 0, 0, 0, parse_shots, kScore, NULL},
    {"scale", 0, kWord, AT(is_scaling), 0, 0, NULL, kScore, "none or bicubic"},
    {"frame_cnt", 0, kWide, AT(frame_count), 0, LLONG_MAX, NULL, kScore, NULL},
    {"frame_skip_ref", 0, kWide, AT(skips[VMAFGPU_REFERENCE]), 0, MOST_PAIRS, NULL, kScore, NULL},
    {"frame_skip_dist", 0, kWide, AT(skips[VMAFGPU_MAIN]), 0, MOST_PAIRS, NULL, kScore, NULL},
    {"stream_ref", 0, kInt, AT(streams[VMAFGPU_REFERENCE]), 0, MOST_STREAMS, NULL, kScore, NULL},
    {"stream_dist", 0, kInt, AT(streams[VMAFGPU_MAIN]), 0, MOST_STREAMS, NULL, kScore, NULL},
    {"pair", 0, kWord, AT(pairing.rule), 0, 0, NULL, kScore, "auto, time, index or framesync"},
    {"offset", 0, kOwn, 0, 0, 0, parse_offset, kScore, NULL},
    {"offset_window", 0, kInt, AT(pairing.offset_window), 1, INT_MAX, NULL, kScore, NULL},
    {"strict", 0, kFlag, AT(strict), 0, 0, NULL, kScore, NULL},
    {"no_prediction", 'n', kFlag, AT(settings.features_only), 0, 0, NULL, kScore, NULL},
    {"quiet", 'q', kFlag, AT(quiet), 0, 0, NULL, kLogs, NULL},
    {"version", 'v', kAction, 0, 0, 0, print_version, kScore, NULL},
    {"list-devices", 0, kFlag, AT(lists_devices), 0, 0, NULL, kScore, NULL},
    {"rates", 0, kText, AT(rates), 0, 0, NULL, kReport, NULL},
    {"labels", 0, kText, AT(labels), 0, 0, NULL, kReport, NULL},
    {"help", 0, kAction, 0, 0, 0, print_help, kAll, NULL},
};

enum { kOptionCount = sizeof(kOptions) / sizeof(kOptions[0]) };

/* The place of a word in "a, b or c"; -1: it is none of them. */
static int find_word(const char *words, const char *text)
{
    const size_t length = strlen(text);
    int place = 0;
    for (const char *word = words; *word != '\0'; ++place) {
        const size_t size = strcspn(word, ", ");
        if (size == length && memcmp(word, text, size) == 0)
            return place;
        word += size;
        if (*word != '\0')
            word += *word == ',' ? 2 : strlen(" or ");
    }
    return -1;
}

/* 0, or an OptionsAction. */
static int set_option(Options *options, const Option *option)
{
    char *const member = (char *)options + option->member;
    long long number;
    switch (option->kind) {
    case kFlag:
        *(int *)member = 1;
        return 0;
    case kName:
        *(const char **)member = option->name;
        return 0;
    case kText:
        *(const char **)member = optarg;
        return 0;
    case kLower:
        *(const char **)member = in_lower_case(optarg);
        return 0;
    case kWord:
        *(int *)member = find_word(option->words, in_lower_case(optarg));
        return *(int *)member >= 0 ? 0 : fail(option->name, optarg, option->words);
    case kInt:
    case kWide:
    case kNone:
        if (parse_number(option->name, optarg, option->min, option->max, &number) != 0)
            return -1;
        if (option->kind == kInt)
            *(int *)member = (int)number;
        if (option->kind == kWide)
            *(long long *)member = number;
        return 0;
    default:
        return option->parse(options, optarg);
    }
}

/* What getopt_long() returns: a place in kOptions, behind all letters. */
enum { kFirst = 256 };

static const Option *next_option(int command, int argc, char **argv, int *is_end)
{
    struct option longs[kOptionCount + 1] = {{NULL, 0, NULL, 0}};
    char letters[2 * kOptionCount + 1] = "";
    size_t length = 0, count = 0;
    int by_letter[kFirst] = {0};
    for (int i = 0; i < kOptionCount; ++i) {
        const Option *option = &kOptions[i];
        const int has_none =
            option->kind == kFlag || option->kind == kName || option->kind == kAction;
        if ((option->commands & command) == 0)
            continue;
        longs[count].name = option->name;
        longs[count].has_arg = has_none                    ? no_argument
                               : option->kind == kOptional ? optional_argument
                                                           : required_argument;
        longs[count++].val = kFirst + i;
        if (option->letter == 0)
            continue;
        by_letter[option->letter] = kFirst + i;
        letters[length++] = (char)option->letter;
        if (!has_none)
            letters[length++] = ':';
    }
    int found = getopt_long(argc, argv, letters, longs, NULL);
    *is_end = found == -1;
    if (found >= 0 && found < kFirst)
        found = by_letter[found];
    return found < kFirst ? NULL : &kOptions[found - kFirst]; /* NULL: it has said why */
}

static int check_input(Options *options)
{
    const char *const *paths = options->paths;
    const VideoFormat *raw = &options->raw;
    const int given = (raw->width > 0) + (raw->height > 0) + (raw->chroma >= 0) + (raw->depth > 0);
    if (options->history && paths[0] == NULL && paths[1] == NULL && given == 0)
        return 0;
    if (options->tags[0] != NULL && options->tags[1] != NULL)
        return 0;
    if (paths[0] == NULL || paths[1] == NULL)
        return output_say("both --reference and --distorted are needed; see --help");
    if (strcmp(paths[0], "-") == 0 && strcmp(paths[1], "-") == 0)
        return output_say("only one input can be standard input");
    if (given != 0 && given != 4)
        return output_say(
            "raw input needs all of --width, --height, --pixel_format and --bitdepth");
    if (given == 4 && (raw->width > 65535 || raw->height > 65535))
        return output_say("raw input of %dx%d: at most 65535x65535 is allowed", raw->width,
                          raw->height);
    if (given == 4 && (raw->depth < 8 || raw->depth > 16))
        return output_say("--bitdepth: %d is not allowed; expected 8 to 16", raw->depth);
    return 0;
}

static int join_device(Options *options)
{
    const char *backend = options->backend, *device = options->selector;
    const char *separator = backend != NULL && device != NULL ? ":" : "";
    if (backend == NULL && device == NULL)
        backend = "auto";
    const int length =
        snprintf(options->device, sizeof(options->device), "%s%s%s", backend == NULL ? "" : backend,
                 separator, device == NULL ? "" : device);
    if (length >= 0 && (size_t)length < sizeof(options->device))
        return 0;
    return output_say("the name of the device is too long");
}

/* What only scoring needs. */
static OptionsAction finish(Options *options)
{
    VmafGpuPairingSettings *pairing = &options->pairing;
    if (options->lists_devices)
        return devices_list(options->backend) == 0 ? OPTIONS_DONE : OPTIONS_ERROR;
    for (int i = 0; i < options->rest_count; ++i)
        output_say("warning: the argument '%s' is ignored; see --help", options->rest[i]);
    if (strcmp(options->log.format, "part") == 0)
        options->has_chunk = 1; /* the whole run is one, too */
    if (pairing->rule < 0)
        pairing->rule = VMAFGPU_PAIR_INDEX;
    if (check_input(options) != 0 || join_device(options) != 0)
        return OPTIONS_ERROR;
    if (options->settings.features_only && options->settings.feature_count == 0 &&
        options->model_count == 0) {
        output_say("--no_prediction needs at least one --feature or --model");
        return OPTIONS_ERROR;
    }
    return OPTIONS_RUN;
}

OptionsAction options_parse(Options *options, Command command, const char *help, int argc,
                            char **argv)
{
    memset(options, 0, sizeof(*options));
    options->help = help;
    options->raw.chroma = -1;
    options->streams[0] = options->streams[1] = -1;
    vmafgpu_settings_default(&options->settings);
    vmafgpu_pairing_default(&options->pairing);
    options->pairing.rule = -1;
    options->log.format = "xml";
    options->log.precision = 6;
    options->pool = VMAFGPU_POOL_MEAN;
    for (;;) {
        int is_end;
        const Option *option = next_option(command, argc, argv, &is_end);
        if (is_end)
            break;
        const int status = option == NULL ? -1 : set_option(options, option);
        if (status != 0)
            return status == OPTIONS_DONE ? OPTIONS_DONE : OPTIONS_ERROR;
    }
    options->rest = argv + optind;
    options->rest_count = argc - optind;
    return command == COMMAND_SCORE ? finish(options) : OPTIONS_RUN;
}
