/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * The command-line tool: two Y4M or raw videos in, scores and a log out. Uses
 * nothing but the public API, so it is also the example of how to use it:
 * run() is the life of a context. Reading is in video.c, the command line in
 * options.c.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame_pool.h"
#include "history.h"
#include "inputs.h"
#include "merge.h"
#include "models.h"
#include "options.h"
#include "output.h"
#include "pairs.h"
#include "platform.h"
#include "report.h"
#include "stop.h"
#include "thumbnails.h"
#include "video.h"
#include "vmaf_gpu/vmaf_gpu.h"

typedef struct Session {
    Options options;
    VideoReader reference, distorted;
    Inputs inputs;
    FramePool reference_pool, distorted_pool;
    Models models;
    VmafGpuFeature features[kMaxFeatures];
    VmafGpuContext *ctx;
    VmafGpuChunk chunk;
    long long pairs, scored; /* submitted, counted from the run's first; and those with scores */
    long long last;          /* where to stop; 0: at the end */
    char incomplete[512];    /* why scores are missing, or "" */
    PairNumbers numbers;     /* of the pairs, for logs that have times */
    Pairs pairing;           /* for options.has_pairing */
    VmafGpuOutput *log;
    Warnings warnings;
    Progress progress;
    Thumbnails thumbnails;
} Session;

static int fail(const char *text)
{
    fprintf(stderr, "vmaf_gpu: %s\n", text);
    return -1;
}

static void log_line(void *opaque, int level, const char *text)
{
    Session *session = opaque;
    if (level == VMAFGPU_LOG_WARNING)
        output_warn(&session->warnings, session->options.quiet, "%s", text);
    else if (level < VMAFGPU_LOG_VERBOSE)
        fprintf(stderr, "vmaf_gpu: %s\n", text);
}

/* ---------------------------------------------------------------- inputs */

static void compare_rates(Session *session)
{
    const VideoFormat *a = &session->reference.format;
    const VideoFormat *b = &session->distorted.format;
    if (session->options.has_pairing || a->rate_num == 0 || b->rate_num == 0 ||
        (long long)a->rate_num * b->rate_den == (long long)b->rate_num * a->rate_den)
        return;
    output_warn(&session->warnings, session->options.quiet,
                "the reference has %.3f frames/s, the distorted video %.3f: the n-th picture is "
                "compared with the n-th",
                (double)a->rate_num / a->rate_den, (double)b->rate_num / b->rate_den);
}

static int open_inputs(Session *session)
{
    const Options *options = &session->options;
    Thumbnails *thumbnails = &session->thumbnails;
    thumbnails->raw = &options->raw;
    thumbnails->is_stopped = stop_signal;
    thumbnails->numbers = &session->numbers;
    thumbnails->is_quiet = options->quiet;
    thumbnails_watch(&thumbnails->sources[0], options->reference);
    thumbnails_watch(&thumbnails->sources[1], options->distorted);
    for (int i = 0; i < 2; ++i) {
        thumbnails->sources[1 - i].input = &session->inputs.tags.compared[i];
        thumbnails->sources[1 - i].filter = session->inputs.tags.filter[i];
    }
    VideoReader *const readers[2] = {&session->distorted, &session->reference};
    session->inputs.tags.log = log_line;
    session->inputs.tags.log_opaque = session;
    if (inputs_open(&session->inputs, readers, options, &session->models) < 0)
        return -1;
    session->reference_pool.bytes = video_frame_bytes(&session->reference.format);
    session->distorted_pool.bytes = video_frame_bytes(&session->distorted.format);
    if (session->reference.format.chroma != session->distorted.format.chroma) {
        fprintf(stderr,
                "vmaf_gpu: the distorted video is %s, the reference %s: convert one of them, or "
                "leave --formats asis out\n",
                session->inputs.tags.compared[VMAFGPU_MAIN].format,
                session->inputs.tags.compared[VMAFGPU_REFERENCE].format);
        return -1;
    }
    compare_rates(session);
    return 0;
}

