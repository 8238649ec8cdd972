/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/merge/merge_tool.h"

#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/util.h"
#include "options/exit_codes.h"
#include "options/tool_options.h"
#include "ranks/merge/merge_check.h"
#include "ranks/merge/merge_input.h"
#include "report/page/html.h"
#include "report/present.h"
#include "report/text/interval_column.h"

static const char *check_file(const char *value)
{
    return value[0] != '\0' ? NULL : "the name of a file";
}

#define FILE_ROW(name, text)                                                                       \
    {                                                                                              \
        name, OPTION_FILE, .help = text, .check = check_file, .field = OPTION_NO_FIELD,            \
                           .argument = "=FILE"                                                     \
    }

static const struct option_spec rows[] = {
    FILE_ROW("json", "write the merged report as JSON"),
    FILE_ROW("html", "write a page with charts"),
    FILE_ROW("csv", "write a row per interval"),
    FILE_ROW("hgrm", "write HdrHistogram's table of percentiles"),
    {"unlike", OPTION_BOOL, "off", "also add up runs whose settings differ",
     .field = OPTION_NO_FIELD, .argument = ""},
    {"help", OPTION_BOOL, "off", "print this help and exit", .field = OPTION_NO_FIELD,
     .argument = ""},
};

static const struct tool_options tool = {
    "Usage:\n"
    "  sysrate merge [--json=FILE] [--html=FILE] A.json B.json [C.json ...]\n\n"
    "Combines the reports of the ranks of a run (--node) into one, as if one process had run it.\n"
    "Counters and buckets are added, so nothing is averaged. Reports of whole runs with the same\n"
    "settings are added up as repeats.\n\n",
    "merge options",
    rows,
    ARRAY_SIZE(rows),
};

struct merge {
    struct merge_input *input;
    size_t count;
    /* copies of the inputs' rank results; memory they point to belongs to the inputs */
    struct rank_result *rank;
    struct interval_rank *part; /* for each rank, its part of the interval being merged */
    struct ranks whole;
    /* settings of the merged run, with the output files of this command */
    struct settings settings;
    /* profile of a rate that changes; zeros if the rate is constant or unknown */
    struct rate_profile profile;
    struct report_json *json;
    struct outputs outputs;
    struct batch_series batches; /* response times of the merged intervals */
    int64_t merged_ns;           /* end of the previous merged interval */
    struct wait_names waits;     /* names of the waits of the merged intervals */
    json_t *probed; /* JSON array: the probes of the first rank in each of its intervals */
};

static int load(struct merge *m, const struct tool_call *call)
{
    if (call->files < 2) {
        log_text(LOG_FATAL, "merge: name at least two reports");
        return -1;
    }
    m->input = xcalloc(call->files, sizeof(*m->input));
    for (size_t i = 0; i < call->files; i++, m->count++)
        if (merge_input_load(&m->input[i], call->file[i]) != 0) {
            merge_input_fini(&m->input[i]);
            return -1;
        }
    return 0;
}

/* Returns 1 if the inputs are ranks of a run, 0 if they are whole runs, −1 if they are mixed. */
static int are_ranks(const struct merge *m)
{
    size_t ranks = 0;
    for (size_t i = 0; i < m->count; i++)
        ranks += m->input[i].is_rank;
    return ranks == 0 ? 0 : ranks == m->count ? 1 : -1;
}

static int check(struct merge *m, bool unlike)
{
    const int ranks = are_ranks(m);
    if (ranks > 0)
        return merge_check_ranks(m->input, m->count);
    if (ranks == 0)
        return merge_check_repeats(m->input, m->count, unlike);
    log_text(LOG_FATAL, "merge: some of the files are ranks of a run, others are whole runs");
    return -1;
}

/* Returns "b.json" for "/tmp/b.json". */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* In messages and reports, repeats are named after their files. */
static void name_repeats(struct merge *m)
{
    for (size_t i = 0; i < m->count; i++) {
        m->rank[i].settings.rank.number = (unsigned)i;
        free(m->rank[i].host);
        m->rank[i].host = xstrdup(base_name(m->input[i].path));
    }
}

