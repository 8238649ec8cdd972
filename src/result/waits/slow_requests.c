/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/waits/slow_requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* Names. */

/* Returns the number of a name, which is added if it is new. */
static unsigned number_of(struct slow_names *names, const char *name)
{
    for (unsigned i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return i;
    names->name = xrealloc(names->name, (names->count + 1) * sizeof(*names->name));
    names->name[names->count] = xstrdup(name);
    return names->count++;
}

static void free_names(struct slow_names *names)
{
    for (unsigned i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
}

static void name_step(struct slow_requests *slow, struct exemplar_step *step, const char *class,
                      const char *host)
{
    step->class = class != NULL ? (uint16_t)number_of(&slow->classes, class) : EXEMPLAR_NO_CLASS;
    step->target = host != NULL ? (uint16_t)number_of(&slow->hosts, host) : EXEMPLAR_NO_TARGET;
}

/* Replaces the numbers of the statistics by those of the names in `slow`. */
static void name_request(struct slow_requests *slow, struct exemplar *e,
                         const struct stats_thread *names)
{
    if (e->type >= 0)
        e->type = (int)number_of(&slow->types, targets_name(names->types, (unsigned)e->type));
    for (unsigned i = 0; i < e->steps; i++) {
        struct exemplar_step *step = &e->step[i];
        const char *class = step->class != EXEMPLAR_NO_CLASS
                                ? operations_class_name(names->operations.shared, step->class)
                                : NULL;
        const char *host =
            step->target != EXEMPLAR_NO_TARGET ? targets_name(names->targets, step->target) : NULL;
        name_step(slow, step, class, host);
    }
}

struct slow_requests *slow_requests_of(struct exemplars *exemplars,
                                       const struct stats_thread *names,
                                       const struct settings *settings, int64_t run_start_ns)
{
    struct slow_requests *slow = xcalloc(1, sizeof(*slow));
    *slow = (struct slow_requests){.asked = (unsigned)settings->slowest,
                                   .run_start_ns = run_start_ns,
                                   .kept = exemplars_list(exemplars)};
    for (unsigned i = 0; i < slow->kept.slowest + slow->kept.others; i++) {
        struct exemplar *e = &slow->kept.list[i];
        e->worker = settings_worker(settings, e->worker);
        name_request(slow, e, names);
    }
    return slow;
}

void slow_requests_free(struct slow_requests *slow)
{
    if (slow == NULL)
        return;
    free_names(&slow->types);
    free_names(&slow->classes);
    free_names(&slow->hosts);
    free(slow->kept.list);
    free(slow);
}

const char *slow_request_type(const struct slow_requests *slow, const struct exemplar *e)
{
    return e->type >= 0 ? slow->types.name[e->type] : NULL;
}

const char *slow_request_class(const struct slow_requests *slow, const struct exemplar_step *step)
{
    return step->class != EXEMPLAR_NO_CLASS ? slow->classes.name[step->class] : NULL;
}

const char *slow_request_host(const struct slow_requests *slow, const struct exemplar_step *step)
{
    return step->target != EXEMPLAR_NO_TARGET ? slow->hosts.name[step->target] : NULL;
}

/* Merging. */

static void map_waits(struct exemplar *e, const struct wait_map *map)
{
    for (unsigned i = 0; i < e->waits; i++)
        e->wait[i].number = map->label[e->wait[i].number];
    for (unsigned i = 0; i < e->details; i++)
        e->detail[i].number = map->detail[e->detail[i].number];
}

/* Returns a request of a rank as one of `whole`: with its names, and its times since the start. */
static struct exemplar adopt(struct slow_requests *whole, const struct slow_requests *rank,
                             const struct exemplar *from, const struct wait_map *map)
{
    struct exemplar e = *from;
    const int64_t ahead_ns = whole->run_start_ns - rank->run_start_ns;
    const char *type = slow_request_type(rank, from);
    e.arrival_ns += ahead_ns;
    e.start_ns += ahead_ns;
    e.end_ns += ahead_ns;
    if (type != NULL)
        e.type = (int)number_of(&whole->types, type);
    for (unsigned i = 0; i < e.steps; i++) {
        e.step[i].start_ns += ahead_ns;
        name_step(whole, &e.step[i], slow_request_class(rank, &from->step[i]),
                  slow_request_host(rank, &from->step[i]));
    }
    if (map != NULL)
        map_waits(&e, map);
    return e;
}

static int by_response(const void *a, const void *b)
{
    const struct exemplar *x = a, *y = b;
    const int64_t x_ns = x->end_ns - x->arrival_ns, y_ns = y->end_ns - y->arrival_ns;
    return x_ns > y_ns ? -1 : x_ns < y_ns;
}

static int by_end(const void *a, const void *b)
{
    const struct exemplar *x = a, *y = b;
    return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

void slow_requests_merge(struct slow_requests *whole, const struct slow_requests *rank,
                         const struct wait_map *map)
{
    struct exemplar_list *to = &whole->kept;
    const struct exemplar_list *from = &rank->kept;
    const unsigned slowest = to->slowest + from->slowest, others = to->others + from->others;
    struct exemplar *list = xcalloc(slowest + others + 1, sizeof(*list));
    for (unsigned i = 0; i < to->slowest; i++)
        list[i] = to->list[i];
    for (unsigned i = 0; i < from->slowest; i++)
        list[to->slowest + i] = adopt(whole, rank, &from->list[i], map);
    qsort(list, slowest, sizeof(*list), by_response);
    whole->asked = rank->asked;
    const unsigned kept = min_u32(slowest, whole->asked);
    for (unsigned i = 0; i < to->others; i++)
        list[slowest + i] = to->list[to->slowest + i];
    for (unsigned i = 0; i < from->others; i++)
        list[slowest + to->others + i] = adopt(whole, rank, &from->list[from->slowest + i], map);
    qsort(list + kept, slowest + others - kept, sizeof(*list), by_end);
    free(to->list);
    *to = (struct exemplar_list){max_i64(to->span_ns, from->span_ns), kept, slowest + others - kept,
                                 list};
}
