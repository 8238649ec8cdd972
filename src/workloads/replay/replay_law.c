/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/replay_law.h"

#include <inttypes.h>
#include <math.h>

#include "base/outfile.h"
#include "base/util.h"
#include "report/json/json_value.h"
#include "workloads/replay/law/log_fit.h"
#include "workloads/replay/replay_census.h"

#define SCHEMA 1

struct reading {
    const struct timeline_plan *plan;
    double speed;
    struct replay_census census;
    struct log_curve *curve;
    struct log_law law;
    struct log_fit fit;
};

static double seconds_of(const struct reading *r, int64_t since_ns)
{
    return ns_to_seconds(since_ns) / r->speed;
}

static void see(void *arg, int64_t since_ns)
{
    struct reading *r = arg;
    log_curve_add(r->curve, seconds_of(r, since_ns));
}

static int read_again(struct reading *r)
{
    struct timeline_plan plan = *r->plan;
    uint64_t left = r->census.statements;
    plan.bytes = &r->census.bytes;
    struct timeline *t = timeline_open(&plan);
    if (t == NULL)
        return -1;
    log_law_init(&r->law, r->curve, seconds_of(r, r->census.counts.tick_ns));
    for (struct replay_item *item; left > 0 && (item = timeline_next(t)) != NULL; left--) {
        log_law_add(&r->law, seconds_of(r, item->time_ns - r->census.first_ns));
        free(item);
    }
    timeline_close(t);
    log_law_end(&r->law);
    log_fit(&r->fit, &r->law);
    return 0;
}

/* The text. */

static void print_figure(FILE *out, double figure)
{
    if (isnan(figure))
        fprintf(out, "  %10s", "-");
    else
        fprintf(out, "  %10.4g", figure);
}

static void print_curve(const struct log_law *law, FILE *out)
{
    fputs("\nRate curve:\n        from, s     arrivals    per second\n", out);
    for (unsigned i = 0; i < law->pieces; i++)
        fprintf(out, "    %11.6g  %11" PRIu64 "  %12.6g\n", law->piece[i].from_s,
                law->piece[i].count, (double)law->piece[i].count / law->piece[i].length_s);
}

/* The scales that are printed; the others serve to fit the options. */
static bool is_printed(const struct log_scale *scale)
{
    static const double printed_s[] = {0.01, 0.1, 1, 10, 60};
    for (size_t i = 0; i < ARRAY_SIZE(printed_s); i++)
        if (fabs(scale->window_s - printed_s[i]) < 1e-9)
            return true;
    return false;
}

static void print_scales(const struct log_law *law, FILE *out)
{
    fputs("\nIndex of dispersion (variance / mean of the arrivals in a window):\n"
          "         window      windows       index  around the curve\n",
          out);
    for (unsigned i = 0; i < LOG_LAW_SCALES; i++) {
        const struct log_scale *scale = &law->scale[i];
        if (!is_printed(scale))
            continue;
        char window[16];
        snprintf(window, sizeof(window), scale->window_s < 1 ? "%.0f ms" : "%.0f s",
                 scale->window_s < 1 ? scale->window_s * 1e3 : scale->window_s);
        fprintf(out, "    %11s  %11" PRIu64, window, scale->windows);
        print_figure(out, scale->index);
        print_figure(out, scale->curve_index);
        fputc('\n', out);
    }
}

static void print_cv(const struct log_fit *fit, FILE *out)
{
    if (isnan(fit->cv))
        fputs("Coefficient of variation of the gaps: unknown", out);
    else
        fprintf(out, "Coefficient of variation of the gaps: %.3f%s", fit->cv,
                fit->curve ? ", around the rate curve" : "");
    if (fit->cv_window_s > 0)
        fprintf(out,
                " (from the arrivals in windows of %g s, because the log's clock is too coarse for "
                "gaps)",
                fit->cv_window_s);
    fputc('\n', out);
}

static const char *rate_text(const struct reading *r, char buf[32])
{
    if (r->fit.curve)
        return r->law.profile_text;
    snprintf(buf, 32, "%.6g", fmax(RATE_MIN, r->law.mean));
    return buf;
}

