/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/pgsql_form.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "workloads/replay/log/log_time.h"

/* Longest word before a value, and longest item that is written at once. */
#define KEY_BYTES 64
#define ITEM_BYTES 80

struct reader {
    const char *start, *at, *end; /* the prefix of the line */
    struct pgsql_form *form;
    size_t length; /* of form->text */
    /* Indices of the letters of the first two values without a word before them. */
    size_t unnamed[2];
    unsigned unnamed_count;
    bool names; /* a value is known to be a user or a database */
};

static void put(struct reader *r, char c)
{
    r->form->text[r->length++] = c;
    r->form->text[r->length] = '\0';
}

static void put_escape(struct reader *r, char escape)
{
    put(r, '%');
    put(r, escape);
}

static bool ends_with_text(const struct reader *r)
{
    return r->length >= 2 && r->form->text[r->length - 2] == '%' &&
           strchr("uda", r->form->text[r->length - 1]) != NULL;
}

static void put_text(struct reader *r, char escape)
{
    /* Two values with any text without anything between them cannot be separated. */
    if (ends_with_text(r))
        return;
    put_escape(r, escape);
    if (escape == 'a' && r->unnamed_count < 2)
        r->unnamed[r->unnamed_count++] = r->length - 1;
    r->names |= escape != 'a';
}

static void put_number(struct reader *r, const char *from, int rating)
{
    struct pgsql_form *f = r->form;
    put_escape(r, 'l');
    if (f->count == PGSQL_HEAD_NUMBERS)
        return;
    const bool bracket = from > r->start && from[-1] == '[';
    const bool dash = from > r->start + 1 && from[-1] == '-' && isdigit((unsigned char)from[-2]);
    f->numbers[f->count++] = (struct pgsql_number){
        .at = r->length - 1,
        .value = strtoull(from, NULL, 10),
        .rating = rating + (bracket ? 3 : 0) - (*from == '0' ? 8 : 0) - (dash ? 6 : 0),
        .after_dash = dash,
    };
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' ||
           (unsigned char)c >= 0x80;
}

/* Reads a time, in two forms. */
static bool read_time(struct reader *r)
{
    struct log_time time;
    const char *p = r->at;
    const bool iso = log_time_iso(&p, &time);
    if (!iso && (!log_time_epoch(&p, &time) || time.tick_ns == NS_PER_SEC))
        return false;
    if (p > r->end || (p < r->end && isalnum((unsigned char)*p)))
        return false;
    if (r->form->timed)
        put_escape(r, iso ? 's' : 'a');
    else
        put_escape(r, !iso ? 'n' : time.tick_ns == NS_PER_SEC ? 't' : 'm');
    r->form->timed = true;
    r->at = p;
    return true;
}

/* Reads the identifier of a session, such as 6925a1b3.1e2f: the time of its start and the number of
 * its process, both hexadecimal. */
static bool read_session(struct reader *r)
{
    static const char hex[] = "0123456789abcdef";
    const size_t first = strspn(r->at, hex);
    const size_t second = first == 8 && r->at[8] == '.' ? strspn(r->at + 9, hex) : 0;
    if (second == 0 || second > 8 || is_word(r->at[9 + second]) || r->at + 9 + second > r->end)
        return false;
    put_escape(r, r->form->named ? 'a' : 'c');
    r->form->named = true;
    r->at += 9 + second;
    return true;
}

/* Reads a number. An SQLSTATE such as 00000 or 23505 is one, too, and may have letters in other
 * lines. */
static bool read_number(struct reader *r, int rating)
{
    const size_t length = strspn(r->at, "0123456789");
    const char *past = r->at + length;
    if (length == 0 || length > 19 || past > r->end || is_word(*past) || *past == '/' ||
        *past == '(')
        return false;
    if (length == 5 && strncmp(r->at, "00", 2) == 0)
        put_text(r, 'a');
    else
        put_number(r, r->at, rating);
    r->at = past;
    return true;
}

/* Words before values, with the escapes of the values. */
static const struct {
    const char *word;
    char escape;
    int rating; /* of a number as that of a process */
} words[] = {
    {"user", 'u', -6},
    {"u", 'u', -6},
    {"usr", 'u', -6},
    {"username", 'u', -6},
    {"user_name", 'u', -6},
    {"role", 'u', -6},
    {"db", 'd', -6},
    {"d", 'd', -6},
    {"database", 'd', -6},
    {"dbname", 'd', -6},
    {"database_name", 'd', -6},
    {"pid", 'a', 8},
    {"p", 'a', 8},
    {"process", 'a', 8},
    {"process_id", 'a', 8},
    {"proc", 'a', 8},
    {"backend", 'a', 4},
    {"session", 'a', 2},
    {"sid", 'a', 2},
    {"session_id", 'a', 2},
};

/* Returns the end of "word=" or "word = ", or NULL if no such word is at `p`. */
static const char *past_key(const char *p, const char *end)
{
    const char *q = p;
    if (!isalpha((unsigned char)*p))
        return NULL;
    while (q < end && (isalnum((unsigned char)*q) || *q == '_' || *q == '-'))
        q++;
    if (q - p > KEY_BYTES)
        return NULL;
    q += q < end && strncmp(q, " =", 2) == 0;
    return q < end && *q == '=' ? q + 1 : NULL;
}

