/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See decoder.h. Windows's half: `pid` holds the process's handle.
 */
#include "decoder.h"

#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxPath = 1024, kMaxCommand = 4096 };

static int find_program(char *out)
{
    const char *named = getenv("VMAF_GPU_FFMPEG");
    if (named != NULL && *named != '\0') {
        const DWORD attributes = GetFileAttributesA(named);
        return attributes != INVALID_FILE_ATTRIBUTES &&
                       (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0 &&
                       snprintf(out, kMaxPath, "%s", named) < kMaxPath
                   ? 0
                   : -1;
    }
    const DWORD length = SearchPathA(getenv("PATH"), "ffmpeg.exe", NULL, kMaxPath, out, NULL);
    return length > 0 && length < kMaxPath ? 0 : -1;
}

/* A name of Windows has no quotation mark, and one that ends in '\' is a folder. */
static int make_command(char *out, const char *program, const char *path, const char *before,
                        const char *after)
{
    const int length = snprintf(out, kMaxCommand, "\"%s\" -nostdin %s -i \"%s\" %s -", program,
                                before, path, after);
    return strchr(path, '"') == NULL && length > 0 && length < kMaxCommand ? 0 : -1;
}

/* what: STD_OUTPUT_HANDLE or STD_ERROR_HANDLE. Gives the end of its pipe to read from, or NULL. */
static HANDLE start(Decoder *decoder, const char *program, char *command, DWORD what)
{
    SECURITY_ATTRIBUTES inherited = {sizeof(inherited), NULL, TRUE};
    PROCESS_INFORMATION process;
    STARTUPINFOA startup;
    HANDLE read_end, write_end;
    memset(&startup, 0, sizeof(startup));
    if (!CreatePipe(&read_end, &write_end, &inherited, 1 << 20))
        return NULL;
    SetHandleInformation(read_end, HANDLE_FLAG_INHERIT, 0);
    startup.cb = sizeof(startup);
    startup.dwFlags = STARTF_USESTDHANDLES;
    startup.hStdInput = INVALID_HANDLE_VALUE;
    startup.hStdOutput = what == STD_OUTPUT_HANDLE ? write_end : INVALID_HANDLE_VALUE;
    startup.hStdError = what == STD_ERROR_HANDLE ? write_end : GetStdHandle(STD_ERROR_HANDLE);
    /* Its own group: Ctrl-C is for us, and the pictures in the pipe still count. */
    const BOOL is_started =
        CreateProcessA(program, command, NULL, NULL, TRUE, CREATE_NEW_PROCESS_GROUP, NULL, NULL,
                       &startup, &process);
    CloseHandle(write_end);
    if (!is_started) {
        CloseHandle(read_end);
        return NULL;
    }
    CloseHandle(process.hThread);
    decoder->pid = (intptr_t)process.hProcess;
    return read_end;
}

static int start_program(Decoder *decoder, const char *program, char *command, DWORD what)
{
    const HANDLE pipe = start(decoder, program, command, what);
    const int file = pipe == NULL ? -1 : _open_osfhandle((intptr_t)pipe, _O_RDONLY | _O_BINARY);
    decoder->output = file < 0 ? NULL : _fdopen(file, "rb");
    if (decoder->output != NULL)
        return 0;
    if (pipe != NULL)
        decoder_close(decoder, 0);
    errno = EIO;
    return -1;
}

/* Start ffmpeg on path, and read what it writes to `what`. */
static int start_on(Decoder *decoder, const char *path, char *program, const char *before,
                    const char *after, DWORD what)
{
    char command[kMaxCommand];
    memset(decoder, 0, sizeof(*decoder));
    errno = ENOENT;
    if (find_program(program) < 0)
        return -1;
    errno = ENAMETOOLONG;
    if (make_command(command, program, path, before, after) < 0)
        return -1;
    return start_program(decoder, program, command, what);
}

int decoder_open(Decoder *decoder, const char *path, const char *filter, int is_quiet)
{
    char program[kMaxPath], after[384];
    /* A graph of this kind, since libavfilter converts in it as it does before our filter. */
    snprintf(after, sizeof(after),
             "-filter_complex \"[0:v:0]%s[o]\" -map \"[o]\" -fps_mode passthrough -strict -1 "
             "-f yuv4mpegpipe",
             *filter != '\0' ? filter : "null");
    if (start_on(decoder, path, program, "-v error", after, STD_OUTPUT_HANDLE) < 0)
        return -1;
    if (!is_quiet)
        fprintf(stderr, "vmaf_gpu: %s is read through %s\n", path, program);
    return 0;
}

int decoder_probe(Decoder *decoder, const char *path)
{
    char program[kMaxPath];
    return start_on(decoder, path, program, "-v info -export_side_data film_grain",
                    "-map 0:v:0 -frames:v 1 -vf showinfo -f null", STD_ERROR_HANDLE);
}

int decoder_close(Decoder *decoder, int is_at_end)
{
    const HANDLE process = (HANDLE)decoder->pid;
    DWORD status = 1;
    if (decoder->output != NULL)
        fclose(decoder->output);
    decoder->output = NULL;
    if (decoder->pid == 0)
        return 0;
    if (!is_at_end)
        TerminateProcess(process, 1);
    WaitForSingleObject(process, INFINITE);
    const BOOL has_status = GetExitCodeProcess(process, &status);
    CloseHandle(process);
    decoder->pid = 0;
    if (!is_at_end)
        return 0;
    return has_status ? (int)status : -1;
}
