/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target for spools, which ranks write and `merge` reads, and for spools as text in a report. The
 * checksums of an input are corrected first, because otherwise almost all inputs would be refused
 * for a wrong checksum.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/util.h"
#include "fuzz.h"
#include "ranks/spool.h"

static void run(const uint8_t *data, size_t bytes);

const struct fuzz_target fuzz_spool = {.name = "spool", .run = run};

static void mend_sums(struct bytes *spool)
{
    const size_t magic = strlen(SPOOL_MAGIC);
    struct bytes_reader r = {.at = spool->data + min_u64(magic, spool->count),
                             .end = spool->data + spool->count};
    while (r.at < r.end) {
        uint8_t kind;
        bytes_take(&r, &kind, sizeof(kind));
        int64_t count = bytes_take_varint(&r);
        if (r.failed || count < 0 || count > r.end - r.at - 4)
            return;
        uint32_t sum = (uint32_t)crc32(crc32(0, &kind, 1), r.at, (uInt)count);
        memcpy(spool->data + (r.at - spool->data) + count, &sum, sizeof(sum));
        r.at += count + 4;
    }
}

static void read_parts(const struct spool *spool)
{
    struct wait_names names;
    wait_names_init(&names);
    for (size_t i = 0; i < spool->intervals; i++) {
        struct interval interval = {0};
        snapshot_init(&interval.snapshot);
        spool_interval(&spool->interval[i], &interval, &names);
        snapshot_fini(&interval.snapshot);
    }
    for (size_t i = 0; i < spool->checkpoints; i++) {
        struct summary part = {0};
        snapshot_init(&part.snapshot);
        spool_checkpoint(&spool->checkpoint[i], &part);
        snapshot_fini(&part.snapshot);
    }
}

static void try_spool(const struct bytes *bytes)
{
    struct spool spool;
    if (spool_read(&spool, bytes) != 0)
        return;
    read_parts(&spool);
    struct ranks whole;
    ranks_merge(&whole, &spool.rank, 1);
    ranks_fini(&whole);
    spool_fini(&spool);
}

static void try_text(const uint8_t *data, size_t bytes)
{
    struct bytes spool = {0};
    char *text = fuzz_text(data, bytes);
    if (spool_from_text(&spool, text) == 0)
        try_spool(&spool);
    bytes_fini(&spool);
    free(text);
}

static void run(const uint8_t *data, size_t bytes)
{
    struct bytes spool = {0};
    if (bytes > 0)
        bytes_put(&spool, data, bytes);
    try_text(data, bytes);
    try_spool(&spool);
    if (bytes > 0)
        mend_sums(&spool);
    try_spool(&spool);
    bytes_fini(&spool);
}
