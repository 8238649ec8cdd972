/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A replay as the workload of a run: what it tells and is asked beside its loop. */
#include <inttypes.h>

#include "base/util.h"
#include "replay/replay.h"
#include "sql/sql_session.h"
#include "sql/sql_watch.h"

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

static struct probes *probes(void *self)
{
    const struct replay *r = self;
    return sql_watch(r->sql);
}

static void describe(void *self, workload_setting *add, void *arg)
{
    const struct replay *r = self;
    sql_watch_settings(r->sql, add, arg);
}

static bool shares_machine(void *self)
{
    const struct replay *r = self;
    return sql_shares_machine(r->sql);
}

static bool has_server(void *self)
{
    const struct replay *r = self;
    return sql_has_server(r->sql);
}

static void check(void *self, const uint64_t *counters, const struct effects *effects,
                  struct probes *watched, struct probe_report *report)
{
    const struct replay *r = self;
    sql_watch_check(r->sql, counters, effects, watched, report);
}

static void *session_open(void *self, char *failure, size_t bytes)
{
    const struct replay *r = self;
    return sql_session_open(r->sql, failure, bytes);
}

static int session_execute(void *session, const char *text, char *answer, size_t bytes)
{
    return sql_session_execute(session, text, answer, bytes);
}

static void session_cancel(void *session)
{
    sql_session_cancel(session);
}

static void session_close(void *session)
{
    sql_connection_free(session);
}

static char *explain_no_ops(void *self, const struct effects *effects)
{
    (void)self;
    (void)effects;
    return NULL;
}

static void explain_failure(void *self)
{
    const struct replay *r = self;
    sql_log_connections(r->sql);
}

struct workload replay_workload(struct replay *r)
{
    static const struct workload_schedule schedule = {.next_ns = replay_next_ns};
    static const struct workload_appearance appearance = {.print_mode = print_mode,
                                                          .set_presentation = set_presentation};
    static const struct workload_watch watch = {.probes = probes,
                                                .describe = describe,
                                                .shares_machine = shares_machine,
                                                .has_server = has_server,
                                                .check = check};
    static const struct workload_sessions sessions = {.open = session_open,
                                                      .execute = session_execute,
                                                      .cancel = session_cancel,
                                                      .close = session_close};
    static const struct workload_explanations explanations = {.no_ops = explain_no_ops,
                                                              .failure = explain_failure};
    static const struct workload_remarks remarks = {.make = make_remarks};
    return (struct workload){.self = r,
                             .loop = &replay_loop,
                             .schedule = &schedule,
                             .appearance = &appearance,
                             .watch = &watch,
                             .sessions = &sessions,
                             .explanations = &explanations,
                             .remarks = &remarks};
}
