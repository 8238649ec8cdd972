/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An output file that appears either complete or not at all. It is written under a temporary name
 * in the folder of the file that it replaces, and renamed when it is complete. Anything but a
 * regular file (a terminal, a pipe, /dev/stdout) is written directly. A file that cannot be written
 * completely keeps its temporary name.
 */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/* Must not be moved while it is open, because the stream refers to its address. */
struct outfile {
    FILE *stream;    /* the caller writes here */
    char *path;      /* the final name, with symbolic links resolved */
    char *temporary; /* temporary name; NULL if the file is written directly */
    int fd;
    int error;         /* errno of the first failure, or 0 */
    bool begun;        /* at least one byte has been written */
    bool error_logged; /* the error has been logged */
};

/* An option that names a file; `path` is NULL if the option was not given. */
struct outfile_option {
    const char *name, *path;
};

/*
 * Redirects standard output to standard error, and returns a path under which the original
 * standard output can be opened. Call once, before anything is printed. Returns NULL after a
 * logged message.
 */
const char *outfile_take_stdout(void);

/*
 * Declares that the program reads the file at `path`, so that no output may replace it:
 * outfile_open() and outfile_check() then refuse this file, by whatever path it is named. `what`
 * names the use of the file in messages ("the script") and is copied. Does nothing if the path is
 * not a regular file. Call before threads are started.
 */
void outfile_protect(const char *path, const char *what);

/* Returns −1 after a logged message if no file can be written at `path`. Creates nothing that
 * stays. */
int outfile_check(const char *path);

/* Calls outfile_check() for each option. Also returns −1 after a logged message if two options
 * name the same file, even by different paths, because one would replace the other. */
int outfile_check_all(const struct outfile_option *options, size_t count);

/*
 * Opens the file. Returns 0, or −1 after a logged message. If `path` is a pipe, waits some seconds
 * for its reader after a warning. After success the caller must call outfile_commit(),
 * outfile_replace() or outfile_abandon(), which free the file's memory.
 */
int outfile_open(struct outfile *file, const char *path);

/* Writes buffered data to the temporary file, so that it is kept even if the program is killed.
 * Warns once if the data cannot be written. */
void outfile_flush(struct outfile *file);

/*
 * Completes the file and renames it. Returns −1 after a logged message if anything could not be
 * written; the old file at `path` is then unchanged, and the message names the temporary file with
 * the incomplete output, if any.
 */
int outfile_commit(struct outfile *file);
/* The same as outfile_commit() for a file that is soon replaced again: does not sync to disk,
 * and removes an incomplete file. */
int outfile_replace(struct outfile *file);
/* Closes the file and removes its data. */
void outfile_abandon(struct outfile *file);

#endif
