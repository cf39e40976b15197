/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * The command-line tool: two Y4M or raw videos in, scores and a log out. Uses
 * nothing but the public API, so it is also the example of how to use it:
 * run() is the life of a context. Reading is in video.c, the command line in
 * options.c.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "models.h"
#include "options.h"
#include "output.h"
#include "pairs.h"
#include "platform.h"
#include "queries.h"
#include "stop.h"
#include "thumbnails.h"
#include "video.h"
#include "vmaf_gpu/run.h"

typedef struct Session {
    Options options;
    VideoReader readers[2];
    Inputs inputs;
    Models models;
    VmafGpuContext *ctx;
    VmafGpuChunk chunk;
    int64_t last;         /* the first pair that the chunk does not need; -1: it needs all */
    long long pairs;      /* submitted, counted from the run's first */
    char incomplete[512]; /* why scores are missing, or "" */
    char damage[1024];    /* what a decoder said of pictures that were scored, or "" */
    PairNumbers numbers;  /* numbers of the pairs, for logs that have times */
    Pairs pairing;
    int is_said; /* the warnings that the engine gets were printed before it was opened */
    Progress progress;
    Thumbnails thumbnails;
} Session;

/* The engine keeps the warnings for the log. */
static void log_line(void *opaque, int level, const char *text)
{
    const Session *session = opaque;
    char spelled[4096];
    output_spell(spelled, sizeof(spelled), text);
    if (level == VMAFGPU_LOG_WARNING && !session->options.quiet && !session->is_said)
        output_say("warning: %s", spelled);
    else if (level != VMAFGPU_LOG_WARNING && level < VMAFGPU_LOG_VERBOSE)
        output_say("%s", spelled);
}

/* ---------------------------------------------------------------- inputs */

static void compare_rates(const Session *session)
{
    char text[200];
    const VideoFormat *a = &session->readers[VMAFGPU_REFERENCE].format;
    const VideoFormat *b = &session->readers[VMAFGPU_MAIN].format;
    if (session->options.pairing.rule != VMAFGPU_PAIR_INDEX || a->rate_num == 0 ||
        b->rate_num == 0 ||
        (long long)a->rate_num * b->rate_den == (long long)b->rate_num * a->rate_den)
        return;
    snprintf(text, sizeof(text),
             "the reference has %.3f frames/s, the distorted video %.3f: the n-th picture is "
             "compared with the n-th",
             (double)a->rate_num / a->rate_den, (double)b->rate_num / b->rate_den);
    vmafgpu_log(session->ctx, VMAFGPU_LOG_WARNING, text);
}

static int open_inputs(Session *session)
{
    const Options *options = &session->options;
    Thumbnails *thumbnails = &session->thumbnails;
    thumbnails->options = options;
    thumbnails->numbers = &session->numbers;
    thumbnails->tags = &session->inputs.tags;
    thumbnails_watch(thumbnails);
    session->inputs.log = log_line;
    session->inputs.log_opaque = session;
    if (inputs_open(&session->inputs, session->readers, options, &session->models) < 0)
        return -1;
    if (session->readers[0].format.chroma != session->readers[1].format.chroma)
        return output_say("the distorted video is %s, the reference %s: convert one of them, or "
                          "leave --formats asis out",
                          session->inputs.tags.compared[VMAFGPU_MAIN].format,
                          session->inputs.tags.compared[VMAFGPU_REFERENCE].format);
    return 0;
}

/* Up to the first pair that is scored. */
static int skip_to_first(Session *session)
{
    const long long first = session->options.has_chunk_first ? 0 : session->chunk.first;
    for (int i = 2; i-- > 0;) {
        VideoReader *reader = &session->readers[i];
        const long long number = session->options.skips[i] + first;
        const int status = video_skip_to(reader, number);
        if (status == 0)
            return output_say("%s: has only %lld of the %lld pictures to be left out", reader->path,
                              reader->frames, number);
        if (status < 0)
            return output_say("%s", reader->error);
    }
    return 0;
}

/* --------------------------------------------------------------- context */

static void fill_settings(Session *session, VmafGpuSettings *out)
{
    const Options *options = &session->options;
    const VideoFormat *reference = &session->readers[VMAFGPU_REFERENCE].format;
    const VideoFormat *distorted = &session->readers[VMAFGPU_MAIN].format;
    VmafGpuSettings settings = options->settings;
    settings.width = reference->width;
    settings.height = reference->height;
    settings.distorted_width = distorted->width;
    settings.distorted_height = distorted->height;
    settings.depth = reference->depth > distorted->depth ? reference->depth : distorted->depth;
    settings.chroma = reference->chroma;
    settings.device = options->device;
    settings.models = session->models.models;
    settings.model_count = session->models.count;
    settings.features = options->features;
    settings.frame_rate = video_frame_rate(distorted);
    if (settings.frame_rate == 0)
        settings.frame_rate = video_frame_rate(reference);
    settings.log = log_line;
    settings.log_opaque = session;
    /* The log has the warnings that -q does not print. */
    settings.log_level = options->quiet ? VMAFGPU_LOG_WARNING : VMAFGPU_LOG_INFO;
    *out = settings;
}

