/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/compare/compare_run.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "options/percentiles.h"
#include "report/json/effects_json.h"
#include "report/text/interval_column.h"

/* Smallest number of intervals from which the scatter is estimated. */
#define INTERVALS_MIN 5

#define RESPONSE "response_ms"
#define SERVICE "service_ms"

/* A figure of an interval or of the summary is the quotient y / x. */
struct sums {
    double y, x;
};

/* Describes how to read a figure; paths are as for interval_value(). */
struct source {
    char *name;
    const char *unit;
    struct sums (*sums)(const struct source *source, const json_t *part);
    char *count, *value, *lower_bound; /* paths; only for times */
    int64_t percentile; /* in millionths of a percent; 0 if the figure is not a percentile */
    bool rare;          /* the figure counts events that may be few */
    bool middle;        /* the figure is the mean of the middle half of the intervals */
    struct noise_series series; /* values of the measured intervals */
};

/* State while a run is read. */
struct reader {
    struct compare_run *run;
    const json_t *summary;
    struct source *source;
    size_t sources;
    struct distribution responses; /* all observed response times */
};

/* Returns 0 if the number is missing. */
static double number(const json_t *part, const char *path)
{
    return json_number_value(interval_value(part, path));
}

static struct sums sums_of_throughput(const struct source *source, const json_t *part)
{
    (void)source;
    const json_t *elapsed = json_object_get(part, "elapsed_s");
    double seconds = elapsed != NULL ? json_number_value(elapsed) : number(part, "seconds");
    return (struct sums){number(part, "counters/events"), seconds};
}

/* Requests that failed or were dropped. */
static struct sums sums_of_errors(const struct source *source, const json_t *part)
{
    (void)source;
    /* An interval has the first field, the summary the second. */
    double dropped = number(part, "dropped") + number(part, "requests/dropped");
    double failed = number(part, "counters/failed") + dropped;
    return (struct sums){100 * failed, number(part, "counters/events") + failed};
}

/* Errors after which a request was restarted or failed. */
static struct sums sums_of_ignored(const struct source *source, const json_t *part)
{
    (void)source;
    double requests = number(part, "counters/events") + number(part, "counters/failed");
    return (struct sums){100 * number(part, "counters/errors"), requests};
}

/* Writes that changed no data. */
static struct sums sums_of_no_ops(const struct source *source, const json_t *part)
{
    (void)source;
    const struct effects e = effects_from_json(part);
    return (struct sums){100 * (double)effects_no_ops(&e, WRITE_KINDS),
                         (double)effects_writes(&e, WRITE_KINDS)};
}

static struct sums sums_of_time(const struct source *source, const json_t *part)
{
    double count = number(part, source->count);
    return (struct sums){count * number(part, source->value), count};
}

static void source_fini(struct source *source)
{
    free(source->name);
    free(source->count);
    free(source->value);
    free(source->lower_bound);
    noise_series_fini(&source->series);
}

/* Adds a source and takes ownership of its strings. The source is ignored if the run has no such
 * figure. */
static void add_source(struct reader *reader, struct source source)
{
    size_t bytes = (reader->sources + 1) * sizeof(source);
    reader->source = xrealloc(reader->source, bytes);
    reader->source[reader->sources++] = source;
    if (!(source.sums(&source, reader->summary).x > 0))
        source_fini(&reader->source[--reader->sources]);
}

static char *join(const char *a, const char *b, const char *c)
{
    char *text;
    return asprintf(&text, "%s%s%s", a, b, c) < 0 ? checked_alloc(NULL) : text;
}

static void add_mean(struct reader *reader, const char *name, const char *kind, bool middle)
{
    add_source(reader, (struct source){.name = xstrdup(name),
                                       .unit = "ms",
                                       .sums = sums_of_time,
                                       .count = join(kind, "/count", ""),
                                       .value = join(kind, "/mean", ""),
                                       .lower_bound = join(kind, "/mean_censored", ""),
                                       .middle = middle});
}