/* Returns true if a value that contains blanks ends at this blank. */
static bool ends_value(const char *p, const char *end)
{
    p += strspn(p, " ");
    return p >= end || strchr("[(<{|", *p) != NULL || past_key(p, end) != NULL;
}

/* Returns the end of the value that follows a word and '='. */
static const char *past_value(const char *p, const char *end)
{
    int depth = 0;
    for (; p < end; p++) {
        if (strchr("[({<", *p) != NULL)
            depth++;
        else if (strchr("])}>", *p) != NULL && depth-- == 0)
            break;
        else if (strchr(",;|", *p) != NULL || (*p == ' ' && ends_value(p, end)))
            break;
    }
    return p - (p == end && p[-1] == ':');
}

static void read_value(struct reader *r, const char *key, size_t key_length)
{
    char escape = 'a';
    int rating = -6;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strlen(words[i].word) == key_length &&
            strncasecmp(words[i].word, key, key_length) == 0) {
            escape = words[i].escape;
            rating = words[i].rating;
        }
    if (read_time(r) || read_session(r))
        return;
    if (escape == 'a' && isdigit((unsigned char)*r->at) && read_number(r, rating))
        return;
    /* Values of keys that are not known are skipped and do not count as names. */
    if (escape == 'a')
        put_escape(r, 'a');
    else
        put_text(r, escape);
    r->at = r->at < r->end ? past_value(r->at, r->end) : r->end;
}

/* Reads "word=value", with or without quotes around the value. */
static bool read_key(struct reader *r)
{
    const char *past = past_key(r->at, r->end), *key = r->at;
    if (past == NULL || (r->at > r->start && is_word(r->at[-1])))
        return false;
    const size_t length = strcspn(key, " =");
    for (; r->at < past; r->at++)
        put(r, *r->at);
    if (r->at < r->end && *r->at == ' ') {
        put(r, ' ');
        r->at += strspn(r->at, " ");
    }
    if (r->at == r->end || *r->at != '"') {
        read_value(r, key, length);
        return true;
    }
    const char *end = r->end, *quote = memchr(r->at + 1, '"', (size_t)(end - r->at - 1));
    put(r, '"');
    r->at++;
    r->end = quote != NULL ? quote : end;
    read_value(r, key, length);
    r->at = r->end;
    r->end = end;
    return true;
}

/* Reads any word, with the port that follows the address of a client in parentheses. */
static bool read_word(struct reader *r)
{
    const char *p = r->at;
    if (strncmp(p, "[local]", 7) == 0 || strncmp(p, "[unknown]", 9) == 0)
        p = strchr(p, ']') + 1;
    while (p < r->end && (is_word(*p) || (*p == '/' && p > r->at)))
        p++;
    if (p == r->at || p > r->end)
        return false;
    if (*p == '(') {
        const size_t digits = strspn(p + 1, "0123456789");
        p += p[1 + digits] == ')' ? digits + 2 : 0;
    }
    const bool user = *p == '@';
    const bool database = r->at > r->start && r->at[-1] == '@';
    put_text(r, user ? 'u' : database ? 'd' : 'a');
    r->at = p;
    return true;
}

/* Reads a character that is the same in all lines. Between some of them a value may be missing in
 * this line only. */
static void read_other(struct reader *r)
{
    const char c = *r->at++;
    const char before = r->at - 1 > r->start ? r->at[-2] : '\0';
    if (c == ' ') {
        r->at += strspn(r->at, " ");
        put(r, ' ');
        return;
    }
    if ((c == '|' && before == '|') || (c == ']' && before == '[') || (c == ',' && before == ',') ||
        (c == ':' && before == ':'))
        put_text(r, 'a');
    if (c == '@' && !ends_with_text(r))
        put_text(r, 'u');
    put(r, c);
    if (c == '%')
        put(r, c);
    if (c == '@' && !is_word(*r->at))
        put_text(r, 'd');
}

static void read_item(struct reader *r)
{
    const bool inside = r->at > r->start && isalnum((unsigned char)r->at[-1]);
    const bool digit = isdigit((unsigned char)*r->at);
    if (!inside && digit && read_time(r))
        return;
    if (!inside && read_session(r))
        return;
    if (!inside && digit && read_number(r, 0))
        return;
    if (read_key(r) || read_word(r))
        return;
    read_other(r);
}

bool pgsql_form_of(const char *line, struct pgsql_form *form)
{
    const char *end = pgsql_find_severity(line);
    *form = (struct pgsql_form){.count = 0};
    if (end == NULL)
        return false;
    struct reader r = {.start = line, .at = line, .end = end, .form = form};
    while (r.at < r.end) {
        if (r.length + ITEM_BYTES > PGSQL_FORM_BYTES)
            return false;
        read_item(&r);
    }
    /* Most prefixes have the user before the database. */
    if (!r.names && r.unnamed_count == 2) {
        form->text[r.unnamed[0]] = 'u';
        form->text[r.unnamed[1]] = 'd';
    }
    return true;
}
