/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/job_live.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/secret.h"
#include "base/util.h"
#include "report/json/report_json_value.h"

/* Longer than any interval. */
#define TAIL_BYTES (256 * 1024)

/* Returns the last TAIL_BYTES bytes of a file up to its last newline, or NULL if there is no
 * complete line. The caller frees the text. */
static char *tail_of(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    ssize_t n = -1;
    char *text = xcalloc(1, TAIL_BYTES + 1);
    if (fd >= 0 && fstat(fd, &st) == 0)
        n = pread(fd, text, TAIL_BYTES, st.st_size > TAIL_BYTES ? st.st_size - TAIL_BYTES : 0);
    if (fd >= 0)
        close(fd);
    char *end = n > 0 ? memrchr(text, '\n', (size_t)n) : NULL;
    if (end != NULL) {
        *end = '\0';
        return text;
    }
    free(text);
    return NULL;
}

/* Removes the last line from the text and returns it. */
static char *cut_line(char *text)
{
    char *newline = strrchr(text, '\n');
    if (newline == NULL)
        return text;
    *newline = '\0';
    return newline + 1;
}

static bool is_interval(const char *line)
{
    static const char begin[] = "{\"from_s\":";
    return strncmp(line, begin, strlen(begin)) == 0;
}

json_t *job_live_interval(const char *path)
{
    char *text = tail_of(path), *line;
    json_t *interval = NULL;
    bool more = text != NULL;
    while (more && interval == NULL) {
        line = cut_line(text);
        more = line != text;
        if (is_interval(line))
            interval = json_loads(line, 0, NULL);
    }
    free(text);
    return interval;
}

json_t *job_live_progress(const char *path)
{
    char *text = tail_of(path);
    if (text == NULL)
        return NULL;
    char *line = secret_mask(log_printable(cut_line(text), ""));
    json_t *object = value_object();
    value_set(object, "progress", value_text(line));
    free(line);
    free(text);
    return object;
}
