/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/secret.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/util.h"

#define MASK "***"
#define BLANKS " \t\r\n"
/* minimum bytes of a secret that is searched for in output; shorter ones would match everywhere */
#define SOUGHT_BYTES 3

static const char *const no_words[] = {NULL};
static const struct secret_words nothing = {.names = no_words, .links = no_words};
/* Set by main() for the whole process, and constant once other threads run. */
static const struct secret_words *learned = &nothing;

void secret_learn(const struct secret_words *words)
{
    learned = words != NULL ? words : &nothing;
}

/* Reads a text from left to right. */
struct scan {
    const char *at;
    char quote; /* the quote that is open at `at`, or '\0' */
};

struct found {
    const char *start; /* NULL if no secret was found */
    size_t length;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static bool is_blank(char c)
{
    return c != '\0' && strchr(BLANKS, c) != NULL;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static void step(struct scan *s)
{
    if (s->quote == '\0' && is_quote(*s->at))
        s->quote = *s->at;
    else if (s->quote == *s->at)
        s->quote = '\0';
    s->at++;
}

static const char *skip(const char *at, const char *chars)
{
    return at + strspn(at, chars);
}

/* Returns the value that begins at `start`, where `quote` is open. If the value has its own
 * quotes, it ends at the closing one, otherwise at a blank or at the end of `quote`. */
static struct found value_at(const char *start, char quote)
{
    if (is_quote(*start) && *start != quote) {
        const char *close = strchr(start + 1, *start);
        size_t length = close != NULL ? (size_t)(close - start - 1) : strlen(start + 1);
        return (struct found){length > 0 ? start + 1 : NULL, length};
    }
    struct scan end = {start, '\0'};
    while (*end.at != '\0' && (end.quote != '\0' || !is_blank(*end.at)) &&
           (quote == '\0' || *end.at != quote))
        step(&end);
    return (struct found){end.at > start ? start : NULL, (size_t)(end.at - start)};
}

/* Returns the value of the option at `name`. The value begins at `start`, where `quote` is open.
 * Option and value may be in quotes as a whole. */
static struct found argument_at(const char *name, const char *start, char quote)
{
    if (quote == '\0' || name[-1] != quote)
        return value_at(start, quote);
    size_t length = (size_t)(strchrnul(start, quote) - start);
    return (struct found){length > 0 ? start : NULL, length};
}

static bool word_has(const char *word, size_t length, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= length; i++)
        if (strncasecmp(word + i, part, n) == 0)
            return true;
    return false;
}

static bool word_has_any(const char *word, size_t length, const char *const *parts)
{
    while (*parts != NULL && !word_has(word, length, *parts))
        parts++;
    return *parts != NULL;
}

static bool names_secret(const char *word, size_t length)
{
    static const char *const parts[] = {"pass", "pwd", "secret", "token", NULL};
    return word_has_any(word, length, parts) || word_has_any(word, length, learned->names);
}

/* Skips a word that may come between the name of a secret and the secret. */
static const char *skip_link(const char *at)
{
    for (const char *const *link = learned->links; *link != NULL; link++) {
        size_t n = strlen(*link);
        if (strncasecmp(at, *link, n) == 0 && !is_word(at[n]))
            return skip(at + n, BLANKS);
    }
    return at;
}

/* Returns the secret after its name, which is in [name, end). */
static struct found after_name(const char *name, const char *end, char quote)
{
    const char *at = skip(end, BLANKS);
    if (is_quote(*at) && *skip(at + 1, BLANKS) == ':')
        at = skip(at + 1, BLANKS);
    if (*at != '\0' && strchr("=:(", *at) != NULL) {
        at = skip(at, "=:(" BLANKS);
        return argument_at(name, at, quote);
    }
    at = skip_link(at);
    if (at > end && is_quote(*at) && *at != quote)
        return value_at(at, quote);
    if (strncmp(name, "--", 2) == 0 && is_blank(*end) && *at != '-')
        return value_at(at, quote);
    return (struct found){NULL, 0};
}

/* Returns X in "://user:X@". X may contain '@'. */
static struct found in_address(const char *at)
{
    const char *user = at + 3, *colon = user + strcspn(user, ":/@\"'" BLANKS);
    size_t rest = *colon == ':' ? strcspn(colon, "/" BLANKS) : 0;
    const char *end = memrchr(colon, '@', rest);
    if (end == NULL || end == colon + 1)
        return (struct found){NULL, 0};
    return (struct found){colon + 1, (size_t)(end - colon - 1)};
}

/* Returns the secret introduced by the word at s->at, and moves *s past the word. */
static struct found in_word(struct scan *s)
{
    const char *word = s->at;
    size_t length = 0;
    while (is_word(word[length]))
        length++;
    s->at += length;
    if (word[0] == '-' && word[1] == 'p' && (length > 2 || (length == 2 && !is_blank(word[2]))))
        return argument_at(word, word + 2, s->quote);
    return names_secret(word, length) ? after_name(word, word + length, s->quote)
                                      : (struct found){NULL, 0};
}

static struct found next_secret(struct scan *s)
{
    while (*s->at != '\0') {
        struct found found = {NULL, 0};
        if (strncmp(s->at, "://", 3) == 0)
            found = in_address(s->at);
        if (is_word(*s->at))
            found = in_word(s);
        else
            step(s);
        if (found.start == NULL)
            continue;
        while (s->at < found.start + found.length)
            step(s);
        return found;
    }
    return (struct found){NULL, 0};
}

/* Builds a text in memory. copy_end() closes the stream and returns the text. */
struct copy {
    FILE *stream;
    char *text;
    size_t bytes;
};

static void copy_begin(struct copy *c)
{
    c->stream = checked_alloc(open_memstream(&c->text, &c->bytes));
}

static char *copy_end(struct copy *c)
{
    if (fclose(c->stream) != 0)
        checked_alloc(NULL);
    return c->text;
}

char *secret_mask(const char *text)
{
    struct scan s = {text, '\0'};
    struct found found;
    struct copy copy;
    copy_begin(&copy);
    for (const char *from = text;; from = found.start + found.length) {
        found = next_secret(&s);
        if (found.start == NULL) {
            fputs(from, copy.stream);
            return copy_end(&copy);
        }
        fwrite(from, 1, (size_t)(found.start - from), copy.stream);
        fputs(MASK, copy.stream);
    }
}

/* Returns a copy of `text` with the secret masked, and frees `text`. */
static char *replace(char *text, struct found secret)
{
    struct copy copy;
    const char *from = text, *hit;
    copy_begin(&copy);
    while ((hit = memmem(from, strlen(from), secret.start, secret.length)) != NULL) {
        fwrite(from, 1, (size_t)(hit - from), copy.stream);
        fputs(MASK, copy.stream);
        from = hit + secret.length;
    }
    fputs(from, copy.stream);
    free(text);
    return copy_end(&copy);
}

char *secret_mask_output(const char *text, const char *source)
{
    struct scan s = {source, '\0'};
    struct found found;
    char *masked = secret_mask(text);
    while ((found = next_secret(&s)).start != NULL) {
        /* These characters end a shell word. */
        while (found.length > 0 && strchr(";&|)", found.start[found.length - 1]) != NULL)
            found.length--;
        if (found.length >= SOUGHT_BYTES)
            masked = replace(masked, found);
    }
    return masked;
}

void secret_wipe(char *text)
{
    struct scan s = {text, '\0'};
    struct found found;
    while ((found = next_secret(&s)).start != NULL)
        memset(text + (found.start - text), '*', found.length);
}
