/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See video.h. Y4M: a text line "YUV4MPEG2 W.. H.. C..", then per picture a
 * line "FRAME ..." and the samples.
 */
#include "video.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output.h"
#include "stop.h"

#define SIGNATURE "YUV4MPEG2"

enum { kMaxLine = 1024, kMaxSize = 65535 };

static int fail(VideoReader *reader, const char *format, ...)
{
    const char *name = strcmp(reader->path, "-") == 0 ? "standard input" : reader->path;
    const int used = snprintf(reader->error, sizeof(reader->error), "%s: ", name);
    if (used > 0 && (size_t)used < sizeof(reader->error)) {
        va_list list;
        va_start(list, format);
        vsnprintf(reader->error + used, sizeof(reader->error) - (size_t)used, format, list);
        va_end(list);
    }
    return -1;
}

static int fail_reading(VideoReader *reader)
{
    return errno == EINTR ? fail(reader, "stopped by a signal")
                          : fail(reader, "cannot read: %s", strerror(errno));
}

/* A line up to its newline, which is not kept. 1, 0 at the end of the file, -1. */
static int read_line(VideoReader *reader, char *line, const char *what)
{
    size_t length = 0;
    int byte;
    while ((byte = getc(reader->file)) != EOF && byte != '\n') {
        if (length == kMaxLine - 1)
            return fail(reader, "%s is longer than %d bytes", what, kMaxLine - 1);
        line[length++] = (char)byte;
    }
    line[length] = '\0';
    if (ferror(reader->file))
        return fail_reading(reader);
    if (byte == EOF && length == 0)
        return 0;
    if (byte == EOF)
        return fail(reader, "the file ends within %s", what);
    return 1;
}

static int parse_size(const char *text, int *value)
{
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || number < 1 || number > kMaxSize)
        return -1;
    *value = (int)number;
    return 0;
}

/* Depth of a colour space's rest: "" and chroma positions are 8, "p10" is 10. Mono, whose depths
 * have no prefix, has no positions. */
static int parse_depth(const char *rest, const char *prefix)
{
    static const char *const eight[] = {"", "jpeg", "paldv", "mpeg2"};
    const size_t count = *prefix == '\0' ? 1 : sizeof(eight) / sizeof(eight[0]);
    for (size_t i = 0; i < count; ++i)
        if (strcmp(rest, eight[i]) == 0)
            return 8;
    const size_t length = strlen(prefix);
    int depth = 0;
    if (strncmp(rest, prefix, length) != 0 || parse_size(rest + length, &depth) != 0 || depth < 8 ||
        depth > 16)
        return -1;
    return depth;
}

static int parse_colour_space(VideoReader *reader, const char *text)
{
    static const struct {
        const char *name, *before_depth;
        int chroma;
    } known[] = {{"420", "p", VMAFGPU_CHROMA_420},
                 {"422", "p", VMAFGPU_CHROMA_422},
                 {"444", "p", VMAFGPU_CHROMA_444},
                 {"mono", "", VMAFGPU_CHROMA_400}};
    VideoFormat *format = &reader->format;
    reader->skipped_planes = strcmp(text, "444alpha") == 0;
    format->depth = -1;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
        const size_t length = strlen(known[i].name);
        if (strncmp(text, known[i].name, length) != 0)
            continue;
        format->chroma = known[i].chroma;
        format->depth =
            reader->skipped_planes ? 8 : parse_depth(text + length, known[i].before_depth);
    }
    if (format->depth > 0)
        return 0;
    return fail(reader,
                "colour space C%s is not supported (supported: 420, 420jpeg, 420mpeg2, "
                "420paldv, 422, 444, 444alpha, mono, and p9 to p16, mono9 to mono16)",
                text);
}

/* "24000:1001"; a rate of 0:0 is unknown. */
static int parse_rate(VideoReader *reader, const char *text)
{
    char after;
    VideoFormat *format = &reader->format;
    if (sscanf(text, "%9d:%9d%c", &format->rate_num, &format->rate_den, &after) != 2 ||
        format->rate_num < 0 || format->rate_den < 0)
        return fail(reader, "bad frame rate '%s' in the Y4M header", text);
    if (format->rate_num == 0 || format->rate_den == 0)
        format->rate_num = format->rate_den = 0;
    return 0;
}

