/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/statement_names.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "workloads/replay/log/log_text.h"
#include "workloads/replay/sql_scan.h"

/* The server cuts longer names to this. */
#define NAME_BYTES 63

/* State of the scan: the part of a statement that was read. */
enum state {
    BEGINNING,
    EXPLAINS, /* EXPLAIN and its options */
    CREATES,  /* CREATE …, up to the first AS */
    CREATES_AS,
    /* In the states from here on, the name comes next, or was read. */
    PREPARES,
    EXECUTES,
    DEALLOCATES, /* next comes PREPARE, the name, or both */
    DEALLOCATES_PREPARE,
    ENDS /* the rest of the statement has no name */
};

/* A word or a name in quotes. */
struct token {
    const char *start;
    size_t length;
};

struct scan {
    const char *at, *end;
    enum state state;
    unsigned depth; /* number of open parentheses */
    /* In DEALLOCATE PREPARE, the word PREPARE is the name unless a name follows. */
    struct token candidate;
};

static bool is(struct token t, const char *word)
{
    return t.length == strlen(word) && strncasecmp(t.start, word, t.length) == 0;
}

static enum state after_beginning(struct token t)
{
    static const struct {
        const char *word;
        enum state state;
    } rows[] = {{"prepare", PREPARES},
                {"execute", EXECUTES},
                {"deallocate", DEALLOCATES},
                {"explain", EXPLAINS},
                {"create", CREATES}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (is(t, rows[i].word))
            return rows[i].state;
    return ENDS;
}

static enum state after_explain(struct token t)
{
    if (is(t, "analyze") || is(t, "analyse") || is(t, "verbose"))
        return EXPLAINS;
    return is(t, "execute") ? EXECUTES : is(t, "create") ? CREATES : ENDS;
}

/* Goes on to the next state. Returns true if the token is the name of a prepared statement. */
static bool follow(struct scan *s, struct token t)
{
    const enum state state = s->state;
    switch (state) {
    case BEGINNING:
        s->state = after_beginning(t);
        return false;
    case EXPLAINS:
        s->state = after_explain(t);
        return false;
    case CREATES:
        s->state = is(t, "as") ? CREATES_AS : CREATES;
        return false;
    case CREATES_AS:
        s->state = is(t, "execute") ? EXECUTES : ENDS;
        return false;
    case DEALLOCATES:
        if (is(t, "prepare")) {
            s->candidate = t;
            s->state = DEALLOCATES_PREPARE;
            return false;
        }
        break;
    default:
        break;
    }
    s->state = ENDS;
    if (state == ENDS || is(t, "transaction"))
        return false;
    return (state != DEALLOCATES && state != DEALLOCATES_PREPARE) || !is(t, "all");
}

/* Call it at the end of a statement. Returns true if the statement had a name that was not returned
 * yet. */
static bool end_statement(struct scan *s, struct token *name)
{
    const bool named = s->state == DEALLOCATES_PREPARE;
    *name = s->candidate;
    s->state = BEGINNING;
    s->depth = 0;
    return named;
}

/* Reads a character that is part of no word, literal or comment. Returns true like
 * end_statement(). */
static bool pass_mark(struct scan *s, struct token *name)
{
    const char mark = *s->at++;
    if (mark == ';')
        return end_statement(s, name);
    /* Only blanks may come before a name. */
    if (s->state >= PREPARES && !isspace((unsigned char)mark))
        s->state = ENDS;
    if (mark == '(')
        s->depth++;
    if (mark == ')' && s->depth > 0)
        s->depth--;
    return false;
}

/* Reads the next word or name in quotes, or a literal or comment, whose length is 0 then. Returns
 * false, and reads nothing, at any other character. */
static bool take_token(struct scan *s, struct token *t)
{
    const char *past = sql_skip_opaque(s->at, s->end, SQL_SCAN_PGSQL);
    const bool quoted = past != s->at && *s->at == '"';
    const bool opaque = past != s->at && !quoted;
    while (quoted && past < s->end && *past == '"') /* "a""b" is one name */
        past = sql_skip_opaque(past, s->end, SQL_SCAN_PGSQL);
    *t = (struct token){s->at, quoted ? (size_t)(past - s->at) : 0};
    if (past == s->at)
        t->length = sql_word_length(s->at, s->end);
    s->at += opaque ? (size_t)(past - s->at) : t->length;
    return opaque || t->length > 0;
}

/* Returns false at the end of the text. */
static bool next_name(struct scan *s, struct token *name)
{
    while (s->at < s->end) {
        struct token t;
        if (!take_token(s, &t)) {
            if (pass_mark(s, name))
                return true;
        } else if (t.length > 0 && s->depth == 0 && follow(s, t)) {
            *name = t;
            return true;
        }
    }
    return end_statement(s, name);
}

bool statement_names_any(const char *text, size_t length)
{
    struct scan s = {.at = text, .end = text + length};
    struct token name;
    return next_name(&s, &name);
}

/* Writes the name as the server stores it. Returns the length. */
static size_t write_plain(char *to, struct token name)
{
    const bool quoted = name.start[0] == '"';
    size_t used = 0;
    for (size_t i = quoted; i < name.length - quoted && used < NAME_BYTES; i++) {
        const char c = name.start[i];
        to[used++] = quoted ? c : (char)tolower((unsigned char)c);
        i += quoted && c == '"';
    }
    return used;
}

/* Writes the name after the prefix, or its hash if the name would be too long. */
static char *write_name(char *to, struct token name, const char *prefix)
{
    char plain[NAME_BYTES];
    const size_t used = write_plain(plain, name);
    const bool quoted = name.start[0] == '"';
    if (quoted)
        *to++ = '"';
    to = stpcpy(to, prefix);
    if (strlen(prefix) + used <= NAME_BYTES)
        return mempcpy(to, name.start + quoted, name.length - quoted);
    return to + sprintf(to, "%016" PRIx64 "%s", log_hash(plain, used), quoted ? "\"" : "");
}

static unsigned count_names(const char *text, size_t length)
{
    struct scan s = {.at = text, .end = text + length};
    struct token name;
    unsigned count = 0;
    while (next_name(&s, &name))
        count++;
    return count;
}

char *statement_names_prefix(const char *text, size_t *length, const char *prefix)
{
    const size_t room = strlen(prefix) + NAME_BYTES;
    char *renamed = xcalloc(1, *length + count_names(text, *length) * room + 1), *to = renamed;
    struct scan s = {.at = text, .end = text + *length};
    struct token name;
    const char *done = text;
    while (next_name(&s, &name)) {
        to = mempcpy(to, done, (size_t)(name.start - done));
        to = write_name(to, name, prefix);
        done = name.start + name.length;
    }
    to = mempcpy(to, done, (size_t)(s.end - done));
    *length = (size_t)(to - renamed);
    return renamed;
}
