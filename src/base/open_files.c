/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/open_files.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "base/log.h"

/* What the program itself has open, scripts that are being loaded included. */
#define OWN_FILES 30
/* Scripts may open several for each thread. */
#define ALLOWED_PER_THREAD 8
/* Other threads close what they load at any moment: so few left count as none. */
#define HARDLY_ANY 4

static struct rlimit read_limit(void)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit;
}

void open_files_allow(int64_t threads)
{
    struct rlimit limit = read_limit();
    rlim_t wanted = (rlim_t)(OWN_FILES + ALLOWED_PER_THREAD * threads);
    wanted = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    if (wanted <= limit.rlim_cur)
        return;
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static bool has_hardly_any(rlim_t limit)
{
    unsigned left = 0;
    for (rlim_t fd = 0; fd < limit && left <= HARDLY_ANY; fd++)
        left += fcntl((int)fd, F_GETFD) < 0;
    return left <= HARDLY_ANY;
}

bool open_files_spent(int64_t threads)
{
    rlim_t limit = read_limit().rlim_cur, needed = (rlim_t)(OWN_FILES + threads);
    if (!has_hardly_any(limit))
        return false;
    if (limit < needed)
        log_text(LOG_FATAL, "too many open files (ulimit -n is %llu, some %llu are needed)",
                 (unsigned long long)limit, (unsigned long long)needed);
    else
        log_text(LOG_FATAL, "too many open files (ulimit -n is %llu, more are needed)",
                 (unsigned long long)limit);
    return true;
}