/* Range, fields, shape of a pixel; other fields are none of these. */
static int parse_tag(VideoFormat *format, const char *field)
{
    if (strcmp(field, "XCOLORRANGE=FULL") == 0)
        format->range = "pc";
    else if (strcmp(field, "XCOLORRANGE=LIMITED") == 0)
        format->range = "tv";
    else if (field[0] == 'I') {
        format->is_bottom_first = field[1] == 'b';
        format->is_interlaced = field[1] == 't' || field[1] == 'b';
    } else if (field[0] == 'A') /* NOLINTNEXTLINE(cert-err34-c) */
        return sscanf(field + 1, "%9d:%9d", &format->sar_num, &format->sar_den) == 2 ? 0 : -1;
    return 0;
}

static int parse_header(VideoReader *reader, char *line)
{
    VideoFormat *format = &reader->format;
    memset(format, 0, sizeof(*format));
    format->chroma = VMAFGPU_CHROMA_420;
    format->depth = 8;
    format->range = "";
    for (char *field = strtok(line, " "); field != NULL; field = strtok(NULL, " ")) {
        if (field[0] == 'W' && parse_size(field + 1, &format->width) != 0)
            return fail(reader, "bad width '%s' in the Y4M header", field + 1);
        if (field[0] == 'H' && parse_size(field + 1, &format->height) != 0)
            return fail(reader, "bad height '%s' in the Y4M header", field + 1);
        if (field[0] == 'F' && parse_rate(reader, field + 1) != 0)
            return -1;
        if (field[0] == 'C' && parse_colour_space(reader, field + 1) != 0)
            return -1;
        if (parse_tag(format, field) != 0)
            return fail(reader, "bad pixel aspect '%s' in the Y4M header", field + 1);
    }
    if (format->width == 0 || format->height == 0)
        return fail(reader, "the Y4M header gives no width or no height");
    return 0;
}

/* The rest of the header's line, behind the signature. */
static int read_header(VideoReader *reader)
{
    char line[kMaxLine];
    const int got = read_line(reader, line, "the Y4M header");
    if (got <= 0)
        return got < 0 ? -1 : fail(reader, "the file ends within the Y4M header");
    reader->is_y4m = 1;
    reader->first_byte = reader->decoder.pid > 0 ? -1 : ftello(reader->file);
    return parse_header(reader, line);
}

/* 1: the file begins as Y4M does. */
static int has_signature(FILE *file)
{
    char signature[sizeof(SIGNATURE)] = "";
    const size_t length = strlen(SIGNATURE);
    return fread(signature, 1, length, file) == length && memcmp(signature, SIGNATURE, length) == 0;
}

const char kVideoRawHint[] = "for raw video give --width, --height, --pixel_format and --bitdepth";

/* Raw video is what the command line says, unless it cannot be. */
static int check_raw(VideoReader *reader)
{
    struct stat info;
    const long long bytes = (long long)video_frame_bytes(&reader->format);
    reader->format.range = "";
    if (fstat(fileno(reader->file), &info) != 0 || !S_ISREG(info.st_mode))
        return 0;
    if (has_signature(reader->file))
        return fail(reader, "a Y4M file, whose header says what it is: leave out --width, "
                            "--height, --pixel_format and --bitdepth");
    rewind(reader->file);
    if (info.st_size % bytes == 0)
        return 0;
    return fail(reader,
                "%lld bytes are no whole number of pictures of %lld bytes: %lld pictures, and "
                "%lld bytes; are size, pixel format and bit depth right?",
                (long long)info.st_size, bytes, (long long)info.st_size / bytes,
                (long long)info.st_size % bytes);
}

