/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"

const struct fuzz_target *const fuzz_targets[] = {
    &fuzz_options, &fuzz_config,     &fuzz_rate,    &fuzz_law,    &fuzz_trace,   &fuzz_slo,
    &fuzz_inject,  &fuzz_percentile, &fuzz_retry,   &fuzz_report, &fuzz_spool,   &fuzz_hlog,
    &fuzz_log,     &fuzz_log_lines,  &fuzz_metrics, &fuzz_jobs,   &fuzz_service, &fuzz_vectors,
#ifdef HAVE_MYSQL
    &fuzz_mysql,
#endif
#ifdef HAVE_PGSQL
    &fuzz_pgsql,
#endif
    NULL,
};

int fuzz_patience_ms = 2000;

static int error_fd = STDERR_FILENO;

const struct fuzz_target *fuzz_find(const char *name)
{
    for (unsigned i = 0; fuzz_targets[i] != NULL; i++)
        if (strcmp(fuzz_targets[i]->name, name) == 0)
            return fuzz_targets[i];
    return NULL;
}

void fuzz_setup(void)
{
    error_fd = dup(STDERR_FILENO);
    signal(SIGPIPE, SIG_IGN); /* as the program does during a run */
}

void fuzz_run(const struct fuzz_target *target, const uint8_t *data, size_t bytes)
{
    log_capture();
    target->run(data, bytes);
    free(log_captured());
}

void fuzz_failed(const char *file, int line, const char *condition)
{
    dprintf(error_fd, "%s:%d: condition is false: %s\n", file, line, condition);
    abort();
}

char *fuzz_text(const uint8_t *data, size_t bytes)
{
    return checked_alloc(strndup(bytes > 0 ? (const char *)data : "", bytes));
}

char *fuzz_line(char **text)
{
    if (*text == NULL || **text == '\0')
        return NULL;
    return strsep(text, "\n");
}

void fuzz_file_init(struct fuzz_file *file, const uint8_t *data, size_t bytes)
{
    file->fd = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_CHECK(file->fd >= 0);
    FUZZ_CHECK(bytes == 0 || write(file->fd, data, bytes) == (ssize_t)bytes);
    snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}

void fuzz_file_fini(struct fuzz_file *file)
{
    close(file->fd);
}

static ssize_t swallow(void *cookie, const char *data, size_t bytes)
{
    (void)cookie;
    (void)data;
    return (ssize_t)bytes;
}

FILE *fuzz_null(void)
{
    return checked_alloc(fopencookie(NULL, "w", (cookie_io_functions_t){.write = swallow}));
}