/* The pairs that are read: those of the chunk, and those around it that its scores depend on. */
static int choose_pairs(Session *session, const VmafGpuSettings *settings)
{
    const Options *options = &session->options;
    VmafGpuError error;
    if (!options->has_chunk)
        return options->has_chunk_first ? output_say("--chunk_first needs --chunk") : 0;
    session->chunk.begin = options->chunk_begin;
    session->chunk.end = options->chunk_end;
    if (vmafgpu_run_window(settings, &session->chunk, &session->chunk.first, &session->last,
                           &error) < 0)
        return output_say("%s", error.text);
    if (options->has_chunk_first && options->chunk_first > session->chunk.first)
        return output_say("--chunk_first: the chunk needs the pairs from %lld on",
                          (long long)session->chunk.first);
    if (options->has_chunk_first)
        session->chunk.first = options->chunk_first;
    session->pairs = session->chunk.first;
    return 0;
}

static int print_history(Session *session)
{
    VmafGpuSettings settings;
    if (models_load(&session->models, &session->options) < 0 ||
        (session->options.paths[0] != NULL && open_inputs(session) < 0))
        return -1;
    fill_settings(session, &settings);
    return history_print(settings);
}

static int advise(Session *session)
{
    VmafGpuSettings settings;
    session->inputs.log = log_line;
    session->inputs.log_opaque = session;
    if (models_load(&session->models, &session->options) < 0 ||
        inputs_advise(&session->inputs, &session->options, &session->models) < 0)
        return -1;
    fill_settings(session, &settings);
    return colours_check(settings, &session->inputs.tags);
}

/* Gives the engine the warnings about the inputs, for the log. They were printed before. */
static void tell_engine(Session *session)
{
    session->inputs.log = vmafgpu_log;
    session->inputs.log_opaque = session->ctx;
    session->is_said = 1;
    vmafgpu_inputs_check(&session->inputs.tags, NULL);
    session->is_said = 0;
    compare_rates(session);
}

static int open_context(Session *session)
{
    VmafGpuSettings settings;
    VmafGpuPairingSettings pairing;
    VmafGpuError error;
    fill_settings(session, &settings);
    pairs_settings(&session->options, session->readers, &pairing);
    settings.pairing = &pairing;
    if (choose_pairs(session, &settings) < 0 || skip_to_first(session) < 0)
        return -1;
    if (session->options.has_chunk)
        settings.chunk = &session->chunk;
    if (vmafgpu_open(&session->ctx, &settings, &error) < 0)
        return output_say("%s", error.text);
    if (vmafgpu_set_inputs(session->ctx, &session->inputs.tags, &error) < 0)
        return output_say("%s", error.text);
    tell_engine(session);
    session->pairing = (Pairs){.ctx = session->ctx,
                               .readers = session->readers,
                               .number = {session->chunk.first, session->chunk.first}};
    return 0;
}

/* Pairs that will be read, as the sizes of the files and the options tell; 0: not known. */
static long long count_pairs(const Session *session)
{
    const Options *options = &session->options;
    long long end = options->frame_count > 0 ? options->frame_count : LLONG_MAX;
    if (options->has_chunk && session->last >= 0 && session->last < end)
        end = session->last;
    for (int i = 0; i < 2; ++i) {
        const VideoReader *reader = &session->readers[i];
        const long long first = options->has_chunk_first ? session->chunk.first : 0;
        const long long count = video_count(reader) - options->skips[i] + first;
        if (video_count(reader) < 0 && options->frame_count == 0)
            return 0;
        if (video_count(reader) >= 0 && count < end)
            end = count;
    }
    return end > session->chunk.first ? end - session->chunk.first : 0;
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
    return output_say("%s", text);
}

