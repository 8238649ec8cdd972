/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target for the files of --hlog and --hgrm. The program does not read such files, so this file has
 * a
 * reader that checks that a written histogram has the values that were recorded.
 *
 * An input is a sequence of records of 8 bytes: a count (16 bits) and a value in ns (48 bits).
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/util.h"
#include "fuzz.h"
#include "report/live/hdr_log.h"

static void run(const uint8_t *data, size_t bytes);

const struct fuzz_target fuzz_hlog = {.name = "hlog", .run = run};

#define HIGHEST_NS ((INT64_C(1) << 47) - 1)
#define HEAD_BYTES 40 /* cookie, length, offset, digits, lowest, highest, ratio */

static uint32_t u32_at(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return be32toh(value);
}

/* Returns the lowest value in ns that belongs to a count. There are 2048 counts of 1 ns each, then
 * 1024 counts for each further octave. */
static int64_t lowest_of(unsigned place)
{
    unsigned octave = place < 2048 ? 0 : place / 1024 - 1;
    return (int64_t)(place - octave * 1024) << octave;
}

/* Decodes and inflates the histogram in `text`; the caller frees it. */
static uint8_t *unpack(const char *text, uLongf *bytes)
{
    struct bytes packed = {0};
    uint8_t *plain = xcalloc(1, *bytes);
    FUZZ_CHECK(bytes_put_base64(&packed, text) == 0 && packed.count > 8);
    FUZZ_CHECK(u32_at(packed.data) == 0x1c849314u);
    FUZZ_CHECK(u32_at(packed.data + 4) == packed.count - 8);
    FUZZ_CHECK(uncompress(plain, bytes, packed.data + 8, packed.count - 8) == Z_OK);
    FUZZ_CHECK(*bytes >= HEAD_BYTES && u32_at(plain) == 0x1c849313u);
    FUZZ_CHECK(u32_at(plain + 4) == *bytes - HEAD_BYTES);
    bytes_fini(&packed);
    return plain;
}

static int64_t lowest_reported(const struct distribution *d)
{
    return max_i64(d->min_ns, histogram_middle_ns(histogram_index(d->min_ns)));
}

static void check_text(const char *text, const struct distribution *d)
{
    uLongf bytes = 1 << 20;
    uint8_t *plain = unpack(text, &bytes);
    struct bytes_reader r = {.at = plain + HEAD_BYTES, .end = plain + bytes};
    uint64_t count = 0;
    int64_t lowest = -1, highest = -1;
    for (unsigned place = 0; r.at < r.end;) {
        int64_t n = bytes_take_varint(&r);
        FUZZ_CHECK(n != 0 && !r.failed);
        if (n < 0) {
            place += (unsigned)-n;
            continue;
        }
        count += (uint64_t)n;
        lowest = lowest < 0 ? lowest_of(place) : lowest;
        highest = lowest_of(place++);
    }
    FUZZ_CHECK(count == d->count);
    /* Percentiles of sysrate are the middle of a bucket. */
    FUZZ_CHECK(count == 0 || lowest <= min_i64(lowest_reported(d), HIGHEST_NS));
    FUZZ_CHECK(count == 0 || highest <= min_i64(d->max_ns, HIGHEST_NS));
    free(plain);
}

static void run(const uint8_t *data, size_t bytes)
{
    struct distribution d;
    FILE *out = fuzz_null();
    distribution_init(&d);
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t word;
        memcpy(&word, data + i, sizeof(word));
        word = le64toh(word);
        for (unsigned n = 0; n <= (word >> 48) % 64; n++)
            distribution_record(&d, (int64_t)(word & UINT64_C(0xffffffffffff)));
        if ((word >> 63) != 0)
            distribution_censor(&d, (int64_t)(word & UINT64_C(0xffffffffffff)));
    }
    char *text = hdr_encode(&d);
    check_text(text, &d);
    free(text);
    hdr_log_line(out, "response", 0, 1, &d);
    hgrm_print(out, &d);
    fclose(out);
    distribution_fini(&d);
}