/* Up to the first pair that is scored. */
static int skip_to_first(Session *session)
{
    const Options *options = &session->options;
    const long long first = options->has_chunk_first ? 0 : session->chunk.first;
    if (frames_skip(&session->reference, &session->reference_pool,
                    options->skip_reference + first) < 0)
        return -1;
    return frames_skip(&session->distorted, &session->distorted_pool,
                       options->skip_distorted + first);
}

/* --------------------------------------------------------------- context */

static void fill_settings(Session *session, VmafGpuSettings *out)
{
    Options *options = &session->options;
    const VideoFormat *reference = &session->reference.format;
    const VideoFormat *distorted = &session->distorted.format;
    for (int i = 0; i < options->feature_count; ++i) {
        char *equals = strchr(options->features[i], '=');
        if (equals != NULL)
            *equals++ = '\0';
        session->features[i] = (VmafGpuFeature){options->features[i], equals};
    }
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    settings.width = reference->width;
    settings.height = reference->height;
    settings.distorted_width = distorted->width;
    settings.distorted_height = distorted->height;
    settings.depth = reference->depth > distorted->depth ? reference->depth : distorted->depth;
    settings.chroma = reference->chroma;
    settings.device = options->device;
    settings.models = session->models.models;
    settings.model_count = session->models.count;
    settings.features_only = options->no_prediction;
    settings.features = session->features;
    settings.feature_count = options->feature_count;
    settings.frame_rate = video_frame_rate(distorted);
    if (settings.frame_rate == 0)
        settings.frame_rate = video_frame_rate(reference);
    if (options->ring > 0)
        settings.ring_depth = options->ring;
    settings.threads = options->threads;
    settings.subsample = options->subsample;
    settings.shots = options->shots;
    settings.compat = options->compat;
    settings.log = log_line;
    settings.log_opaque = session;
    /* The log has the warnings that -q does not print. */
    settings.log_level = options->quiet ? VMAFGPU_LOG_WARNING : VMAFGPU_LOG_INFO;
    *out = settings;
}

/* The pairs that are read: those of the chunk, and those around it that its scores depend on. */
static int choose_pairs(Session *session, VmafGpuSettings settings)
{
    const Options *options = &session->options;
    int64_t before, after;
    if (!options->has_chunk)
        return options->has_chunk_first ? fail("--chunk_first needs --chunk") : 0;
    if (options->has_pairing)
        return fail("parts of a run are pairs by number: leave --pair and --offset out");
    if (history_find(settings, &before, &after) < 0)
        return -1;
    session->chunk.begin = options->chunk_begin;
    session->chunk.end = options->chunk_end;
    session->chunk.first = options->chunk_begin > before ? options->chunk_begin - before : 0;
    session->chunk.first -= session->chunk.first % options->subsample;
    if (options->has_chunk_first && options->chunk_first > session->chunk.first) {
        fprintf(stderr, "vmaf_gpu: --chunk_first: the chunk needs the pairs from %lld on\n",
                (long long)session->chunk.first);
        return -1;
    }
    if (options->has_chunk_first)
        session->chunk.first = options->chunk_first;
    session->pairs = session->chunk.first;
    session->last = options->chunk_end > 0 ? options->chunk_end + after : 0;
    return 0;
}

static int print_history(Session *session)
{
    VmafGpuSettings settings;
    if (models_load(&session->models, &session->options) < 0 ||
        (session->options.reference != NULL && open_inputs(session) < 0))
        return -1;
    fill_settings(session, &settings);
    return history_print(settings);
}

static int advise(Session *session)
{
    VmafGpuSettings settings;
    session->inputs.tags.log = log_line;
    session->inputs.tags.log_opaque = session;
    if (models_load(&session->models, &session->options) < 0 ||
        inputs_advise(&session->inputs, &session->options, &session->models) < 0)
        return -1;
    fill_settings(session, &settings);
    return history_check(settings, &session->inputs.tags);
}

