/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/spool.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/util.h"
#include "ranks/record_codec.h"

enum record {
    RECORD_HEAD = 'H',
    RECORD_INTERVAL = 'I',
    RECORD_CHECKPOINT = 'C',
    RECORD_RESULT = 'R'
};


static uint32_t checksum(uint8_t kind, const void *data, size_t count)
{
    return (uint32_t)crc32_z(crc32_z(0, &kind, 1), data, count);
}

/* Appends a record, and frees the bytes in `record`. */
static void put_record(struct bytes *out, enum record kind, struct bytes *record)
{
    const uint8_t letter = (uint8_t)kind;
    const uint32_t sum = checksum(letter, record->data, record->count);
    bytes_put(out, &letter, 1);
    bytes_put_varint(out, (int64_t)record->count);
    bytes_put(out, record->data, record->count);
    bytes_put(out, &sum, sizeof(sum));
    bytes_fini(record);
}

static void code_head(struct codec *c, struct rank_result *rank, char **document)
{
    codec_text(c, &rank->host);
    codec_i64(c, &rank->start_wall_ns);
    codec_i64(c, &rank->start_asked_ns);
    codec_u64(c, &rank->fingerprint);
    codec_settings(c, &rank->settings);
    codec_text(c, document);
}

void spool_put_head(struct bytes *out, const struct rank_result *rank, const char *document)
{
    struct bytes record = {0};
    struct codec c = codec_writer(&record);
    struct rank_result copy = *rank;
    char *text = (char *)document;
    code_head(&c, &copy, &text);
    bytes_put(out, SPOOL_MAGIC, strlen(SPOOL_MAGIC));
    put_record(out, RECORD_HEAD, &record);
}

void spool_put_interval(struct bytes *out, const struct interval *interval)
{
    struct bytes record = {0};
    struct codec c = codec_writer(&record);
    struct interval copy = *interval;
    codec_i64(&c, &copy.snapshot.to_ns);
    codec_bool(&c, &copy.last);
    codec_interval(&c, &copy, NULL);
    put_record(out, RECORD_INTERVAL, &record);
}

void spool_put_checkpoint(struct bytes *out, const struct summary *part, int64_t at_ns)
{
    struct bytes record = {0};
    struct codec c = codec_writer(&record);
    struct summary copy = *part;
    bool last = false;
    codec_i64(&c, &at_ns);
    codec_bool(&c, &last);
    codec_summary(&c, &copy);
    put_record(out, RECORD_CHECKPOINT, &record);
}

void spool_put_result(struct bytes *out, const struct result *result)
{
    struct bytes record = {0};
    struct codec c = codec_writer(&record);
    struct result copy = *result;
    codec_result(&c, &copy);
    put_record(out, RECORD_RESULT, &record);
}

/* The text is base64 of: the uncompressed size as a varint, then the data compressed by zlib. */

char *spool_text(const struct bytes *spool)
{
    uLongf count = compressBound(spool->count);
    uint8_t *packed = xcalloc(1, count);
    struct bytes b = {0};
    if (compress2(packed, &count, spool->data, spool->count, Z_DEFAULT_COMPRESSION) != Z_OK)
        checked_alloc(NULL); /* with this buffer size, compress2() fails only if memory is short */
    bytes_put_varint(&b, (int64_t)spool->count);
    bytes_put(&b, packed, count);
    free(packed);
    char *text = bytes_base64(&b);
    bytes_fini(&b);
    return text;
}

/* Protects against invalid sizes: deflate compresses by a factor of at most 1032. */
static bool can_be_from(int64_t count, size_t packed)
{
    return count > 0 && (uint64_t)count <= ((uint64_t)packed + 16) * 1100;
}

int spool_from_text(struct bytes *out, const char *text)
{
    struct bytes packed = {0};
    int status = bytes_put_base64(&packed, text);
    if (status != 0 || packed.count == 0) {
        bytes_fini(&packed);
        return -1;
    }
    struct bytes_reader r = {.at = packed.data, .end = packed.data + packed.count};
    const int64_t count = bytes_take_varint(&r);
    if (r.failed || !can_be_from(count, packed.count)) {
        bytes_fini(&packed);
        return -1;
    }
    uLongf got = (uLongf)count;
    uint8_t *plain = xcalloc(1, got);
    status = uncompress(plain, &got, r.at, (uLong)(r.end - r.at)) == Z_OK && got == (uLongf)count
                 ? 0
                 : -1;
    if (status == 0)
        bytes_put(out, plain, got);
    free(plain);
    bytes_fini(&packed);
    return status;
}


/* Reads the next record. Returns false at the end, or if the record is incomplete or damaged. */
static bool next_record(struct bytes_reader *r, enum record *kind, struct spool_record *record)
{
    uint8_t letter;
    uint32_t sum;
    bytes_take(r, &letter, 1);
    const int64_t count = bytes_take_varint(r);
    if (r->failed || count < 0 || count > r->end - r->at)
        return false;
    *kind = (enum record)letter;
    *record = (struct spool_record){.data = r->at, .count = (size_t)count};
    r->at += count;
    bytes_take(r, &sum, sizeof(sum));
    return !r->failed && sum == checksum(letter, record->data, record->count);
}

