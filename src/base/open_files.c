/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/open_files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"

/* files open in the program itself, including scripts that are being loaded */
#define OWN_FILES 30
/* number of files that each thread of a script may open */
#define ALLOWED_PER_THREAD 8
/* With at most this many free, the limit counts as reached: other threads may just have closed a
 * file that they loaded. */
#define HARDLY_ANY 4

void open_files_keep_standard(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY); /* read-only: a write to the stream still fails */
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static struct rlimit read_limit(void)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit;
}

static void raise_limit(rlim_t wanted)
{
    struct rlimit limit = read_limit();
    wanted = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    if (wanted <= limit.rlim_cur)
        return;
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

void open_files_allow(int64_t threads)
{
    raise_limit((rlim_t)(OWN_FILES + ALLOWED_PER_THREAD * threads));
}

/*
 * Returns true if at least `wanted` descriptors below `limit` are free. Stops counting at `wanted`.
 */
static bool has_free(rlim_t limit, rlim_t wanted)
{
    rlim_t left = 0;
    for (rlim_t fd = 0; fd < limit && left < wanted; fd++)
        left += fcntl((int)fd, F_GETFD) < 0;
    return left >= wanted;
}

static void log_lack(rlim_t limit, rlim_t needed)
{
    log_text(LOG_FATAL, "too many open files (ulimit -n is %llu, some %llu are needed)",
             (unsigned long long)limit, (unsigned long long)needed);
}

int open_files_reserve(int64_t files)
{
    const rlim_t wanted = (rlim_t)files;
    if (has_free(read_limit().rlim_cur, wanted))
        return 0;
    raise_limit(read_limit().rlim_cur + wanted);
    const rlim_t limit = read_limit().rlim_cur;
    if (has_free(limit, wanted))
        return 0;
    log_lack(limit, OWN_FILES + wanted);
    return -1;
}

bool open_files_spent(int64_t threads)
{
    rlim_t limit = read_limit().rlim_cur, needed = (rlim_t)(OWN_FILES + threads);
    if (has_free(limit, HARDLY_ANY + 1))
        return false;
    if (limit < needed)
        log_lack(limit, needed);
    else
        log_text(LOG_FATAL, "too many open files (ulimit -n is %llu, more are needed)",
                 (unsigned long long)limit);
    return true;
}