static int open_context(Session *session)
{
    VmafGpuSettings settings;
    VmafGpuPairingSettings pairing;
    VmafGpuError error;
    fill_settings(session, &settings);
    pairs_settings(&session->options, &session->distorted.format, &session->reference.format,
                   &pairing);
    if (session->options.has_pairing)
        settings.pairing = &pairing;
    if (choose_pairs(session, settings) < 0 || skip_to_first(session) < 0)
        return -1;
    if (session->options.has_chunk)
        settings.chunk = &session->chunk;
    if (vmafgpu_open(&session->ctx, &settings, &error) < 0)
        return fail(error.text);
    if (vmafgpu_set_inputs(session->ctx, &session->inputs.tags, &error) < 0)
        return fail(error.text);
    session->pairing = (Pairs){.ctx = session->ctx,
                               .readers = {&session->distorted, &session->reference},
                               .pools = {&session->distorted_pool, &session->reference_pool},
                               .is_by_rule = session->options.has_pairing,
                               .number = {session->chunk.first, session->chunk.first},
                               .shorter = -1};
    return 0;
}

/* Pairs that will be scored, as the sizes of the files and the options tell; -1: not known. */
static long long count_pairs(const Session *session)
{
    const Options *options = &session->options;
    const long long reference = video_count(&session->reference);
    const long long distorted = video_count(&session->distorted);
    if (reference < 0 || distorted < 0)
        return options->frame_count > 0 ? options->frame_count : -1;
    long long total = reference - options->skip_reference;
    if (total > distorted - options->skip_distorted)
        total = distorted - options->skip_distorted;
    if (options->frame_count > 0 && total > options->frame_count)
        total = options->frame_count;
    return total;
}

/* The first reason counts: others follow from it. */
static void set_incomplete(Session *session, const char *text)
{
    if (session->incomplete[0] == '\0')
        snprintf(session->incomplete, sizeof(session->incomplete), "%s", text);
}

static int fail_pair(Session *session, const char *text)
{
    set_incomplete(session, text);
    return fail(text);
}

/* Keep which pictures are those of the pair that comes next. */
static int keep_numbers(Session *session, const VmafGpuMatch *match)
{
    const Options *options = &session->options;
    const char *format = session->log == NULL ? "" : options->format;
    if (strcmp(format, "json") != 0 && strcmp(format, "html") != 0 && strcmp(format, "part") != 0)
        return 0; /* no other log has times */
    if (pair_numbers_set(&session->numbers, session->pairs,
                         options->skip_reference + match->number[VMAFGPU_REFERENCE],
                         options->skip_distorted + match->number[VMAFGPU_MAIN]) < 0)
        return fail_pair(session, "out of memory");
    return 0;
}

/* 1: a pair was read and submitted; 0: the end; -1: failure, reported. */
static int next_pair(Session *session)
{
    Pairs *pairs = &session->pairing;
    VmafGpuMatch match;
    int status;
    do /* pictures without a partner are passed over */
        status = pairs_next(pairs, &match);
    while (status == PAIRS_DECIDED && match.kind != VMAFGPU_MATCH_PAIR);
    session->scored = pairs->collected;
    if (status == PAIRS_DECIDED)
        return keep_numbers(session, &match) < 0 ? -1 : 1;
    if (status == PAIRS_FAILED && pairs->is_logged)
        set_incomplete(session, pairs->failure);
    else if (status == PAIRS_FAILED && stop_signal() == 0) /* else the signal interrupted it */
        fail_pair(session, pairs->failure);
    else if (pairs->shorter >= 0 &&
             stop_signal() == 0) /* else who writes a pipe was stopped, too */
        output_warn(&session->warnings, session->options.quiet, "%s ends before %s",
                    pairs->readers[pairs->shorter]->path, pairs->readers[1 - pairs->shorter]->path);
    return status == PAIRS_FAILED && (pairs->is_logged || stop_signal() == 0) ? -1 : 0;
}

