/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the table: a line per combination of values, in Markdown, which is readable as text. */
#include "tools/sweep/sweep_internal.h"

#include <stdarg.h>
#include <string.h>

#include "base/log.h"
#include "report/json/effects_json.h"
#include "report/json/report_json_value.h"
#include "report/text/interval_column.h"
#include "tools/out_folder.h"

/* A figure of a summary. */
struct column {
    char *title;
    char *path;     /* path of the figure in the summary */
    char *censored; /* path of the flag that the figure is a lower bound; NULL if it never is */
    int decimals;
};

struct figure {
    double value;
    bool censored;
};

struct table {
    const struct sweep *sweep;
    struct column *column;
    size_t columns;
    /* Index of the first percentile column, and number of percentile columns. */
    size_t percentile, percentiles;
    char ***cell; /* cell[line][column]; line 0 is the header */
    size_t lines, cells;
};

/* Functions that make columns. */

static char *text(const char *fmt, ...) PRINTF_LIKE(1, 2);

static char *text(const char *fmt, ...)
{
    char *result;
    va_list args;
    va_start(args, fmt);
    int length = vasprintf(&result, fmt, args);
    va_end(args);
    return length < 0 ? checked_alloc(NULL) : result;
}

static void add_column(struct table *t, char *title, char *path, char *censored, int decimals)
{
    t->column = xrealloc(t->column, (t->columns + 1) * sizeof(*t->column));
    t->column[t->columns++] = (struct column){title, path, censored, decimals};
}

static const json_t *percentiles_of(const json_t *summary)
{
    return interval_value(summary, "response_ms/percentiles");
}

json_t *sweep_percentiles(const struct sweep *sweep)
{
    json_t *all = checked_alloc(json_object());
    for (size_t i = 0; i < sweep->count; i++)
        json_object_update_missing(all, (json_t *)percentiles_of(sweep->point[i].summary));
    return all;
}

const char *sweep_last_percentile(const json_t *summary)
{
    const char *name, *last = NULL;
    json_t *entry;
    json_object_foreach((json_t *)percentiles_of(summary), name, entry) last = name;
    return last;
}

static void add_percentiles(struct table *t)
{
    const char *name;
    json_t *entry, *percentiles = sweep_percentiles(t->sweep);
    t->percentile = t->columns;
    t->percentiles = json_object_size(percentiles);
    json_object_foreach(percentiles, name, entry)
        add_column(t, text("%s ms", name), text("response_ms/percentiles/%s/value", name),
                   text("response_ms/percentiles/%s/censored", name), 2);
    json_decref(percentiles);
}

json_t *sweep_qualities(const struct sweep *sweep)
{
    json_t *all = checked_alloc(json_object());
    for (size_t i = 0; i < sweep->count; i++) {
        json_t *own = json_object_get(sweep->point[i].summary, "quality");
        if (json_is_object(own))
            json_object_update_missing(all, own);
    }
    return all;
}

static void add_qualities(struct table *t)
{
    const char *name;
    json_t *entry, *qualities = sweep_qualities(t->sweep);
    json_object_foreach(qualities, name, entry)
        add_column(t, xstrdup(name), text("quality/%s/mean", name), NULL, 4);
    json_decref(qualities);
}

static void add_replicas(struct table *t)
{
    const char *name;
    json_t *entry, *replicas = sweep_replicas(t->sweep);
    json_object_foreach(replicas, name, entry)
        add_column(t, xstrdup(json_string_value(json_object_get(entry, "title"))),
                   text(SWEEP_REPLICAS "/%s/value", name), NULL, 2);
    json_decref(replicas);
}

