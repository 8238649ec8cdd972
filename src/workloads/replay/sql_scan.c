/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/sql_scan.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>

#include "base/util.h"
#include "workloads/replay/sql_name.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

size_t sql_word_length(const char *p, const char *end)
{
    size_t n = 0;
    if (p < end && *p != '$')
        while (p + n < end && is_word(p[n]))
            n++;
    return n;
}

static bool starts(const char *p, const char *end, const char *what)
{
    const size_t length = strlen(what);
    return (size_t)(end - p) >= length && memcmp(p, what, length) == 0;
}

static const char *past_line(const char *p, const char *end)
{
    const char *hit = memchr(p, '\n', (size_t)(end - p));
    return hit != NULL ? hit + 1 : end;
}

/* A doubled quote ends one literal and starts the next, which has the same effect here. */
static const char *past_quote(const char *p, const char *end, bool backslash)
{
    const char quote = *p++;
    for (; p < end && *p != quote; p++)
        p += backslash && *p == '\\' && end - p > 1;
    return p < end ? p + 1 : end;
}

/* Comments of PostgreSQL nest. */
static const char *past_comment(const char *p, const char *end, bool nest)
{
    int depth = 1;
    for (p += 2; p < end && depth > 0; p++) {
        if (starts(p, end, "*/")) {
            depth--;
            p++;
        } else if (nest && starts(p, end, "/*")) {
            depth++;
            p++;
        }
    }
    return p;
}

static const char *past_dollar(const char *p, const char *end)
{
    const char *tag = p + 1;
    if (tag < end && isdigit((unsigned char)*tag))
        return p; /* $1 */
    while (tag < end && is_word(*tag) && *tag != '$')
        tag++;
    if (tag == end || *tag != '$')
        return p;
    const size_t bytes = (size_t)(tag + 1 - p);
    const char *hit = memmem(tag + 1, (size_t)(end - tag - 1), p, bytes);
    return hit != NULL ? hit + bytes : end;
}

static const char *skip_mysql_comment(const char *p, const char *end)
{
    if (*p == '#')
        return past_line(p, end);
    if (starts(p, end, "--") && (end - p == 2 || isspace((unsigned char)p[2])))
        return past_line(p, end);
    if (starts(p, end, "/*") && !starts(p, end, "/*!") && !starts(p, end, "/*M!"))
        return past_comment(p, end, false);
    return p;
}

static const char *skip_mysql(const char *p, const char *end)
{
    if (*p == '\'' || *p == '"')
        return past_quote(p, end, true);
    return *p == '`' ? past_quote(p, end, false) : skip_mysql_comment(p, end);
}

static const char *skip_pgsql(const char *p, const char *end)
{
    if ((*p == 'E' || *p == 'e') && end - p > 1 && p[1] == '\'')
        return past_quote(p + 1, end, true);
    if (*p == '\'' || *p == '"')
        return past_quote(p, end, false);
    if (starts(p, end, "--"))
        return past_line(p, end);
    if (starts(p, end, "/*"))
        return past_comment(p, end, true);
    return *p == '$' ? past_dollar(p, end) : p;
}

const char *sql_skip_opaque(const char *p, const char *end, enum sql_scan scan)
{
    return scan == SQL_SCAN_MYSQL ? skip_mysql(p, end) : skip_pgsql(p, end);
}

bool sql_scan_is_open(const char *text, size_t length, enum sql_scan scan)
{
    const char *p = text, *end = text + length;
    while (p < end) {
        const char *past = sql_skip_opaque(p, end, scan);
        /* With its end missing, a literal or a comment also takes a byte that follows the text. The
         * text is terminated by a NUL, so this byte can be read. A comment that ends with its line
         * takes the byte as well, but needs no end. */
        const bool ends_with_line = *p == '#' || *p == '-';
        if (past == end && !ends_with_line && sql_skip_opaque(p, end + 1, scan) > end)
            return true;
        p = past == p ? p + 1 : past;
    }
    return false;
}