/* Keep which pictures are those of the pair that comes next. */
static int keep_numbers(Session *session, const VmafGpuMatch *match)
{
    const Options *options = &session->options;
    const char *format = options->log.output == NULL ? "" : options->log.format;
    if (strcmp(format, "json") != 0 && strcmp(format, "html") != 0 && strcmp(format, "part") != 0)
        return 0; /* no other log has times */
    const long long first = session->chunk.first;
    const long long numbers[2] = {options->skips[0] + first + match->number[0],
                                  options->skips[1] + first + match->number[1]};
    if (pair_numbers_set(&session->numbers, session->pairs, numbers) < 0)
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
    if (status == PAIRS_DECIDED)
        return keep_numbers(session, &match) < 0 ? -1 : 1;
    if (status == PAIRS_FAILED && pairs->is_logged)
        set_incomplete(session, pairs->failure);
    else if (status == PAIRS_FAILED && stop_signal() == 0) /* other endings are the signal's */
        fail_pair(session, pairs->failure);
    return status == PAIRS_FAILED && (pairs->is_logged || stop_signal() == 0) ? -1 : 0;
}

/* The scores of all pairs that are under way. */
static int collect_rest(Session *session)
{
    VmafGpuResult result;
    int status = vmafgpu_flush(session->ctx);
    while (status == 0)
        status = vmafgpu_collect(session->ctx, &result, 1);
    if (status == -ENODATA)
        return 0;
    set_incomplete(session, vmafgpu_error_text(session->ctx));
    return -1;
}

/* Warns about decoders' errors in scored pictures; first: they cause others. */
static void warn_of_decoders(Session *session)
{
    for (int i = 0; i < 2; ++i) {
        char text[1024];
        video_doubt(&session->readers[i], i, text, sizeof(text));
        if (text[0] == '\0')
            continue;
        vmafgpu_log(session->ctx, VMAFGPU_LOG_WARNING, text);
        if (session->damage[0] == '\0')
            snprintf(session->damage, sizeof(session->damage), "%s", text);
    }
}

/* No pair was read. */
static int fail_empty(const Session *session)
{
    const VmafGpuPairingSettings *pairing = &session->options.pairing;
    const VideoReader *readers = session->readers;
    if (pairing->has_offset != VMAFGPU_OFFSET_GIVEN || readers[0].frames == 0 ||
        readers[1].frames == 0)
        return output_say("no pictures to compare");
    return output_say("there is no score: offset=%lld leaves no pair", (long long)pairing->offset);
}

static int score_pairs(Session *session)
{
    const long long limit = session->options.frame_count;
    Progress *progress = &session->progress;
    output_begin_progress(progress, session->ctx, count_pairs(session), session->options.quiet);
    int status = 1;
    while (status > 0 && stop_signal() == 0 && (limit == 0 || session->pairs < limit)) {
        status = next_pair(session);
        if (status > 0) {
            ++session->pairs;
            output_progress(progress, 0);
        }
    }
    if (status >= 0 && stop_signal() != 0) {
        char text[100];
        snprintf(text, sizeof(text), "stopped by a signal after %lld pairs", session->pairs);
        if (session->options.quiet)
            output_say("warning: %s", text);
        vmafgpu_log(session->ctx, VMAFGPU_LOG_WARNING, text);
        set_incomplete(session, text);
    }
    /* An error behind them does not spoil the pairs before it. */
    const int end = collect_rest(session);
    output_progress(progress, 1);
    if (status >= 0) /* else its reason was told */
        warn_of_decoders(session);
    vmafgpu_finish(session->ctx, status < 0 || end < 0              ? VMAFGPU_FINISH_FAILED
                                 : status > 0 || stop_signal() != 0 ? VMAFGPU_FINISH_STOPPED
                                                                    : VMAFGPU_FINISH_END);
    if (status < 0 || end < 0)
        return -1;
    if (session->pairs <= session->chunk.first)
        return fail_empty(session);
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
        return output_say("%s", vmafgpu_strerror(status));
    output_score(label, value, session->options.log.precision);
    return 0;
}

/* Its interval, unless all pairs were scored, and its pooled score. */
static int print_model(Session *session, int model)
{
    const char *label = session->models.labels[model];
    const int score = vmafgpu_model_score(session->ctx, model);
    double ends[2];
    if (session->options.pool == VMAFGPU_POOL_MEAN &&
        vmafgpu_mean_interval(session->ctx, score, ends) >= 0)
        output_interval(label, ends, session->options.log.precision);
    return print_pooled(session, label, score);
}

static int write_log(Session *session)
{
    const Options *options = &session->options;
    VmafGpuLog log = options->log;
    const VideoFormat *format = &session->readers[VMAFGPU_MAIN].format;
    VmafGpuRun run;
    memset(&run, 0, sizeof(run));
    run.struct_size = sizeof(run);
    run.time_base_num = -1; /* no times where the files have no rate */
    if (format->rate_num > 0) {
        run.pts = session->numbers.of[VMAFGPU_MAIN];
        run.pts_count = session->numbers.size == 0 ? 0 : session->pairs;
        run.time_base_num = format->rate_den;
        run.time_base_den = format->rate_num;
    }
    if (session->incomplete[0] == '\0' && !options->no_thumbnails) {
        run.thumbnails = thumbnails_get;
        run.thumbnails_opaque = &session->thumbnails;
    }
    log.run = &run;
    log.incomplete = session->incomplete[0] != '\0' ? session->incomplete : NULL;
    const int status = vmafgpu_run_write(session->ctx, &log);
    thumbnails_free(&session->thumbnails);
    return status < 0 ? -1 : output_finish(log.output);
}