static void add_columns(struct table *t)
{
    add_column(t, xstrdup("completed"), xstrdup("counters/events"), NULL, 0);
    add_column(t, xstrdup("statements"), xstrdup("statements_total"), NULL, 0);
    add_column(t, xstrdup("time s"), xstrdup("elapsed_s"), NULL, 2);
    add_column(t, xstrdup("completed/s"), xstrdup("completed_per_s"), NULL, 2);
    add_column(t, xstrdup("statements/s"), xstrdup("statements_per_s"), NULL, 2);
    add_column(t, xstrdup("mean ms"), xstrdup("response_ms/mean"),
               xstrdup("response_ms/mean_censored"), 2);
    add_percentiles(t);
    add_column(t, xstrdup("max ms"), xstrdup("response_ms/max"),
               xstrdup("response_ms/max_censored"), 2);
    add_column(t, xstrdup("errors"), xstrdup("counters/errors"), NULL, 0);
    add_qualities(t);
    add_replicas(t);
}

/* Functions that compute figures. */

static int compare_figures(const void *a, const void *b)
{
    const struct figure *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Collects the figures of the runs of a combination in ascending order. Returns their number; the
 * caller frees the array. */
static size_t collect_figures(const struct table *t, size_t combination,
                              const struct column *column, struct figure **figures)
{
    const struct sweep *sweep = t->sweep;
    size_t count = 0;
    *figures = xcalloc(sweep->repeat, sizeof(**figures));
    for (size_t i = combination * sweep->repeat; i < (combination + 1) * sweep->repeat; i++) {
        const json_t *summary = sweep->point[i].summary,
                     *value = interval_value(summary, column->path);
        if (json_is_number(value))
            (*figures)[count++] =
                (struct figure){json_number_value(value),
                                column->censored != NULL &&
                                    json_is_true(interval_value(summary, column->censored))};
    }
    qsort(*figures, count, sizeof(**figures), compare_figures);
    return count;
}

/* Returns true if one of the lowest `count` figures is a lower bound, so its true value may be
 * larger. */
static bool has_censored(const struct figure *sorted, size_t count)
{
    size_t i = 0;
    while (i < count && !sorted[i].censored)
        i++;
    return i < count;
}

/* For a single run, returns its figure. */
static struct figure median(const struct figure *sorted, size_t count)
{
    const struct figure *low = &sorted[(count - 1) / 2], *high = &sorted[count / 2];
    return (struct figure){(low->value + high->value) / 2, has_censored(sorted, count / 2 + 1)};
}

static struct figure highest(const struct figure *sorted, size_t count)
{
    return (struct figure){sorted[count - 1].value, has_censored(sorted, count)};
}

static char *print_figure(struct figure f, int decimals)
{
    return text("%s%.*f", f.censored ? ">" : "", decimals, f.value);
}

static char *median_cell(const struct table *t, size_t combination, const struct column *column)
{
    struct figure *figures;
    size_t count = collect_figures(t, combination, column, &figures);
    char *cell = count > 0 ? print_figure(median(figures, count), column->decimals) : xstrdup("-");
    free(figures);
    return cell;
}

/* Returns for example "4.10 to 4.90", the smallest and the largest figure of the runs. */
static char *range_cell(const struct table *t, size_t combination, const struct column *column)
{
    struct figure *figures;
    size_t count = collect_figures(t, combination, column, &figures);
    char *cell = xstrdup("-");
    if (count > 0) {
        char *low = print_figure(figures[0], column->decimals);
        char *high = print_figure(highest(figures, count), column->decimals);
        free(cell);
        cell = text("%s to %s", low, high);
        free(low);
        free(high);
    }
    free(figures);
    return cell;
}

/* Functions that make notes. */

static void add_word(json_t *words, const char *word)
{
    value_append(words, value_text(word));
}

/* Writes that change nothing must not count as a rate unnoticed. */
static void note_no_ops(json_t *words, const json_t *summary)
{
    static const char *const writes[WRITE_KINDS] = {
        [WRITE_UPDATE] = "no-op updates",
        [WRITE_INSERT] = "no-op inserts",
        [WRITE_DELETE] = "no-op deletes",
        [WRITE_OTHER] = "other no-op writes",
    };
    const struct effects e = effects_from_json(summary);
    for (unsigned kind = 0; kind < WRITE_KINDS; kind++) {
        if (!effects_doubtful(&e, kind))
            continue;
        char *word = text("%.0f %% %s", effects_no_op_percent(&e, kind), writes[kind]);
        add_word(words, word);
        free(word);
    }
}

static void note_measured(json_t *words, const json_t *summary)
{
    const char *end = json_string_value(json_object_get(summary, "end"));
    const json_t *findings = interval_value(summary, "audit/verdict/findings");
    json_t *finding;
    size_t i;
    if (strcmp(end, "queue_full") == 0)
        add_word(words, "queue full");
    if (strcmp(end, "forced_shutdown") == 0)
        add_word(words, "forced shutdown");
    /* The exit code names only one reason, and there may be several. */
    if (json_is_false(interval_value(summary, "slo/met")))
        add_word(words, "objective missed");
    json_array_foreach(findings, i, finding)
        add_word(words, json_string_value(json_object_get(finding, "name")));
    note_no_ops(words, summary);
}

/* Returns the notes on a run as an array of texts, which the caller releases. */
static json_t *note_words(const struct sweep_point *point)
{
    json_t *words = checked_alloc(json_array());
    if (point->state == POINT_OPEN)
        add_word(words, "not run");
    else if (point->state == POINT_FAILED)
        add_word(words, point->failure);
    else
        note_measured(words, point->summary);
    if (point->state == POINT_MEASURED && point->injection_failure != NULL)
        add_word(words, point->injection_failure);
    return words;
}

char *sweep_note(const struct sweep_point *point)
{
    json_t *words = note_words(point), *word;
    char *note = NULL;
    size_t bytes = 0, i;
    FILE *out = checked_alloc(open_memstream(&note, &bytes));
    json_array_foreach(words, i, word)
        fprintf(out, "%s%s", i > 0 ? ", " : "", json_string_value(word));
    if (fclose(out) != 0)
        checked_alloc(NULL);
    json_decref(words);
    return note;
}

/* Adds one to the count of each of the words. */
static void count_words(json_t *counts, json_t *words)
{
    json_t *word;
    size_t i;
    json_array_foreach(words, i, word)
    {
        const char *name = json_string_value(word);
        const json_int_t before = json_integer_value(json_object_get(counts, name));
        json_object_set_new(counts, name, checked_alloc(json_integer(before + 1)));
    }
    json_decref(words);
}

/* Notes on the runs of a combination: each note once, with the number of runs that have it. */
static char *note_cell(const struct table *t, size_t combination)
{
    const unsigned repeat = t->sweep->repeat;
    const struct sweep_point *point = &t->sweep->point[combination * repeat];
    json_t *counts = checked_alloc(json_object()), *count;
    char *cell = NULL;
    size_t bytes = 0;
    const char *name;
    FILE *out = checked_alloc(open_memstream(&cell, &bytes));
    for (unsigned i = 0; i < repeat; i++)
        count_words(counts, note_words(&point[i]));
    json_object_foreach(counts, name, count)
    {
        fprintf(out, "%s%s", ftell(out) > 0 ? ", " : "", name);
        if (repeat > 1)
            fprintf(out, " (%d of %u)", (int)json_integer_value(count), repeat);
    }
    if (fclose(out) != 0)
        checked_alloc(NULL);
    json_decref(counts);
    return cell;
}

/* Functions that print Markdown. */

/* Number of columns that have an additional column with the range over repeats. */
static size_t ranges(const struct table *t)
{
    return t->sweep->repeat > 1 ? t->percentiles : 0;
}

static char **head_line(const struct table *t)
{
    char **line = xcalloc(t->cells, sizeof(*line));
    size_t n = 0;
    for (size_t k = 0; k < t->sweep->varied; k++)
        line[n++] = xstrdup(t->sweep->vary[k].name);
    if (t->sweep->repeat > 1)
        line[n++] = xstrdup("runs");
    for (size_t i = 0; i < t->columns; i++)
        line[n++] = xstrdup(t->column[i].title);
    for (size_t i = 0; i < ranges(t); i++)
        line[n++] = text("%s from-to", t->column[t->percentile + i].title);
    line[n] = xstrdup("note");
    return line;
}

static char *runs_cell(const struct table *t, size_t combination)
{
    const struct sweep_point *point = &t->sweep->point[combination * t->sweep->repeat];
    unsigned measured = 0;
    for (unsigned i = 0; i < t->sweep->repeat; i++)
        measured += point[i].state == POINT_MEASURED;
    return text("%u", measured);
}

static char **combination_line(const struct table *t, size_t combination)
{
    char **line = xcalloc(t->cells, sizeof(*line));
    size_t n = 0;
    for (size_t k = 0; k < t->sweep->varied; k++)
        line[n++] = xstrdup(sweep_value(t->sweep, combination, k));
    if (t->sweep->repeat > 1)
        line[n++] = runs_cell(t, combination);
    for (size_t i = 0; i < t->columns; i++)
        line[n++] = median_cell(t, combination, &t->column[i]);
    for (size_t i = 0; i < ranges(t); i++)
        line[n++] = range_cell(t, combination, &t->column[t->percentile + i]);
    line[n] = note_cell(t, combination);
    return line;
}

/* Replaces characters that would end a cell of a Markdown table or be interpreted by a terminal. */
static void make_harmless(char *cell)
{
    log_printable(cell, "");
    for (char *c = cell; *c != '\0'; c++)
        *c = *c == '|' ? '/' : *c;
}

static void table_init(struct table *t, const struct sweep *sweep)
{
    *t = (struct table){.sweep = sweep, .lines = sweep->combinations + 1};
    add_columns(t);
    t->cells = sweep->varied + (sweep->repeat > 1) + t->columns + ranges(t) + 1;
    t->cell = xcalloc(t->lines, sizeof(*t->cell));
    t->cell[0] = head_line(t);
    for (size_t i = 1; i < t->lines; i++)
        t->cell[i] = combination_line(t, i - 1);
    for (size_t i = 0; i < t->lines; i++)
        for (size_t k = 0; k < t->cells; k++)
            make_harmless(t->cell[i][k]);
}

static void table_fini(struct table *t)
{
    for (size_t i = 0; i < t->lines; i++) {
        for (size_t k = 0; k < t->cells; k++)
            free(t->cell[i][k]);
        free(t->cell[i]);
    }
    free(t->cell);
    for (size_t i = 0; i < t->columns; i++) {
        free(t->column[i].title);
        free(t->column[i].path);
        free(t->column[i].censored);
    }
    free(t->column);
}

static int width_of(const struct table *t, size_t cell)
{
    size_t width = 0;
    for (size_t i = 0; i < t->lines; i++) {
        size_t length = strlen(t->cell[i][cell]);
        width = length > width ? length : width;
    }
    return (int)width;
}

/* Figures are aligned to the right, notes to the left. */
static void print_rule(const struct table *t, FILE *out)
{
    for (size_t k = 0; k < t->cells; k++) {
        fputs(k + 1 < t->cells ? "|-" : "|:", out);
        for (int i = 0; i < width_of(t, k); i++)
            fputc('-', out);
        fputs(k + 1 < t->cells ? ":" : "-", out);
    }
    fputs("|\n", out);
}

static void print_markdown(const struct table *t, FILE *out)
{
    for (size_t i = 0; i < t->lines; i++) {
        for (size_t k = 0; k < t->cells; k++)
            fprintf(out, k + 1 < t->cells ? "| %*s " : "| %-*s ", width_of(t, k), t->cell[i][k]);
        fputs("|\n", out);
        if (i == 0)
            print_rule(t, out);
    }
}

int sweep_write_table(const struct sweep *sweep)
{
    struct table table;
    struct outfile file;
    table_init(&table, sweep);
    print_markdown(&table, stdout);
    int status = out_folder_open(&file, sweep->folder, "table.md");
    if (status == 0) {
        print_markdown(&table, file.stream);
        status = outfile_commit(&file);
    }
    table_fini(&table);
    return status;
}