/* The scores of all pairs that are under way. */
static int collect_rest(Session *session)
{
    VmafGpuResult result;
    int status = vmafgpu_flush(session->ctx);
    while (status == 0 && (status = vmafgpu_collect(session->ctx, &result, 1)) == 0)
        ++session->scored;
    if (status == -ENODATA)
        return 0;
    set_incomplete(session, vmafgpu_error_text(session->ctx));
    return -1;
}

static int score_pairs(Session *session)
{
    const long long count = session->options.frame_count;
    const long long limit =
        session->last > 0 && (count == 0 || session->last < count) ? session->last : count;
    Progress *progress = &session->progress;
    progress->is_shown = !session->options.quiet && isatty(STDERR_FILENO);
    progress->total = count_pairs(session);
    progress->start = progress->latest = output_now();
    int status = 1;
    while (status > 0 && stop_signal() == 0 && (limit == 0 || session->pairs < limit)) {
        status = next_pair(session);
        if (status > 0) {
            ++session->pairs;
            output_progress(progress, session->pairs, 0);
        }
    }
    if (status >= 0 && stop_signal() != 0) {
        char text[100];
        snprintf(text, sizeof(text), "stopped by a signal after %lld pairs", session->pairs);
        output_warn(&session->warnings, 0, "%s", text);
        set_incomplete(session, text);
    }
    /* An error behind them does not spoil the pairs before it. */
    const int end = collect_rest(session);
    output_progress(progress, session->pairs, 1);
    if (session->options.has_pairing)
        vmafgpu_finish(session->ctx, status < 0 || end < 0              ? VMAFGPU_FINISH_FAILED
                                     : status > 0 || stop_signal() != 0 ? VMAFGPU_FINISH_STOPPED
                                                                        : VMAFGPU_FINISH_END);
    if (status < 0 || end < 0)
        return -1;
    if (session->pairs <= session->chunk.first)
        return fail("no pictures to compare");
    if (stop_signal() != 0 || session->pairs > session->chunk.begin)
        return 0;
    char text[100];
    snprintf(text, sizeof(text), "--chunk: the inputs end before pair %lld, the first of the chunk",
             (long long)session->chunk.begin);
    return fail_pair(session, text);
}

/* --------------------------------------------------------------- results */

static int print_pooled(Session *session, const char *label, int score)
{
    double value;
    const int status = vmafgpu_pooled(session->ctx, score, session->options.pool, &value);
    if (status == -ENODATA && session->options.has_chunk)
        return 0; /* subsampling has left out all of its pairs */
    if (status < 0)
        return fail(vmafgpu_strerror(status));
    return output_score(label, value, session->options.precision);
}

/* Nothing if all pairs were scored. */
static int print_interval(Session *session, int model)
{
    double ends[2];
    if (session->options.pool != VMAFGPU_POOL_MEAN ||
        vmafgpu_mean_interval(session->ctx, vmafgpu_model_score(session->ctx, model), ends) < 0)
        return 0;
    return output_interval(session->models.labels[model], ends, session->options.precision);
}

static int write_log(Session *session)
{
    const Options *options = &session->options;
    const VideoFormat *format = &session->distorted.format;
    const double seconds = output_now() - session->progress.start;
    VmafGpuRun run;
    VmafGpuLog log;
    VmafGpuPairing pairing;
    memset(&run, 0, sizeof(run));
    run.struct_size = sizeof(run);
    run.warnings = (const char *const *)session->warnings.texts;
    run.warning_count = session->warnings.count;
    if (format->rate_num > 0) {
        run.pts = session->numbers.of[1];
        run.pts_count = session->numbers.size == 0 ? 0 : session->pairs;
        run.time_base_num = format->rate_den;
        run.time_base_den = format->rate_num;
    }
    memset(&log, 0, sizeof(log));
    if (session->incomplete[0] == '\0' && !options->no_thumbnails) {
        run.thumbnails = thumbnails_get;
        run.thumbnails_opaque = &session->thumbnails;
    }
    log.output = session->log;
    log.format = options->format;
    log.title = options->title;
    log.precision = options->precision;
    log.fps = seconds > 0 ? (double)(session->pairs - session->chunk.first) / seconds : 0.0;
    if (vmafgpu_pairing(session->ctx, &pairing) == 0)
        log.pairing = &pairing;
    log.run = &run;
    log.incomplete = session->incomplete[0] != '\0' ? session->incomplete : NULL;
    const int status = vmafgpu_write_log(session->ctx, &log);
    thumbnails_free(&session->thumbnails);
    return status < 0 ? -1 : output_finish(session->log);
}