/* Takes a rate that changes from the report, because a spool contains only its mean. */
static void recall_profile(struct merge *m)
{
    const json_t *rate = interval_value(m->input[0].head, "config/rate");
    struct settings *s = &m->whole.settings;
    if (s->rate_changes && s->arrivals.kind != ARRIVAL_TRACE && json_is_string(rate) &&
        rate_profile_parse(&m->profile, json_string_value(rate)) == NULL)
        s->arrivals.profile = m->profile;
}

static void add_up(struct merge *m)
{
    const bool ranks = are_ranks(m) > 0;
    m->rank = xcalloc(m->count, sizeof(*m->rank));
    for (size_t i = 0; i < m->count; i++) {
        m->rank[i] = m->input[i].spool.rank;
        m->rank[i].result.settings = &m->rank[i].settings;
        m->rank[i].judgement.trust.evidence.summary = &m->rank[i].result.total;
    }
    if (!ranks)
        name_repeats(m);
    if (ranks)
        ranks_merge(&m->whole, m->rank, (unsigned)m->count);
    else
        ranks_merge_repeats(&m->whole, m->rank, (unsigned)m->count);
    if (ranks)
        recall_profile(m);
    for (size_t i = 0; i < m->count && !ranks; i++)
        m->input[i].spool.rank.host = m->rank[i].host;
}

static const json_t *member(const struct merge *m, const char *path)
{
    return interval_value(m->input[0].head, path);
}

/* Copies what only the first rank recorded: server settings, probes, injections, marks. */
static void copy_members(struct merge *m)
{
    static const char *const head[] = {"server_config", "probes", "client"};
    static const char *const tail[] = {"injections", "marks"};
    for (size_t i = 0; i < ARRAY_SIZE(head); i++)
        if (member(m, head[i]) != NULL)
            report_json_add_head(m->json, head[i], json_incref((json_t *)member(m, head[i])));
    for (size_t i = 0; i < ARRAY_SIZE(tail); i++)
        if (member(m, tail[i]) != NULL)
            report_json_add(m->json, tail[i], json_incref((json_t *)member(m, tail[i])));
}

static void copy_config(struct merge *m)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)member(m, "config"), key, value) report_json_add_config(
        m->json, key, strcmp(key, "node") == 0 ? json_null() : json_incref(value));
}

static void copy_warnings(struct merge *m)
{
    for (size_t i = 0; i < m->count; i++) {
        size_t k;
        json_t *warning;
        json_array_foreach(json_object_get(m->input[i].head, "warnings"), k, warning)
        {
            char text[1000];
            snprintf(text, sizeof(text), "%s %u: %s", ranks_word(&m->whole),
                     m->rank[i].settings.rank.number, json_string_value(warning));
            report_json_warning(m->json, text);
        }
    }
}

static void begin_json(struct merge *m)
{
    const struct merge_input *first = &m->input[0];
    const struct report_json_run names = {.version = merge_input_text(first, "tool/version"),
                                          .test = merge_input_text(first, "test"),
                                          .command = merge_input_text(first, "command"),
                                          .started = merge_input_text(first, "started")};
    m->json = report_json_create(&names, &m->settings);
    copy_config(m);
    copy_members(m);
    copy_warnings(m);
}

/* A run may end shortly after an interval has ended. A final interval shorter than 1/10 of an
 * interval is merged separately. */
#define SHORT_SHARE 10

/* Returns the position of an interval in the merged sequence. Full intervals have even positions. A
 * short final interval has the odd position that follows. */
static int64_t place_of(const struct merge *m, const struct spool_record *record)
{
    const int64_t interval_ns = max_i64(1, m->settings.report_interval_ns);
    const int64_t begun = record->at_ns / interval_ns;
    if (!record->last)
        return 2 * ((record->at_ns + interval_ns / 2) / interval_ns);
    return record->at_ns % interval_ns < interval_ns / SHORT_SHARE ? 2 * begun + 1 : 2 * begun + 2;
}

static int add_interval(struct interval *sum, const struct spool_record *record,
                        struct interval_rank *part, struct wait_names *names)
{
    struct interval one = {0};
    snapshot_init(&one.snapshot);
    const int status = spool_interval(record, &one, names);
    if (status == 0) {
        interval_merge(sum, &one);
        interval_rank_add(part, &one.snapshot);
    }
    snapshot_fini(&one.snapshot);
    return status;
}

