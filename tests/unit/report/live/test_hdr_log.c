/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file formats of HdrHistogram, decoded according to the description of their fields. In
 * tests/cli/outputs/formats.sh, other programs read the files.
 */
#include "../../suite.h"

#include <endian.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

#include "base/util.h"
#include "report/live/hdr_log.h"

static struct distribution d;

static void setup(void)
{
    distribution_init(&d);
}
static void teardown(void)
{
    distribution_fini(&d);
}

struct decoded {
    uint32_t cookie, payload_bytes, digits;
    uint64_t lowest, highest;
    uint64_t counts[40 << 10];
    unsigned end;
    uint64_t total;
};

static unsigned digit_value(char c)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digit, c);
    ck_assert_ptr_nonnull(at);
    return (unsigned)(at - digit);
}

static size_t decode_base64(const char *text, uint8_t *out)
{
    size_t bytes = 0;
    ck_assert_uint_eq(strlen(text) % 4, 0);
    for (; *text != '\0'; text += 4) {
        unsigned padding = (text[2] == '=') + (text[3] == '=');
        uint32_t word = digit_value(text[0]) << 18 | digit_value(text[1]) << 12;
        word |= (padding < 2 ? digit_value(text[2]) : 0) << 6 |
                (padding < 1 ? digit_value(text[3]) : 0);
        for (unsigned i = 0; i < 3 - padding; i++)
            out[bytes++] = (uint8_t)(word >> (16 - 8 * i));
    }
    return bytes;
}

static uint64_t take(const uint8_t **at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | *(*at)++;
    return value;
}

static int64_t take_varint(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 9; i++) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(i < 8 ? byte & 0x7f : byte) << (7 * i);
        if (i < 8 && byte < 0x80)
            break;
    }
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static void decode_counts(struct decoded *h, const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        int64_t count = take_varint(&at);
        ck_assert_int_ne(count, 0);
        if (count < 0) {
            h->end += (unsigned)-count;
        } else {
            h->counts[h->end++] = (uint64_t)count;
            h->total += (uint64_t)count;
        }
    }
    ck_assert_ptr_eq(at, end);
}

static struct decoded *decode(void)
{
    static uint8_t packed[1 << 20], plain[1 << 20];
    struct decoded *h = xcalloc(1, sizeof(*h));
    char *text = hdr_encode(&d);
    size_t bytes = decode_base64(text, packed);
    const uint8_t *at = packed;
    free(text);
    ck_assert_uint_eq(take(&at, 4), 0x1c849314);
    ck_assert_uint_eq(take(&at, 4), bytes - 8);
    uLongf room = sizeof(plain);
    ck_assert_int_eq(uncompress(plain, &room, at, bytes - 8), Z_OK);
    at = plain;
    h->cookie = (uint32_t)take(&at, 4);
    h->payload_bytes = (uint32_t)take(&at, 4);
    ck_assert_uint_eq(take(&at, 4), 0);
    h->digits = (uint32_t)take(&at, 4);
    h->lowest = take(&at, 8);
    h->highest = take(&at, 8);
    ck_assert_uint_eq(take(&at, 8), UINT64_C(0x3ff0000000000000)); /* 1.0 */
    ck_assert_uint_eq(room, 40 + h->payload_bytes);
    decode_counts(h, at, plain + room);
    return h;
}

/* Returns the lowest value of a slot: 2048 slots of one value each, then 1024 slots for each
 * power of two. */
static int64_t slot_ns(unsigned slot)
{
    unsigned octave = slot < 2048 ? 0 : (slot >> 10) - 1;
    return (int64_t)(slot - (octave << 10)) << octave;
}

START_TEST(header_fields)
{
    distribution_record(&d, 1);
    struct decoded *h = decode();
    ck_assert_uint_eq(h->cookie, 0x1c849313);
    ck_assert_uint_eq(h->digits, 3);
    ck_assert_uint_eq(h->lowest, 1);
    ck_assert_uint_ge(h->highest, UINT64_C(1) << HISTOGRAM_MAX_BITS);
    ck_assert_uint_eq(h->total, 1);
    ck_assert_uint_eq(h->end, 2);
    ck_assert_uint_eq(h->counts[1], 1);
    free(h);
}
END_TEST