int video_open(VideoReader *reader, const char *path, const VideoFormat *raw)
{
    memset(reader, 0, sizeof(*reader));
    reader->path = path;
    reader->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (reader->file == NULL && (raw->width > 0 || strchr(path, '%') == NULL))
        return fail(reader, "cannot open: %s", strerror(errno));
    if (raw->width > 0) {
        reader->format = *raw;
        return check_raw(reader);
    }
    if (reader->file == NULL) /* a pattern of names of images */
        return 1;
    if (has_signature(reader->file))
        return read_header(reader);
    if (ferror(reader->file))
        return fail(reader, "%s", strerror(errno));
    if (reader->file == stdin || fseek(reader->file, 0, SEEK_SET) != 0)
        return fail(reader, "not Y4M, and ffmpeg cannot read a pipe from its beginning again; %s",
                    kVideoRawHint);
    return 1;
}

/* A size that changes is an error, as in the filter: ffmpeg would scale it to the first one. */
static void write_graph(char *graph, size_t size, const char *filter, const VmafGpuInput *input)
{
    const int written = snprintf(graph, size, "%s", filter);
    if (input != NULL && input->width > 0)
        snprintf(graph + written, size - (size_t)written,
                 "%scrop=w='if(eq(iw,%d)*eq(ih,%d),iw,0)':h=ih:x=0:y=0:exact=1",
                 written > 0 ? "," : "", input->width, input->height);
}

int video_decode(VideoReader *reader, const char *filter, const VmafGpuInput *input,
                 int is_of_one_size, int is_quiet)
{
    char graph[240];
    DecoderSaid said;
    write_graph(graph, sizeof(graph), filter, is_of_one_size ? input : NULL);
    if (reader->file != NULL)
        fclose(reader->file);
    reader->file = NULL;
    if (decoder_open(&reader->decoder, reader->path, input->stream, graph, is_quiet) < 0)
        return fail(reader, "not a Y4M file, and ffmpeg cannot be started to read it: %s; %s",
                    strerror(errno), kVideoRawHint);
    reader->file = reader->decoder.output;
    if (has_signature(reader->file))
        return read_header(reader);
    decoder_said(&reader->decoder, &said);
    if (said.error[0] != '\0')
        output_say("%s: ffmpeg says: %s", reader->path, said.error);
    if (*filter != '\0')
        return fail(reader, "ffmpeg cannot convert it by %s", filter);
    return fail(reader,
                "ffmpeg cannot read it, or cannot give %s without a conversion (--formats asis)",
                input->format);
}

void video_tags(const VideoReader *reader, VmafGpuInput *input)
{
    static const char *const chroma[] = {"gray", "yuv420p", "yuv422p", "yuv444p"};
    const VideoFormat *format = &reader->format;
    char depth[16] = "";
    memset(input, 0, sizeof(*input));
    if (format->depth > 8)
        snprintf(depth, sizeof(depth), "%dle", format->depth);
    snprintf(input->format, sizeof(input->format), "%s%s", chroma[format->chroma], depth);
    snprintf(input->range, sizeof(input->range), "%s", format->range);
    input->width = format->width;
    input->height = format->height;
    input->sar_num = format->sar_num;
    input->sar_den = format->sar_den;
    input->rate_num = format->rate_num;
    input->rate_den = format->rate_den;
    input->is_interlaced = format->is_interlaced;
    input->is_bottom_first = format->is_bottom_first;
}

/* Bytes from one picture to the next if no FRAME line says more. */
static long long picture_stride(const VideoReader *reader)
{
    return (long long)video_frame_bytes(&reader->format) +
           (long long)reader->skipped_planes * reader->format.width * reader->format.height +
           (reader->is_y4m ? (long long)strlen("FRAME\n") : 0);
}

/* Bytes of all pictures; -1: not known. */
static long long picture_bytes(const VideoReader *reader)
{
    struct stat info;
    if (reader->file == NULL || reader->first_byte < 0 || fstat(fileno(reader->file), &info) != 0 ||
        !S_ISREG(info.st_mode))
        return -1;
    return (long long)info.st_size - reader->first_byte;
}

long long video_count(const VideoReader *reader)
{
    const long long bytes = picture_bytes(reader);
    return bytes < 0 ? -1 : bytes / picture_stride(reader);
}

