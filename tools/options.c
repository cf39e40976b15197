/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See options.h.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bug_report.h"
#include "devices.h"
#include "presets.h"

enum {
    kXml = 256,
    kJson,
    kCsv,
    kSub,
    kHtml,
    kPart, /* in the order of parse_other() */
    kChunk,
    kChunkFirst,
    kHistory,
    kFormats,
    kTagsDistorted,
    kTagsReference,
    kThreads,
    kSubsample,
    kShots,
    kScale,
    kFeature,
    kFrameCount,
    kSkipReference,
    kSkipDistorted,
    kPair,
    kOffset,
    kOffsetWindow,
    kBackend,
    kDevice,
    kPrecision,
    kOverwrite,
    kCompat,
    kRing,
    kTitle,
    kNoThumbnails,
    kPool,
    kAomCtc,
    kNflxCtc,
    kGpuMask,
    kListDevices,
    kHelp
};

static const struct option kLongOptions[] = {
    {"reference", required_argument, NULL, 'r'},
    {"distorted", required_argument, NULL, 'd'},
    {"width", required_argument, NULL, 'w'},
    {"height", required_argument, NULL, 'h'},
    {"pixel_format", required_argument, NULL, 'p'},
    {"bitdepth", required_argument, NULL, 'b'},
    {"model", required_argument, NULL, 'm'},
    {"feature", required_argument, NULL, kFeature},
    {"output", required_argument, NULL, 'o'},
    {"xml", no_argument, NULL, kXml},
    {"json", no_argument, NULL, kJson},
    {"csv", optional_argument, NULL, kCsv},
    {"sub", no_argument, NULL, kSub},
    {"html", no_argument, NULL, kHtml},
    {"part", no_argument, NULL, kPart},
    {"chunk", required_argument, NULL, kChunk},
    {"chunk_first", required_argument, NULL, kChunkFirst},
    {"history", no_argument, NULL, kHistory},
    {"formats", required_argument, NULL, kFormats},
    {"tags_dist", required_argument, NULL, kTagsDistorted},
    {"tags_ref", required_argument, NULL, kTagsReference},
    {"precision", required_argument, NULL, kPrecision},
    {"overwrite", no_argument, NULL, kOverwrite},
    {"backend", required_argument, NULL, kBackend},
    {"device", required_argument, NULL, kDevice},
    {"threads", required_argument, NULL, kThreads},
    {"title", required_argument, NULL, kTitle},
    {"no_thumbnails", no_argument, NULL, kNoThumbnails},
    {"pool", required_argument, NULL, kPool},
    {"aom_ctc", required_argument, NULL, kAomCtc},
    {"nflx_ctc", required_argument, NULL, kNflxCtc},
    {"cpumask", required_argument, NULL, 'c'},
    {"gpumask", required_argument, NULL, kGpuMask},
    {"ring", required_argument, NULL, kRing},
    {"compat", required_argument, NULL, kCompat},
    {"subsample", required_argument, NULL, kSubsample},
    {"shots", optional_argument, NULL, kShots},
    {"scale", required_argument, NULL, kScale},
    {"frame_cnt", required_argument, NULL, kFrameCount},
    {"frame_skip_ref", required_argument, NULL, kSkipReference},
    {"frame_skip_dist", required_argument, NULL, kSkipDistorted},
    {"pair", required_argument, NULL, kPair},
    {"offset", required_argument, NULL, kOffset},
    {"offset_window", required_argument, NULL, kOffsetWindow},
    {"no_prediction", no_argument, NULL, 'n'},
    {"quiet", no_argument, NULL, 'q'},
    {"version", no_argument, NULL, 'v'},
    {"list-devices", no_argument, NULL, kListDevices},
    {"help", no_argument, NULL, kHelp},
    {NULL, 0, NULL, 0},
};

