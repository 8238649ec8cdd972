/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/pgsql_guess.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "workloads/replay/log/pgsql_form.h"
#include "workloads/replay/log/pgsql_prefix.h"

#define SAMPLE_LINES 3000
/* Bytes that are kept of a line: the prefix and the beginning of the message. */
#define SAMPLE_BYTES 1000
/* Number of lines whose form is tried on the others. */
#define FORMS 24
/* Number of different prefixes that are looked at. */
#define TRIES 8

struct sample_line {
    char *text;
    bool from_session; /* the message looks like one of a session */
    bool done;         /* a prefix was found for it */
};

struct pgsql_sample {
    struct sample_line lines[SAMPLE_LINES];
    unsigned count;
    bool timed, named;
    struct pgsql_form guess;
};

void pgsql_prefixes_fini(struct pgsql_prefixes *p)
{
    for (unsigned i = 0; i < p->count; i++)
        free(p->text[i]);
    *p = (struct pgsql_prefixes){.count = 0};
}

struct pgsql_sample *pgsql_sample_create(void)
{
    struct pgsql_sample *s = xcalloc(1, sizeof(*s));
    s->timed = s->named = true;
    return s;
}

void pgsql_sample_free(struct pgsql_sample *s)
{
    for (unsigned i = 0; i < s->count; i++)
        free(s->lines[i].text);
    free(s);
}

void pgsql_sample_add(struct pgsql_sample *s, const char *line, bool timed, bool named)
{
    const char *severity = s->count < SAMPLE_LINES ? pgsql_find_severity(line) : NULL;
    if (severity == NULL || severity - line >= SAMPLE_BYTES)
        return;
    struct sample_line *l = &s->lines[s->count++];
    l->text = checked_alloc(strndup(line, SAMPLE_BYTES));
    const char *message = strchr(severity, ':') + 1;
    message += strspn(message, " ");
    l->from_session = strncmp(message, "statement:", 10) == 0 ||
                      strncmp(message, "duration:", 9) == 0 || strncmp(message, "execute ", 8) == 0;
    s->timed &= timed;
    s->named &= named;
}

/* Returns the number of lines that the form matches and that have no prefix yet. */
static unsigned count_matches(const struct pgsql_sample *s, const char *prefix)
{
    unsigned count = 0;
    for (unsigned i = 0; i < s->count; i++) {
        struct pgsql_head head;
        const char *at = s->lines[i].text;
        count += !s->lines[i].done && pgsql_prefix_read(prefix, &at, &head);
    }
    return count;
}

/* How the numbers at one place of the prefix change from line to line. */
struct column {
    unsigned zeros, steps, same, changes;
    unsigned part_same, part_changes; /* in lines that belong to the message before them */
};

static void note_number(struct column *c, uint64_t before, uint64_t now, bool part)
{
    c->zeros += now == 0;
    c->steps += now == before + 1;
    c->same += now == before;
    c->changes += now != before;
    c->part_same += part && now == before;
    c->part_changes += part && now != before;
}

static void note_numbers(const struct pgsql_sample *s, const char *prefix, struct column *columns)
{
    struct pgsql_head before = {.numbers = 0};
    for (unsigned i = 0; i < s->count; i++) {
        struct pgsql_head head;
        const char *at = s->lines[i].text;
        if (s->lines[i].done || !pgsql_prefix_read(prefix, &at, &head))
            continue;
        const bool part = pgsql_is_part(head.severity);
        for (unsigned n = 0; n < head.numbers; n++)
            if (before.numbers > n)
                note_number(&columns[n], before.number[n], head.number[n], part);
            else
                columns[n].zeros += head.number[n] == 0;
        before = head;
    }
}

/* Returns how much the numbers look like those of processes. Counters of lines change within a
 * message, and identifiers of transactions are often 0. */