/* Returns the smallest position that has not been merged yet, or INT64_MAX at the end. */
static int64_t next_place(const struct merge *m, const size_t *next)
{
    int64_t place = INT64_MAX;
    for (size_t i = 0; i < m->count; i++)
        if (next[i] < m->input[i].spool.intervals)
            place = min_i64(place, place_of(m, &m->input[i].spool.interval[next[i]]));
    return place;
}

static void note_probes(void *arg, const json_t *interval)
{
    struct merge *m = arg;
    const json_t *probes = json_object_get(interval, "probes");
    json_array_append_new(m->probed, probes != NULL ? json_incref((json_t *)probes) : json_null());
}

/* Only the first rank records probes, and only JSON reports contain them. */
static int collect_probes(struct merge *m)
{
    const struct merge_input *first = &m->input[0];
    m->probed = checked_alloc(json_array());
    if (first->document.head == NULL || first->spool.rank.settings.rank.number != 0)
        return 0;
    return report_document_each(&first->document, first->path, note_probes, m);
}

/*
 * Returns the merged interval as JSON, with the probes of interval number `seen` of the first rank.
 */
static json_t *interval_of_all(const struct merge *m, const struct interval *sum, size_t seen)
{
    json_t *value = report_json_interval_value(&m->settings, sum);
    json_t *probes = seen > 0 ? json_array_get(m->probed, seen - 1) : NULL;
    if (json_is_object(probes))
        json_object_set(value, "probes", probes);
    return value;
}

/* Gives the classes of statements the numbers that they have in the whole run. */
static void number_classes(struct interval *sum, const struct ranks *whole)
{
    operation_totals_add(sum->snapshot.operations, whole->result.total.snapshot.operations);
    operation_totals_reset(sum->snapshot.operations);
}

/* Merges the intervals of all ranks at this position. A rank may have two: a full interval, and the
 * short final one. */
static int merge_place(struct merge *m, size_t *next, int64_t place)
{
    struct interval sum = {.rank = m->part, .ranks = (unsigned)m->count};
    int status = 0;
    snapshot_init(&sum.snapshot);
    number_classes(&sum, &m->whole);
    interval_ranks_reset(m->part, sum.ranks);
    for (size_t i = 0; i < m->count && status == 0; i++) {
        const struct spool *spool = &m->input[i].spool;
        while (status == 0 && next[i] < spool->intervals &&
               place_of(m, &spool->interval[next[i]]) <= place)
            status = add_interval(&sum, &spool->interval[next[i]++], &m->part[i], &m->waits);
        if (status != 0)
            log_text(LOG_FATAL, "cannot use '%s': one of its intervals is broken",
                     m->input[i].path);
    }
    if (status == 0) {
        /* Ranks end an interval some microseconds apart; merged intervals follow each other without
         * gaps. */
        sum.snapshot.from_ns = m->merged_ns;
        m->merged_ns = sum.snapshot.to_ns;
        if (!sum.warmup)
            batch_series_add(&m->batches, m->merged_ns, &sum.snapshot.metric[METRIC_RESPONSE]);
        json_t *value = interval_of_all(m, &sum, next[0]);
        outputs_collect(&m->outputs, &sum.snapshot);
        outputs_interval(&m->outputs, &sum, value);
        report_json_add_interval(m->json, value);
    }
    snapshot_fini(&sum.snapshot);
    return status;
}

static int merge_intervals(struct merge *m)
{
    size_t *next = xcalloc(m->count, sizeof(*next));
    int status = collect_probes(m);
    batch_series_init(&m->batches, 0, 0);
    wait_names_init(&m->waits);
    m->part = interval_ranks_create((unsigned)m->count);
    for (size_t i = 0; i < m->count; i++)
        m->part[i].number = m->rank[i].settings.rank.number;
    for (int64_t place; status == 0 && (place = next_place(m, next)) != INT64_MAX;)
        status = merge_place(m, next, place);
    free(next);
    struct summary *total = &m->whole.result.total;
    total->precision =
        precision_estimate(&m->batches, &total->snapshot.metric[METRIC_RESPONSE], &m->settings);
    return status;
}