/* In two, with the next: C99 asks for no longer strings of its compilers. */
static const char kHelpText[] =
    "Usage: vmaf_gpu -r REFERENCE -d DISTORTED [options]\n"
    "       vmaf_gpu report LOG.json [LOG.json ...] -o PAGE.html   (report --help)\n"
    "       vmaf_gpu merge PART [PART ...] -o LOG                  (merge --help)\n"
    "\n"
    "Scores a distorted video against its reference. Inputs are Y4M files, raw planar\n"
    "video if a size is given, or any video that the ffmpeg found in PATH can read;\n"
    "\"-\" is standard input.\n"
    "\n"
    "Input:\n"
    "  -r, --reference FILE       the original video\n"
    "  -d, --distorted FILE       the video to be scored\n"
    "  -w, --width N              of raw input\n"
    "  -h, --height N             of raw input\n"
    "  -p, --pixel_format FORMAT  of raw input: 400, 420, 422 or 444\n"
    "  -b, --bitdepth N           of raw input: 8 to 16 (above 8: two bytes, low one first)\n"
    "      --frame_cnt N          score at most N pairs\n"
    "      --frame_skip_ref N     leave out the first N pictures of the reference\n"
    "      --frame_skip_dist N    leave out the first N pictures of the distorted video\n"
    "      --pair RULE            which pictures meet: index (default), time, framesync, or auto,\n"
    "                             also by what they show; with it the log counts all pictures\n"
    "      --offset N             the first distorted picture meets picture N of the reference;\n"
    "                             auto: N is found from the pictures\n"
    "      --offset_window N      how far --offset auto looks, in seconds, 1 to 60 (default 5)\n"
    "      --chunk BEGIN:END      only the pairs from BEGIN to END - 1, with the scores that they\n"
    "                             have in the whole run; see vmaf_gpu merge --help\n"
    "      --chunk_first N        the inputs begin with pair N of the whole run\n"
    "      --formats HOW          convert (default): ranges, matrices, pixel formats and depths\n"
    "                             are made equal by ffmpeg as for the filter; asis: they are not\n"
    "      --tags_ref TAGS        with --tags_dist: print the filter that would convert each\n"
    "                             input, whose tags these are (docs/inputs.md), and exit\n"
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
    "\n"
    "How:\n"
    "      --backend NAME         auto (default), cpu, cuda, hip; for tests emu; see\n"
    "                             --list-devices\n"
    "      --device SELECTOR      one of several: 1 or 0000:41:00.0, with --backend, or\n"
    "                             both in one as in cuda:1\n"
    "      --threads N            of the cpu backend; 0 (default): one per core\n"
    "      --ring N               pairs in flight, 1 to 64 (default: 4)\n"
    "  -c, --cpumask N            of libvmaf's tool; no effect: scores are the same\n"
    "      --gpumask N            of libvmaf's tool; no effect\n"
    "\n";

static const char kHelpOfOutput[] =
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
    fprintf(stderr, "vmaf_gpu: --%s: '%s' is not allowed; expected %s\n", option, text, allowed);
    return -1;
}

static int parse_number(const char *option, const char *text, long long min, long long max,
                        long long *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 0); /* as libvmaf's tool: 0x140 and 0500 too */
    if (*text == '\0' || *end != '\0' || errno != 0 || *value < min || *value > max) {
        char allowed[64];
        snprintf(allowed, sizeof(allowed), "a whole number from %lld%s", min,
                 max == LLONG_MAX ? "" : " up");
        return fail(option, text, allowed);
    }
    return 0;
}

static int parse_int(const char *option, const char *text, int min, int *value)
{
    long long number;
    if (parse_number(option, text, min, INT_MAX, &number) != 0)
        return -1;
    *value = (int)number;
    return 0;
}

static int parse_pixel_format(const char *text, int *chroma)
{
    static const char *const names[] = {"400", "420", "422", "444"};
    for (int i = 0; i < 4; ++i) {
        if (strcmp(text, names[i]) != 0)
            continue;
        *chroma = VMAFGPU_CHROMA_400 + i;
        return 0;
    }
    return fail("pixel_format", text, "400, 420, 422 or 444");
}

static int parse_precision(const char *text, int *precision)
{
    if (strcmp(text, "max") == 0) {
        *precision = VMAFGPU_PRECISION_MAX;
        return 0;
    }
    if (parse_int("precision", text, 6, precision) != 0)
        return -1;
    return *precision <= 17 ? 0 : fail("precision", text, "6 to 17, or max");
}

static int parse_compat(const char *text, int *compat)
{
    *compat = strcmp(text, "3.1") == 0 ? VMAFGPU_COMPAT_3_1 : VMAFGPU_COMPAT_3_2;
    return strcmp(text, "3.1") == 0 || strcmp(text, "3.2") == 0
               ? 0
               : fail("compat", text, "3.1 or 3.2");
}

static int parse_scale(const char *text, int *is_scaling)
{
    *is_scaling = strcmp(text, "bicubic") == 0;
    return *is_scaling || strcmp(text, "none") == 0 ? 0 : fail("scale", text, "none or bicubic");
}

static int parse_pool(const char *text, int *pool)
{
    *pool = vmafgpu_pool_by_name(text);
    return *pool >= 0 ? 0
                      : fail("pool", text,
                             "mean, min, max, harmonic_mean, perc1, perc5, perc10 or perc20");
}

static int add(const char *option, char **list, int *count, int max)
{
    if (*count == max) {
        fprintf(stderr, "vmaf_gpu: --%s: given more than %d times\n", option, max);
        return -1;
    }
    list[(*count)++] = optarg;
    return 0;
}

