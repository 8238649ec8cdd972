/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library for LD_PRELOAD: fsync() and fdatasync() of a server take 200 ms longer while the file that the environment variable SLOW_FLUSH
 * names exists. Tests make a server's commits slow with it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define PAUSE_US 200000

static int flush(const char *name, int fd)
{
    const char *flag = getenv("SLOW_FLUSH");
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    if (flag != NULL && access(flag, F_OK) == 0)
        usleep(PAUSE_US);
    return real(fd);
}

int fsync(int fd)
{
    return flush("fsync", fd);
}

int fdatasync(int fd)
{
    return flush("fdatasync", fd);
}
