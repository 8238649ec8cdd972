/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that appears whole or not at all: it is written under a temporary name in the folder of
 * the file that it replaces, and renamed when it is complete. What is no regular file (a terminal,
 * a pipe, /dev/stdout) is written directly. What cannot be written completely stays under the
 * temporary name.
 */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/* Stays where it is while it is open: the stream knows it by its address. */
struct outfile {
    FILE *stream;    /* write here */
    char *path;      /* the file that appears, symbolic links resolved */
    char *temporary; /* NULL: written directly */
    int fd;
    int error;  /* the errno of what failed first; 0: nothing has */
    bool begun; /* something has been written */
    bool told;  /* of the error */
};

/* An option that names a file; `path` NULL: it was not given. */
struct outfile_option {
    const char *name, *path;
};

/*
 * Once, before anything is printed: what goes to standard output from now on goes to standard
 * error, and what stdout was is written by who opens the path that is returned. NULL after a logged
 * message.
 */
const char *outfile_take_stdout(void);

/* −1 after a logged message when it is clear that no file can be written there. Leaves nothing
 * behind. */
int outfile_check(const char *path);

/*
 * Calls outfile_check() for each of several options, and gives −1 after a message too when two name
 * the same file, whichever way, and would replace each other.
 */
int outfile_check_all(const struct outfile_option *options, size_t count);

/*
 * −1 after a logged message. Waits some seconds for the reader of a pipe, with a warning. After 0,
 * outfile_commit(), outfile_replace() or outfile_abandon() must
 * follow; they free it.
 */
int outfile_open(struct outfile *file, const char *path);

/*
 * What was written until now is there from here on, under the temporary name, also if the program
 * is killed. Warns once when it cannot be.
 */
void outfile_flush(struct outfile *file);

/*
 * −1 after a logged message when anything could not be written; the file at `path` is then the old
 * one, and the message names the one with what was written, if anything was.
 */
int outfile_commit(struct outfile *file);
/*
 * outfile_commit() for a file that is soon replaced again: it does not wait for the disk, and keeps
 * no part.
 */
int outfile_replace(struct outfile *file);
/* Removes what was written. */
void outfile_abandon(struct outfile *file);

#endif
