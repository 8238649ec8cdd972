/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the folder of a search: a report for each probe, and the result of the search. */
#include <math.h>

#include "archive/archive.h"
#include "base/log.h"
#include "base/outfile.h"
#include "report/json/report_json_value.h"
#include "report/text/report_csv.h"
#include "tools/capacity/capacity_internal.h"
#include "tools/capacity/capacity_text.h"
#include "tools/out_folder.h"

#define SCHEMA 1
#define RESULT "capacity.json"
#define JSON_FLAGS (JSON_INDENT(1) | JSON_REAL_PRECISION(15))

static const char *report_name(size_t number, char *buf, size_t bytes)
{
    snprintf(buf, bytes, "probe-%03zu.json", number);
    return buf;
}

static int check_file(const struct capacity *c, const char *name)
{
    char *path = out_folder_path(c->folder, name);
    int status = outfile_check(path);
    free(path);
    return status;
}

int capacity_folder_open(struct capacity *c)
{
    c->lock_fd = out_folder_lock(c->folder, "search");
    if (c->lock_fd < 0)
        return -1;
    if (!out_folder_is_empty(c->folder, NULL)) {
        log_text(LOG_FATAL, "--out=%s is not empty: name a new folder", c->folder);
        return -1;
    }
    return check_file(c, RESULT);
}

int capacity_keep_report(const struct capacity *c, const char *text)
{
    char name[64];
    return out_folder_write_text(c->folder, report_name(c->runs, name, sizeof(name)), text);
}

/* JSON. */

static json_t *value_figures(const struct slo_judgement *j)
{
    json_t *object = value_object();
    for (unsigned i = 0; i < j->slo->count; i++) {
        json_t *figure = value_object();
        value_set(figure, "value",
                  j->figure[i].known ? value_real(j->figure[i].value) : json_null());
        value_set(figure, "unit", value_text(slo_unit(&j->slo->objective[i])));
        value_set(figure, "censored", json_boolean(j->figure[i].lower_bound));
        value_set(figure, "met", json_boolean(j->figure[i].met));
        value_set(object, j->slo->objective[i].text, figure);
    }
    return object;
}

static json_t *value_probe(const struct capacity *c, size_t i)
{
    const struct capacity_run *run = &c->run[i];
    json_t *object = value_object();
    char name[64];
    value_set(object, "phase", value_text(capacity_phase_name(run->probe.phase)));
    value_set(object, "rate_per_s", value_real(run->probe.rate));
    if (run->speed > 0)
        value_set(object, "speed", value_real(run->speed));
    value_set(object, "seed", json_integer(run->probe.seed));
    value_set(object, "end", value_text(run->end));
    value_set(object, "seconds", value_real(run->seconds));
    value_set(object, "completed_per_s", value_real(run->completed_per_s));
    value_set(object, "met", json_boolean(run->judgement.met));
    value_set(object, "trusted", json_boolean(run->probe.trusted));
    value_set(object, "counts", json_boolean(run->probe.counts));
    value_set(object, "margin", value_real(run->probe.margin));
    value_set(object, "figures", value_figures(&run->judgement));
    value_set(object, "file", value_text(report_name(i + 1, name, sizeof(name))));
    return object;
}

static json_t *value_result(const struct capacity *c)
{
    struct capacity_result r = capacity_search_result(&c->search);
    json_t *object = value_object();
    value_set(object, "outcome", value_text(capacity_outcome_name(r.outcome)));
    value_set(object, "precise", json_boolean(r.precise));
    value_set(object, "cut_short",
              c->cut_short[0] != '\0' ? value_text(c->cut_short) : json_null());
    value_set(object, "rate_per_s", r.outcome == CAPACITY_FOUND ? value_real(r.rate) : json_null());
    value_set(object, "low_per_s", value_real(r.low));
    value_set(object, "high_per_s", value_real(r.high));
    if (c->log.rate > 0) {
        const bool found = r.outcome == CAPACITY_FOUND;
        value_set(object, "speed", found ? value_real(r.rate / c->log.rate) : json_null());
        value_set(object, "low_speed", value_real(r.low / c->log.rate));
        value_set(object, "high_speed", value_real(r.high / c->log.rate));
    }
    value_set(object, "slope",
              r.outcome == CAPACITY_FOUND ? value_real(c->search.fit.slope) : json_null());
    value_set(object, "probes_used", json_integer(r.used));
    value_set(object, "margin_from_below", value_real(r.below));
    value_set(object, "margin_from_above", value_real(r.above));
    value_set(object, "hysteresis", isnan(r.above) ? json_null() : json_boolean(r.hysteresis));
    return object;
}

static json_t *value_labels(const struct capacity *c)
{
    json_t *labels = value_array();
    char *const *label = options_get(c->subject.options, "label")->list;
    for (; label != NULL && *label != NULL; label++)
        value_append(labels, value_text(*label));
    return labels;
}

static json_t *value_log(const struct capacity *c)
{
    json_t *log = value_object();
    value_set(log, "file", value_text(c->subject.cmdline.operand));
    value_set(log, "hash", value_text(c->log.hash));
    value_set(log, "statements", value_count((uint64_t)c->log.statements));
    value_set(log, "span_s", value_real(c->log.span_s));
    value_set(log, "rate_per_s", value_real(c->log.rate));
    return log;
}