static void add_percentile(struct reader *reader, const char *label)
{
    static const char place[] = RESPONSE "/percentiles/";
    const int64_t percentile = percentile_of_label(label);
    if (percentile <= 0)
        return;
    add_source(reader, (struct source){.name = xstrdup(label),
                                       .unit = "ms",
                                       .sums = sums_of_time,
                                       .count = xstrdup(RESPONSE "/count"),
                                       .value = join(place, label, "/value"),
                                       .lower_bound = join(place, label, "/censored"),
                                       .percentile = percentile});
}

static void add_percentiles(struct reader *reader)
{
    const char *label;
    json_t *unused;
    json_t *times = json_object_get(reader->summary, RESPONSE);
    json_object_foreach(json_object_get(times, "percentiles"), label, unused)
        add_percentile(reader, label);
}

static void add_count(struct reader *reader, const char *name, const char *unit,
                      struct sums (*sums)(const struct source *, const json_t *))
{
    add_source(reader, (struct source){.name = xstrdup(name),
                                       .unit = unit,
                                       .sums = sums,
                                       .rare = sums != sums_of_throughput});
}

static void add_bucket(struct distribution *d, const json_t *bucket)
{
    json_int_t count = json_integer_value(json_array_get(bucket, 1));
    if (count <= 0)
        return;
    unsigned i = histogram_index(json_integer_value(json_array_get(bucket, 0)));
    d->buckets[i] += (uint64_t)count;
    d->count += (uint64_t)count;
    d->sum_ns += (unsigned __int128)count * (uint64_t)histogram_middle_ns(i);
}

static void read_responses(struct reader *reader)
{
    struct distribution *d = &reader->responses;
    size_t i;
    json_t *bucket;
    json_array_foreach(interval_value(reader->summary, "histogram/response"), i, bucket)
        add_bucket(d, bucket);
    d->min_ns = 0;
    d->max_ns = whole_part(number(reader->summary, "histogram/sums/response/max_ns"));
}

static void reader_init(struct reader *reader, struct compare_run *run)
{
    *reader =
        (struct reader){.run = run, .summary = json_object_get(run->document.head, "summary")};
    distribution_init(&reader->responses);
    read_responses(reader);
    add_count(reader, "throughput", "per s", sums_of_throughput);
    add_mean(reader, "mean", RESPONSE, false);
    add_percentiles(reader);
    add_mean(reader, "wait", "wait_ms", false);
    add_mean(reader, "service", SERVICE, false);
    /* In a closed loop the response time equals the service time. */
    bool timed = json_object_get(reader->summary, SERVICE) != NULL;
    add_mean(reader, "typical", timed ? SERVICE : RESPONSE, true);
    add_count(reader, "errors", "%", sums_of_errors);
    add_count(reader, "ignored", "%", sums_of_ignored);
    add_count(reader, "no_op_writes", "%", sums_of_no_ops);
}

static void reader_fini(struct reader *reader)
{
    for (size_t i = 0; i < reader->sources; i++)
        source_fini(&reader->source[i]);
    free(reader->source);
    distribution_fini(&reader->responses);
}

static void add_interval(void *arg, const json_t *interval)
{
    struct reader *reader = arg;
    if (json_is_true(json_object_get(interval, "warmup")))
        return;
    reader->run->intervals++;
    for (size_t i = 0; i < reader->sources; i++) {
        struct sums sums = reader->source[i].sums(&reader->source[i], interval);
        if (sums.x > 0)
            noise_series_add(&reader->source[i].series, sums.y, sums.x);
    }
}

/* The relative scatter of the intervals is used for the figure, because percentiles of intervals do
 * not add up to that of the run. */
static struct noise noise_of_intervals(const struct noise_series *series, struct sums whole)
{
    double y = 0, x = 0;
    if (series->count < INTERVALS_MIN)
        return (struct noise){INFINITY, 1};
    for (size_t i = 0; i < series->count; i++) {
        y += series->y[i];
        x += series->x[i];
    }
    struct noise noise = noise_of_series(series);
    double scale = y > 0 ? (whole.y / whole.x) / (y / x) : 1;
    noise.variance *= scale * scale;
    return noise;
}

