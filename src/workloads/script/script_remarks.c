/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls hooks.remarks(stat), which returns a table with any of these fields:
 *    figures = {{"name", number}, ...}
 *    audits = {{"text", "tally", low, high [, share]}, ...}   share: of 0 and 1, shown in percent
 *    deviations = {"text", ...}
 * Entries of another form, and entries above the limits, are ignored.
 */
#include "workloads/script/script_report.h"

#include "workloads/script/script_state.h"

#define P90 (90 * 1000000LL) /* distribution_percentile() */

/* Copies element i of the table on top of the stack as a string, or "" if it is not a string. */
static void copy_element(lua_State *lua, int i, char *to, size_t bytes)
{
    lua_rawgeti(lua, -1, i);
    const char *text = lua_tostring(lua, -1);
    snprintf(to, bytes, "%s", text != NULL ? text : "");
    lua_pop(lua, 1);
}

static double number_element(lua_State *lua, int i)
{
    lua_rawgeti(lua, -1, i);
    double number = lua_tonumber(lua, -1);
    lua_pop(lua, 1);
    return number;
}

static void take_figure(lua_State *lua, struct remarks *r)
{
    struct remark_figure *f = &r->figure[r->figures++];
    copy_element(lua, 1, f->name, sizeof(f->name));
    f->value = number_element(lua, 2);
}

static void take_audit(lua_State *lua, struct remarks *r)
{
    struct remark_audit *a = &r->audit[r->audits++];
    copy_element(lua, 1, a->text, sizeof(a->text));
    copy_element(lua, 2, a->tally, sizeof(a->tally));
    a->low = number_element(lua, 3);
    a->high = number_element(lua, 4);
    lua_rawgeti(lua, -1, 5);
    a->share = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
}

/* Calls take() for each table in the list `name`, a field of the table on top of the stack. */
static void take_list(lua_State *lua, const char *name, struct remarks *r, unsigned *count,
                      unsigned most, void (*take)(lua_State *lua, struct remarks *r))
{
    lua_getfield(lua, -1, name);
    for (int i = 1; lua_istable(lua, -1) && *count < most; i++) {
        lua_rawgeti(lua, -1, i);
        const bool more = lua_istable(lua, -1);
        if (more)
            take(lua, r);
        lua_pop(lua, 1);
        if (!more)
            break;
    }
    lua_pop(lua, 1);
}

static void take_deviations(lua_State *lua, struct remarks *r)
{
    lua_getfield(lua, -1, "deviations");
    const size_t length = lua_istable(lua, -1) ? lua_objlen(lua, -1) : 0;
    for (size_t i = 1; i <= length && r->deviations < REMARKS_DEVIATIONS; i++, r->deviations++)
        copy_element(lua, (int)i, r->deviation[r->deviations], sizeof(r->deviation[0]));
    lua_pop(lua, 1);
}

static void push_types(lua_State *lua, const struct target_totals *t)
{
    lua_newtable(lua);
    for (unsigned i = 0; i < t->count; i++) {
        lua_pushnumber(lua, (double)t->target[i].counter[COUNTER_EVENT]);
        lua_setfield(lua, -2, t->target[i].name);
    }
}

/* Sets the 90th percentile in seconds for each request type. Requests that did not end count with
 * the time they had taken. */
static void set_p90(lua_State *lua, const char *prefix, const struct target_totals *t)
{
    for (unsigned i = 0; i < t->count; i++) {
        const struct distribution *d = &t->target[i].metric[METRIC_RESPONSE];
        if (d->count + d->censored == 0)
            continue;
        lua_pushfstring(lua, "%s%s", prefix, t->target[i].name);
        lua_pushnumber(lua, ns_to_seconds(distribution_percentile(d, P90).ns));
        lua_settable(lua, -3);
    }
}

static void push_p90(lua_State *lua, const struct snapshot *s)
{
    lua_newtable(lua);
    set_p90(lua, "", s->types);
    set_p90(lua, "deferred.", s->deferred);
}

/* Pushes a table with the mean of each tally. */
static void push_tallies(lua_State *lua, const struct tally_totals *t)
{
    lua_newtable(lua);
    for (unsigned i = 0; i < t->count; i++) {
        if (t->tally[i].count == 0)
            continue;
        lua_pushnumber(lua, (double)t->tally[i].sum / (double)t->tally[i].count);
        lua_setfield(lua, -2, t->tally[i].name);
    }
}

bool script_remarks(struct script *script, const struct summary *summary,
                    const struct settings *settings, struct remarks *remarks)
{
    lua_State *lua = script->lua;
    *remarks = (struct remarks){0};
    if (!script_push_hook(script, "remarks"))
        return false;
    script_push_summary(script, summary, settings);
    push_types(lua, summary->snapshot.types);
    lua_setfield(lua, -2, "types");
    push_p90(lua, &summary->snapshot);
    lua_setfield(lua, -2, "p90");
    push_tallies(lua, summary->snapshot.tallies);
    lua_setfield(lua, -2, "tallies");
    if (script_pcall(script, 1, 1) != 0) {
        script_log_failure(script, "remarks");
        script->report_failed = true;
        return false;
    }
    if (lua_istable(lua, -1)) {
        take_list(lua, "figures", remarks, &remarks->figures, REMARKS_FIGURES, take_figure);
        take_list(lua, "audits", remarks, &remarks->audits, REMARKS_AUDITS, take_audit);
        take_deviations(lua, remarks);
    }
    lua_pop(lua, 1);
    return true;
}