json_t *capacity_value_before(const struct capacity *c)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < c->before.count; i++)
        value_append(array, value_text(c->before.actions[i].shown));
    return array;
}

static json_t *value_capacity(const struct capacity *c)
{
    const struct capacity_goal *goal = &c->search.goal;
    json_t *object = value_object(), *objectives = value_array(), *probes = value_array();
    for (unsigned i = 0; i < c->slo.count; i++)
        value_append(objectives, value_text(c->slo.objective[i].text));
    for (size_t i = 0; i < c->runs; i++)
        value_append(probes, value_probe(c, i));
    value_set(object, "capacity_schema", json_integer(SCHEMA));
    value_set(object, "version", value_text(VERSION));
    value_set(object, "test", value_text(c->subject.cmdline.test));
    if (c->log.rate > 0)
        value_set(object, "log", value_log(c));
    value_set(object, "before_probe", capacity_value_before(c));
    value_set(object, "started", value_text(c->started));
    value_set(object, "slo", objectives);
    value_set(object, "seed", value_count(goal->seed));
    value_set(object, "min_rate", value_real(goal->min_rate));
    value_set(object, "max_rate", value_real(goal->max_rate));
    value_set(object, "precision", value_real(goal->precision));
    value_set(object, "probe_s", value_real(c->probe_s));
    value_set(object, "pause_s", value_real(c->pause_s));
    value_set(object, "time_limit_s", value_real(c->time_limit_s));
    value_set(object, "pairs", json_integer(goal->pairs));
    value_set(object, "label", value_labels(c));
    value_set(object, "settings", c->settings != NULL ? json_incref(c->settings) : json_null());
    value_set(object, "result", value_result(c));
    value_set(object, "probes", probes);
    return object;
}

/* CSV. */

static void print_head(const struct capacity *c, FILE *out)
{
    fputs("number,phase,rate_per_s,seed,end,seconds,completed_per_s,met,trusted,counts,margin",
          out);
    for (unsigned i = 0; i < c->slo.count; i++) {
        fputc(',', out);
        report_csv_text(out, c->slo.objective[i].text);
    }
    fputs(",file" REPORT_CSV_LINE_END, out);
}

static void print_row(const struct capacity *c, size_t i, FILE *out)
{
    const struct capacity_run *run = &c->run[i];
    char name[64];
    fprintf(out, "%zu,%s,%.15g,%lld,%s,%.15g,%.15g,%d,%d,%d,%.15g", i + 1,
            capacity_phase_name(run->probe.phase), run->probe.rate, (long long)run->probe.seed,
            run->end, run->seconds, run->completed_per_s, run->judgement.met, run->probe.trusted,
            run->probe.counts, run->probe.margin);
    for (unsigned k = 0; k < c->slo.count; k++)
        fprintf(out, run->judgement.figure[k].known ? ",%.15g" : ",",
                run->judgement.figure[k].value);
    fprintf(out, ",%s" REPORT_CSV_LINE_END, report_name(i + 1, name, sizeof(name)));
}

static void print_table(const struct capacity *c, FILE *out)
{
    print_head(c, out);
    for (size_t i = 0; i < c->runs; i++)
        print_row(c, i, out);
}

static int write_file(const struct capacity *c, const char *name,
                      void (*print)(const struct capacity *c, FILE *out))
{
    struct outfile file;
    if (out_folder_open(&file, c->folder, name) != 0)
        return -1;
    print(c, file.stream);
    return outfile_commit(&file);
}

static void print_page(const struct capacity *c, FILE *out)
{
    const struct capacity_record record = capacity_record(c);
    capacity_print_page(&record, out);
}

static int add_to_archive(const struct capacity *c, const json_t *value)
{
    const char *path = options_string(c->subject.options, "archive");
    if (path == NULL)
        return 0;
    char *text = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    json_dumpf(value, out, JSON_FLAGS);
    fputs("\n", out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    struct archive *archive = archive_open(path, true);
    int64_t id = -1;
    if (archive != NULL)
        id = archive_add(archive, RESULT, text, bytes, NULL, 0);
    archive_close(archive);
    free(text);
    if (id > 0)
        return 0;
    log_text(LOG_FATAL,
             "the search is not in the archive: its result is in '%s/" RESULT
             "' (add it with 'sysrate archive add')",
             c->folder);
    return -1;
}

int capacity_write(const struct capacity *c)
{
    json_t *value = value_capacity(c);
    int status = out_folder_write_json(c->folder, RESULT, value, JSON_FLAGS);
    if (write_file(c, "probes.csv", print_table) != 0)
        status = -1;
    if (write_file(c, "page.html", print_page) != 0)
        status = -1;
    if (add_to_archive(c, value) != 0)
        status = -1;
    json_decref(value);
    return status;
}

struct capacity_record capacity_record(const struct capacity *c)
{
    return (struct capacity_record){.test = c->subject.cmdline.test,
                                    .cut_short = c->cut_short[0] != '\0' ? c->cut_short : NULL,
                                    .slo = &c->slo,
                                    .min_rate = c->search.goal.min_rate,
                                    .max_rate = c->search.goal.max_rate,
                                    .probe_s = c->probe_s,
                                    .load = {.log = c->subject.cmdline.operand,
                                             .statements = c->log.statements,
                                             .rate = c->log.rate},
                                    .run = c->run,
                                    .runs = c->runs,
                                    .result = capacity_search_result(&c->search),
                                    .slope = c->search.fit.slope};
}
