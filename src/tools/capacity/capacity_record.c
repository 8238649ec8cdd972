/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/capacity/capacity_record.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/json/json_slice.h"
#include "report/text/interval_column.h"
#include "tools/capacity/capacity_text.h"

/* More probes than a search can make. */
#define PROBES_MAX 2000
/* Length of a path, such as "probes/12/rate_per_s". */
#define WRONG_BYTES 64

static const char *text_at(const json_t *all, const char *path)
{
    const char *text = json_string_value(interval_value(all, path));
    return text != NULL ? text : "-";
}

static double number_at(const json_t *all, const char *path)
{
    const json_t *value = interval_value(all, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Returns true for a rate that can be drawn in a chart. */
static bool is_rate(double rate)
{
    return rate >= 1e-12 && rate <= 1e15;
}

static bool is_true(const json_t *all, const char *path)
{
    return json_is_true(interval_value(all, path));
}

/* Converts a name that this program writes to its number; −1 if the name is unknown. */
static int place_of(const char *name, const char *(*name_of)(int value), int values)
{
    for (int i = 0; i < values; i++)
        if (strcmp(name, name_of(i)) == 0)
            return i;
    return -1;
}

static const char *name_of_phase(int phase)
{
    return capacity_phase_name((enum capacity_phase)phase);
}

static const char *name_of_outcome(int outcome)
{
    return capacity_outcome_name((enum capacity_outcome)outcome);
}

/* Reads an array of objectives. */
static int read_slo(struct slo *slo, const json_t *texts)
{
    char *list = NULL;
    size_t i, bytes;
    json_t *text;
    FILE *out = checked_alloc(open_memstream(&list, &bytes));
    json_array_foreach(texts, i, text)
        fprintf(out, "%s%s", i > 0 ? "," : "", json_is_string(text) ? json_string_value(text) : "");
    if (fclose(out) != 0)
        checked_alloc(NULL);
    const bool good = slo_check(list) == NULL;
    if (good)
        slo_parse(slo, list);
    free(list);
    return good ? 0 : -1;
}

static void read_judgement(struct slo_judgement *j, const struct slo *slo, const json_t *probe)
{
    const json_t *figures = json_object_get(probe, "figures");
    *j = (struct slo_judgement){.slo = slo, .met = is_true(probe, "met")};
    for (unsigned i = 0; i < slo->count; i++) {
        const json_t *figure = json_object_get(figures, slo->objective[i].text);
        const double value = number_at(figure, "value");
        j->figure[i] = (struct slo_figure){.value = isnan(value) ? 0 : value,
                                           .lower_bound = is_true(figure, "censored"),
                                           .known = !isnan(value),
                                           .met = is_true(figure, "met")};
    }
}

/* Returns NULL, or the name of the member that is wrong. */
static const char *read_probe(struct capacity_run *run, const struct slo *slo, const json_t *probe)
{
    const int phase = place_of(text_at(probe, "phase"), name_of_phase, CAPACITY_ABOVE + 1);
    const double rate = number_at(probe, "rate_per_s"), seconds = number_at(probe, "seconds");
    const double speed = number_at(probe, "speed");
    const bool has_speed = !isnan(speed);
    *run = (struct capacity_run){.end = text_at(probe, "end"),
                                 .seconds = seconds,
                                 .speed = has_speed ? speed : 0,
                                 .completed_per_s = number_at(probe, "completed_per_s"),
                                 .probe = {.phase = (enum capacity_phase)phase,
                                           .rate = rate,
                                           .trusted = is_true(probe, "trusted"),
                                           .counts = is_true(probe, "counts"),
                                           .margin = number_at(probe, "margin")}};
    read_judgement(&run->judgement, slo, probe);
    run->probe.empty = !run->probe.counts && run->probe.margin == 0 && !run->judgement.met;
    return phase < 0                      ? "phase"
           : !is_rate(rate)               ? "rate_per_s"
           : !(seconds >= 0)              ? "seconds"
           : !isfinite(run->probe.margin) ? "margin"
                                          : NULL;
}

/* Each of the following functions returns 0, or −1 after it has set `wrong`, the path of the first
 * wrong value. */

static int read_probes(struct capacity_kept *kept, char wrong[WRONG_BYTES])
{
    const json_t *probes = json_object_get(kept->all, "probes");
    const size_t count = json_array_size(probes);
    snprintf(wrong, WRONG_BYTES, "probes");
    if (count > PROBES_MAX)
        return -1;
    kept->run = xcalloc(count + 1, sizeof(*kept->run));
    for (size_t i = 0; i < count; i++) {
        const char *name = read_probe(&kept->run[i], &kept->slo, json_array_get(probes, i));
        if (name == NULL)
            continue;
        snprintf(wrong, WRONG_BYTES, "probes/%zu/%s", i, name);
        return -1;
    }
    kept->record.run = kept->run;
    kept->record.runs = count;
    return 0;
}

/* Reads the log of a search over speed. Returns 0 as well if there is none. */
static int read_load(struct capacity_record *record, const json_t *all, char wrong[WRONG_BYTES])
{
    const json_t *log = json_object_get(all, "log");
    if (log == NULL)
        return 0;
    record->load = (struct capacity_load){.log = text_at(log, "file"),
                                          .statements = number_at(log, "statements"),
                                          .rate = number_at(log, "rate_per_s")};
    snprintf(wrong, WRONG_BYTES, "log");
    return is_rate(record->load.rate) && record->load.statements >= 0 ? 0 : -1;
}

static int read_result(struct capacity_record *record, const json_t *result,
                       char wrong[WRONG_BYTES])
{
    const int outcome =
        place_of(text_at(result, "outcome"), name_of_outcome, CAPACITY_ABOVE_MAX + 1);
    const double low = number_at(result, "low_per_s"), high = number_at(result, "high_per_s");
    struct capacity_result *r = &record->result;
    *r = (struct capacity_result){
        .outcome = (enum capacity_outcome)outcome,
        .precise = is_true(result, "precise"),
        .rate = number_at(result, "rate_per_s"),
        .low = isnan(low) ? 0 : low,
        .high = isnan(high) ? INFINITY : high,
        .used = (unsigned)json_integer_value(json_object_get(result, "probes_used")),
        .below = number_at(result, "margin_from_below"),
        .above = number_at(result, "margin_from_above"),
        .hysteresis = is_true(result, "hysteresis")};
    record->slope = number_at(result, "slope");
    record->cut_short = json_string_value(json_object_get(result, "cut_short"));
    const bool found = outcome == CAPACITY_FOUND;
    const char *name = outcome < 0                                  ? "outcome"
                       : !found                                     ? NULL
                       : !is_rate(r->low)                           ? "low_per_s"
                       : !is_rate(r->high)                          ? "high_per_s"
                       : !(r->rate >= r->low && r->high >= r->rate) ? "rate_per_s"
                       : !(record->slope < 0)                       ? "slope"
                                                                    : NULL;
    snprintf(wrong, WRONG_BYTES, "result/%s", name != NULL ? name : "");
    return name == NULL ? 0 : -1;
}

int capacity_kept_read(struct capacity_kept *kept, const char *name, const char *text, size_t bytes)
{
    *kept = (struct capacity_kept){.all = slice_parse((struct slice){text, bytes})};
    const json_t *all = kept->all;
    kept->record = (struct capacity_record){.test = text_at(all, "test"),
                                            .slo = &kept->slo,
                                            .min_rate = number_at(all, "min_rate"),
                                            .max_rate = number_at(all, "max_rate"),
                                            .probe_s = number_at(all, "probe_s")};
    char wrong[WRONG_BYTES] = "slo";
    if (all == NULL) {
        log_text(LOG_FATAL, "cannot use '%s': it is not JSON, or cut short", name);
        return -1;
    }
    if (read_slo(&kept->slo, json_object_get(all, "slo")) == 0 && read_probes(kept, wrong) == 0 &&
        read_load(&kept->record, all, wrong) == 0 &&
        read_result(&kept->record, json_object_get(all, "result"), wrong) == 0)
        return 0;
    log_text(LOG_FATAL,
             "cannot use '%s': it is not the result of a capacity search in the format "
             "of sysrate: %s has an unexpected value",
             name, wrong);
    return -1;
}

void capacity_kept_fini(struct capacity_kept *kept)
{
    free(kept->run);
    json_decref(kept->all);
    *kept = (struct capacity_kept){0};
}
