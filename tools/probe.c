/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See probe.h. The messages of an ffmpeg that shows one picture: its list of streams, which one it
 * takes, and the words of its filter showinfo.
 */
#include "probe.h"

#include <stdlib.h>
#include <string.h>

#include "stop.h"

/* Two ends and showinfo; what turns the picture is more. */
enum { kFewestFilters = 3, kLongestLine = 2048 };

/* ----------------------------------------------------------------- the first picture */

static void read_picture(VmafGpuInput *input, const char *line)
{
    char word[32] = "";
    decoder_word(line, " fmt:", input->format, sizeof(input->format));
    decoder_word(line, "color_range:", input->range, sizeof(input->range));
    decoder_word(line, " color_space:", input->matrix, sizeof(input->matrix));
    decoder_word(line, " color_primaries:", input->primaries, sizeof(input->primaries));
    decoder_word(line, " color_trc:", input->transfer, sizeof(input->transfer));
    decoder_word(line, " sar:", word, sizeof(word));
    if (sscanf(word, "%d/%d", &input->sar_num, &input->sar_den) != 2) /* NOLINT(cert-err34-c) */
        word[0] = '\0';
    decoder_word(line, " s:", word, sizeof(word));
    if (strchr(word, 'x') != NULL)
        sscanf(word, "%dx%d", &input->width, &input->height); /* NOLINT(cert-err34-c) */
    word[0] = '\0';
    decoder_word(line, " i:", word, sizeof(word));
    if (word[0] == 'T' || word[0] == 'B') {
        input->is_interlaced = 1;
        input->is_bottom_first = word[0] == 'B';
    }
    if (strstr(line, "ilm grain parameters") != NULL) /* with a capital F from FFmpeg 8.0 on */
        input->has_grain = 1;
    if (strstr(line, "vdr_rpu_profile=0;") != NULL &&
        strstr(line, "bl_video_full_range_flag=1") != NULL)
        input->has_own_colours = 1;
}

/* Before the first picture: "config in time_base: 1/25, frame_rate: 25/1". */
static void read_rate(VmafGpuInput *input, const char *line)
{
    const char *rate = strstr(line, ", frame_rate: ");
    if (strstr(line, " config in ") != NULL && rate != NULL &&
        sscanf(rate + 14, "%d/%d", &input->rate_num, &input->rate_den) != 2) /* NOLINT */
        input->rate_num = 0;
}

/* ----------------------------------------------------------------- streams */

static int begins(const char *text, const char *words)
{
    return strncmp(text, words, strlen(words)) == 0;
}

static void add_stream(char *list, size_t size, int stream)
{
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%d", used > 0 ? "," : "", stream);
}

static int has_stream(const char *list, int stream)
{
    const char *at = list;
    while (*at != '\0') {
        char *end;
        if (strtol(at, &end, 10) == stream)
            return 1;
        at = *end == ',' ? end + 1 : "";
    }
    return 0;
}

/* "Stream #0:1[0x2](und): Video: ..." */
static void read_stream(Probe *probe, const char *line)
{
    VmafGpuInput *input = &probe->input;
    probe->latest = (int)strtol(line + 10, NULL, 10);
    if (strstr(line, " -> #0:0") != NULL) {
        probe->chosen = probe->latest;
        probe->is_part |= probe->has_tiles && !has_stream(input->streams, probe->chosen) &&
                          !has_stream(probe->covers, probe->chosen);
        return;
    }
    if (strstr(line, ": Video: ") == NULL)
        return;
    if (strstr(line, "(attached pic)") != NULL)
        add_stream(probe->covers, sizeof(probe->covers), probe->latest);
    else
        add_stream(input->streams, sizeof(input->streams), probe->latest);
    if (strstr(line, "(dependent)") != NULL)
        add_stream(probe->parts, sizeof(probe->parts), probe->latest);
}

