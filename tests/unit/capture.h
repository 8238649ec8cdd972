/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects what is written to a standard stream while a test runs. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdio.h>
#include <unistd.h>

#include "base/util.h"

struct capture {
    int stdout_fd, stderr_fd; /* the streams as they were */
    FILE *file;
};

/* Sends stderr, and stdout too when `both` is set, to one file. */
static inline void capture_start(struct capture *c, int both)
{
    fflush(NULL);
    c->file = checked_alloc(tmpfile());
    c->stdout_fd = dup(STDOUT_FILENO);
    c->stderr_fd = dup(STDERR_FILENO);
    dup2(fileno(c->file), STDERR_FILENO);
    if (both)
        dup2(fileno(c->file), STDOUT_FILENO);
}

/* Puts the streams back. Returns what was written; the caller frees it. */
static inline char *capture_end(struct capture *c)
{
    fflush(NULL);
    dup2(c->stdout_fd, STDOUT_FILENO);
    dup2(c->stderr_fd, STDERR_FILENO);
    close(c->stdout_fd);
    close(c->stderr_fd);
    long bytes = lseek(fileno(c->file), 0, SEEK_END);
    char *text = xcalloc(1, (size_t)bytes + 1);
    rewind(c->file);
    size_t got = fread(text, 1, (size_t)bytes, c->file);
    text[got] = '\0';
    fclose(c->file);
    return text;
}

#endif