static const long long kMostPairs = 1LL << 40;

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
            return parse_number("chunk", begin, 0, kMostPairs, &options->chunk_begin);
        if (colon != NULL &&
            parse_number("chunk", begin, 0, kMostPairs, &options->chunk_begin) == 0)
            return parse_number("chunk", colon + 1, options->chunk_begin + 1, kMostPairs,
                                &options->chunk_end);
    }
    return fail("chunk", text, "BEGIN:END or BEGIN: (pairs from 0, END not included)");
}

static int parse_pair(Options *options, const char *text)
{
    static const char *const rules[] = {"auto", "time", "index", "framesync"};
    options->has_pairing = 1;
    for (options->pair = 0; options->pair < 4; ++options->pair)
        if (strcmp(text, rules[options->pair]) == 0)
            return 0;
    return fail("pair", text, "auto, time, index or framesync");
}

static int parse_offset(Options *options, const char *text)
{
    options->has_pairing = 1;
    options->has_offset = strcmp(text, "auto") == 0 ? VMAFGPU_OFFSET_AUTO : VMAFGPU_OFFSET_GIVEN;
    return options->has_offset == VMAFGPU_OFFSET_AUTO
               ? 0
               : parse_number("offset", text, -VMAFGPU_MOST_OFFSET, VMAFGPU_MOST_OFFSET,
                              &options->offset);
}

/* Options of the inputs. 1: not one of them. */
static int parse_input(Options *options, int option)
{
    switch (option) {
    case 'r':
        options->reference = optarg;
        return 0;
    case 'd':
        options->distorted = optarg;
        return 0;
    case 'w':
        return parse_int("width", optarg, 1, &options->raw.width);
    case 'h':
        return parse_int("height", optarg, 1, &options->raw.height);
    case 'p':
        return parse_pixel_format(optarg, &options->raw.chroma);
    case 'b':
        return parse_int("bitdepth", optarg, 1, &options->raw.depth);
    case kFrameCount:
        return parse_number("frame_cnt", optarg, 0, LLONG_MAX, &options->frame_count);
    case kChunk:
        return parse_chunk(options, optarg);
    case kChunkFirst:
        options->has_chunk_first = 1;
        return parse_number("chunk_first", optarg, 0, kMostPairs, &options->chunk_first);
    case kHistory:
        options->history = 1;
        return 0;
    case kFormats:
        options->is_as_is = strcmp(optarg, "asis") == 0;
        return options->is_as_is || strcmp(optarg, "convert") == 0
                   ? 0
                   : fail("formats", optarg, "convert or asis");
    case kTagsDistorted:
    case kTagsReference:
        options->tags[option - kTagsDistorted] = optarg;
        return 0;
    case kSkipReference:
        return parse_number("frame_skip_ref", optarg, 0, LLONG_MAX, &options->skip_reference);
    case kSkipDistorted:
        return parse_number("frame_skip_dist", optarg, 0, LLONG_MAX, &options->skip_distorted);
    case kPair:
        return parse_pair(options, optarg);
    case kOffset:
        return parse_offset(options, optarg);
    case kOffsetWindow:
        options->has_pairing = 1;
        return parse_int("offset_window", optarg, 1, &options->offset_window);
    default:
        return 1;
    }
}

static int parse_csv(const char *layout, const char **format)
{
    if (strcmp(layout, "strict") == 0)
        *format = "csv_strict";
    else if (strcmp(layout, "libvmaf") != 0)
        return fail("csv", layout, "libvmaf or strict");
    return 0;
}

/* Options of libvmaf's tool that stand for others, or for nothing here. 1: not one of them. */
static int parse_libvmaf(Options *options, int option)
{
    long long mask;
    switch (option) {
    case kAomCtc:
        return presets_add_aom(options, optarg);
    case kNflxCtc:
        return presets_add_nflx(options, optarg);
    case 'c':
        return parse_number("cpumask", optarg, -1, LLONG_MAX, &mask);
    case kGpuMask:
        return parse_number("gpumask", optarg, -1, LLONG_MAX, &mask);
    default:
        return 1;
    }
}

static int parse_other(Options *options, int option, const char **backend, const char **device)
{
    switch (option) {
    case 'm':
        return add("model", options->models, &options->model_count, kMaxModels);
    case kFeature:
        return add("feature", options->features, &options->feature_count, kMaxFeatures);
    case 'n':
        options->no_prediction = 1;
        return 0;
    case 'o':
        options->output = optarg;
        return 0;
    case kXml:
    case kJson:
    case kCsv:
    case kSub:
    case kHtml:
    case kPart: {
        static const char *const formats[] = {"xml", "json", "csv", "sub", "html", "part"};
        options->format = formats[option - kXml];
        return option == kCsv && optarg != NULL ? parse_csv(optarg, &options->format) : 0;
    }
    case kPrecision:
        return parse_precision(optarg, &options->precision);
    case kOverwrite:
        options->overwrite = 1;
        return 0;
    case kBackend:
        *backend = optarg;
        return 0;
    case kDevice:
        *device = optarg;
        return 0;
    case kThreads:
        return parse_int("threads", optarg, 0, &options->threads);
    case kRing:
        return parse_int("ring", optarg, 1, &options->ring);
    case kTitle:
        options->title = optarg;
        return 0;
    case kNoThumbnails:
        options->no_thumbnails = 1;
        return 0;
    case kPool:
        return parse_pool(optarg, &options->pool);
    case kCompat:
        return parse_compat(optarg, &options->compat);
    case kScale:
        return parse_scale(optarg, &options->is_scaling);
    case kSubsample:
        return parse_int("subsample", optarg, 1, &options->subsample);
    case kShots:
        options->shots = optarg == NULL ? "1" : optarg;
        return 0;
    case 'q':
        options->quiet = 1;
        return 0;
    default:
        return -1; /* getopt_long has said why */
    }
}

