/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PostgreSQL's stderr log: PREFIX SEVERITY:  MESSAGE, perhaps inside of syslog or the output of a
 * container. The lines DETAIL, STATEMENT … of the same session belong to its last message; lines of
 * other sessions may be between them. Lines that begin with a tab continue the line before.
 */
#include <ctype.h>

#include "base/log.h"
#include "workloads/replay/log/log_format.h"
#include "workloads/replay/log/pgsql_entry.h"
#include "workloads/replay/log/pgsql_guess.h"
#include "workloads/replay/log/pgsql_prefix.h"
#include "workloads/replay/sql_scan.h"

/* Messages that are held back until their further lines have been read. */
#define WINDOW 64
#define WINDOW_BYTES ((size_t)4 << 20)
/* Lines that are read to find out the prefix. */
#define LOOK_LINES 4000
#define LOOK_BYTES ((size_t)16 << 20)
/* PostgreSQL cuts lines for syslog between words so that a piece has at most 900 bytes. A character
 * may have become several. */
#define PIECE_BYTES 850

static const struct log_reason lost_part = {
    "lines DETAIL, STATEMENT … whose message is not before them",
    "use the file that the server wrote"};
static const struct log_reason in_csv = {
    "lines in the fields of a CSV file, whose quotes are doubled",
    "give a file that has only the texts of these fields"};
static const struct log_reason unclear_piece = {
    "statements of which syslog does not show where a line ends",
    "let the server write a file of its own, with log_destination=stderr or csvlog"};

struct held {
    struct pgsql_entry entry;
    uint64_t line;
    const char *file;
    uint64_t carrier, message; /* log_carrier.session and .message */
    uint64_t piece;            /* number of the last piece of a message in syslog */
    size_t piece_bytes;        /* length of this piece */
    bool carried;              /* `carrier` is known */
    uint64_t source;           /* log_carrier.source */
    uint64_t taken;            /* number of its last line; 0 if the next one is not known */
    /* The text to which its last line belongs; NULL if it is not needed. */
    struct log_text *part;
    size_t bytes; /* of all its lines */
};

struct stderr_log {
    struct pgsql_prefixes prefixes;
    bool ready, ended;
    size_t most_bytes;
    struct held *ring[WINDOW];
    unsigned first, count;
    size_t bytes;
    struct held *current; /* the message to which the last line belongs, or NULL */
    uint64_t source;      /* log_carrier.source of that line */
    uint64_t taken;       /* lines of messages */
    int64_t newest_ns;    /* time of the last message */
    bool unended;         /* the last line is not whole */
    struct log_text text;
};

static bool looks_like(const char *line, const char *prefix)
{
    struct pgsql_head head;
    if (prefix != NULL)
        return pgsql_prefix_read(prefix, &line, &head);
    const char *severity = pgsql_find_severity(line);
    /* Other programs write errors without a time. */
    return severity != NULL && (strncmp(severity, "LOG", 3) == 0 ||
                                strcspn(line, "0123456789") < (size_t)(severity - line));
}

static void *create(const char *prefix, size_t most_bytes)
{
    struct stderr_log *s = xcalloc(1, sizeof(*s));
    s->most_bytes = s->text.most_bytes = most_bytes;
    if (prefix != NULL) {
        s->prefixes = (struct pgsql_prefixes){.text = {xstrdup(prefix)}, .count = 1};
        s->ready = true;
    }
    return s;
}

static void destroy(void *state)
{
    struct stderr_log *s = state;
    for (unsigned i = 0; i < WINDOW && s->ring[i] != NULL; i++) {
        pgsql_entry_fini(&s->ring[i]->entry);
        free(s->ring[i]);
    }
    log_text_fini(&s->text);
    pgsql_prefixes_fini(&s->prefixes);
    free(s);
}

/* Finds out the prefix from the first lines of the log. */
static void look(struct stderr_log *s, const struct log_lines *of)
{
    struct log_lines lines;
    size_t bytes = 0;
    const char *first, *guess;
    s->ready = true;
    if (!log_lines_open_to_look(&lines, of->files))
        return;
    log_source_limit(lines.source, log_source_most(of->source));
    struct pgsql_sample *sample = pgsql_sample_create();
    for (int i = 0; i < LOOK_LINES && bytes < LOOK_BYTES && log_lines_next(&lines); i++) {
        bytes += lines.length;
        if (!lines.carrier.foreign)
            pgsql_sample_add(sample, lines.line, lines.carrier.timed, lines.carrier.named);
    }
    pgsql_sample_guess(sample, &s->prefixes, &first, &guess);
    if (s->prefixes.count == 0 && first != NULL)
        log_text(LOG_WARNING,
                 "the prefix of the log's lines has no time or no number of a process; give "
                 "--log-line-prefix, with the server's log_line_prefix. The first line is:\n"
                 "    %.200s\n"
                 "of which this was recognized: %.200s",
                 first, guess[0] != '\0' ? guess : "nothing");
    pgsql_sample_free(sample);
    log_lines_close(&lines);
}

