/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/live/hdr_log.h"

#include <endian.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/util.h"

#define COOKIE_V2 0x1c849313u
#define COOKIE_V2_COMPRESSED 0x1c849314u
#define SIGNIFICANT_DIGITS 3
/* 2048 sub-buckets, the smallest power of two that is at least 2 * 10^3. Every octave except the
 * first uses only the upper half of them. */
#define SUB_BUCKET_BITS 11
#define HALF_BITS (SUB_BUCKET_BITS - 1)
#define HIGHEST_BITS 47
#define HIGHEST_NS ((INT64_C(1) << HIGHEST_BITS) - 1)
#define COUNTS (((unsigned)HIGHEST_BITS - SUB_BUCKET_BITS + 2) << HALF_BITS)

static void put_u32(struct bytes *b, uint32_t value)
{
    value = htobe32(value);
    bytes_put(b, &value, sizeof(value));
}

static void put_u64(struct bytes *b, uint64_t value)
{
    value = htobe64(value);
    bytes_put(b, &value, sizeof(value));
}

static unsigned counts_index(int64_t ns)
{
    const uint64_t sub_mask = (1u << SUB_BUCKET_BITS) - 1;
    unsigned octave = 63 - (unsigned)__builtin_clzll((uint64_t)ns | sub_mask) - HALF_BITS;
    return (octave << HALF_BITS) + (unsigned)((uint64_t)ns >> octave);
}

/* Returns the value that represents all values of a bucket of histogram.h. */
static int64_t bucket_value(const struct distribution *d, unsigned bucket)
{
    int64_t middle = histogram_middle_ns(bucket);
    return min_i64(HIGHEST_NS, max_i64(d->min_ns, min_i64(d->max_ns, middle)));
}

/* Writes the counts up to the last one that is not 0; consecutive zeros are written as one
 * negative number. */
static void put_counts(struct bytes *b, const struct distribution *d)
{
    uint64_t *counts = xcalloc(COUNTS, sizeof(*counts));
    unsigned end = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS && d->count > 0; i++) {
        if (d->buckets[i] == 0)
            continue;
        unsigned index = counts_index(bucket_value(d, i));
        counts[index] += d->buckets[i];
        end = index + 1 > end ? index + 1 : end;
    }
    for (unsigned i = 0; i < end;) {
        unsigned zeros = 0;
        while (i + zeros < end && counts[i + zeros] == 0)
            zeros++;
        bytes_put_varint(b, zeros > 0 ? -(int64_t)zeros : (int64_t)counts[i]);
        i += zeros > 0 ? zeros : 1;
    }
    free(counts);
}

static struct bytes encode_v2(const struct distribution *d)
{
    struct bytes payload = {0}, b = {0};
    const double ratio = 1.0;
    uint64_t ratio_bits;
    memcpy(&ratio_bits, &ratio, sizeof(ratio_bits));
    put_counts(&payload, d);
    put_u32(&b, COOKIE_V2);
    put_u32(&b, (uint32_t)payload.count);
    put_u32(&b, 0); /* normalizing index offset */
    put_u32(&b, SIGNIFICANT_DIGITS);
    put_u64(&b, 1); /* lowest discernible value */
    put_u64(&b, HIGHEST_NS);
    put_u64(&b, ratio_bits);
    if (payload.count > 0)
        bytes_put(&b, payload.data, payload.count);
    bytes_fini(&payload);
    return b;
}

static struct bytes deflate_bytes(const struct bytes *plain)
{
    uLongf bytes = compressBound(plain->count);
    uint8_t *packed = xcalloc(1, bytes);
    struct bytes b = {0};
    if (compress2(packed, &bytes, plain->data, plain->count, Z_DEFAULT_COMPRESSION) != Z_OK)
        checked_alloc(NULL); /* with a buffer of compressBound() bytes, only a lack of memory can
                              * fail */
    put_u32(&b, COOKIE_V2_COMPRESSED);
    put_u32(&b, (uint32_t)bytes);
    bytes_put(&b, packed, bytes);
    free(packed);
    return b;
}

char *hdr_encode(const struct distribution *d)
{
    struct bytes plain = encode_v2(d), packed = deflate_bytes(&plain);
    char *text = bytes_base64(&packed);
    bytes_fini(&plain);
    bytes_fini(&packed);
    return text;
}

void hdr_log_header(FILE *out, int64_t epoch_ns)
{
    const time_t seconds = (time_t)(epoch_ns / NS_PER_SEC);
    char date[64];
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
    fputs("#[Histograms of sysrate, in ns; intervals in seconds, their maximum in ms]\n"
          "#[Histogram log format version 1.3]\n",
          out);
    fprintf(out, "#[StartTime: %.3f (seconds since epoch), %s]\n", ns_to_seconds(epoch_ns), date);
    fprintf(out, "#[BaseTime: %.3f (seconds since epoch)]\n", ns_to_seconds(epoch_ns));
    fputs("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_"
          "Histogram\"\n",
          out);
}

void hdr_log_line(FILE *out, const char *tag, int64_t from_ns, int64_t to_ns,
                  const struct distribution *d)
{
    char *text = hdr_encode(d);
    fprintf(out, "Tag=%s,%.3f,%.3f,%.6f,%s\n", tag, ns_to_seconds(from_ns),
            ns_to_seconds(to_ns - from_ns), d->count > 0 ? ns_to_ms(d->max_ns) : 0, text);
    free(text);
}
