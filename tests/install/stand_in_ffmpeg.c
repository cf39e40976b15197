/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * What the tool for Windows starts in place of ffmpeg.exe (test_windows.py). The "video" is a line
 * that begins with "stand-in", and a Y4M file. It decodes nothing.
 */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>

static const char *after(char **list, const char *name)
{
    for (; *list != NULL; ++list)
        if (strcmp(*list, name) == 0)
            return list[1];
    return NULL;
}

static int has(char **list, const char *name)
{
    for (; *list != NULL; ++list)
        if (strcmp(*list, name) == 0)
            return 1;
    return 0;
}

/* Whether the arguments are what ffmpeg needs to write Y4M to its standard output. */
static int is_decoding(char **list)
{
    const char *format = after(list, "-f");
    return has(list, "-nostdin") && format != NULL && strcmp(format, "yuv4mpegpipe") == 0 &&
           has(list, "-");
}

int main(int count, char **list)
{
    static char line[64], data[1 << 20];
    const char *path = after(list, "-i");
    const char *filter = after(list, "-vf");
    const int is_file = path != NULL && strncmp(path, "file:", 5) == 0;
    FILE *file = is_file ? fopen(path + 5, "rb") : NULL;
    size_t size;
    if (count < 2 || file == NULL || fgets(line, sizeof(line), file) == NULL)
        return 2;
    if (filter != NULL && strcmp(filter, "showinfo") == 0) {
        int width = 0, height = 0;
        if (fscanf(file, "YUV4MPEG2 W%d H%d", &width, &height) != 2)
            return 5;
        fprintf(stderr,
                "  libavfilter    10.  4.100 / 10.  4.100\r\n[Parsed_showinfo_0 @ 0] n: 0 "
                "fmt:yuv420p sar:0/1 s:%dx%d i:P color_range:tv "
                "color_space:bt2020nc x\r\n",
                width, height);
        return 0;
    }
    if (!is_decoding(list))
        return 3;
    _setmode(1, _O_BINARY);
    size = fread(data, 1, sizeof(data), file);
    if (fwrite(data, 1, size, stdout) != size || fflush(stdout) != 0)
        return 4;
    /* Also when nobody reads: who started it has to end it. */
    while (strstr(line, "endless") != NULL) {
        fputs("FRAME\n", stdout);
        for (int i = 0; i < 224 * 176 * 3 / 2; ++i)
            putchar(i & 0x7f);
    }
    return strstr(line, "fails") != NULL ? 7 : 0;
}