/* Noise of a percentile, estimated from the number of requests beyond it and the noise of the
 * mean. */
static struct noise noise_of_tail(const struct reader *reader, int64_t percentile)
{
    const double ns2_per_ms2 = (double)NS_PER_MS * (double)NS_PER_MS;
    struct noise mean = compare_run_figure(reader->run, "mean")->noise;
    mean.variance *= ns2_per_ms2;
    struct noise tail = noise_of_percentile(&reader->responses, percentile, mean);
    tail.variance /= ns2_per_ms2;
    return tail;
}

static struct noise noise_of(const struct source *source, struct sums whole)
{
    struct noise noise = noise_of_intervals(&source->series, whole);
    /* The number of independent events has a variance equal to its mean. */
    if (source->rare)
        noise.variance = fmax(noise.variance, 100 * whole.y / (whole.x * whole.x));
    return noise;
}

/* Uses the larger of two estimates: the intervals show clusters of slow requests, the tail shows
 * that few requests are beyond the percentile. */
static void look_at_tail(const struct reader *reader, const struct source *source,
                         struct compare_figure *figure)
{
    struct noise tail = noise_of_tail(reader, source->percentile);
    if (!(tail.variance > figure->noise.variance))
        return;
    figure->noise = tail;
    figure->is_sparse = isinf(tail.variance);
}

/* Returns false if there are too few intervals. */
static bool figure_of_middle(const struct source *source, struct compare_figure *figure)
{
    if (source->series.count < INTERVALS_MIN)
        return false;
    figure->noise = noise_of_middle(&source->series, &figure->value);
    return true;
}

static void figure_of_whole(const struct reader *reader, const struct source *source,
                            struct compare_figure *figure)
{
    struct sums whole = source->sums(source, reader->summary);
    figure->value = whole.y / whole.x;
    figure->lower_bound = source->lower_bound != NULL &&
                          json_is_true(interval_value(reader->summary, source->lower_bound));
    figure->noise = noise_of(source, whole);
    if (source->percentile != 0)
        look_at_tail(reader, source, figure);
}

static void add_figure(const struct reader *reader, const struct source *source)
{
    struct compare_run *run = reader->run;
    struct compare_figure figure = {.unit = source->unit};
    if (!source->middle)
        figure_of_whole(reader, source, &figure);
    else if (!figure_of_middle(source, &figure))
        return;
    figure.name = xstrdup(source->name);
    run->figure = xrealloc(run->figure, (run->figures + 1) * sizeof(figure));
    run->figure[run->figures++] = figure;
}

static int read_figures(struct reader *reader)
{
    struct compare_run *run = reader->run;
    if (number(reader->summary, RESPONSE "/count") == 0)
        return 0;
    if (report_document_each(&run->document, run->path, add_interval, reader) != 0)
        return -1;
    for (size_t i = 0; i < reader->sources; i++)
        add_figure(reader, &reader->source[i]);
    return 0;
}

static json_t *names_of_findings(const json_t *verdict)
{
    json_t *names = checked_alloc(json_array()), *finding;
    size_t i;
    json_array_foreach(json_object_get(verdict, "findings"), i, finding)
        json_array_append(names, json_object_get(finding, "name"));
    return names;
}

/* Returns 0 if the run had no arrival rate. */
static double completed_share(const json_t *whole)
{
    const json_t *rate = interval_value(whole, "config/rate");
    const double offered = number(whole, "summary/requests/offered");
    if (offered <= 0 || (!json_is_string(rate) && json_number_value(rate) <= 0))
        return 0;
    return number(whole, "summary/requests/completed") / offered;
}

