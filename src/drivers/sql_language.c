/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SQL as the language of a driver: the functions of sql_text.h, and class names of statements. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "drivers/language.h"

static bool is_blank_or_comment(const char **p, const char *end)
{
    if (isspace((unsigned char)**p) || **p == '(') {
        ++*p;
        return true;
    }
    if (end - *p < 2 || strncmp(*p, "/*", 2) != 0)
        return false;
    const char *close = memmem(*p + 2, (size_t)(end - *p - 2), "*/", 2);
    *p = close != NULL ? close + 2 : end;
    return true;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Moves *p to the next word; returns its length, 0 at the end. */
static size_t next_word(const char **p, const char *end)
{
    while (*p < end && !is_word(**p))
        ++*p;
    const char *word = *p;
    while (word < end && is_word(*word))
        word++;
    return (size_t)(word - *p);
}

/* True if a table name follows this word. */
static bool precedes_table(const char *word, size_t length)
{
    static const char *const words[] = {"from", "into", "update", "table"};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strlen(words[i]) == length && strncasecmp(word, words[i], length) == 0)
            return true;
    return false;
}

/* Length of a table name without digits at its end: statements on sbtest1 and sbtest2 belong to the
 * same class. */
static size_t without_number(const char *word, size_t length)
{
    size_t n = length;
    while (n > 0 && isdigit((unsigned char)word[n - 1]))
        n--;
    return n > 0 ? n : length;
}

static size_t class_name(const char *text, size_t length, char *name, size_t bytes)
{
    const char *p = text, *end = text + length;
    while (p < end && is_blank_or_comment(&p, end))
        ;
    size_t word = next_word(&p, end);
    size_t used = (size_t)snprintf(name, bytes, "%.*s", (int)min_u32((uint32_t)word, 16), p);
    for (size_t i = 0; i < used; i++)
        name[i] = (char)tolower((unsigned char)name[i]);
    bool found = false;
    while (word > 0 && !found) {
        found = precedes_table(p, word);
        p += word;
        word = next_word(&p, end);
    }
    if (found && word > 0)
        used += (size_t)snprintf(name + used, bytes - used, " %.*s",
                                 (int)min_u32((uint32_t)without_number(p, word), 30), p);
    return used;
}

static const char *const secret_names[] = {"identified", NULL};
static const char *const secret_links[] = {"by", "as", "using", "is", "to", NULL};
const struct secret_words sql_secret_words = {.names = secret_names, .links = secret_links};

const struct driver_language sql_language = {
    .kind = sql_text_kind,
    .keyword = sql_text_keyword,
    .parameters = sql_text_parameters,
    .class_name = class_name,
    .quote = '\'',
    .escaped_bytes = 2,
    .null = "NULL",
    .bulk_end = "",
    .has_insert = true,
};