void sql_scan_line(char *to, size_t bytes, const char *text)
{
    size_t n = 0;
    for (; *text != '\0' && n + 1 < bytes; text++) {
        const bool blank = isspace((unsigned char)*text);
        if (!blank || (n > 0 && to[n - 1] != ' '))
            to[n++] = blank ? ' ' : *text;
    }
    to[n] = '\0';
}

/* Properties of a statement, found from its words. */
enum {
    INTO = 1,       /* INTO followed by a table, a file or a variable */
    CHANGES = 2,    /* INSERT, UPDATE …, unless used as a function */
    LOCKS = 4,      /* FOR UPDATE, LOCK IN SHARE MODE */
    READ_WRITE = 8, /* BEGIN READ WRITE */
    /* SET GLOBAL, SET PASSWORD …: changes outside of the session or of the granted rights */
    BEYOND = 16,
    CLIENT_DATA = 32, /* STDIN, STDOUT, LOCAL: uses data that only the original client had */
    ALL = 64,
    CREATES = 128, /* CREATE, which EXPLAIN ANALYZE executes, too */
    ACTS = 256,    /* calls a function with effects that a read-only transaction allows */
    ENDS = 512     /* calls a function that ends sessions or their statements */
};

struct words {
    const char *first; /* NULL before the first word */
    size_t first_length;
    const char *before; /* the previous word */
    size_t before_length;
    bool set_statement; /* inside SET STATEMENT …, before FOR and the actual statement */
    unsigned flags;
};

