/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/page/page_columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/util.h"
#include "report/json/report_json_value.h"
#include "report/page/page_json.h"

#define VALUE_BYTES 40

/* Number of buckets that cover times up to 2^63 ns. */
#define HEAT_BUCKETS (64 << HEAT_SUB_BITS)

/* A column as JSON text, such as "1,2,3". */
struct page_column {
    FILE *stream;
    char *data;
    size_t bytes;
    char first[VALUE_BYTES];
    bool constant; /* all values added until now equal the first one */
};

static struct page_column *column_create(void)
{
    struct page_column *c = xcalloc(1, sizeof(*c));
    c->constant = true;
    c->stream = checked_alloc(open_memstream(&c->data, &c->bytes));
    return c;
}

static void column_destroy(struct page_column *c)
{
    if (c == NULL)
        return;
    fclose(c->stream);
    free(c->data);
    free(c);
}

void page_columns_fini(struct page_columns *p)
{
    for (size_t i = 0; i < p->columns.count; i++)
        column_destroy(p->column[i]);
    free(p->column);
    column_destroy(p->heat);
    interval_columns_fini(&p->columns);
}

static void format(char text[VALUE_BYTES], const json_t *value, int digits)
{
    if (json_is_integer(value))
        snprintf(text, VALUE_BYTES, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value) && isfinite(json_real_value(value)))
        snprintf(text, VALUE_BYTES, "%.*g", digits, json_real_value(value));
    else if (json_is_boolean(value))
        snprintf(text, VALUE_BYTES, "%d", json_is_true(value));
    else
        snprintf(text, VALUE_BYTES, "null");
}

static void add_value(struct page_column *c, size_t row, const json_t *value, int digits)
{
    char text[VALUE_BYTES];
    format(text, value, digits);
    if (row == 0)
        memcpy(c->first, text, sizeof(text));
    c->constant = c->constant && strcmp(c->first, text) == 0;
    fprintf(c->stream, "%s%s", row == 0 ? "" : ",", text);
}

static size_t heat_bucket(int64_t lower_ns)
{
    const uint64_t v = (uint64_t)max_i64(0, lower_ns);
    const int shift = 63 - __builtin_clzll(v | (1 << HEAT_SUB_BITS)) - HEAT_SUB_BITS;
    return ((size_t)shift << HEAT_SUB_BITS) + (size_t)(v >> shift);
}

static void print_counts(FILE *out, const uint64_t count[HEAT_BUCKETS])
{
    size_t first = 0, end = HEAT_BUCKETS;
    while (first < end && count[first] == 0)
        first++;
    while (end > first && count[end - 1] == 0)
        end--;
    if (first < end)
        fprintf(out, "%zu", first);
    for (size_t i = first; i < end; i++)
        fprintf(out, " %" PRIu64, count[i]);
}

static void add_heat(struct page_column *c, size_t row, const json_t *histogram)
{
    uint64_t count[HEAT_BUCKETS] = {0};
    size_t i;
    json_t *pair;
    json_array_foreach(histogram, i, pair)
    {
        const json_int_t lower_ns = json_integer_value(json_array_get(pair, 0));
        count[heat_bucket(lower_ns)] += (uint64_t)json_integer_value(json_array_get(pair, 1));
    }
    c->constant = c->constant && json_array_size(histogram) == 0;
    fputs(row == 0 ? "\"" : ",\"", c->stream);
    print_counts(c->stream, count);
    fputc('"', c->stream);
}

static bool has_column(const struct page_columns *p, const char *name)
{
    for (size_t i = 0; i < p->columns.count; i++)
        if (strcmp(p->columns.column[i].name, name) == 0)
            return true;
    return false;
}

/* Adds a column and takes ownership of its strings. Intervals that were added before have no value
 * in this column. */
static void append(struct page_columns *p, struct interval_column added)
{
    const size_t count = p->columns.count + 1;
    struct page_column *c = column_create();
    for (size_t row = 0; row < p->rows; row++)
        add_value(c, row, NULL, 0);
    p->columns.column = xrealloc(p->columns.column, count * sizeof(*p->columns.column));
    p->column = xrealloc(p->column, count * sizeof(*p->column));
    p->columns.column[count - 1] = added;
    p->column[count - 1] = c;
    p->columns.count = count;
}

/* Adds the columns of the interval that are not there yet. */
static void grow(struct page_columns *p, const json_t *interval)
{
    struct interval_columns all;
    interval_columns_init_drawn(&all, interval);
    for (size_t i = 0; i < all.count; i++) {
        if (has_column(p, all.column[i].name))
            continue;
        append(p, all.column[i]);
        all.column[i] = (struct interval_column){NULL, NULL};
    }
    interval_columns_fini(&all);
}

/* Returns true if the interval has a wait event that has no column yet. */
static bool has_new_event(const struct page_columns *p, const json_t *interval)
{
    const char *event;
    json_t *share;
    json_object_foreach(json_object_get(json_object_get(interval, "wait_events"), "events"), event,
                        share)
    {
        char name[128];
        snprintf(name, sizeof(name), "wait:%s", event);
        if (!has_column(p, name))
            return true;
    }
    return false;
}

void page_columns_add(void *arg, const json_t *interval)
{
    struct page_columns *p = arg;
    const size_t classes = json_array_size(json_object_get(interval, "statements"));
    const size_t qualities = json_object_size(json_object_get(interval, "quality"));
    if (p->heat == NULL || classes > p->classes || qualities > p->qualities ||
        has_new_event(p, interval)) {
        grow(p, interval);
        p->classes = classes;
        p->qualities = qualities;
    }
    if (p->heat == NULL)
        p->heat = column_create();
    for (size_t i = 0; i < p->columns.count; i++) {
        const struct interval_column *from = &p->columns.column[i];
        const int digits = strcmp(from->name, "to_s") == 0 ? 15 : 5;
        add_value(p->column[i], p->rows, interval_value(interval, from->path), digits);
    }
    add_heat(p->heat, p->rows, json_object_get(interval, "response_histogram"));
    p->rows++;
}

static void write_column(const struct page_column *c, FILE *out)
{
    fflush(c->stream);
    if (c->constant) {
        fputs(c->first[0] != '\0' ? c->first : "null", out);
        return;
    }
    fputc('[', out);
    fwrite(c->data, 1, c->bytes, out);
    fputc(']', out);
}

static void write_name(const char *name, FILE *out)
{
    json_t *text = checked_alloc(json_string(name));
    page_json_write(text, 0, out);
    json_decref(text);
    fputc(':', out);
}

static void write_columns(const struct page_columns *p, FILE *out)
{
    for (size_t i = 0; i < p->columns.count; i++) {
        write_name(p->columns.column[i].name, out);
        write_column(p->column[i], out);
        fputs(",\n", out);
    }
    write_name("heat", out);
    write_column(p->heat, out);
}

void page_columns_write(const struct page_columns *p, FILE *out)
{
    fprintf(out, "\"rows\":%zu,\"columns\":{\n", p->rows);
    if (p->heat != NULL)
        write_columns(p, out);
    fputc('}', out);
}
