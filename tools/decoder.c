/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See decoder.h. What does not depend on the system.
 */
#include "decoder.h"

#include <string.h>

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

void decoder_read_matrix(Decoder *decoder, char *matrix, size_t size)
{
    char line[2048];
    while (fgets(line, sizeof(line), decoder->output) != NULL)
        if (strstr(line, "_showinfo_") != NULL) /* not the line with the name of the file */
            copy_word(line, " color_space:", matrix, size);
}
