/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/command_words.h"

#include <stdbool.h>
#include <string.h>

#include "base/util.h"

#define BLANKS " \t\r\n"

static bool is_blank(char c)
{
    return c != '\0' && strchr(BLANKS, c) != NULL;
}

/* Copies the word at *text to *to without its quotes and advances both pointers past the word.
 * Returns false if a quote is not closed. */
static bool take_word(const char **text, char **to)
{
    char quote = '\0';
    for (; **text != '\0' && (quote != '\0' || !is_blank(**text)); (*text)++) {
        char c = **text;
        if (c == '\\' && quote != '\'' && (*text)[1] != '\0')
            *(*to)++ = *++*text;
        else if (quote == '\0' && (c == '"' || c == '\''))
            quote = c;
        else if (c == quote)
            quote = '\0';
        else
            *(*to)++ = c;
    }
    *(*to)++ = '\0';
    return quote == '\0';
}

/* The result is one allocation: the pointers, then the words. */
char **command_words(const char *text)
{
    size_t most = strlen(text) / 2 + 2; /* every two words have a blank between them */
    char **words = xcalloc(1, most * sizeof(char *) + strlen(text) + 1);
    char *to = (char *)(words + most);
    for (size_t i = 0; *(text += strspn(text, BLANKS)) != '\0'; i++) {
        words[i] = to;
        if (!take_word(&text, &to)) {
            free(words);
            return NULL;
        }
    }
    return words;
}

char **command_shell_words(const char *text)
{
    char **words = xcalloc(1, 4 * sizeof(char *) + strlen(text) + 1);
    words[0] = "/bin/sh";
    words[1] = "-c";
    words[2] = strcpy((char *)(words + 4), text);
    return words;
}
