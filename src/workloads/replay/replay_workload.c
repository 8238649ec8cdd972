/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface of a replay for the engine, except the loop of the workers: texts and remarks for
 * reports. */
#include <inttypes.h>

#include "base/util.h"
#include "report/workload_report.h"
#include "sql/sql_workload.h"
#include "workloads/replay/replay.h"

static void print_mode(void *self, FILE *out)
{
    const struct replay *r = self;
    const struct replay_census *c = &r->census;
    fprintf(out,
            "Replay of a %s: %" PRIu64 " statements of %" PRIu32 " sessions, at most %u at a time, "
            "%.3f s in the log\nSpeed: %g%s\n",
            log_format_name(c->format), c->statements, c->sessions, c->peak,
            ns_to_seconds(replay_census_span_ns(c)), r->options.speed,
            r->options.writes ? "" : "; read only");
}

static void set_presentation(void *self, struct presentation *presentation)
{
    (void)self;
    presentation->statements = "SQL statistics";
    presentation->targets = "Hosts";
}

static void add_note(void *remarks, const char *text)
{
    replay_note(remarks, "%s", text);
}

static bool make_remarks(void *self, const struct summary *summary, struct remarks *remarks)
{
    struct replay *r = self;
    (void)summary;
    *remarks = (struct remarks){0};
    snprintf(remarks->notes_title, sizeof(remarks->notes_title), "Replay:");
    replay_compare_remarks(r->compare, remarks);
    replay_census_each(&r->census, add_note, remarks);
    return true;
}

static void explain_failure(void *self)
{
    const struct replay *r = self;
    sql_log_connections(r->sql);
}

struct workload replay_workload(struct replay *r)
{
    static const struct workload_report report = {.print_mode = print_mode,
                                                  .set_presentation = set_presentation,
                                                  .remarks = make_remarks,
                                                  .explain_failure = explain_failure,
                                                  SQL_WORKLOAD_SERVER};
    return (struct workload){.ops = &replay_ops, .report = &report, .self = r, .server = r->sql};
}