static int report(Session *session)
{
    const Options *options = &session->options;
    const int models = options->no_prediction ? 0 : session->models.count;
    for (int i = 0; i < models && !options->quiet; ++i)
        if (print_interval(session, i) < 0 ||
            print_pooled(session, session->models.labels[i], vmafgpu_model_score(session->ctx, i)) <
                0)
            return -1;
    const int series = models > 0 ? 0 : vmafgpu_score_count(session->ctx);
    for (int i = 0; i < series && !options->quiet; ++i)
        if (print_pooled(session, vmafgpu_score_name(session->ctx, i), i) < 0)
            return -1;
    if (options->output == NULL)
        return 0;
    return write_log(session);
}

static int open_log(Session *session)
{
    const Options *options = &session->options;
    if (options->output == NULL)
        return 0;
    if (!options->overwrite && (output_is_input(options->output, options->reference) ||
                                output_is_input(options->output, options->distorted)))
        return -1;
    return output_open(&session->log, options->output, "log", options->overwrite);
}

static int run(Session *session)
{
    const Options *options = &session->options;
    stop_catch_signals();
    /* The files of models are inputs; the log must not replace them. */
    if (models_load(&session->models, &session->options) < 0 || open_log(session) < 0)
        return -1;
    if (open_inputs(session) < 0 || open_context(session) < 0)
        return -1;
    if (options->pool < VMAFGPU_POOL_PERC1 && /* percentiles need all pairs */
        output_limit(session->ctx, session->log, options->format, options->precision) < 0)
        return -1;
    if (score_pairs(session) == 0)
        return report(session);
    if (session->log != NULL && session->scored > 0 && write_log(session) == 0)
        fprintf(stderr, "vmaf_gpu: the log has %lld pairs and is incomplete\n", session->scored);
    return -1;
}

int main(int argc, char **argv)
{
    static Session session; /* zeroed, and too large for some stacks */
    platform_begin();
    if (argc > 1 && strcmp(argv[1], "report") == 0)
        return report_command(argc - 1, argv + 1) == 0 && fflush(stdout) == 0 ? EXIT_SUCCESS
                                                                              : EXIT_FAILURE;
    if (argc > 1 && strcmp(argv[1], "merge") == 0) {
        const int status = merge_command(argc - 1, argv + 1);
        return fflush(stdout) == 0 || status != 0 ? status : EXIT_FAILURE;
    }
    const OptionsAction action = options_parse(&session.options, COMMAND_SCORE, NULL, argc, argv);
    int status = action == OPTIONS_ERROR ? -1 : 0;
    if (action == OPTIONS_RUN)
        status = session.options.tags[0] != NULL ? advise(&session)
                 : session.options.history       ? print_history(&session)
                                                 : run(&session);
    vmafgpu_close(&session.ctx); /* gives back the frames that it still has */
    models_free(&session.models);
    vmafgpu_output_close(&session.log);
    output_free_warnings(&session.warnings);
    pair_numbers_free(&session.numbers);
    pool_free(&session.reference_pool);
    pool_free(&session.distorted_pool);
    video_close(&session.reference);
    video_close(&session.distorted);
    if (fflush(stdout) != 0)
        status = fail("cannot write to standard output");
    if (stop_signal() != 0)
        return 128 + stop_signal(); /* as shells say it */
    return status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