void video_plane_size(const VideoFormat *format, int plane, size_t *width, size_t *height)
{
    const int half_width =
        plane > 0 && (format->chroma == VMAFGPU_CHROMA_420 || format->chroma == VMAFGPU_CHROMA_422);
    const int half_height = plane > 0 && format->chroma == VMAFGPU_CHROMA_420;
    *width = (size_t)(half_width ? (format->width + 1) / 2 : format->width);
    *height = (size_t)(half_height ? (format->height + 1) / 2 : format->height);
}

static int plane_count(const VideoFormat *format)
{
    return format->chroma == VMAFGPU_CHROMA_400 ? 1 : 3;
}

int video_frame_rate(const VideoFormat *format)
{
    return format->rate_den > 0 ? format->rate_num / format->rate_den : 0;
}

size_t video_frame_bytes(const VideoFormat *format)
{
    size_t samples = 0;
    for (int p = 0; p < plane_count(format); ++p) {
        size_t width;
        size_t height;
        video_plane_size(format, p, &width, &height);
        samples += width * height;
    }
    return samples * (format->depth > 8 ? 2 : 1);
}

/* FFmpeg 5.1 leaves a byte of each row of chroma out. */
static int fail_odd(VideoReader *reader)
{
    return fail(reader,
                "this ffmpeg writes pictures of odd width with more than 8 bits wrong as Y4M, "
                "as FFmpeg 5.1 does: VMAF_GPU_FFMPEG names a later one");
}

static int may_be_odd(const VideoReader *reader)
{
    const VideoFormat *format = &reader->format;
    return reader->decoder.pid > 0 && format->width % 2 != 0 && format->depth > 8 &&
           (format->chroma == VMAFGPU_CHROMA_420 || format->chroma == VMAFGPU_CHROMA_422);
}

/* Only of the first picture that is read: a file that is not what is said is not in any of them. */
static int check_depth(VideoReader *reader, const unsigned char *data, size_t bytes)
{
    const int depth = reader->format.depth;
    unsigned all = 0;
    if (depth <= 8 || depth >= 16 || reader->is_checked)
        return 0;
    reader->is_checked = 1;
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        uint16_t sample;
        memcpy(&sample, data + i, 2);
        all |= sample;
    }
    if (all >> depth == 0)
        return 0;
    if (may_be_odd(reader))
        return fail_odd(reader);
    return fail(reader, "it has samples above %d, the largest of %d bits: %s", (1 << depth) - 1,
                depth,
                all % (1U << (16 - depth)) == 0
                    ? "they are shifted up, as in P010; convert them, e.g. by ffmpeg to yuv420p10le"
                    : "has it another bit depth, e.g. 8 bits, or another byte order?");
}

static int skip_bytes(VideoReader *reader, size_t bytes)
{
    char buffer[4096];
    while (bytes > 0) {
        const size_t part = bytes < sizeof(buffer) ? bytes : sizeof(buffer);
        const size_t got = fread(buffer, 1, part, reader->file);
        if (got != part)
            return fail(reader, "the file ends within picture %lld", reader->frames);
        bytes -= got;
    }
    return 0;
}

/* 0, or -1 if the file ended since its decoder failed. */
static int end_of_file(VideoReader *reader)
{
    reader->is_at_end = 1;
    if (reader->decoder.pid <= 0)
        return 0;
    const int status = decoder_close(&reader->decoder, 1);
    char change[400] = "";
    DecoderSaid said;
    reader->file = NULL;
    decoder_said(&reader->decoder, &said);
    if (said.has_changed)
        decoder_find_change(reader->path, reader->decoder.stream, change, sizeof(change));
    if (change[0] != '\0')
        return fail(reader, "%s", change);
    return status == 0 ? 0
                       : fail(reader, "ffmpeg %s after picture %lld%s%s",
                              status < 0 ? "was killed" : "failed", reader->frames,
                              said.error[0] != '\0' ? ": " : "", said.error);
}

void video_doubt(const VideoReader *reader, int input, char *text, size_t size)
{
    DecoderSaid said;
    decoder_said(&reader->decoder, &said);
    text[0] = '\0';
    if (said.damaged > 0) /* the engine's words for it; it counts such frames for the filter */
        snprintf(text, size, "%lld %s of %s %s damaged: the decoder reported errors", said.damaged,
                 said.damaged == 1 ? "frame" : "frames",
                 input == VMAFGPU_MAIN ? "main" : "reference", said.damaged == 1 ? "is" : "are");
    else if (said.error[0] != '\0')
        snprintf(text, size,
                 "%s: the decoder reported errors, and pictures may be damaged or missing: %s",
                 reader->path, said.error);
}