/* Reads the prefix of the current line and moves *at to the message. */
static bool read_head(const struct stderr_log *s, const struct log_lines *lines, const char **at,
                      struct pgsql_head *head)
{
    const struct log_carrier *c = &lines->carrier;
    *at = lines->line;
    /* A piece that continues a line begins with the blank at which the line was cut. */
    if (**at == '\t' || (**at == ' ' && c->piece > 1))
        return false;
    for (unsigned i = 0; i < s->prefixes.count; i++) {
        if (!pgsql_prefix_read(s->prefixes.text[i], at, head))
            continue;
        if (!head->timed)
            head->time = c->time;
        head->session = head->named ? head->session ^ c->source : c->session;
        return (head->timed || c->timed) && (head->named || c->named);
    }
    return false;
}

static struct held *nth(const struct stderr_log *s, unsigned i)
{
    return s->ring[(s->first + i) % WINDOW];
}

/* Returns the newest message of the session, or NULL. The lines of a message have the same time, or
 * times of adjacent seconds. */
static struct held *find_session(const struct stderr_log *s, const struct pgsql_head *head)
{
    for (unsigned i = s->count; i-- > 0;) {
        struct held *h = nth(s, i);
        if (h->entry.session != head->session)
            continue;
        const int64_t later_ns = head->time.ns - h->entry.time.ns;
        return later_ns >= 0 && later_ns <= NS_PER_SEC ? h : NULL;
    }
    return NULL;
}

/* Returns the message of this process that has the last line, or NULL. */
static struct held *last_of(const struct stderr_log *s, const struct log_carrier *c)
{
    struct held *last = NULL;
    for (unsigned i = 0; i < s->count; i++) {
        struct held *h = nth(s, i);
        if (h->carried && h->carrier == c->session && h->taken > (last != NULL ? last->taken : 0))
            last = h;
    }
    return last;
}

/* Returns the message of syslog to which the current line belongs, or NULL. */
static struct held *find_carrier(const struct stderr_log *s, const struct log_carrier *c)
{
    struct held *h = last_of(s, c);
    return h != NULL && h->message == c->message ? h : NULL;
}

/* The next lines from where the current one is belong to no message that is held. */
static void forget_current(struct stderr_log *s, const struct log_carrier *c)
{
    for (unsigned i = 0; i < s->count; i++) {
        struct held *h = nth(s, i);
        if (h->carried ? h->carrier == c->session : c->foreign || h->source == c->source)
            h->taken = 0;
    }
    s->current = NULL;
}

/* Notes that the current line, from `at` on, is the next one of `part`. `part` may be NULL. */
static void set_current(struct stderr_log *s, const struct log_lines *lines, struct held *h,
                        struct log_text *part)
{
    s->current = h;
    h->taken = ++s->taken;
    h->part = part;
    if (lines->carrier.piece > h->piece + 1)
        h->entry.missing = h->entry.missing != NULL ? h->entry.missing : &log_in_part;
    h->piece = lines->carrier.piece;
    h->piece_bytes = lines->length;
    log_lines_note_missing(lines, &h->entry.missing);
    h->bytes += lines->length;
    s->bytes += lines->length;
}

/* Returns true if a quote is open between the start of the line and its message. */
static bool is_in_csv(const char *line, const char *message)
{
    bool open = false;
    for (; line < message; line++)
        open ^= *line == '"';
    return open;
}

/* The server counts the messages of each process. If numbers are missing before the current line,
 * the end of the message before may be missing, too. */
static void check_number(const struct stderr_log *s, const struct log_carrier *c)
{
    struct held *before = c->message > 0 ? last_of(s, c) : NULL;
    if (before != NULL && before->message > 0 && before->message + 1 != c->message &&
        before->entry.missing == NULL)
        before->entry.missing = &log_in_part;
}

static void begin_entry(struct stderr_log *s, struct log_lines *lines, const char *at,
                        const struct pgsql_head *head)
{
    check_number(s, &lines->carrier);
    struct held **place = &s->ring[(s->first + s->count++) % WINDOW], *h = *place;
    if (h == NULL) {
        h = *place = xcalloc(1, sizeof(*h));
        pgsql_entry_init(&h->entry, s->most_bytes);
    }
    struct pgsql_entry *e = &h->entry;
    log_text_set(&e->message, at, (size_t)(lines->line + lines->length - at));
    log_text_set(&e->detail, "", 0);
    log_text_set(&e->context, "", 0);
    log_text_set(&e->query, "", 0);
    e->time = head->time;
    e->session = head->session;
    memcpy(e->database, head->database, sizeof(e->database));
    memcpy(e->severity, head->severity, sizeof(e->severity));
    e->missing = is_in_csv(lines->line, at) ? &in_csv : NULL;
    log_lines_begin(lines);
    h->line = lines->record_line;
    h->file = lines->record_file;
    h->carrier = lines->carrier.session;
    h->source = lines->carrier.source;
    h->carried = lines->carrier.named;
    h->message = lines->carrier.message;
    h->bytes = 0;
    s->newest_ns = e->time.ns;
    h->piece = lines->carrier.piece > 0 ? lines->carrier.piece - 1 : 0;
    /* The first pieces of the message are missing. */
    if (lines->carrier.piece > 1)
        e->missing = &log_in_part;
    set_current(s, lines, h, &e->message);
}