static int merge_checkpoint(struct merge *m, size_t number)
{
    struct summary sum = {0};
    int64_t threads = 0, at_ns = 0;
    int status = 0;
    snapshot_init(&sum.snapshot);
    for (size_t i = 0; i < m->count && status == 0; i++) {
        const struct spool *spool = &m->input[i].spool;
        struct summary one = {0};
        if (number >= spool->checkpoints)
            continue;
        snapshot_init(&one.snapshot);
        status = spool_checkpoint(&spool->checkpoint[number], &one);
        summary_merge(&sum, &threads, &one, m->rank[i].settings.threads);
        at_ns = max_i64(at_ns, spool->checkpoint[number].at_ns);
        snapshot_fini(&one.snapshot);
    }
    if (status == 0)
        report_json_checkpoint(m->json, &sum, at_ns);
    snapshot_fini(&sum.snapshot);
    return status;
}

static int merge_checkpoints(struct merge *m)
{
    size_t most = 0;
    int status = 0;
    for (size_t i = 0; i < m->count; i++)
        most = m->input[i].spool.checkpoints > most ? m->input[i].spool.checkpoints : most;
    for (size_t number = 0; number < most && status == 0; number++)
        status = merge_checkpoint(m, number);
    return status;
}

/* A report does not say whether its test counts statements. If any were counted, it does. */
static void set_presentation(void *self, struct presentation *presentation)
{
    const struct merge *m = self;
    const uint64_t *counter = m->whole.result.total.snapshot.counter;
    if (counter[COUNTER_READ] + counter[COUNTER_WRITE] + counter[COUNTER_OTHER] > 0)
        presentation->statements = "SQL statistics";
    if (m->whole.result.total.snapshot.targets->count > 1)
        presentation->targets = "Hosts";
}

static const struct workload_report workload_report = {.set_presentation = set_presentation};

static void print_title(const struct merge *m)
{
    const struct ranks *whole = &m->whole;
    if (whole->repeats)
        printf("%u runs of %s, added up as repeats\n\n", whole->count,
               merge_input_text(&m->input[0], "test"));
    else
        printf("%s, run at %s by %u ranks%s\n\n", merge_input_text(&m->input[0], "test"),
               merge_input_text(&m->input[0], "started"), whole->expected,
               whole->count < whole->expected ? ", of which not all are there" : "");
}

static int present(struct merge *m)
{
    const struct reported_workload workload = {.ops = &workload_report, .self = m};
    struct presenter presenter = presenter_of(&m->settings, workload, m->json, &m->outputs);
    print_title(m);
    int code = present_result(&presenter, &m->whole.result, &m->whole.judgement);
    return present_files(&presenter) != 0 && code == EXIT_WELL ? EXIT_FAILED : code;
}

static void set_outputs(struct merge *m, const struct tool_call *call)
{
    struct settings *s = &m->whole.settings;
    s->json_path = options_string(call->options, "json");
    s->html_path = options_string(call->options, "html");
    s->csv_path = options_string(call->options, "csv");
    s->hgrm_path = options_string(call->options, "hgrm");
    s->layout_asked = true;
    m->settings = *s;
}

static int make_report(struct merge *m, const struct tool_call *call)
{
    add_up(m);
    set_outputs(m, call);
    for (size_t i = 0; i < call->files; i++)
        outfile_protect(call->file[i], "a report that is merged");
    if (outputs_check(&m->settings, call->options) != 0 ||
        outputs_init(&m->outputs, &m->settings) != 0)
        return EXIT_FAILED;
    begin_json(m);
    if (!m->whole.repeats && (merge_intervals(m) != 0 || merge_checkpoints(m) != 0))
        return EXIT_FAILED;
    return present(m);
}

static void merge_fini(struct merge *m)
{
    outputs_fini(&m->outputs);
    batch_series_fini(&m->batches);
    report_json_destroy(m->json);
    json_decref(m->probed);
    interval_ranks_destroy(m->part, (unsigned)m->count);
    if (m->rank != NULL)
        ranks_fini(&m->whole);
    for (size_t i = 0; i < m->count; i++)
        merge_input_fini(&m->input[i]);
    rate_profile_fini(&m->profile);
    free(m->rank);
    free(m->input);
}

int merge_tool_main(int argc, char **argv)
{
    struct tool_call call;
    struct merge m = {0};
    int code = tool_call_init(&call, &tool, argc, argv);
    if (code < 0)
        code = load(&m, &call) == 0 && check(&m, options_bool(call.options, "unlike")) == 0
                   ? make_report(&m, &call)
                   : EXIT_FAILED;
    merge_fini(&m);
    tool_call_fini(&call);
    return code;
}