START_TEST(no_values_give_an_empty_histogram)
{
    struct decoded *h = decode();
    ck_assert_uint_eq(h->total, 0);
    ck_assert_uint_eq(h->payload_bytes, 0);
    free(h);
}
END_TEST

/* Each value must be found in its slot: within 0.1 % for the bucket of histogram.h and 0.1 % for
 * the slot. */
START_TEST(each_value_is_in_its_slot)
{
    for (int64_t ns = 1; ns < INT64_C(1) << HISTOGRAM_MAX_BITS; ns = ns * 5 / 3 + 1) {
        distribution_reset(&d);
        distribution_record(&d, ns);
        struct decoded *h = decode();
        ck_assert_uint_eq(h->total, 1);
        ck_assert_double_le(fabs((double)(slot_ns(h->end - 1) - ns)), (double)ns * 0.002);
        free(h);
    }
}
END_TEST

START_TEST(large_counts_and_values_are_not_lost)
{
    const unsigned bucket = histogram_index(5 * NS_PER_MS);
    distribution_record(&d, 5 * NS_PER_MS);
    d.buckets[bucket] = d.count = UINT64_C(1) << 62; /* needs all nine bytes */
    distribution_record(&d, INT64_C(1) << 50);       /* larger than the values of the last slot */
    struct decoded *h = decode();
    ck_assert_uint_eq(h->total, (UINT64_C(1) << 62) + 1);
    ck_assert_uint_le((uint64_t)slot_ns(h->end - 1), h->highest);
    free(h);
}
END_TEST

/* Parses the rows of a table, "value percentile count". */
static unsigned rows_of(const char *table, double (*rows)[3], unsigned max)
{
    unsigned n = 0;
    char *copy = xstrdup(table), *rest = copy;
    for (char *line; (line = strsep(&rest, "\n")) != NULL && n < max;)
        n += sscanf(line, "%lf %lf %lf", &rows[n][0], &rows[n][1], &rows[n][2]) == 3;
    free(copy);
    return n;
}

static char *table(void)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    hgrm_print(out, &d);
    fclose(out);
    return text;
}

START_TEST(the_table_has_the_percentiles_of_the_report)
{
    static double rows[1000][3];
    for (int i = 1; i <= 10000; i++)
        distribution_record(&d, i * NS_PER_US);
    distribution_censor(&d, 20 * NS_PER_MS);
    char *text = table();
    unsigned n = rows_of(text, rows, 1000);
    ck_assert_uint_gt(n, 50);
    for (unsigned i = 0; i + 2 < n; i++) {
        int64_t percentile = (int64_t)(rows[i][1] * 100 * PERCENT);
        struct bounded expected = distribution_percentile(&d, percentile);
        ck_assert_double_eq_tol(rows[i][0], ns_to_ms(expected.ns),
                                ns_to_ms(expected.ns) * 0.002 + 1e-6);
        ck_assert_double_ge(rows[i][2], rows[i][1] * 10001 - 0.001);
    }
    ck_assert_double_eq(rows[n - 1][0], 20);
    ck_assert_double_eq(rows[n - 1][1], 1);
    ck_assert_double_eq(rows[n - 1][2], 10001);
    ck_assert_ptr_nonnull(
        strstr(text, "#[Max     =    20.000000, Total count    =        10001]\n"));
    free(text);
}
END_TEST

START_TEST(a_table_without_values_has_no_rows)
{
    double rows[1][3];
    char *text = table();
    ck_assert_uint_eq(rows_of(text, rows, 1), 0);
    ck_assert_ptr_nonnull(strstr(text, "Total count    =            0]"));
    free(text);
}
END_TEST

RUN_SUITE_WITH("hdr_log", 30, setup, teardown, header_fields,
               no_values_give_an_empty_histogram, each_value_is_in_its_slot,
               large_counts_and_values_are_not_lost, the_table_has_the_percentiles_of_the_report,
               a_table_without_values_has_no_rows)
