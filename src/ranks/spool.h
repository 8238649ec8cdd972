/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rank's whole result as a sequence of records, each of which can be written when it is known:
 * the head at the start, an interval at a time, checkpoints, the result at the end. What a rank
 * that was killed has written until then can be read.
 *
 * A spool begins with SPOOL_MAGIC. A record is its kind, the length of what follows, that, and its
 * CRC-32.
 */
#ifndef SPOOL_H
#define SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "result/ranks.h"
#include "result/summary.h"

#define SPOOL_MAGIC "sysrate spool 3\n"

/* Writing appends to *out. The head has what rank_result has but result and judgement; `document`
 * is a text of the caller's (the beginning of the JSON report), or NULL. */
void spool_put_head(struct bytes *out, const struct rank_result *rank, const char *document);
void spool_put_interval(struct bytes *out, const struct interval *interval);
void spool_put_checkpoint(struct bytes *out, const struct summary *part, int64_t at_ns);
void spool_put_result(struct bytes *out, const struct result *result);

/* Base64 of the packed bytes, for a place in a text; the caller frees it. */
char *spool_text(const struct bytes *spool);
/* Appends what it was made from; −1: it is no such text. */
int spool_from_text(struct bytes *out, const char *text);

/* A record of a spool that is read. */
struct spool_record {
    const uint8_t *data;
    size_t count;
    int64_t at_ns; /* the end of the interval, or when the checkpoint was, since the start */
    bool last;     /* of an interval: the run ended with it */
};

struct spool {
    struct rank_result rank; /* judged */
    char *document;
    struct spool_record *interval, *checkpoint;
    size_t intervals, checkpoints;
};

/*
 * Reads a spool, which must outlive it. Where the end is missing the result is what the intervals
 * say, and rank.partial is set. −1: this is no spool, or not even its head is whole; *spool is then
 * empty.
 */
int spool_read(struct spool *spool, const struct bytes *from);
void spool_fini(struct spool *spool);

/* Fill in what is initialized and empty. −1: the record is broken. */
int spool_interval(const struct spool_record *record, struct interval *interval);
int spool_checkpoint(const struct spool_record *record, struct summary *part);

#endif