/* From FFmpeg 7.1 on: at the left, the right, the top and the bottom. */
static void read_cropping(Probe *probe, const char *line)
{
    int left, right, top, bottom;
    if (probe->latest < kMostCropped && sscanf(line, "%d/%d/%d/%d", /* NOLINT(cert-err34-c) */
                                               &left, &right, &top, &bottom) == 4) {
        probe->crop[probe->latest][0] = left + right;
        probe->crop[probe->latest][1] = top + bottom;
    }
}

/* What a stream has beside its packets. FFmpeg 8.0 changed the words; those before it have the
 * first ones. */
static void read_side_data(Probe *probe, const char *line)
{
    if (begins(line, "displaymatrix: rotation of ") || begins(line, "Display Matrix: rotation of "))
        add_stream(probe->turned, sizeof(probe->turned), probe->latest);
    else if (begins(line, "Frame cropping: ") || begins(line, "Frame Cropping: "))
        read_cropping(probe, line + 16);
}

/* Reads a general line behind its level: what ffmpeg says of the file and of its choice. */
static void read_general(Probe *probe, const char *line)
{
    const char *profile = strstr(line, "profile: ");
    const int is_stream = strncmp(line, "  Stream #0:", 12) == 0;
    line += strspn(line, " ");
    probe->is_open |= strncmp(line, "Input #0, ", 10) == 0;
    if (strncmp(line, "libavfilter ", 12) == 0)
        probe->is_new = strtol(line + 12, NULL, 10) >= 10;
    else if (strncmp(line, "Stream group #0:", 16) == 0) {
        probe->has_group = 1; /* whose streams are not listed */
        probe->has_tiles |= strstr(line, ": Tile Grid:") != NULL;
    } else if (is_stream && probe->chosen < 0)
        read_stream(probe, line);
    else if (strncmp(line, "DOVI configuration record: ", 27) == 0 && profile != NULL &&
             strstr(line, "compatibility id: 0") != NULL) {
        const long number = strtol(profile + 9, NULL, 10);
        if (number == 5 || number == 10)
            add_stream(probe->own, sizeof(probe->own), probe->latest);
    } else if (probe->chosen < 0)
        read_side_data(probe, line);
}

/* The first one is the cause, and others follow from it. It may begin with the file's name. */
static void read_error(Probe *probe, const char *text)
{
    const char *name = strncmp(text, "file:", 5) == 0 ? strstr(text, ": ") : NULL;
    if (probe->reason[0] == '\0')
        snprintf(probe->reason, sizeof(probe->reason), "%s", name != NULL ? name + 2 : text);
}

/* "[name @ 0x..] [level] text" or "[level] text". What is said of the second picture is not read:
 * FFmpeg 5.1 shows that, too. */
static void read_line(Probe *probe, char *line)
{
    const int is_shown = strncmp(line, "[Parsed_showinfo_0 @ ", 21) == 0;
    const char *text = strstr(line, "] ");
    line[strcspn(line, "\r\n")] = '\0';
    if (text == NULL || line[0] != '[')
        return;
    if (is_shown && strstr(line, " n: ") != NULL)
        probe->has_frame += strstr(line, " fmt:") != NULL;
    if (is_shown && probe->has_frame == 0)
        read_rate(&probe->input, line);
    if (is_shown && probe->has_frame == 1)
        read_picture(&probe->input, line);
    else if (strncmp(line, "[info] ", 7) == 0)
        read_general(probe, text + 2);
    text = strstr(line, "[error] ") != NULL ? strstr(line, "[error] ") : strstr(line, "[fatal] ");
    if (text != NULL)
        read_error(probe, text + 8);
}

/* ----------------------------------------------------------------- a probe */

static int start(Decoder *decoder, const char *level, const char *path, int stream)
{
    char name[kDecoderName], map[32];
    const char *words[] = {"ffmpeg",     "-nostdin", "-nostats",  "-v",
                           level,        "-threads", "1",         "-export_side_data",
                           "film_grain", "-i",       name,        "-an",
                           "-sn",        "-dn",      "-frames:v", "1",
                           "-vf",        "showinfo", "-f",        "null",
                           "-map",       map,        "-",         NULL};
    const size_t map_at = sizeof(words) / sizeof(words[0]) - 4;
    decoder_name(name, path);
    snprintf(map, sizeof(map), "0:%d", stream);
    if (stream < 0) {
        words[map_at] = "-";
        words[map_at + 1] = NULL;
    }
    return decoder_start(decoder, words, 1);
}