int video_read(VideoReader *reader, unsigned char *data)
{
    const size_t bytes = video_frame_bytes(&reader->format);
    if (reader->is_at_end)
        return 0;
    if (reader->is_y4m) {
        char line[kMaxLine] = "";
        const int got = read_line(reader, line, "a FRAME line");
        if (got == 0)
            return end_of_file(reader);
        if (got < 0)
            return got;
        if (strncmp(line, "FRAME", 5) != 0 || (line[5] != '\0' && line[5] != ' '))
            return may_be_odd(reader)
                       ? fail_odd(reader)
                       : fail(reader, "picture %lld does not begin with FRAME", reader->frames);
    }
    const size_t got = fread(data, 1, bytes, reader->file);
    if (got != bytes) {
        if (ferror(reader->file))
            return fail_reading(reader);
        if (got == 0 && !reader->is_y4m)
            return 0;
        if (may_be_odd(reader))
            return fail_odd(reader);
        if (reader->decoder.pid > 0 && end_of_file(reader) < 0)
            return -1;
        return fail(reader, "picture %lld is cut short: %zu of %zu bytes", reader->frames, got,
                    bytes);
    }
    if (check_depth(reader, data, bytes) < 0)
        return -1;
    if (reader->skipped_planes > 0 &&
        skip_bytes(reader, (size_t)reader->format.width * (size_t)reader->format.height) != 0)
        return -1;
    ++reader->frames;
    return 1;
}

Frame *frame_get(VideoReader *reader)
{
    Frame *frame = reader->unused;
    if (frame != NULL) {
        reader->unused = frame->next;
        return frame;
    }
    frame = calloc(1, sizeof(*frame));
    if (frame == NULL)
        return NULL;
    frame->reader = reader;
    frame->data = malloc(video_frame_bytes(&reader->format));
    if (frame->data != NULL)
        return frame;
    free(frame);
    return NULL;
}

void frame_release(void *opaque)
{
    Frame *frame = opaque;
    frame->next = frame->reader->unused;
    frame->reader->unused = frame;
}

int video_skip_to(VideoReader *reader, long long number)
{
    const long long stride = picture_stride(reader);
    const long long bytes = picture_bytes(reader);
    Frame *frame = frame_get(reader);
    if (frame == NULL)
        return fail(reader, "out of memory");
    /* FRAME lines that say more would show in the size of the file. */
    if (number > reader->frames && bytes >= 0 && bytes % stride == 0 && number < bytes / stride &&
        fseeko(reader->file, (off_t)(reader->first_byte + number * stride), SEEK_SET) == 0)
        reader->frames = number;
    int status = 1;
    while (reader->frames < number && status > 0)
        status = stop_signal() != 0 ? fail(reader, "stopped by a signal")
                                    : video_read(reader, frame->data);
    frame_release(frame);
    return status;
}

void video_picture(const VideoFormat *format, const unsigned char *data, VmafGpuPicture *picture)
{
    const size_t sample = format->depth > 8 ? 2 : 1;
    memset(picture, 0, sizeof(*picture));
    picture->width = format->width;
    picture->height = format->height;
    picture->depth = format->depth;
    for (int p = 0; p < plane_count(format); ++p) {
        size_t width;
        size_t height;
        video_plane_size(format, p, &width, &height);
        picture->plane[p].data = data;
        picture->plane[p].pitch = (ptrdiff_t)(width * sample);
        data += width * height * sample;
    }
}

void video_close(VideoReader *reader)
{
    if (reader->decoder.pid > 0)
        decoder_close(&reader->decoder, 0);
    else if (reader->file != NULL && reader->file != stdin)
        fclose(reader->file);
    decoder_forget(&reader->decoder);
    reader->file = NULL;
    while (reader->unused != NULL) {
        Frame *frame = reader->unused;
        reader->unused = frame->next;
        free(frame->data);
        free(frame);
    }
}
