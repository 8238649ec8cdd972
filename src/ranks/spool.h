/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of one rank as a sequence of records: the head at the start of the run, each interval,
 * each checkpoint, and the result at the end. Each record can be written as soon as it is known, so
 * the records of a rank that was killed can be read up to that time.
 *
 * A spool begins with SPOOL_MAGIC. A record is its kind (one byte), the length of its data, the
 * data, and the CRC-32 of kind and data.
 */
#ifndef SPOOL_H
#define SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "result/ranks.h"
#include "result/summary.h"

/* The number is the version of the layout. A spool of another version is not read. */
#define SPOOL_NAME "sysrate spool "
#define SPOOL_MAGIC SPOOL_NAME "11\n"

/*
 * These functions append to *out. The head contains the members of rank_result except result and
 * judgement. `document` is a text chosen by the caller (the beginning of the JSON report), or NULL.
 */
void spool_put_head(struct bytes *out, const struct rank_result *rank, const char *document);
void spool_put_interval(struct bytes *out, const struct interval *interval);
void spool_put_checkpoint(struct bytes *out, const struct summary *part, int64_t at_ns);
void spool_put_result(struct bytes *out, const struct result *result);

/*
 * Returns the spool compressed and in base64, to be put into a text. The caller frees the string.
 */
char *spool_text(const struct bytes *spool);
/* The inverse of spool_text(): appends the spool to *out. Returns −1 if the text is invalid. */
int spool_from_text(struct bytes *out, const char *text);

/* One record of a spool that was read. */
struct spool_record {
    const uint8_t *data;
    size_t count;
    int64_t at_ns; /* end of the interval or time of the checkpoint, since the start */
    bool last;     /* true for the interval in which the run ended */
};

struct spool {
    struct rank_result rank; /* with its judgement */
    char *document;
    struct spool_record *interval, *checkpoint;
    size_t intervals, checkpoints;
};

/*
 * Reads a spool. The bytes of `from` must outlive the spool. If the final record is missing, the
 * result is computed from the intervals, and rank.partial is set. Returns −1 and an empty *spool if
 * the bytes are not a spool or its head is incomplete.
 */
int spool_read(struct spool *spool, const struct bytes *from);
void spool_fini(struct spool *spool);

/*
 * Decode a record into a struct that is initialized and empty. Return −1 if the record is broken.
 * `names` gets the names of the waits and must outlive the interval; if it is NULL, the interval
 * has no waits.
 */
int spool_interval(const struct spool_record *record, struct interval *interval,
                   struct wait_names *names);
int spool_checkpoint(const struct spool_record *record, struct summary *part);

#endif