static int check_input(Options *options)
{
    const VideoFormat *raw = &options->raw;
    const int given = (raw->width > 0) + (raw->height > 0) + (raw->chroma >= 0) + (raw->depth > 0);
    if (options->history && options->reference == NULL && options->distorted == NULL && given == 0)
        return 0;
    if (options->tags[0] != NULL && options->tags[1] != NULL)
        return 0;
    if (options->reference == NULL || options->distorted == NULL)
        fprintf(stderr, "vmaf_gpu: both --reference and --distorted are needed; see --help\n");
    else if (strcmp(options->reference, "-") == 0 && strcmp(options->distorted, "-") == 0)
        fprintf(stderr, "vmaf_gpu: only one input can be standard input\n");
    else if (given != 0 && given != 4)
        fprintf(stderr, "vmaf_gpu: raw input needs all of --width, --height, --pixel_format and "
                        "--bitdepth\n");
    else if (given == 4 && (raw->width > 65535 || raw->height > 65535))
        fprintf(stderr, "vmaf_gpu: raw input of %dx%d: at most 65535x65535 is allowed\n",
                raw->width, raw->height);
    else if (given == 4 && (raw->depth < 8 || raw->depth > 16))
        fprintf(stderr, "vmaf_gpu: --bitdepth: %d is not allowed; expected 8 to 16\n", raw->depth);
    else
        return 0;
    return -1;
}

static int join_device(Options *options, const char *backend, const char *device)
{
    const char *separator = backend != NULL && device != NULL ? ":" : "";
    if (backend == NULL && device == NULL)
        backend = "auto";
    const int length =
        snprintf(options->device, sizeof(options->device), "%s%s%s", backend == NULL ? "" : backend,
                 separator, device == NULL ? "" : device);
    if (length >= 0 && (size_t)length < sizeof(options->device))
        return 0;
    fprintf(stderr, "vmaf_gpu: the name of the device is too long\n");
    return -1;
}

OptionsAction options_parse(Options *options, int argc, char **argv)
{
    const char *backend = NULL;
    const char *device = NULL;
    int lists_devices = 0;
    memset(options, 0, sizeof(*options));
    options->raw.chroma = -1;
    options->format = "xml";
    options->precision = 6;
    options->subsample = 1;
    options->pool = VMAFGPU_POOL_MEAN;
    options->pair = VMAFGPU_PAIR_INDEX;
    options->offset_window = -1;
    int option;
    while ((option = getopt_long(argc, argv, "r:d:w:h:p:b:m:o:c:nqv", kLongOptions, NULL)) != -1) {
        if (option == kHelp || option == 'v') {
            printf("%s%s\n%s", option == 'v' ? vmafgpu_version() : kHelpText,
                   option == 'v' ? "" : kHelpOfOutput, BUG_REPORT_TEXT);
            return OPTIONS_DONE;
        }
        if (option == kListDevices) {
            lists_devices = 1;
            continue;
        }
        int status = parse_input(options, option);
        if (status > 0)
            status = parse_libvmaf(options, option);
        if (status > 0)
            status = parse_other(options, option, &backend, &device);
        if (status != 0)
            return OPTIONS_ERROR;
    }
    if (lists_devices)
        return devices_list(backend) == 0 ? OPTIONS_DONE : OPTIONS_ERROR;
    for (; optind < argc; ++optind)
        fprintf(stderr, "vmaf_gpu: warning: the argument '%s' is ignored; see --help\n",
                argv[optind]);
    if (strcmp(options->format, "part") == 0)
        options->has_chunk = 1; /* the whole run is one, too */
    if (check_input(options) != 0 || join_device(options, backend, device) != 0)
        return OPTIONS_ERROR;
    if (options->no_prediction && options->feature_count == 0 && options->model_count == 0) {
        fprintf(stderr, "vmaf_gpu: --no_prediction needs at least one --feature or --model\n");
        return OPTIONS_ERROR;
    }
    return OPTIONS_RUN;
}