static int rate_column(const struct column *c, const struct pgsql_number *number)
{
    int rating = number->rating;
    if (c->zeros > 0)
        rating -= 8;
    if (c->part_changes > c->part_same)
        rating -= 8;
    if (c->steps > 2 && 2 * c->steps > c->same + c->changes)
        rating -= 4;
    return rating + (c->changes > 0);
}

/* Decides which number of the form is that of the process. */
static void choose_process(const struct pgsql_sample *s, struct pgsql_form *f)
{
    struct column columns[PGSQL_HEAD_NUMBERS] = {{.zeros = 0}};
    int best = -4;
    unsigned chosen = PGSQL_HEAD_NUMBERS;
    if (f->named)
        return;
    note_numbers(s, f->text, columns);
    for (unsigned n = 0; n < f->count && n < PGSQL_HEAD_NUMBERS; n++) {
        /* "[12-1]" is a counter of lines with a constant after it, and "[7012-3]" a process and
         * such a counter. */
        const struct column *next = n + 1 < f->count ? &columns[n + 1] : NULL;
        int rating = rate_column(&columns[n], &f->numbers[n]);
        if (next != NULL && f->numbers[n + 1].after_dash && f->numbers[n + 1].value == 1 &&
            next->changes == 0 && (f->count > 2 || columns[n].changes > 0))
            rating -= 6;
        if (rating > best) {
            best = rating;
            chosen = n;
        }
    }
    if (chosen == PGSQL_HEAD_NUMBERS)
        return;
    f->text[f->numbers[chosen].at] = 'p';
    f->named = true;
}

/* Finds the form that matches most of the lines that have no prefix yet. */
static unsigned find_form(const struct pgsql_sample *s, bool from_session, struct pgsql_form *best)
{
    unsigned most = 0, candidates = 0, seen = 0;
    for (unsigned i = 0; i < s->count; i++)
        candidates += !s->lines[i].done && s->lines[i].from_session == from_session;
    const unsigned step = candidates / FORMS + 1;
    for (unsigned i = 0; i < s->count; i++) {
        struct pgsql_form form;
        const struct sample_line *l = &s->lines[i];
        if (l->done || l->from_session != from_session || seen++ % step != 0)
            continue;
        if (!pgsql_form_of(l->text, &form))
            continue;
        /* Without a time, digits are numbers and match any line with a time. */
        unsigned matches = count_matches(s, form.text);
        matches += matches > 0 && form.timed ? SAMPLE_LINES : 0;
        if (matches > most ||
            (matches > 0 && matches == most && strlen(form.text) < strlen(best->text))) {
            most = matches;
            *best = form;
        }
    }
    return most;
}

static void mark_done(struct pgsql_sample *s, const char *prefix)
{
    for (unsigned i = 0; i < s->count; i++) {
        struct pgsql_head head;
        const char *at = s->lines[i].text;
        s->lines[i].done |= pgsql_prefix_read(prefix, &at, &head);
    }
}

void pgsql_sample_guess(struct pgsql_sample *s, struct pgsql_prefixes *p, const char **first,
                        const char **guess)
{
    *p = (struct pgsql_prefixes){.count = 0};
    *first = s->count > 0 ? s->lines[0].text : NULL;
    *guess = "";
    for (unsigned tries = 0; tries < TRIES && p->count < PGSQL_PREFIXES; tries++) {
        struct pgsql_form form;
        if (find_form(s, true, &form) == 0 && find_form(s, false, &form) == 0)
            break;
        choose_process(s, &form);
        mark_done(s, form.text);
        /* The lines are in JSON, which has escapes in their texts. */
        if (strstr(form.text, "{\"") != NULL || strstr(form.text, "\":\"") != NULL ||
            strstr(form.text, "\": \"") != NULL)
            continue;
        if ((form.timed || s->timed) && (form.named || s->named)) {
            p->text[p->count++] = xstrdup(form.text);
        } else if (**guess == '\0') {
            s->guess = form;
            *guess = s->guess.text;
        }
    }
}
