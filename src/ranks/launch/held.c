/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/held.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

void held_begin(struct held *held, int fd)
{
    held->own = -1;
    const int file = memfd_create("held output", MFD_CLOEXEC);
    if (file < 0)
        return;
    held->own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (held->own >= 0)
        dup2(file, fd);
    close(file);
}

static void copy(int from, int to)
{
    char block[65536];
    ssize_t n;
    lseek(from, 0, SEEK_SET);
    while ((n = read(from, block, sizeof(block))) > 0)
        for (ssize_t done = 0, wrote; done < n; done += wrote)
            if ((wrote = write(to, block + done, (size_t)(n - done))) <= 0)
                return;
}

void held_end(struct held *held, int fd, int to)
{
    if (held->own < 0)
        return;
    if (to < 0)
        to = held->own;
    copy(fd, to);
    dup2(to, fd);
    close(held->own);
    held->own = -1;
}
