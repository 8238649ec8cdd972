/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pushes measured results as the Lua table `stat`, in which times are in seconds. */
#include "workloads/script/script_report.h"

#include "base/log.h"
#include "options/settings_load.h"
#include "workloads/script/script_options.h"
#include "workloads/script/script_state.h"

static void set_number(lua_State *lua, const char *name, double value)
{
    lua_pushnumber(lua, value);
    lua_setfield(lua, -2, name);
}

static void set_counters(lua_State *lua, const struct snapshot *s)
{
    static const enum counter counters[] = {COUNTER_EVENT,      COUNTER_READ,
                                            COUNTER_WRITE,      COUNTER_OTHER,
                                            COUNTER_ERROR,      COUNTER_RECONNECT,
                                            COUNTER_BYTES_READ, COUNTER_BYTES_WRITTEN};
    for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
        set_number(lua, counter_name(counters[i]), (double)s->counter[counters[i]]);
}

static void set_latency(lua_State *lua, const struct distribution *d,
                        const struct settings *settings)
{
    int64_t pct_ns = 0;
    if (settings->percentiles > 0)
        pct_ns = distribution_percentile(d, settings->percentile[0]).ns;
    set_number(lua, "latency_pct", ns_to_seconds(pct_ns));
    set_number(lua, "latency_min", ns_to_seconds(distribution_min(d)));
    set_number(lua, "latency_max", ns_to_seconds(distribution_max(d).ns));
    set_number(lua, "latency_avg", ns_to_seconds(distribution_mean(d).ns));
    set_number(lua, "latency_sum", (double)d->sum_ns / NS_PER_SEC);
}

static void push_snapshot(lua_State *lua, const struct snapshot *s, const struct settings *settings)
{
    lua_createtable(lua, 0, 20);
    set_counters(lua, s);
    set_latency(lua, &s->metric[METRIC_RESPONSE], settings);
}

bool script_push_hook(struct script *script, const char *name)
{
    lua_State *lua = script->lua;
    script_push_sysbench(lua);
    lua_getfield(lua, -1, "hooks");
    lua_remove(lua, -2);
    if (lua_istable(lua, -1))
        lua_getfield(lua, -1, name);
    else
        lua_pushnil(lua);
    lua_remove(lua, -2);
    if (lua_isfunction(lua, -1))
        return true;
    lua_pop(lua, 1);
    return false;
}

bool script_has_hook(struct script *script, const char *name)
{
    const bool found = script_push_hook(script, name);
    if (found)
        lua_pop(script->lua, 1);
    return found;
}

/* Calls hooks.rate. *rate is 0 if there is no such hook, or it returns nil. Returns −1 after
 * logging a message. */
static int ask_rate(struct script *script, double *rate)
{
    *rate = 0;
    if (!script_push_hook(script, "rate"))
        return 0;
    if (script_pcall(script, 0, 1) != 0)
        return script_log_failure(script, "rate");
    const bool good = lua_isnil(script->lua, -1) || lua_tonumber(script->lua, -1) > 0;
    *rate = lua_tonumber(script->lua, -1);
    lua_pop(script->lua, 1);
    if (good)
        return 0;
    log_text(LOG_FATAL, "sysbench.hooks.rate(): a number above 0 was expected, or nil");
    return -1;
}

int script_take_rate(struct script *script, struct settings *settings, struct options *options)
{
    double rate;
    if (ask_rate(script, &rate) != 0)
        return -1;
    if (rate == 0)
        return 0;
    int status = settings_take_rate(settings, options, rate);
    script_export_options(script);
    return status;
}

/* Calls the hook with the table on top of the stack. */
static bool call_hook(struct script *script, const char *name, bool cumulative)
{
    lua_pushboolean(script->lua, cumulative);
    script->measuring = true;
    int rc = script_pcall(script, 2, 0);
    script->measuring = false;
    if (rc != 0) {
        script_log_failure(script, name);
        script->report_failed = true;
    }
    return rc == 0;
}

bool script_report_failed(const struct script *script)
{
    return script->report_failed;
}

bool script_wants_end(const struct script *script)
{
    return script->wants_end;
}

bool script_report_intermediate(struct script *script, const struct interval *interval,
                                const struct settings *settings)
{
    static const char name[] = "report_intermediate";
    lua_State *lua = script->lua;
    if (!script_push_hook(script, name))
        return false;
    const struct snapshot *s = &interval->snapshot;
    push_snapshot(lua, s, settings);
    set_number(lua, "threads_running", interval->threads_running);
    set_number(lua, "time_interval", ns_to_seconds(s->to_ns - s->from_ns));
    set_number(lua, "time_total", ns_to_seconds(s->to_ns));
    set_number(lua, "queue_length", (double)interval->queue_length);
    set_number(lua, "concurrency", (double)interval->concurrency);
    return call_hook(script, name, false);
}

void script_push_summary(struct script *script, const struct summary *summary,
                         const struct settings *settings)
{
    lua_State *lua = script->lua;
    push_snapshot(lua, &summary->snapshot, settings);
    set_number(lua, "threads_running", 0);
    set_number(lua, "time_interval", ns_to_seconds(summary->elapsed_ns));
    set_number(lua, "time_total", ns_to_seconds(summary->elapsed_ns));
    set_number(lua, "queue_length", (double)summary->requests.queued);
    set_number(lua, "concurrency", (double)summary->requests.in_service);
}

bool script_report_cumulative(struct script *script, const struct summary *summary,
                              const struct settings *settings)
{
    static const char name[] = "report_cumulative";
    if (!script_push_hook(script, name))
        return false;
    script_push_summary(script, summary, settings);
    return call_hook(script, name, true);
}
