/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json/figures.h"

#include "base/clock.h"
#include "base/util.h"
#include "report/json/json_value.h"
#include "result/verdict.h"

/* clang-format off */
#define ROW(name, type, of, member) {name, type, offsetof(struct of, member)}
#define END {0}
/* clang-format on */

const struct figure figures_of_span[] = {
    ROW("from_s", FIGURE_SECONDS, snapshot, from_ns),
    ROW("to_s", FIGURE_SECONDS, snapshot, to_ns),
    END,
};

const struct figure figures_of_requests[] = {
    ROW("offered", FIGURE_COUNT, requests, offered),
    ROW("completed", FIGURE_COUNT, requests, completed),
    ROW("failed", FIGURE_COUNT, requests, failed),
    ROW("dropped", FIGURE_COUNT, requests, dropped),
    END,
};

const struct figure figures_of_unfinished[] = {
    ROW("queued", FIGURE_COUNT, requests, queued),
    ROW("in_service", FIGURE_COUNT, requests, in_service),
    ROW("oldest_ms", FIGURE_MS, requests, oldest_ns),
    END,
};

const struct figure figures_of_sessions[] = {
    ROW("begun", FIGURE_COUNT, requests, sessions.begun),
    ROW("ended", FIGURE_COUNT, requests, sessions.ended),
    ROW("in_progress", FIGURE_COUNT, requests, sessions.in_progress),
    ROW("in_progress_from_warm_up", FIGURE_COUNT, requests, sessions.earlier),
    ROW("in_progress_mean", FIGURE_REAL, requests, sessions.mean),
    END,
};

const struct figure figures_of_fair_events[] = {
    ROW("mean", FIGURE_REAL, fairness, events_mean),
    ROW("stddev", FIGURE_REAL, fairness, events_stddev),
    END,
};

const struct figure figures_of_fair_seconds[] = {
    ROW("mean", FIGURE_REAL, fairness, seconds_mean),
    ROW("stddev", FIGURE_REAL, fairness, seconds_stddev),
    END,
};

const struct figure figures_of_little[] = {
    ROW("mean", FIGURE_REAL, little, in_system),
    ROW("by_littles_law", FIGURE_REAL, little, by_law),
    ROW("tolerance", FIGURE_REAL, little, error),
    END,
};

const struct figure figures_of_client[] = {
    ROW("client_cpu", FIGURE_SHARE, evidence, client_cpu),
    ROW("steal", FIGURE_SHARE, evidence, steal),
    END,
};

const struct figure figures_of_generator[] = {
    ROW("generator_cpu", FIGURE_SHARE, evidence, generator_cpu),
    ROW("standby_cpu", FIGURE_SHARE, evidence, standby_cpu),
    ROW("spins_beside_server", FIGURE_BOOL, evidence, spins_beside),
    END,
};

const struct figure figures_of_timed_interval[] = {
    ROW("queue", FIGURE_COUNT, interval, queue_length),
    ROW("busy", FIGURE_COUNT, interval, concurrency),
    ROW("queue_mean", FIGURE_REAL, interval, queue),
    ROW("busy_mean", FIGURE_REAL, interval, busy),
    END,
};

static json_t *value_of(const struct figure *f, const void *from)
{
    const void *field = (const char *)from + f->field;
    const double real = f->type == FIGURE_REAL || f->type == FIGURE_SHARE ? *(const double *)field
                                                                          : 0;
    switch (f->type) {
    case FIGURE_BOOL:
        return json_boolean(*(const bool *)field);
    case FIGURE_COUNT:
        return value_count(*(const uint64_t *)field);
    case FIGURE_SHARE:
        return real >= 0 ? value_real(real) : json_null();
    case FIGURE_SECONDS:
        return value_real(ns_to_seconds(*(const int64_t *)field));
    case FIGURE_MS:
        return value_real(ns_to_ms(*(const int64_t *)field));
    default:
        return value_real(real);
    }
}

void figures_write(json_t *object, const struct figure *figures, const void *from)
{
    for (const struct figure *f = figures; f->name != NULL; f++)
        value_set(object, f->name, value_of(f, from));
}

/* A sum of counts must fit into 64 bits, also if the file is damaged: counts are limited to
 * 2^53, up to which a double is exact. No run counts that far. */
uint64_t figure_count(const json_t *value)
{
    return (uint64_t)min_i64(INT64_C(1) << 53, max_i64(0, json_integer_value(value)));
}

void figures_read(void *to, const struct figure *figures, const json_t *object)
{
    for (const struct figure *f = figures; f->name != NULL; f++) {
        void *field = (char *)to + f->field;
        const json_t *value = json_object_get(object, f->name);
        const double number = json_number_value(value);
        if (f->type == FIGURE_BOOL)
            *(bool *)field = json_is_true(value);
        else if (f->type == FIGURE_COUNT)
            *(uint64_t *)field = figure_count(value);
        else if (f->type == FIGURE_REAL)
            *(double *)field = number;
        else if (f->type == FIGURE_SHARE)
            *(double *)field = json_is_number(value) ? number : -1;
        else
            *(int64_t *)field = seconds_to_ns(f->type == FIGURE_MS ? number / 1000 : number);
    }
}

const char *figure_time_name(enum figure_time time)
{
    static const char *const names[FIGURE_TIMES] = {[FIGURE_RESPONSE] = "response",
                                                    [FIGURE_WAIT] = "wait",
                                                    [FIGURE_SERVICE] = "service",
                                                    [FIGURE_FAILED] = "failed",
                                                    [FIGURE_FAILED_SERVICE] = "failed_service",
                                                    [FIGURE_SESSION] = "session",
                                                    [FIGURE_CONNECTION_WAIT] = "connection_wait",
                                                    [FIGURE_GENERATOR_LAG] = "generator_lag",
                                                    [FIGURE_CONNECT] = "connect",
                                                    [FIGURE_STALENESS] = "staleness"};
    return names[time];
}

struct distribution *figure_distribution(struct snapshot *s, enum figure_time time)
{
    static const enum metric metrics[] = {[FIGURE_RESPONSE] = METRIC_RESPONSE,
                                          [FIGURE_WAIT] = METRIC_WAIT,
                                          [FIGURE_SERVICE] = METRIC_SERVICE,
                                          [FIGURE_FAILED] = METRIC_FAILED,
                                          [FIGURE_FAILED_SERVICE] = METRIC_FAILED_SERVICE,
                                          [FIGURE_SESSION] = METRIC_SESSION,
                                          [FIGURE_CONNECTION_WAIT] = METRIC_CONNECTION_WAIT};
    if (time == FIGURE_CONNECT)
        return &s->connects.time;
    if (time == FIGURE_STALENESS)
        return &s->staleness.time;
    return time == FIGURE_GENERATOR_LAG ? &s->lag : &s->metric[metrics[time]];
}
