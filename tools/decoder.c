/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See decoder.h. What does not depend on the system: ffmpeg's command lines, and what it says.
 */
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "platform.h"
#include "stop.h"
#include "vmaf_gpu/vmaf_gpu.h"

void decoder_word(const char *line, const char *key, char *word, size_t size)
{
    const char *found = strstr(line, key);
    const char *begin = found == NULL ? NULL : found + strlen(key);
    const size_t length = begin == NULL ? 0 : strcspn(begin, " \r\n");
    if (length == 0 || length >= size)
        return;
    memcpy(word, begin, length);
    word[length] = '\0';
}

/* "file:", since ffmpeg takes what is before a colon for a protocol. */
void decoder_name(char name[kDecoderName], const char *path)
{
    snprintf(name, kDecoderName, "file:%s", path);
}

#ifdef _WIN32
static const char *const kBeside[] = {"/ffmpeg.exe", "/ffmpeg/ffmpeg.exe"};
#else
static const char *const kBeside[] = {"/ffmpeg", "/ffmpeg/ffmpeg"};
#endif

/* A release or an installation has all programs in one folder, a build has them in tools/ and
 * ffmpeg/. Returns 1 if there is one. */
static int find_beside(char *path, size_t size)
{
    PlatformFile file;
    if (platform_program(path, size) < 0)
        return 0;
    for (size_t i = 0; i < sizeof(kBeside) / sizeof(kBeside[0]); ++i) {
        char *const slash = strrchr(path, '/');
        if (slash == NULL || (size_t)(slash - path) + strlen(kBeside[i]) >= size)
            return 0;
        memcpy(slash, kBeside[i], strlen(kBeside[i]) + 1);
        if (platform_file(path, &file) == 0)
            return 1;
        *slash = '\0';
    }
    return 0;
}

const char *decoder_program(void)
{
    static char beside[kDecoderName];
    static int is_beside = -1; /* not looked for yet */
    const char *named = getenv("VMAF_GPU_FFMPEG");
    if (named != NULL && *named != '\0')
        return named;
    if (is_beside < 0)
        is_beside = find_beside(beside, sizeof(beside));
    return is_beside ? beside : "ffmpeg";
}

/* Messages have their level, and come as often as they are given. */
static const char kLevels[] = "repeat+level+verbose";

int decoder_open(Decoder *decoder, const char *path, int stream, const char *filter, int is_quiet)
{
    char name[kDecoderName], graph[256];
    /* A graph of this kind, since libavfilter converts in it as it does before our filter. */
    snprintf(graph, sizeof(graph), "[0:%d]%s[o]", stream, *filter != '\0' ? filter : "null");
    const char *const words[] = {
        "ffmpeg",    "-nostdin",    "-hide_banner",    "-nostats", "-loglevel", kLevels,
        "-i",        name,          "-filter_complex", graph,      "-map",      "[o]",
        "-fps_mode", "passthrough", "-strict",         "-1",       "-f",        "yuv4mpegpipe",
        "-",         NULL};
    decoder_name(name, path);
    if (decoder_start(decoder, words, 0) < 0)
        return -1;
    decoder->stream = stream;
    if (!is_quiet)
        output_say("%s is read through %s", path, decoder_program());
    return 0;
}

/*
 * Skips the names of parts of ffmpeg, as in "[h264 @ 0x55d0] [error] ": titles of videos, which it
 * prints, may have the same words.
 */
static const char *skip_names(const char *line)
{
    const char *end;
    while (line[0] == '[' && (end = strstr(line, "] ")) != NULL) {
        const char *at = strstr(line, " @ ");
        if (at == NULL || at > end)
            break;
        line = end + 2;
    }
    return line;
}

static int begins(const char *text, const char *words)
{
    return strncmp(text, words, strlen(words)) == 0;
}

/* The size, format and colours of the pictures that a graph takes. A second one is set up where
 * they change. */
static void read_graph(DecoderSaid *said, const char *line)
{
    static const char *const keys[] = {" w:", " h:", " pixfmt:", " csp:", " range:"};
    char words[5][30] = {""}, picture[sizeof(said->picture)];
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i)
        decoder_word(line, keys[i], words[i], sizeof(words[i]));
    snprintf(picture, sizeof(picture), "%s %s %s %s %s", words[0], words[1], words[2], words[3],
             words[4]);
    if (said->picture[0] == '\0')
        memcpy(said->picture, picture, sizeof(picture));
    said->has_changed |= strcmp(said->picture, picture) != 0;
}

static void read_message(DecoderSaid *said, const char *line)
{
    const char *text = skip_names(line);
    const int is_error = begins(text, "[error] ") || begins(text, "[fatal] ");
    if (begins(text, "[warning] ") && strstr(text, "corrupt decoded frame") != NULL)
        ++said->damaged;
    if (begins(line, "[graph 0 input from stream ") && begins(text, "[verbose] w:"))
        read_graph(said, text);
    if (is_error && said->error[0] == '\0')
        snprintf(said->error, sizeof(said->error), "%.*s", (int)strcspn(text + 8, "\r\n"),
                 text + 8);
}

