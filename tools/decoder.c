/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See decoder.h. What does not depend on the system: ffmpeg's command line.
 */
#include "decoder.h"

#include <stdlib.h>

#include "output.h"

/* "file:", since ffmpeg takes what is before a colon for a protocol. */
void decoder_name(char name[kDecoderName], const char *path)
{
    snprintf(name, kDecoderName, "file:%s", path);
}

const char *decoder_program(void)
{
    const char *named = getenv("VMAF_GPU_FFMPEG");
    return named != NULL && *named != '\0' ? named : "ffmpeg";
}

int decoder_open(Decoder *decoder, const char *path, int stream, const char *filter, int is_quiet)
{
    char name[kDecoderName], graph[256];
    /* A graph of this kind, since libavfilter converts in it as it does before our filter. */
    snprintf(graph, sizeof(graph), "[0:%d]%s[o]", stream, *filter != '\0' ? filter : "null");
    const char *const words[] = {
        "ffmpeg",          "-nostdin", "-v",   "error",        "-i",        name,
        "-filter_complex", graph,      "-map", "[o]",          "-fps_mode", "passthrough",
        "-strict",         "-1",       "-f",   "yuv4mpegpipe", "-",         NULL};
    decoder_name(name, path);
    if (decoder_start(decoder, words, 0) < 0)
        return -1;
    if (!is_quiet)
        output_say("%s is read through %s", path, decoder_program());
    return 0;
}
