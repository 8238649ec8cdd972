/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the table as CSV: a line per run, with all figures. */
#include "tools/sweep/sweep_internal.h"

#include <string.h>

#include "report/text/interval_column.h"
#include "report/text/report_csv.h"
#include "tools/out_folder.h"

static const struct interval_column columns[] = {
    {"exit_code", "exit_code"},
    {"elapsed_s", "elapsed_s"},
    {"completed_per_s", "completed_per_s"},
    {"statements", "statements_total"},
    {"statements_per_s", "statements_per_s"},
    {"offered", "requests/offered"},
    {"completed", "requests/completed"},
    {"failed", "requests/failed"},
    {"dropped", "requests/dropped"},
    {"unfinished", "requests/unfinished"},
    {"errors", "counters/errors"},
    {"reconnects", "counters/reconnects"},
    {"no_op_writes_percent", "no_op_writes_percent"},
    {"response_ms_min", "response_ms/min"},
    {"response_ms_mean", "response_ms/mean"},
    {"response_ms_max", "response_ms/max"},
    {"wait_ms_mean", "wait_ms/mean"},
    {"service_ms_mean", "service_ms/mean"},
};

/* Columns that depend on the runs: objects with a member for each. */
struct further {
    json_t *percentiles, *qualities, *replicas;
};

static void print_head(const struct sweep *sweep, const struct further *further, FILE *out)
{
    const char *name;
    json_t *entry;
    for (size_t k = 0; k < sweep->varied; k++) {
        report_csv_text(out, sweep->vary[k].name);
        fputc(',', out);
    }
    fputs("repeat,state,note", out);
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        fprintf(out, ",%s", columns[i].name);
    json_object_foreach(further->percentiles, name, entry)
        fprintf(out, ",response_ms_%s,response_ms_%s_censored", name, name);
    json_object_foreach(further->qualities, name, entry) fprintf(out, ",quality_%s", name);
    json_object_foreach(further->replicas, name, entry) fprintf(out, ",%s", name);
    fputs(",file" REPORT_CSV_LINE_END, out);
}

static void print_figures(const json_t *summary, json_t *percentiles, FILE *out)
{
    const json_t *measured = interval_value(summary, "response_ms/percentiles");
    const char *name;
    json_t *entry;
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
        fputc(',', out);
        report_csv_figure(out, interval_value(summary, columns[i].path));
    }
    json_object_foreach(percentiles, name, entry)
    {
        const json_t *own = json_object_get(measured, name);
        fputc(',', out);
        report_csv_figure(out, json_object_get(own, "value"));
        fputc(',', out);
        report_csv_figure(out, json_object_get(own, "censored"));
    }
}

/* Prints this field of each member of `measured`, in the order of `names`. */
static void print_fields(const json_t *measured, json_t *names, const char *field, FILE *out)
{
    const char *name;
    json_t *entry;
    json_object_foreach(names, name, entry)
    {
        fputc(',', out);
        report_csv_figure(out, json_object_get(json_object_get(measured, name), field));
    }
}

static void print_point(const struct sweep *sweep, const struct sweep_point *point,
                        const struct further *further, FILE *out)
{
    static const char *const states[] = {
        [POINT_OPEN] = "open", [POINT_MEASURED] = "measured", [POINT_FAILED] = "failed"};
    for (size_t k = 0; k < sweep->varied; k++) {
        report_csv_text(out, sweep_value(sweep, point->combination, k));
        fputc(',', out);
    }
    char *note = sweep_note(point);
    fprintf(out, "%u,%s,", point->turn,
            point->injection_failure != NULL ? "injection failed" : states[point->state]);
    report_csv_text(out, note);
    free(note);
    print_figures(point->summary, further->percentiles, out);
    print_fields(json_object_get(point->summary, "quality"), further->qualities, "mean", out);
    print_fields(json_object_get(point->summary, SWEEP_REPLICAS), further->replicas, "value", out);
    fputc(',', out);
    if (point->state == POINT_MEASURED)
        report_csv_text(out, strrchr(point->path, '/') + 1);
    fputs(REPORT_CSV_LINE_END, out);
}

int sweep_write_csv(const struct sweep *sweep)
{
    struct outfile file;
    if (out_folder_open(&file, sweep->folder, "table.csv") != 0)
        return -1;
    const struct further further = {sweep_percentiles(sweep), sweep_qualities(sweep),
                                    sweep_replicas(sweep)};
    print_head(sweep, &further, file.stream);
    for (size_t i = 0; i < sweep->count; i++)
        print_point(sweep, &sweep->point[i], &further, file.stream);
    json_decref(further.percentiles);
    json_decref(further.qualities);
    json_decref(further.replicas);
    return outfile_commit(&file);
}