static bool same(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

static bool among(const char *word, size_t length, const char *const *names)
{
    while (*names != NULL && !same(word, length, *names))
        names++;
    return *names != NULL;
}

/* Returns the next word after blanks and comments and moves *p to its end. Returns `end` if there
 * is no word. */
static const char *next_word(const char **p, const char *end, size_t *length)
{
    const char *at = *p;
    for (*length = 0; at < end; at++) {
        const char *past = skip_mysql(at, end);
        *length = past == at ? sql_word_length(at, end) : 0;
        if (*length > 0 || (past == at && !isspace((unsigned char)*at)))
            break;
        at = past == at ? at : past - 1;
    }
    *p = at + *length;
    return at;
}

bool sql_scan_begins(const char *text, size_t length, const char *first, const char *second)
{
    const char *p = text, *end = text + length;
    size_t bytes;
    const char *word = next_word(&p, end, &bytes);
    if (!same(word, bytes, first))
        return false;
    word = second != NULL ? next_word(&p, end, &bytes) : NULL;
    return second == NULL || same(word, bytes, second);
}

/* Copies the quoted name at *p, with doubled quotes made single, and moves *p past it. Returns −1
 * if the quote is not closed. */
static ssize_t unquote(const char **p, const char *end, char *name, size_t bytes)
{
    const char quote = **p;
    size_t n = 0;
    for (const char *at = *p + 1; at < end; at++) {
        if (*at == quote && (at + 1 == end || at[1] != quote)) {
            *p = at + 1;
            name[n < bytes ? n : 0] = '\0';
            return (ssize_t)n;
        }
        at += *at == quote;
        if (n < bytes)
            name[n] = *at;
        n++;
    }
    return -1;
}

static bool is_end(const char *p, const char *end)
{
    size_t length;
    while (p < end) {
        p = next_word(&p, end, &length);
        if (length > 0 || (p < end && *p != ';'))
            return false;
        p += p < end;
    }
    return true;
}

/* Returns the first position after blanks and comments of MySQL. */
static const char *past_blanks(const char *p, const char *end)
{
    while (p < end) {
        const char *past = isspace((unsigned char)*p) ? p + 1 : skip_mysql_comment(p, end);
        if (past == p)
            break;
        p = past;
    }
    return p;
}

bool sql_scan_use(const char *text, size_t length, char *name, size_t bytes)
{
    const char *p = text, *end = text + length;
    size_t n;
    const char *word = next_word(&p, end, &n);
    name[0] = '\0';
    if (!same(word, n, "use"))
        return false;
    p = past_blanks(p, end);
    /* Double quotes enclose a name with ANSI_QUOTES; otherwise the statement fails. */
    if (p < end && (*p == '`' || *p == '"'))
        return unquote(&p, end, name, bytes) >= 0 && is_end(p, end);
    word = next_word(&p, end, &n);
    if (n < bytes)
        snprintf(name, bytes, "%.*s", (int)n, word);
    return n > 0 && is_end(p, end);
}

void sql_write_use(char *to, const char *name)
{
    to = stpcpy(to, "USE `");
    for (; *name != '\0'; name++) {
        if (*name == '`')
            *to++ = '`';
        *to++ = *name;
    }
    strcpy(to, "`");
}

static const char *past_spaces(const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    return p;
}

/* Returns the first position after blanks and comments. */
static const char *past_gap(const char *p, const char *end, enum sql_scan scan)
{
    while (p < end) {
        const bool comment = *p == '-' || *p == '/' || *p == '#';
        const char *past = comment ? sql_skip_opaque(p, end, scan) : past_spaces(p, end);
        if (past == p)
            break;
        p = past;
    }
    return p;
}

static bool is_call(const char *p, const char *end, enum sql_scan scan)
{
    p = past_gap(p, end, scan);
    return p < end && *p == '(';
}

static const char *const beyond[] = {"global",
                                     "persist",
                                     "persist_only",
                                     "password",
                                     "default_transaction_read_only",
                                     "transaction_read_only",
                                     "tx_read_only",
                                     "read_only",
                                     "super_read_only",
                                     "standard_conforming_strings", /* changes what is a literal */
                                     "role",
                                     "authorization",
                                     "session_authorization",
                                     "prepared", /* COMMIT PREPARED may concern any session */
                                     "slave",
                                     "slaves",
                                     "replica",
                                     "group_replication",
                                     NULL};

/* Returns true if the first argument of the call at `p` is a plain literal that names a session
 * setting of PostgreSQL. */
static bool sets_own(const char *p, const char *end)
{
    p = past_gap(past_gap(p, end, SQL_SCAN_PGSQL) + 1, end, SQL_SCAN_PGSQL);
    if (p >= end || *p != '\'')
        return false;
    const char *name = ++p;
    while (p < end && (is_word(*p) || *p == '.'))
        p++;
    const size_t length = (size_t)(p - name);
    if (length == 0 || p == end || *p != '\'' || among(name, length, beyond))
        return false;
    p = past_gap(p + 1, end, SQL_SCAN_PGSQL);
    return p < end && *p == ',';
}

/* Recognizes functions with effects that a read-only transaction does not prevent. */
static unsigned meaning_of_call(const char *word, size_t length, const char *arguments,
                                const char *end)
{
    static const char *const ending[] = {"pg_terminate_backend", "pg_cancel_backend", NULL};
    /* Prefixes of the names of such functions. */
    static const char *const acting[] = {"lo_creat",
                                         "lo_unlink",
                                         "lo_put",
                                         "lo_from_bytea",
                                         "lo_import",
                                         "lo_export",
                                         "lo_truncate",
                                         "lowrite",
                                         "dblink",
                                         "pg_notify",
                                         "pg_reload_conf",
                                         "pg_rotate_logfile",
                                         "pg_switch_",
                                         "pg_create_",
                                         "pg_copy_",
                                         "pg_drop_",
                                         "pg_promote",
                                         "pg_logical_",
                                         "pg_stat_reset",
                                         "pg_replication",
                                         "pg_stat_statements_reset",
                                         "pg_wal_replay_",
                                         "pg_start_",
                                         "pg_stop_",
                                         "pg_backup_",
                                         "pg_file_",
                                         "pg_import_",
                                         "query_to_xml", /* execute a text */
                                         "ts_rewrite",
                                         "ts_stat",
                                         "group_replication_",
                                         NULL};
    if (among(word, length, ending))
        return ENDS;
    if (same(word, length, "set_config"))
        return sets_own(arguments, end) ? 0 : ACTS;
    for (const char *const *name = acting; *name != NULL; name++)
        if (length >= strlen(*name) && strncasecmp(word, *name, strlen(*name)) == 0)
            return ACTS;
    return 0;
}

static unsigned meaning(const struct words *w, const char *word, size_t length, bool call)
{
    static const char *const changes[] = {"insert", "update", "delete", "merge", "replace", NULL};
    static const char *const functions[] = {"insert", "replace", NULL};
    static const char *const locks[] = {"update", "share", "no", "key", NULL};
    static const char *const reset[] = {"master", "binary", "query", NULL};
    static const char *const client[] = {"stdin", "stdout", "local", NULL};
    unsigned flags = 0;
    if (same(word, length, "into"))
        flags |= INTO;
    if (among(word, length, changes) && !(call && among(word, length, functions)))
        flags |= CHANGES;
    if (same(word, length, "create"))
        flags |= CREATES;
    if (same(w->before, w->before_length, "for") && among(word, length, locks))
        flags |= LOCKS;
    if (same(w->before, w->before_length, "lock") && same(word, length, "in"))
        flags |= LOCKS;
    if (same(w->before, w->before_length, "read") && same(word, length, "write"))
        flags |= READ_WRITE;
    /* MariaDB's BEGIN NOT ATOMIC begins a block of statements. */
    if (same(w->before, w->before_length, "begin") && same(word, length, "not"))
        flags |= BEYOND;
    if (among(word, length, beyond))
        flags |= BEYOND;
    if (same(w->before, w->before_length, "reset") && among(word, length, reset))
        flags |= BEYOND;
    if (among(word, length, client))
        flags |= CLIENT_DATA;
    if (same(word, length, "all"))
        flags |= ALL;
    /* With another escape character, names in U&"…" are not resolved. */
    if (same(word, length, "uescape"))
        flags |= ACTS;
    return flags;
}

/* Recognizes SET STATEMENT … FOR of MariaDB, which puts settings in front of a statement. */
static void follow_settings(struct words *w, const char *word, size_t length)
{
    if (same(word, length, "statement") && w->before == w->first &&
        same(w->first, w->first_length, "set"))
        w->set_statement = true;
    if (!w->set_statement || !same(word, length, "for"))
        return;
    w->set_statement = false;
    w->first = NULL;
    w->flags |= (w->flags & BEYOND) != 0 ? ACTS : 0;
}

static void add_word(struct words *w, const char *word, size_t length, const char *end,
                     enum sql_scan scan)
{
    const bool call = is_call(word + length, end, scan);
    if (w->first == NULL) {
        w->first = word;
        w->first_length = length;
    }
    w->flags |= meaning(w, word, length, call);
    w->flags |= call ? meaning_of_call(word, length, word + length, end) : 0;
    follow_settings(w, word, length);
    w->before = word;
    w->before_length = length;
}

/* Skips the start of a comment that MySQL or MariaDB executes, including its version number. */
static const char *past_version(const char *p, const char *end)
{
    if (!starts(p, end, "/*!") && !starts(p, end, "/*M!"))
        return p;
    p += starts(p, end, "/*!") ? 3 : 4;
    while (p < end && isdigit((unsigned char)*p))
        p++;
    return p;
}

/* Returns true if the quoted name at `p` is one of PostgreSQL with Unicode escapes: U&"…". */
static bool has_escapes(const char *text, const char *p)
{
    return p - text >= 2 && p[-1] == '&' && (p[-2] == 'U' || p[-2] == 'u') &&
           (p - text == 2 || !is_word(p[-3]));
}

/* Names of settings and functions may be quoted like any name. In MySQL, double quotes enclose a
 * name or a literal. */
static void note_quoted(struct words *w, const char *text, const char *p, const char *past,
                        const char *end, enum sql_scan scan)
{
    char resolved[64]; /* longer than the names in the lists */
    const char *name = p + 1;
    size_t length = (size_t)(past - p) - 2;
    if ((*p != '"' && (*p != '`' || scan != SQL_SCAN_MYSQL)) || past - p <= 2)
        return;
    if (scan == SQL_SCAN_PGSQL && has_escapes(text, p)) {
        length = sql_name_resolve(name, past - 1, resolved, sizeof(resolved));
        name = resolved;
        w->flags |= length == 0 ? ACTS : 0;
    }
    if (among(name, length, beyond))
        w->flags |= BEYOND;
    if (is_call(past, end, scan))
        w->flags |= meaning_of_call(name, length, past, end);
}

/* Reads one statement up to its semicolon. Returns a pointer to the next statement. */
static const char *read_words(struct words *w, const char *p, const char *end, enum sql_scan scan)
{
    const char *text = p;
    *w = (struct words){.before = ""};
    while (p < end) {
        const char *past = sql_skip_opaque(p, end, scan);
        if (past == p)
            past = past_version(p, end);
        if (past != p) {
            note_quoted(w, text, p, past, end, scan);
            p = past;
            continue;
        }
        const size_t length = sql_word_length(p, end);
        if (length > 0)
            add_word(w, p, length, end, scan);
        p += length > 0 ? length : 1;
        if (p[-1] == ';')
            break;
    }
    return p;
}

static enum sql_kind kind_of(const struct words *w, const char **what)
{
    static const char *const reads[] = {"select", "with",     "values",  "table", "explain",
                                        "desc",   "describe", "show",    "help",  "fetch",
                                        "move",   "close",    "declare", "use",   NULL};
    static const char *const session[] = {"begin",    "start",    "commit",    "end",
                                          "rollback", "abort",    "savepoint", "release",
                                          "set",      "unlisten", "listen",    NULL};
    static const char *const explains[] = {"explain", "desc", "describe", NULL};
    static const char *const never[] = {"kill", "shutdown", "restart", "binlog", NULL};
    const char *first = w->first;
    const size_t length = w->first_length;
    if (first == NULL)
        return SQL_KIND_READ;
    if (among(first, length, never) || (w->flags & ENDS) != 0) {
        *what = "commands of an administrator";
        return SQL_KIND_NEVER;
    }
    if (same(first, length, "deallocate")) {
        *what = "ends of prepared statements";
        return SQL_KIND_FORGET;
    }
    if ((same(first, length, "copy") || same(first, length, "load")) && (w->flags & CLIENT_DATA)) {
        *what = "loads and copies whose data the log does not have";
        return SQL_KIND_NEVER;
    }
    if ((w->flags & (INTO | CHANGES | LOCKS | ACTS)) != 0)
        return SQL_KIND_WRITE;
    if (among(first, length, explains) && (w->flags & CREATES) != 0)
        return SQL_KIND_WRITE;
    if (among(first, length, reads))
        return SQL_KIND_READ;
    if (among(first, length, session))
        return (w->flags & (READ_WRITE | BEYOND)) != 0 ? SQL_KIND_WRITE : SQL_KIND_READ;
    if (same(first, length, "reset"))
        return (w->flags & (ALL | BEYOND)) != 0 ? SQL_KIND_WRITE : SQL_KIND_READ;
    return SQL_KIND_WRITE;
}

enum sql_kind sql_scan_kind(const char *text, size_t length, enum sql_scan scan, const char **what)
{
    const char *p = text, *end = text + length;
    enum sql_kind kind = SQL_KIND_READ;
    while (p < end) {
        struct words words;
        p = read_words(&words, p, end, scan);
        const enum sql_kind one = kind_of(&words, what);
        kind = one > kind ? one : kind;
    }
    return kind;
}
