/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/limits.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
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
/* Scripts need this much if they are nested as deeply as LuaJIT allows. */
#define STACK_LEAST_BYTES ((rlim_t)1 << 20)
/* the usual limit of Linux systems */
#define STACK_USUAL_BYTES ((rlim_t)8 << 20)

static void keep_standard_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY); /* read-only: a write to the stream still fails */
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* The stack of the main thread grows up to the present limit. The C library has read the limit
 * before, as the stack size of other threads. */
static void raise_stack_limit(struct rlimit *limit)
{
    pthread_attr_t attributes;
    limit->rlim_cur = limit->rlim_max < STACK_USUAL_BYTES ? limit->rlim_max : STACK_USUAL_BYTES;
    if (setrlimit(RLIMIT_STACK, limit) != 0)
        return;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)limit->rlim_cur);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

static int check_stack(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_LEAST_BYTES)
        return 0;
    if (limit.rlim_max >= STACK_LEAST_BYTES) {
        raise_stack_limit(&limit);
        return 0;
    }
    log_text(LOG_FATAL, "the stack is limited to %llu KiB, and %llu KiB are needed (ulimit -s)",
             (unsigned long long)limit.rlim_max >> 10, (unsigned long long)STACK_LEAST_BYTES >> 10);
    return -1;
}

/* The write that caused SIGXFSZ returns an error. As with SIGPIPE, an ignored signal would be
 * inherited by programs that scripts start. */
static void note_file_limit(int signo)
{
    (void)signo;
}

static void survive_file_limit(void)
{
    struct sigaction action;
    if (sigaction(SIGXFSZ, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
        return;
    action = (struct sigaction){.sa_handler = note_file_limit, .sa_flags = SA_RESTART};
    sigaction(SIGXFSZ, &action, NULL);
}

int limits_begin(void)
{
    keep_standard_streams();
    survive_file_limit();
    return check_stack();
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

void limits_allow_files(int64_t threads)
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

int limits_reserve_files(int64_t files)
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

bool limits_files_spent(int64_t threads)
{
    static atomic_bool spent;
    rlim_t limit = read_limit().rlim_cur, needed = (rlim_t)(OWN_FILES + threads);
    /* A thread that has failed closes its files, while others still fail for lack of them. */
    if (!atomic_load(&spent) && has_free(limit, HARDLY_ANY + 1))
        return false;
    atomic_store(&spent, true);
    if (limit < needed)
        log_lack(limit, needed);
    else
        log_text(LOG_FATAL, "too many open files (ulimit -n is %llu, more are needed)",
                 (unsigned long long)limit);
    return true;
}