/* Adds the figures of one source of the work per request, "server" or "machine". */
static void add_works(struct compare_run *run, const char *source, json_t *figures)
{
    const char *name;
    json_t *value;
    json_object_foreach(figures, name, value)
    {
        if (!json_is_number(value))
            continue;
        run->work = xrealloc(run->work, (run->works + 1) * sizeof(*run->work));
        run->work[run->works++] = (struct compare_figure){.name = join(source, ".", name),
                                                          .unit = "per request",
                                                          .value = json_number_value(value),
                                                          .noise = {INFINITY, 1}};
    }
}

static void read_work(struct compare_run *run, json_t *work)
{
    const char *source;
    json_t *figures;
    json_object_foreach(work, source, figures) add_works(run, source, figures);
}

/* Replaces the document by the members that comparisons show, because reports are large. */
static void reduce(struct compare_run *run)
{
    static const char *const kept[] = {"test",          "tool",        "config",
                                       "server_config", "wait_events", "plans"};
    json_t *whole = run->document.head, *head = checked_alloc(json_object());
    const json_t *verdict = interval_value(whole, "summary/audit/verdict");
    const json_t *first = json_array_get(json_object_get(verdict, "findings"), 0);
    const char *finding = first != NULL ? json_string_value(json_object_get(first, "name")) : NULL;
    if (verdict != NULL && first == NULL)
        finding = "VALID";
    run->finding = finding != NULL ? xstrdup(finding) : NULL;
    run->findings = verdict != NULL ? names_of_findings(verdict) : NULL;
    const char *started = json_string_value(json_object_get(whole, "started"));
    run->started = started != NULL ? xstrdup(started) : NULL;
    run->elapsed_s = number(whole, "summary/elapsed_s");
    run->completed_share = completed_share(whole);
    for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
        json_object_set(head, kept[i], json_object_get(whole, kept[i]));
    json_t *work = json_object_get(json_object_get(whole, "probes"), "work_per_request");
    read_work(run, work);
    json_object_set(head, "work_per_request", work);
    report_document_fini(&run->document);
    run->document.head = head;
}

static int read_document(struct compare_run *run)
{
    struct reader reader;
    reader_init(&reader, run);
    int status = read_figures(&reader);
    reader_fini(&reader);
    reduce(run);
    return status;
}

static int refuse_empty(const struct compare_run *run)
{
    if (run->figures > 0)
        return 0;
    log_text(LOG_FATAL, "cannot use '%s': its run has completed no requests", run->path);
    return -1;
}

int compare_run_load_any(struct compare_run *run, const char *path)
{
    *run = (struct compare_run){.path = path};
    return report_document_load(&run->document, path) == 0 ? read_document(run) : -1;
}

int compare_run_load(struct compare_run *run, const char *path)
{
    return compare_run_load_any(run, path) == 0 ? refuse_empty(run) : -1;
}

int compare_run_read(struct compare_run *run, const char *path, char *text, size_t bytes)
{
    *run = (struct compare_run){.path = path};
    if (report_document_parse_without(&run->document, path, text, bytes, "checkpoints") != 0 ||
        read_document(run) != 0)
        return -1;
    return refuse_empty(run);
}

void compare_run_fini(struct compare_run *run)
{
    for (size_t i = 0; i < run->figures; i++)
        free(run->figure[i].name);
    free(run->figure);
    for (size_t i = 0; i < run->works; i++)
        free(run->work[i].name);
    free(run->work);
    free(run->finding);
    free(run->started);
    json_decref(run->findings);
    report_document_fini(&run->document);
}

static const struct compare_figure *find_figure(const struct compare_figure *figure, size_t count,
                                                const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(figure[i].name, name) == 0)
            return &figure[i];
    return NULL;
}

const struct compare_figure *compare_run_figure(const struct compare_run *run, const char *name)
{
    return find_figure(run->figure, run->figures, name);
}

const struct compare_figure *compare_run_work(const struct compare_run *run, const char *name)
{
    return find_figure(run->work, run->works, name);
}

bool compare_run_has_noise(const struct compare_run *run)
{
    return run->intervals >= INTERVALS_MIN;
}