static void append(struct spool_record **list, size_t *count, struct spool_record record)
{
    struct codec c = codec_reader(record.data, record.count);
    codec_i64(&c, &record.at_ns);
    codec_bool(&c, &record.last);
    record.data = c.in.at;
    record.count = (size_t)(c.in.end - c.in.at);
    *list = xrealloc(*list, (*count + 1) * sizeof(**list));
    (*list)[(*count)++] = record;
}

static bool read_head(struct spool *spool, const struct spool_record *record)
{
    struct codec c = codec_reader(record->data, record->count);
    code_head(&c, &spool->rank, &spool->document);
    return codec_done(&c);
}

static bool read_result(struct spool *spool, const struct spool_record *record)
{
    struct codec c = codec_reader(record->data, record->count);
    codec_result(&c, &spool->rank.result);
    return codec_done(&c);
}

int spool_interval(const struct spool_record *record, struct interval *interval,
                   struct wait_names *names)
{
    struct codec c = codec_reader(record->data, record->count);
    codec_interval(&c, interval, names);
    return codec_done(&c) ? 0 : -1;
}

int spool_checkpoint(const struct spool_record *record, struct summary *part)
{
    struct codec c = codec_reader(record->data, record->count);
    codec_summary(&c, part);
    return codec_done(&c) ? 0 : -1;
}

/* Computes the result from the intervals of the measured part, because the final record is missing.
 * Requests without an outcome count as unfinished. Sessions that had not ended are unknown. */
static void sum_intervals(struct spool *spool)
{
    struct result *result = &spool->rank.result;
    struct snapshot *s = &result->total.snapshot;
    struct requests *r = &result->total.requests;
    for (size_t i = 0; i < spool->intervals; i++) {
        struct interval interval = {0};
        snapshot_init(&interval.snapshot);
        if (spool_interval(&spool->interval[i], &interval, NULL) == 0 && !interval.warmup)
            snapshot_add(s, &interval.snapshot);
        snapshot_fini(&interval.snapshot);
    }
    snapshot_censor_failed(s);
    r->completed = s->counter[COUNTER_EVENT];
    r->failed = s->counter[COUNTER_FAILED];
    r->dropped = s->dropped;
    r->offered = spool->rank.settings.rate > 0 ? s->offered : r->completed + r->failed;
    r->queued = r->offered - min_u64(r->offered, r->completed + r->failed + r->dropped);
    r->sessions.begun = r->sessions.ended = s->metric[METRIC_SESSION].count;
    r->arrivals_ns = result->total.elapsed_ns = max_i64(1, s->to_ns - s->from_ns);
    snapshot_add(&result->part.snapshot, s);
    result->part.requests = *r;
    result->part.elapsed_ns = result->total.elapsed_ns;
    result->ending = (struct ending){.why = END_ERROR, .failed = true};
    result->evidence = (struct evidence){
        .arrivals_end_ns = s->to_ns, .client_cpu = -1, .steal = -1, .worker_cpu = -1};
}

/* Reads all records after the head. Returns true if the result was among them. */
static bool read_rest(struct spool *spool, struct bytes_reader *r)
{
    enum record kind;
    struct spool_record record;
    while (next_record(r, &kind, &record)) {
        if (kind == RECORD_RESULT)
            return read_result(spool, &record);
        if (kind == RECORD_INTERVAL)
            append(&spool->interval, &spool->intervals, record);
        else if (kind == RECORD_CHECKPOINT)
            append(&spool->checkpoint, &spool->checkpoints, record);
    }
    return false;
}

/* Removes the data of a result record that was decoded only in part. */
static void forget_result(struct spool *spool)
{
    result_fini(&spool->rank.result);
    spool->rank.result = (struct result){0};
    snapshot_init(&spool->rank.result.total.snapshot);
    snapshot_init(&spool->rank.result.part.snapshot);
}

int spool_read(struct spool *spool, const struct bytes *from)
{
    const size_t magic = strlen(SPOOL_MAGIC);
    struct bytes_reader r = {0};
    enum record kind;
    struct spool_record record;
    *spool = (struct spool){0};
    rank_result_init(&spool->rank);
    const bool is_spool = from->count > magic && memcmp(from->data, SPOOL_MAGIC, magic) == 0;
    if (is_spool)
        r = (struct bytes_reader){.at = from->data + magic, .end = from->data + from->count};
    if (!is_spool || !next_record(&r, &kind, &record) || kind != RECORD_HEAD ||
        !read_head(spool, &record)) {
        spool_fini(spool);
        return -1;
    }
    spool->rank.partial = !read_rest(spool, &r);
    if (spool->rank.partial) {
        forget_result(spool);
        sum_intervals(spool);
    }
    rank_result_judge(&spool->rank);
    return 0;
}

void spool_fini(struct spool *spool)
{
    rank_result_fini(&spool->rank);
    free(spool->document);
    free(spool->interval);
    free(spool->checkpoint);
    *spool = (struct spool){0};
}