void decoder_said(const Decoder *decoder, DecoderSaid *said)
{
    char line[2048];
    memset(said, 0, sizeof(*said));
    if (decoder->messages == NULL)
        return;
    rewind(decoder->messages);
    while (fgets(line, sizeof(line), decoder->messages) != NULL)
        read_message(said, line);
}

void decoder_forget(Decoder *decoder)
{
    if (decoder->messages != NULL)
        fclose(decoder->messages);
    decoder->messages = NULL;
}

/* What of two pictures differs, in words, and which ffmpeg makes one video of them. 0: nothing. */
static int tell_change(const VmafGpuInput *a, const VmafGpuInput *b, const char *time, char *text,
                       size_t size)
{
    const struct {
        const char *name, *option, *from, *to;
    } tags[] = {{"", "", a->format, b->format},
                {"range ", ":out_range=", a->range, b->range},
                {"matrix ", ":out_color_matrix=", a->matrix, b->matrix}};
    char more[64] = "";
    int used = 0;
    if (a->width != b->width || a->height != b->height)
        used = snprintf(text, size, "changes from %dx%d to %dx%d", a->width, a->height, b->width,
                        b->height);
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]) && used == 0; ++i) {
        if (strcmp(tags[i].from, tags[i].to) == 0)
            continue;
        used = snprintf(text, size, "changes from %s%s to %s%s", tags[i].name, tags[i].from,
                        tags[i].name, tags[i].to);
        if (i > 0)
            snprintf(more, sizeof(more), "%s%s", tags[i].option, tags[i].from);
    }
    if (used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, " at %s s", time);
    if (used > 0 && (size_t)used < size && strstr(more, "unknown") == NULL)
        snprintf(text + used, size - (size_t)used,
                 "; make it one video first, e.g. ffmpeg -i INPUT -map 0:%d -vf scale=%d:%d%s "
                 "-pix_fmt %s -fps_mode passthrough -c:v ffv1 FILE.mkv",
                 a->stream, a->width, a->height, more, a->format);
    return used > 0;
}

typedef struct Change {
    VmafGpuInput first, latest, next;
    char time[32], latest_time[32];
    char *text; /* what changed */
    size_t size;
} Change;

static void read_shown(VmafGpuInput *input, const char *line)
{
    char word[32] = "";
    decoder_word(line, " fmt:", input->format, sizeof(input->format));
    decoder_word(line, "color_range:", input->range, sizeof(input->range));
    decoder_word(line, " color_space:", input->matrix, sizeof(input->matrix));
    decoder_word(line, " s:", word, sizeof(word));
    if (strchr(word, 'x') != NULL)
        sscanf(word, "%dx%d", &input->width, &input->height); /* NOLINT(cert-err34-c) */
}

/* 1: the pictures have become others. A name counts if the next picture has it, too, since another
 * thread of ffmpeg may write into a line of showinfo. */
static int read_picture(Change *change, const char *line)
{
    read_shown(&change->next, line);
    if (strstr(line, " pts_time:") != NULL)
        decoder_word(line, " pts_time:", change->time, sizeof(change->time));
    /* A picture has a line, and one for its colours, which ends what is said of it. */
    if (strstr(line, "color_range:") == NULL)
        return 0;
    const VmafGpuInput *a = &change->first, *b = &change->next;
    if (a->format[0] != '\0' && (a->width != b->width || a->height != b->height))
        return tell_change(a, b, change->time, change->text, change->size);
    if (!tell_change(&change->latest, &change->next, "", change->text, change->size)) {
        if (change->first.format[0] == '\0')
            change->first = change->next;
        if (tell_change(a, b, change->latest_time, change->text, change->size))
            return 1;
    }
    change->latest = change->next;
    memcpy(change->latest_time, change->time, sizeof(change->time));
    return 0;
}

/* Whether showinfo wrote a line. What the file says of itself is in others. */
static int is_shown(const char *line)
{
    return strchr(" IO", line[0]) == NULL && strstr(line, "[Parsed_showinfo_") != NULL;
}

void decoder_find_change(const char *path, int stream, char *text, size_t size)
{
    char name[kDecoderName], map[32], line[2048];
    const char *const command[] = {"ffmpeg",    "-nostdin",    "-v", "info", "-i",
                                   name,        "-map",        map,  "-vf",  "showinfo=checksum=0",
                                   "-fps_mode", "passthrough", "-f", "null", "-",
                                   NULL};
    Decoder decoder;
    Change change;
    int is_found = 0;
    memset(&change, 0, sizeof(change));
    change.text = text;
    change.size = size;
    change.next.stream = stream;
    decoder_name(name, path);
    snprintf(map, sizeof(map), "0:%d", stream);
    if (decoder_start(&decoder, command, 1) == 0) {
        while (!is_found && stop_signal() == 0 && fgets(line, sizeof(line), decoder.output) != NULL)
            is_found = is_shown(line) && read_picture(&change, line);
        decoder_close(&decoder, 0);
    }
    if (!is_found) /* the last picture may be another */
        is_found = change.first.format[0] != '\0' &&
                   tell_change(&change.first, &change.latest, change.latest_time, text, size);
    if (!is_found)
        text[0] = '\0';
}