/* Returns the text of the entry to which a line with this severity belongs; NULL if the text is not
 * needed. */
static struct log_text *part_named(struct pgsql_entry *e, const char *severity)
{
    if (strcmp(severity, "DETAIL") == 0)
        return &e->detail;
    if (strcmp(severity, "CONTEXT") == 0)
        return &e->context;
    return strcmp(severity, "STATEMENT") == 0 ? &e->query : NULL;
}

/* Takes a line DETAIL, STATEMENT …. */
static void take_part(struct stderr_log *s, struct log_lines *lines, const char *at,
                      const struct pgsql_head *head)
{
    struct held *h = lines->carrier.piece > 1 ? find_carrier(s, &lines->carrier) : NULL;
    if (h == NULL)
        h = find_session(s, head);
    struct log_text *part = h != NULL ? part_named(&h->entry, head->severity) : NULL;
    /* A second one is that of another message, which the log does not have. */
    if (h == NULL || (part != NULL && part->length > 0)) {
        log_lines_skip(lines, &lost_part);
        forget_current(s, &lines->carrier);
        return;
    }
    if (part != NULL)
        log_text_set(part, at, (size_t)(lines->line + lines->length - at));
    set_current(s, lines, h, part);
}

/* Adds the current line, from `at` on, to the current text as a further line or, if not
 * `new_line`, as the rest of its last line. */
static void add_line(struct stderr_log *s, const struct log_lines *lines, const char *at,
                     bool new_line)
{
    const size_t length = (size_t)(lines->line + lines->length - at);
    struct log_text *part = s->current->part;
    if (part != NULL && new_line)
        log_text_add_line(part, at, length);
    else if (part != NULL)
        log_text_add(part, at, length);
    set_current(s, lines, s->current, part);
}

static bool has_open_quote(const struct log_text *text)
{
    bool open = false;
    for (size_t i = 0; i < text->length; i++)
        open ^= text->data[i] == '\'';
    return open;
}

/* Returns true if the last piece had no room for the first word of this one. */
static bool was_full(const struct held *h, const char *piece)
{
    const size_t word = *piece != '\0' ? 1 + strcspn(piece + 1, " \t") : 0;
    return h->piece_bytes + word >= PIECE_BYTES;
}

/* Adds a piece in which syslog has a further line, or the rest of a line that was cut. */
static void add_piece(struct stderr_log *s, const struct log_lines *lines)
{
    const char *at = lines->line;
    struct held *h = s->current;
    const bool full = was_full(h, at), tab = *at == '\t';
    /* The line may have been cut at a tab, or a program may have replaced the tab by blanks. */
    if (h->part != NULL && h->entry.missing == NULL &&
        (strncmp(at, "#0", 2) == 0 || (tab ? full : !full && has_open_quote(h->part))))
        h->entry.missing = &unclear_piece;
    add_line(s, lines, at + tab, tab || !full);
}

/* A line that may belong to any message was lost, or cannot be attributed. Notes it for the last
 * message of each session: further lines of it are written at once. */
static void interrupt(struct stderr_log *s, const struct log_carrier *c,
                      const struct log_reason *reason)
{
    for (unsigned i = 0; i < s->count; i++) {
        struct held *h = nth(s, i);
        bool last = h->carried || s->newest_ns - h->entry.time.ns <= NS_PER_SEC;
        for (unsigned j = i + 1; j < s->count; j++)
            last &= nth(s, j)->entry.session != h->entry.session;
        if ((h == s->current || last) && (c->foreign || h->source == c->source))
            h->entry.missing = h->entry.missing != NULL ? h->entry.missing : reason;
    }
}

/* Skips a line that neither begins with a prefix nor, with a tab, continues a text. It may be the
 * rest of a statement if a program has removed the tabs that PostgreSQL writes. */
static void skip_line(struct stderr_log *s, struct log_lines *lines)
{
    struct held *h = s->current;
    log_lines_skip(lines, &log_foreign_lines);
    if (h == NULL && !lines->carrier.named)
        interrupt(s, &lines->carrier, &log_interrupted);
    if (h == NULL || h->part == NULL)
        return;
    log_lines_note_missing(lines, &h->entry.missing);
    if (h->entry.missing == NULL)
        h->entry.missing = &log_interrupted;
}

