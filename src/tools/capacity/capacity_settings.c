/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings that two searches must share for their results to be comparable. */
#include <string.h>

#include "report/json/report_json_value.h"
#include "report/json/report_settings.h"
#include "tools/capacity/capacity_internal.h"

/* Options that the search sets for each probe. */
static const char *const own[] = {
    "arrival_trace", "drain",     "events", "rate",    "report_checkpoints",
    "slo",           "slo_abort", "time",   "tx_rate", "warmup_time"};

/* Returns the objectives as they were given; the caller frees the text. */
static char *all_objectives(const struct slo *slo)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    for (unsigned i = 0; i < slo->count; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", slo->objective[i].text);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    return text;
}

void capacity_note_settings(struct capacity *c, const json_t *report)
{
    if (c->settings != NULL)
        return;
    char *objectives = all_objectives(&c->slo);
    c->settings = report_settings(report);
    json_t *config = json_object_get(c->settings, "config");
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        json_object_del(config, own[i]);
    value_set(config, "slo", value_text(objectives));
    value_set(config, "probe_time", value_real(c->probe_s));
    free(objectives);
}
