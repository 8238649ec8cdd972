/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_syslog.h"

#include <ctype.h>
#include <stdio.h>
#include <time.h>

#include "workloads/replay/log/log_text.h"

/* Reads "Nov 24 03:37:01". */
static bool read_old_time(char **text, struct log_syslog *s)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm tm = {.tm_year = 100};
    char name[4];
    int used = 0;
    if (!isupper((unsigned char)**text) ||
        sscanf(*text, "%3[A-Za-z] %2d %2d:%2d:%2d%n", name, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
               &tm.tm_sec, &used) != 5 ||
        used == 0)
        return false;
    const char *month = strstr(months, name);
    if (month == NULL || (month - months) % 3 != 0 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
        tm.tm_hour < 0 || tm.tm_min < 0 || tm.tm_sec < 0)
        return false;
    tm.tm_mon = (int)(month - months) / 3;
    s->time = (struct log_time){timegm(&tm) * NS_PER_SEC, NS_PER_SEC};
    *text += used;
    return true;
}

static bool read_time(char **text, struct log_syslog *s)
{
    const char *at = *text;
    if (read_old_time(text, s))
        return true;
    if (!log_time_iso(&at, &s->time) || (*text)[10] != 'T')
        return false;
    *text += at - *text;
    return true;
}

/* Cuts a word off that ends with a blank. */
static char *cut_word(char **text, size_t *length)
{
    char *word = *text;
    *length = strcspn(word, " ");
    *text += *length + (word[*length] == ' ');
    return word;
}

/* Reads "host app process id - TEXT" of RFC 5424, without structured data or with one element. */
static bool read_new_names(char **text, struct log_syslog *s)
{
    size_t length;
    for (int i = 0; i < 2; i++) {
        const char *name = cut_word(text, &length);
        s->source = log_hash_more(s->source, name, length + 1);
    }
    const char *process = cut_word(text, &length);
    if (length == 0)
        return false;
    s->process = log_hash(process, length);
    if (**text == '-')
        cut_word(text, &length);
    if (**text == '-' && (*text)[1] == ' ')
        *text += 2;
    return true;
}

/* Reads "host postgres[71]: ". The host is missing in some logs. */
static bool read_names(char **text, struct log_syslog *s)
{
    for (int i = 0; i < 2; i++) {
        size_t length;
        char *word = cut_word(text, &length);
        const char *open = memchr(word, '[', length), *name = open != NULL ? open + 1 : word;
        /* "LOG:" is no name of a program. */
        if (length < 2 || word[length - 1] != ':' ||
            (open == NULL && !islower((unsigned char)*word))) {
            s->source = log_hash_more(s->source, word, length);
            continue;
        }
        s->source = log_hash_more(s->source, word, open != NULL ? (size_t)(open - word) : length);
        s->process = log_hash(name, (size_t)(word + length - name));
        return true;
    }
    return false;
}

void log_syslog_piece(const char **text, struct log_syslog *s)
{
    const char *at = *text, *const start = at;
    unsigned long message, piece;
    int used = 0;
    if (*at == '[' && isupper((unsigned char)at[1])) {
        const size_t name = strcspn(at, " ");
        at += at[name] == ' ' ? name + 1 : 0;
    }
    const uint64_t source = log_hash_more(s->source, start, (size_t)(at - start));
    if (sscanf(at, "[%9lu-%9lu]%n", &message, &piece, &used) != 2 || used == 0) {
        /* With "[5] " the server does not cut messages, or 5 is the number of the process. */
        if (sscanf(at, "[%9lu]%n", &message, &used) == 1 && used > 0 && at[used] == ' ')
            *text = at + used + 1;
        return;
    }
    s->source = source;
    s->message = message;
    s->piece = piece;
    *text = at + used + (at[used] == ' ');
}

/* Replaces "#011" by the character with this octal number. */
static void restore(struct log_syslog *s)
{
    const char *from = s->text, *end = s->text + s->length;
    char *to = s->text;
    if (memmem(from, s->length, "#0", 2) == NULL)
        return;
    while (from < end) {
        const bool octal = end - from >= 4 && from[0] == '#' && from[1] == '0' && from[2] >= '0' &&
                           from[2] <= '3' && from[3] >= '0' && from[3] <= '7';
        *to++ = octal ? (char)(8 * (from[2] - '0') + from[3] - '0') : *from;
        from += octal ? 4 : 1;
    }
    *to = '\0';
    s->length = (size_t)(to - s->text);
}

/* Returns true for a message by which a syslog daemon says that it has lost or merged others. */
static bool is_loss(const char *text)
{
    static const char *const starts[] = {"message repeated ", "imuxsock", "Suppressed ", "Missed ",
                                         "imjournal"};
    for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
        if (strncmp(text, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* Daemons cut messages at such a length, which counts a little more or less than the line has. A
 * server that splits messages writes less than that. */
static bool may_be_cut(size_t length)
{
    static const size_t least = 1000, around = 80, any = 7000;
    for (size_t limit = 1024; limit < any; limit *= 2)
        if (length >= least && length + around >= limit && length <= limit + around)
            return true;
    return length >= any;
}

bool log_syslog_read(char *line, size_t length, struct log_syslog *s)
{
    char *at = line;
    *s = (struct log_syslog){.timed = true};
    bool new_form = false;
    int used = 0;
    /* The length of a message, as it is sent over TCP. */
    const size_t digits = strspn(at, "0123456789");
    if (strncmp(at + digits, " <", 2) == 0)
        at += digits + 1;
    if (*at == '<') {
        at += 1 + strspn(at + 1, "0123456789");
        if (*at++ != '>')
            return false;
        new_form = sscanf(at, "1 %n", &used) == 0 && used == 2;
        at += used;
    }
    if (!read_time(&at, s) || *at++ != ' ')
        return false;
    if (!(new_form ? read_new_names(&at, s) : read_names(&at, s)))
        return false;
    if (is_loss(at))
        return false;
    const char *message = at;
    log_syslog_piece(&message, s);
    at += message - at;
    s->may_be_cut = s->piece == 0 && may_be_cut(length);
    s->text = at;
    s->length = (size_t)(line + length - at);
    restore(s);
    return true;
}