/* Takes a line of syslog without a prefix. */
static void take_piece(struct stderr_log *s, struct log_lines *lines)
{
    const struct log_carrier *c = &lines->carrier;
    struct held *h = s->current = find_carrier(s, c);
    if (h != NULL &&
        (c->piece > 1 || *lines->line == '\t' || (c->piece == 0 && was_full(h, lines->line))))
        add_piece(s, lines);
    else
        skip_line(s, lines);
}

/* Makes the message the current one to which the last line of this host, container … belongs. */
static void switch_source(struct stderr_log *s, uint64_t source)
{
    if (s->source == source)
        return;
    s->source = source;
    s->current = NULL;
    for (unsigned i = 0; i < s->count; i++) {
        struct held *h = nth(s, i);
        if (h->source == source && h->taken > (s->current != NULL ? s->current->taken : 0))
            s->current = h;
    }
}

/* Takes a line without a prefix. */
static void take_rest(struct stderr_log *s, struct log_lines *lines)
{
    const struct log_carrier *c = &lines->carrier;
    const bool tab = *lines->line == '\t';
    const bool empty = lines->length == 0 && s->current != NULL && s->current->part != NULL;
    if (c->named && !c->inner)
        take_piece(s, lines);
    else if (s->current != NULL && (tab || c->inner || empty))
        add_line(s, lines, lines->line + tab, true);
    else
        skip_line(s, lines);
}

/* Takes the next line. Returns false at the end of the log, or if there is no room for the message
 * that begins with the line. */
static bool take_line(struct stderr_log *s, struct log_lines *lines)
{
    struct pgsql_head head;
    const char *at;
    if (!log_lines_next(lines)) {
        s->ended = true;
        if (lines->missing != NULL)
            interrupt(s, &(struct log_carrier){.foreign = true}, lines->missing);
        return false;
    }
    s->unended = lines->missing == &log_in_part;
    if (!lines->carrier.foreign)
        switch_source(s, lines->carrier.source);
    if (lines->carrier.foreign) {
        interrupt(s, &lines->carrier, &log_interrupted);
        forget_current(s, &lines->carrier);
    } else if (!read_head(s, lines, &at, &head)) {
        take_rest(s, lines);
    } else if (pgsql_is_part(head.severity)) {
        take_part(s, lines, at, &head);
    } else if (s->count == WINDOW) {
        log_lines_keep(lines);
        s->current = NULL;
        return false;
    } else {
        begin_entry(s, lines, at, &head);
    }
    return true;
}

/* Returns true if no more lines have to be read before the first message is returned. The message
 * to which the last line belongs may go on. */
static bool is_enough(const struct stderr_log *s)
{
    return s->ended || (s->count > 1 && (s->count == WINDOW || s->bytes >= WINDOW_BYTES) &&
                        s->current != nth(s, 0));
}

/* Returns true if the log ends here and further lines of the message, which was the first one in
 * the window, may be missing. In syslog the last lines of other processes may be after them. */
static bool may_go_on(const struct stderr_log *s, const struct held *h)
{
    if (!s->ended || h->part == NULL)
        return false;
    for (unsigned i = 0; i < s->count; i++)
        if (nth(s, i)->carrier == h->carrier && nth(s, i)->source == h->source)
            return h == s->current;
    return h == s->current ||
           ((h->carried || h->source != s->source) && s->newest_ns - h->entry.time.ns < NS_PER_SEC);
}

static bool next(void *state, struct log_lines *lines, struct log_event *event)
{
    struct stderr_log *s = state;
    if (!s->ready)
        look(s, lines);
    while (!is_enough(s))
        take_line(s, lines);
    if (s->count == 0) {
        /* Another file may follow. */
        s->ended = false;
        s->current = NULL;
        return false;
    }
    struct held *h = nth(s, 0);
    s->first = (s->first + 1) % WINDOW;
    s->count--;
    s->bytes -= h->bytes;
    event->may_go_on = may_go_on(s, h);
    if (event->may_go_on && s->unended && h->entry.missing == NULL)
        h->entry.missing = &log_in_part;
    pgsql_entry_tell(&h->entry, &s->text, event);
    event->line = h->line;
    event->file = h->file;
    if (event->may_go_on && event->kind == LOG_EVENT_STATEMENT &&
        sql_scan_is_open(event->text, event->length, SQL_SCAN_PGSQL))
        log_event_leave_out(event, &log_open);
    return true;
}

const struct log_format_ops pgsql_stderr_log = {.name = "PostgreSQL stderr log",
                                                .driver = "pgsql",
                                                .looks_like = looks_like,
                                                .create = create,
                                                .destroy = destroy,
                                                .next = next};
