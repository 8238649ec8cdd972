/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/sql_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"

struct keyword {
    const char *name;
    enum sql_text_kind kind;
};

static const struct keyword keywords[] = {
    {"select", SQL_TEXT_READ},  {"insert", SQL_TEXT_WRITE},  {"update", SQL_TEXT_WRITE},
    {"delete", SQL_TEXT_WRITE}, {"replace", SQL_TEXT_WRITE}, {"merge", SQL_TEXT_WRITE},
    {"show", SQL_TEXT_READ},    {"values", SQL_TEXT_READ},   {"table", SQL_TEXT_READ},
    {"explain", SQL_TEXT_READ}, {"describe", SQL_TEXT_READ}, {"desc", SQL_TEXT_READ},
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Length of the word that starts at `p`, or 0. A '$' after the first character belongs to it. */
static size_t word_length(const char *p, const char *end)
{
    size_t n = 0;

    while (p + n < end && (is_word(p[n]) || (n > 0 && p[n] == '$')))
        n++;
    return n;
}

static const char *find(const char *p, const char *end, const char *what, size_t bytes)
{
    const char *hit = memmem(p, (size_t)(end - p), what, bytes);
    return hit != NULL ? hit + bytes : end;
}

/* Returns the end of the PostgreSQL literal ($tag$...$tag$) that starts at `p`, or `p` if none
 * does. */
static const char *skip_dollar(const char *p, const char *end)
{
    const char *tag = p + 1;
    if (tag < end && isdigit((unsigned char)*tag))
        return p; /* $1 */
    while (tag < end && is_word(*tag))
        tag++;
    if (tag == end || *tag != '$')
        return p;
    size_t bytes = (size_t)(tag + 1 - p);
    return find(tag + 1, end, p, bytes);
}

/* Returns the end of the literal that starts at `p`, in which backslashes escape characters. */
static const char *skip_escaped(const char *p, const char *end)
{
    const char quote = *p++;

    while (p < end && *p != quote)
        p += *p == '\\' && end - p > 1 ? 2 : 1;
    return p < end ? p + 1 : end;
}

/*
 * Returns the end of the literal or comment that starts at `p`, or `p` if none does. A doubled
 * quote is treated as the end of one literal and the start of the next, with the same effect.
 */
static const char *skip_opaque(const char *p, const char *end)
{
    switch (*p) {
    case '\'':
    case '"':
    case '`':
        return find(p + 1, end, p, 1);
    case '-':
        return end - p > 1 && p[1] == '-' ? find(p + 2, end, "\n", 1) : p;
    case '/':
        return end - p > 1 && p[1] == '*' ? find(p + 2, end, "*/", 2) : p;
    case '$':
        return skip_dollar(p, end);
    default:
        return p;
    }
}

/* Moves *p to the next word outside literals and comments. Returns its length, 0 at the end. */
static size_t next_word(const char **p, const char *end, int *depth)
{
    while (*p < end) {
        const char *past = skip_opaque(*p, end);
        size_t length = word_length(*p, end);
        if (length > 0)
            return length;
        *depth += (**p == '(') - (**p == ')');
        *p = past != *p ? past : *p + 1;
    }
    return 0;
}

static bool same_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

static const struct keyword *find_keyword(const char *word, size_t length)
{
    for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
        if (same_word(word, length, keywords[i].name))
            return &keywords[i];
    return NULL;
}

/* Returns the first statement keyword outside parentheses, which ends the WITH clause, or NULL. */
static const struct keyword *keyword_after_with(const char *p, const char *end)
{
    int depth = 0;
    size_t length;

    while ((length = next_word(&p, end, &depth)) > 0) {
        const struct keyword *keyword = depth == 0 ? find_keyword(p, length) : NULL;
        if (keyword != NULL)
            return keyword;
        p += length;
    }
    return NULL;
}

/* Returns the keyword that decides the kind of a statement, or NULL if it has no known keyword. */
static const struct keyword *statement_keyword(const char *text, size_t length, bool *with)
{
    const char *p = text, *end = text + length;
    int depth = 0;
    size_t word = next_word(&p, end, &depth);

    *with = same_word(p, word, "with");
    return *with ? keyword_after_with(p + word, end) : find_keyword(p, word);
}

enum sql_text_kind sql_text_kind(const char *text, size_t length)
{
    bool with;
    const struct keyword *keyword = statement_keyword(text, length, &with);

    if (keyword != NULL)
        return keyword->kind;
    return with ? SQL_TEXT_READ : SQL_TEXT_OTHER;
}

const char *sql_text_keyword(const char *text, size_t length)
{
    bool with;
    const struct keyword *keyword = statement_keyword(text, length, &with);

    return keyword != NULL ? keyword->name : "";
}

unsigned sql_text_parameters(const char *text, size_t length, bool backslash, size_t *offsets,
                             unsigned room)
{
    const char *p = text, *end = text + length;
    unsigned count = 0;

    while (p < end) {
        bool escaped = backslash && (*p == '\'' || *p == '"');
        const char *past = escaped ? skip_escaped(p, end) : skip_opaque(p, end);
        if (past == p) {
            if (*p == '?' && count++ < room)
                offsets[count - 1] = (size_t)(p - text);
            past = p + max_i64(1, (int64_t)word_length(p, end));
        }
        p = past;
    }
    return count;
}

size_t sql_text_double_quotes(char *to, const char *text, size_t length)
{
    char *p = to;

    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'')
            *p++ = '\'';
        *p++ = text[i];
    }
    return (size_t)(p - to);
}