static int report(Session *session)
{
    const Options *options = &session->options;
    const int models = options->settings.features_only ? 0 : session->models.count;
    for (int i = 0; i < models && !options->quiet; ++i)
        if (print_model(session, i) < 0)
            return -1;
    const int series = models > 0 ? 0 : vmafgpu_score_count(session->ctx);
    for (int i = 0; i < series && !options->quiet; ++i)
        if (print_pooled(session, vmafgpu_score_name(session->ctx, i), i) < 0)
            return -1;
    return options->log.path == NULL ? 0 : write_log(session);
}

/* All is written, and the scores are told. */
static int check_strict(const Session *session)
{
    const char *fault =
        session->damage[0] != '\0' ? session->damage : vmafgpu_pairing_fault(session->ctx);
    char spelled[4096];
    if (!session->options.strict || *fault == '\0')
        return 0;
    output_spell(spelled, sizeof(spelled), fault);
    return output_say("strict: %s", spelled);
}

static int run(Session *session)
{
    const Options *options = &session->options;
    VmafGpuLog *log = &session->options.log;
    stop_catch_signals();
    /* The files of models are inputs; the log must not replace them. */
    if (models_load(&session->models, &session->options) < 0 ||
        (log->path != NULL && output_open(&log->output, log, "log", options->paths, 2) < 0))
        return -1;
    if (open_inputs(session) < 0 || open_context(session) < 0)
        return -1;
    /* Only what is asked for is kept; percentiles need all pairs. */
    if (options->pool < VMAFGPU_POOL_PERC1 &&
        vmafgpu_stream_log(session->ctx, log->output == NULL ? NULL : log) < 0)
        return -1;
    if (score_pairs(session) == 0)
        return report(session) == 0 ? check_strict(session) : -1;
    VmafGpuProgress progress = {0};
    vmafgpu_run_progress(session->ctx, &progress);
    if (log->output != NULL && progress.done > 0 && write_log(session) == 0)
        output_say("the log has %lld pairs and is incomplete", (long long)progress.done);
    return -1;
}

static void close_session(Session *session)
{
    vmafgpu_close(&session->ctx); /* gives back the frames that it still has */
    models_free(&session->models);
    vmafgpu_output_close(&session->options.log.output);
    pair_numbers_free(&session->numbers);
    for (int i = 0; i < 2; ++i)
        video_close(&session->readers[i]);
}

/* Two programs have nearly one name. */
static int is_of_other_program(const char *word)
{
    static const char *const commands[] = {"ladder", "plan",   "score", "search",
                                           "status", "submit", "task"};
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); ++i)
        if (strcmp(word, commands[i]) == 0)
            return 1;
    return 0;
}

/* A write that fails in the middle leaves nothing for the last one to fail with. */
static int flush_printed(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : -1;
}

/* The exit status; -1: the first word is no command. */
static int run_command(int argc, char **argv)
{
    if (strcmp(argv[0], "report") == 0)
        return report_command(argc, argv) == 0 && flush_printed() == 0 ? EXIT_SUCCESS
                                                                       : EXIT_FAILURE;
    if (strcmp(argv[0], "merge") == 0) {
        const int status = merge_command(argc, argv);
        return flush_printed() == 0 || status != 0 ? status : EXIT_FAILURE;
    }
    if (!is_of_other_program(argv[0]))
        return -1;
    output_say("%s is a command of another program, vmaf-gpu with a hyphen: vmaf-gpu %s --help",
               argv[0], argv[0]);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    static Session session; /* zeroed, and too large for some stacks */
    platform_begin();
    int status = argc > 1 ? run_command(argc - 1, argv + 1) : -1;
    if (status >= 0)
        return status;
    const OptionsAction action = options_parse(&session.options, COMMAND_SCORE, NULL, argc, argv);
    status = action == OPTIONS_ERROR ? -1 : 0;
    if (action == OPTIONS_RUN)
        status = session.options.tags[0] != NULL ? advise(&session)
                 : session.options.history       ? print_history(&session)
                                                 : run(&session);
    close_session(&session);
    if (flush_printed() < 0)
        status = output_say("cannot write to standard output");
    if (stop_signal() != 0)
        return 128 + stop_signal(); /* the status that shells give */
    return status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