int probe_start(Probe *probe, const char *path, int stream)
{
    memset(probe, 0, sizeof(*probe));
    probe->stream = stream;
    probe->chosen = -1;
    return start(&probe->decoder, "level+info", path, stream);
}

/* Only this level tells of a graph; but its messages run into each other, as those of several
 * threads. */
int probe_is_turned(const char *path, int stream)
{
    static const char words[] = "query_formats: ";
    Decoder decoder;
    char line[kLongestLine];
    const char *found = NULL;
    long filters = 0;
    if (start(&decoder, "debug", path, stream) < 0)
        return 0;
    while (stop_signal() == 0 && fgets(line, sizeof(line), decoder.output) != NULL)
        if (filters == 0 && (found = strstr(line, words)) != NULL)
            filters = strtol(found + strlen(words), NULL, 10);
    decoder_close(&decoder, feof(decoder.output) != 0);
    return filters > kFewestFilters;
}

static int fail(Probe *probe, const char *text)
{
    snprintf(probe->reason, sizeof(probe->reason), "%s", text);
    return -1;
}

/* A stream that the user named is listed, unless streams of groups are not. */
static int is_missing(const Probe *probe)
{
    return probe->stream >= 0 && !probe->has_group &&
           !has_stream(probe->input.streams, probe->stream) &&
           !has_stream(probe->covers, probe->stream);
}

/* What ffmpeg chooses is a picture, and not a part of one. */
static int is_whole(const Probe *probe)
{
    return probe->stream >= 0 ||
           (probe->chosen >= 0 && !probe->is_part && !has_stream(probe->parts, probe->chosen));
}

static int check_stream(Probe *probe)
{
    const char *videos = probe->input.streams, *covers = probe->covers;
    const int is_listed = videos[0] != '\0' || covers[0] != '\0' || probe->has_group;
    if (!is_listed && probe->is_open)
        return fail(probe, "it has no video stream");
    if (is_listed && is_missing(probe)) {
        snprintf(probe->reason, sizeof(probe->reason),
                 "it has no video stream %d; its video streams: %s%s%s", probe->stream, videos,
                 covers[0] != '\0' ? ", covers: " : "", covers);
        return -1;
    }
    if (probe->has_frame == 0)
        return probe->reason[0] != '\0' ? -1 : fail(probe, "no picture comes out");
    if (!is_whole(probe))
        return fail(probe, "its picture is in parts, e.g. tiles of AVIF or HEIC, each a stream of "
                           "its own; make one stream of them before, or name a stream");
    return 0;
}

/* The size before the container's cropping; not that of pictures that are turned after it. */
static void set_stored(VmafGpuInput *input, const Probe *probe)
{
    const int *crop = input->stream < kMostCropped ? probe->crop[input->stream] : NULL;
    if (has_stream(probe->turned, input->stream))
        return;
    input->stored_width = input->width + (crop != NULL ? crop[0] : 0);
    input->stored_height = input->height + (crop != NULL ? crop[1] : 0);
}

int probe_finish(Probe *probe)
{
    VmafGpuInput *input = &probe->input;
    char line[kLongestLine];
    while (stop_signal() == 0 && fgets(line, sizeof(line), probe->decoder.output) != NULL)
        read_line(probe, line);
    decoder_close(&probe->decoder, feof(probe->decoder.output) != 0);
    if (check_stream(probe) < 0)
        return -1;
    input->is_named = probe->stream >= 0;
    input->stream = probe->chosen;
    input->has_own_colours |= has_stream(probe->own, input->stream);
    set_stored(input, probe);
    if (!has_stream(input->streams, input->stream)) /* a cover that has no other beside it */
        add_stream(input->streams, sizeof(input->streams), input->stream);
    return 0;
}
