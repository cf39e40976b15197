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

enum { kMaxCommand = 4096, kMaxPath = 4096 };

/* CreateProcess() itself would look into the current folder first. A name with a path is found as
 * it is. */
static int find_program(char *out)
{
    const DWORD length =
        SearchPathA(getenv("PATH"), decoder_program(), ".exe", kMaxPath, out, NULL);
    return length > 0 && length < kMaxPath ? 0 : -1;
}

/* A name of Windows has no quotation mark, and one that ends in '\' is a folder. */
static int make_command(char *out, const char *program, const char *const *words)
{
    int length = snprintf(out, kMaxCommand, "\"%s\"", program);
    for (++words; *words != NULL && length > 0 && length < kMaxCommand; ++words) {
        if (strchr(*words, '"') != NULL)
            return -1;
        length += snprintf(out + length, (size_t)(kMaxCommand - length), " \"%s\"", *words);
    }
    return length > 0 && length < kMaxCommand ? 0 : -1;
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
    if (decoder->messages != NULL) {
        startup.hStdError = (HANDLE)_get_osfhandle(_fileno(decoder->messages));
        SetHandleInformation(startup.hStdError, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    }
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
    decoder_forget(decoder);
    errno = EIO;
    return -1;
}

int decoder_start(Decoder *decoder, const char *const *words, int reads_errors)
{
    char program[kMaxPath], command[kMaxCommand];
    memset(decoder, 0, sizeof(*decoder));
    errno = ENOENT;
    if (find_program(program) < 0)
        return -1;
    errno = ENAMETOOLONG;
    if (make_command(command, program, words) < 0)
        return -1;
    decoder->messages = reads_errors ? NULL : tmpfile();
    if (!reads_errors && decoder->messages == NULL)
        return -1;
    return start_program(decoder, program, command,
                         reads_errors ? STD_ERROR_HANDLE : STD_OUTPUT_HANDLE);
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
