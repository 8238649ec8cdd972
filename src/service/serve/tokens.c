/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/tokens.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"

#define NAME_BYTES_MAX 64
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

struct token {
    enum token_role role;
    char name[NAME_BYTES_MAX + 1];
    unsigned char text[TOKEN_BYTES_MAX]; /* padded with zeros */
};

struct tokens {
    struct token *token;
    size_t count;
};

const char *token_role_name(enum token_role role)
{
    return role == ROLE_RUN ? "run" : role == ROLE_READ ? "read" : "none";
}

bool tokens_same(const void *a, const void *b, size_t bytes)
{
    const unsigned char *one = a, *other = b;
    volatile unsigned char difference = 0;
    for (size_t i = 0; i < bytes; i++)
        difference = difference | (one[i] ^ other[i]);
    return difference == 0;
}

enum token_role tokens_role(const struct tokens *tokens, const char *text, const char **name)
{
    unsigned char given[TOKEN_BYTES_MAX] = {0};
    enum token_role role = ROLE_NONE;
    const size_t bytes = text != NULL ? strlen(text) : 0;
    if (bytes > sizeof(given))
        return ROLE_NONE;
    memcpy(given, text != NULL ? text : "", bytes);
    for (size_t i = 0; i < tokens->count; i++)
        if (tokens_same(given, tokens->token[i].text, sizeof(given))) {
            role = tokens->token[i].role;
            *name = tokens->token[i].name;
        }
    return role;
}

static int refuse(const char *path, unsigned line, const char *why)
{
    log_text(LOG_FATAL, "--token-file=%s: line %u: %s", path, line, why);
    return -1;
}

static int read_line(struct tokens *tokens, const char *path, unsigned line, char *text)
{
    char *rest, *word[4];
    size_t words = 0;
    for (char *w = strtok_r(text, " \t\r\n", &rest); w != NULL && words < ARRAY_SIZE(word);
         w = strtok_r(NULL, " \t\r\n", &rest))
        word[words++] = w;
    if (words == 0 || word[0][0] == '#')
        return 0;
    struct token token = {.role = strcmp(word[0], "read") == 0  ? ROLE_READ
                                  : strcmp(word[0], "run") == 0 ? ROLE_RUN
                                                                : ROLE_NONE};
    if (words != 3 || token.role == ROLE_NONE)
        return refuse(path, line, "allowed: read NAME TOKEN, or run NAME TOKEN");
    const size_t bytes = strlen(word[2]);
    if (strlen(word[1]) > NAME_BYTES_MAX || word[1][strspn(word[1], LETTERS "_.-")] != '\0')
        return refuse(path, line, "a name has letters, digits, _ . and -, at most 64 of them");
    if (bytes < TOKEN_BYTES_MIN || bytes > TOKEN_BYTES_MAX ||
        word[2][strspn(word[2], LETTERS "_.-+/=")] != '\0')
        return refuse(path, line,
                      "a token has 20 to 200 letters, digits, _ . - + / and = ('openssl rand "
                      "-hex 24' makes one)");
    strcpy(token.name, word[1]);
    memcpy(token.text, word[2], bytes);
    tokens->token = xrealloc(tokens->token, (tokens->count + 1) * sizeof(token));
    tokens->token[tokens->count++] = token;
    return 0;
}

static int read_lines(struct tokens *tokens, const char *path, FILE *in)
{
    char *text = NULL;
    size_t room = 0;
    unsigned line = 0;
    int status = 0;
    while (status == 0 && getline(&text, &room, in) > 0)
        status = read_line(tokens, path, ++line, text);
    if (text != NULL)
        explicit_bzero(text, room);
    free(text);
    if (status == 0 && tokens->count == 0) {
        log_text(LOG_FATAL, "--token-file=%s: the file has no token", path);
        status = -1;
    }
    return status;
}

static int check_file(const char *path, int fd)
{
    struct stat is;
    const char *why = NULL;
    if (fstat(fd, &is) != 0 || !S_ISREG(is.st_mode))
        why = "this is not a regular file";
    else if ((is.st_mode & 077) != 0)
        why = "other users can read or change the file: chmod 600";
    else if (is.st_uid != geteuid() && is.st_uid != 0)
        why = "the file must belong to the user that the service runs as, or to root";
    if (why == NULL)
        return 0;
    log_text(LOG_FATAL, "--token-file=%s: %s", path, why);
    return -1;
}

struct tokens *tokens_load(const char *path)
{
    struct tokens *tokens = xcalloc(1, sizeof(*tokens));
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status = -1;
    FILE *in = NULL;
    if (fd < 0)
        log_errno(LOG_FATAL, "--token-file=%s: cannot read the file", path);
    else if (check_file(path, fd) == 0)
        in = checked_alloc(fdopen(fd, "r"));
    if (in != NULL)
        status = read_lines(tokens, path, in);
    if (in != NULL)
        fclose(in);
    else if (fd >= 0)
        close(fd);
    if (status == 0)
        return tokens;
    tokens_destroy(tokens);
    return NULL;
}

void tokens_destroy(struct tokens *tokens)
{
    if (tokens == NULL)
        return;
    if (tokens->token != NULL)
        explicit_bzero(tokens->token, tokens->count * sizeof(*tokens->token));
    free(tokens->token);
    free(tokens);
}
