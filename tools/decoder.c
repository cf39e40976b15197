/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See decoder.h. What does not depend on the system: ffmpeg's command lines, and the words of its
 * filter showinfo.
 */
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "stop.h"

enum { kLongestName = 4096 + 8 }; /* that a file can have, behind "file:" */

/* The word behind key, if the line has it and there is room. */
static void copy_word(const char *line, const char *key, char *word, size_t size)
{
    const char *found = strstr(line, key);
    const char *begin = found == NULL ? NULL : found + strlen(key);
    const size_t length = begin == NULL ? 0 : strcspn(begin, " \r\n");
    if (length == 0 || length >= size)
        return;
    memcpy(word, begin, length);
    word[length] = '\0';
}

static void read_line(VmafGpuInput *input, const char *line)
{
    char word[32] = "";
    copy_word(line, " fmt:", input->format, sizeof(input->format));
    copy_word(line, "color_range:", input->range, sizeof(input->range));
    copy_word(line, " color_space:", input->matrix, sizeof(input->matrix));
    copy_word(line, " color_primaries:", input->primaries, sizeof(input->primaries));
    copy_word(line, " color_trc:", input->transfer, sizeof(input->transfer));
    copy_word(line, " sar:", word, sizeof(word));
    if (sscanf(word, "%d/%d", &input->sar_num, &input->sar_den) != 2) /* NOLINT(cert-err34-c) */
        word[0] = '\0';
    copy_word(line, " s:", word, sizeof(word));
    if (strchr(word, 'x') != NULL)
        sscanf(word, "%dx%d", &input->width, &input->height); /* NOLINT(cert-err34-c) */
    word[0] = '\0';
    copy_word(line, " i:", word, sizeof(word));
    if (word[0] == 'T' || word[0] == 'B')
        input->is_interlaced = 1;
    if (strstr(line, "ilm grain parameters") != NULL) /* from 8.0 on with a capital F */
        input->has_grain = 1;
}

/* Of showinfo, and not what the file says of itself: its name, or a title, is in other lines. */
static int is_shown(const char *line)
{
    return strchr(" IO", line[0]) == NULL && strstr(line, "[Parsed_showinfo_") != NULL;
}

/* FFmpeg 8.0 changed the words; those before it have the first ones. */
static int is_rotation(const char *line)
{
    line += strspn(line, " ");
    return strncmp(line, "displaymatrix: rotation of ", 27) == 0 ||
           strncmp(line, "Display Matrix: rotation of ", 28) == 0;
}

/* What the container cuts off, from FFmpeg 7.1 on: at the left, the right, the top and the bottom.
 */
static void read_cropping(int crop[4], const char *line)
{
    line += strspn(line, " ");
    if (strncmp(line, "Frame cropping: ", 16) == 0 || strncmp(line, "Frame Cropping: ", 16) == 0)
        sscanf(line + 16, "%d/%d/%d/%d", /* NOLINT(cert-err34-c) */
               &crop[0], &crop[1], &crop[2], &crop[3]);
}

int decoder_probed(Decoder *decoder, VmafGpuInput *input)
{
    char line[2048];
    int version = 0, crop[4] = {0};
    memset(input, 0, sizeof(*input));
    while (stop_signal() == 0 && fgets(line, sizeof(line), decoder->output) != NULL) {
        const int is_library = strncmp(line, "  libavfilter ", 14) == 0;
        if (is_shown(line))
            read_line(input, line);
        else if (is_library && version == 0)
            version = atoi(line + 14);
        else if (is_rotation(line))
            input->is_turned = 1;
        else
            read_cropping(crop, line);
    }
    input->stored_width = input->width + crop[0] + crop[1];
    input->stored_height = input->height + crop[2] + crop[3];
    decoder_close(decoder, feof(decoder->output) != 0);
    return version >= 10;
}

/* "file:", since ffmpeg takes what is before a colon for a protocol. */
static void name_file(char name[kLongestName], const char *path)
{
    snprintf(name, kLongestName, "file:%s", path);
}

const char *decoder_program(void)
{
    const char *named = getenv("VMAF_GPU_FFMPEG");
    return named != NULL && *named != '\0' ? named : "ffmpeg";
}

int decoder_open(Decoder *decoder, const char *path, const char *filter, int is_quiet)
{
    char name[kLongestName], graph[256];
    /* A graph of this kind, since libavfilter converts in it as it does before our filter. */
    snprintf(graph, sizeof(graph), "[0:v:0]%s[o]", *filter != '\0' ? filter : "null");
    const char *const words[] = {
        "ffmpeg",          "-nostdin", "-v",   "error",        "-i",        name,
        "-filter_complex", graph,      "-map", "[o]",          "-fps_mode", "passthrough",
        "-strict",         "-1",       "-f",   "yuv4mpegpipe", "-",         NULL};
    name_file(name, path);
    if (decoder_start(decoder, words, 0) < 0)
        return -1;
    if (!is_quiet)
        output_say("%s is read through %s", path, decoder_program());
    return 0;
}

int decoder_probe(Decoder *decoder, const char *path)
{
    char name[kLongestName];
    const char *const words[] = {"ffmpeg",     "-nostdin", "-v",  "info",     "-export_side_data",
                                 "film_grain", "-i",       name,  "-map",     "0:v:0",
                                 "-frames:v",  "1",        "-vf", "showinfo", "-f",
                                 "null",       "-",        NULL};
    name_file(name, path);
    return decoder_start(decoder, words, 1);
}