static void print_options(const struct reading *r, FILE *out)
{
    char rate[32];
    if (r->fit.arrival[0] != '\0')
        fprintf(out, "\nOptions that imitate it:\n    --tx-rate=%s --arrival='%s'\n",
                rate_text(r, rate), r->fit.arrival);
    if (r->fit.remark != NULL)
        fprintf(out, "%s    %s\n", r->fit.arrival[0] != '\0' ? "" : "\n", r->fit.remark);
}

static void print_note(void *out, const char *text)
{
    fprintf(out, "    %s\n", text);
}

static void print_law(const struct reading *r, FILE *out)
{
    const struct replay_census *c = &r->census;
    fprintf(out,
            "Arrivals in a %s: %" PRIu64 " statements of %" PRIu32 " sessions in %.3f s, %.6g per "
            "second\n",
            log_format_name(c->format), c->statements, c->sessions, r->law.span_s, r->law.mean);
    replay_census_each(c, print_note, out);
    print_cv(&r->fit, out);
    print_curve(&r->law, out);
    print_scales(&r->law, out);
    print_options(r, out);
}

/* JSON. */

static json_t *value_pieces(const struct log_law *law)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < law->pieces; i++) {
        const struct log_piece *p = &law->piece[i];
        json_t *piece = value_object();
        value_set(piece, "from_s", value_real(p->from_s));
        value_set(piece, "length_s", value_real(p->length_s));
        value_set(piece, "arrivals", value_count(p->count));
        value_set(piece, "rate_per_s", value_real((double)p->count / p->length_s));
        value_append(array, piece);
    }
    return array;
}

static json_t *value_scales(const struct log_law *law)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < LOG_LAW_SCALES; i++) {
        const struct log_scale *s = &law->scale[i];
        json_t *scale = value_object();
        value_set(scale, "window_s", value_real(s->window_s));
        value_set(scale, "windows", value_count(s->windows));
        value_set(scale, "index", value_real(s->index));
        value_set(scale, "curve_index", value_real(s->curve_index));
        value_append(array, scale);
    }
    return array;
}

static void append_note(void *array, const char *text)
{
    value_append(array, value_text(text));
}

static json_t *value_law(const struct reading *r)
{
    json_t *law = value_object(), *notes = value_array();
    char rate[32];
    replay_census_each(&r->census, append_note, notes);
    value_set(law, "arrival_law_schema", json_integer(SCHEMA));
    value_set(law, "log", value_text(r->plan->files));
    value_set(law, "format", value_text(log_format_name(r->census.format)));
    value_set(law, "speed", value_real(r->speed));
    value_set(law, "statements", value_count(r->census.statements));
    value_set(law, "sessions", json_integer(r->census.sessions));
    value_set(law, "span_s", value_real(r->law.span_s));
    value_set(law, "rate_per_s", value_real(r->law.mean));
    value_set(law, "cv", value_real(r->fit.cv));
    value_set(law, "cv_window_s",
              r->fit.cv_window_s > 0 ? value_real(r->fit.cv_window_s) : json_null());
    value_set(law, "curve", value_pieces(&r->law));
    value_set(law, "dispersion", value_scales(&r->law));
    value_set(law, "kind", value_text(r->fit.kind));
    value_set(law, "tx_rate", value_text(rate_text(r, rate)));
    value_set(law, "arrival", r->fit.arrival[0] != '\0' ? value_text(r->fit.arrival) : json_null());
    value_set(law, "remark", value_text(r->fit.remark));
    value_set(law, "notes", notes);
    return law;
}

static int write_json(const struct reading *r, const char *path)
{
    struct outfile file;
    json_t *law = value_law(r);
    int status = outfile_open(&file, path);
    if (status == 0) {
        json_dumpf(law, file.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
        fputc('\n', file.stream);
        status = outfile_commit(&file);
    }
    json_decref(law);
    return status;
}

int replay_law_print(const struct timeline_plan *plan, double speed, const char *json_path)
{
    struct reading r = {.plan = plan, .speed = speed, .curve = xcalloc(1, sizeof(*r.curve))};
    int status = replay_census_take_each(&r.census, plan, see, &r);
    if (status == 0)
        status = read_again(&r);
    if (status == 0)
        print_law(&r, stdout);
    if (status == 0 && json_path != NULL)
        status = write_json(&r, json_path);
    log_law_fini(&r.law);
    replay_census_fini(&r.census);
    free(r.curve);
    return status;
}
