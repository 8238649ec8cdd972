/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that appears whole or not at all: it is written under a temporary name in the folder of
 * the file that it replaces, and renamed when it is complete. What is no regular file (a terminal,
 * a pipe, /dev/stdout) is written directly.
 */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <stdio.h>

struct outfile {
    FILE *stream;    /* write here */
    char *path;      /* the file that appears, symbolic links resolved */
    char *temporary; /* NULL: written directly */
};

/* −1 after a logged message when it is clear that no file can be written there. Leaves nothing
 * behind. */
int outfile_check(const char *path);

/* −1 after a logged message. After 0, one of the two below must follow; they free it. */
int outfile_open(struct outfile *file, const char *path);

/*
 * −1 after a logged message when anything could not be written; the file at `path` is then the old
 * one.
 */
int outfile_commit(struct outfile *file);
/* The same for a file that is soon replaced again: it does not wait for the disk. */
int outfile_replace(struct outfile *file);
/* Removes what was written. */
void outfile_abandon(struct outfile *file);

#endif
