/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pacer.h"

#include "base/clock.h"
#include "base/util.h"

#define MARGIN_MIN_NS (20 * NS_PER_US)
#define MARGIN_MAX_NS (500 * NS_PER_US)
#define MARGIN_START_NS (100 * NS_PER_US)

/* A sleep must save at least this much to be worth its risk: an idle processor of a virtual machine
 * may wake up one to three milliseconds late. */
#define SAVING_MIN_NS (5 * NS_PER_MS)

/* Timer slack for sleeping. With 1 ns the machine takes an interrupt for each timer, with more
 * slack one for several timers that are close together. A generator that does not spin puts
 * requests ahead of time (generator.h), so the slack does no harm. */
#define SLACK_NS (50 * NS_PER_US)

static void set_spinning(struct pacer *p, bool spinning)
{
    p->spinning = spinning;
    clock_set_slack_ns(spinning ? 1 : SLACK_NS);
}

static bool may_spin(const struct pacer *p)
{
    return p->wait == ARRIVAL_WAIT_SPIN || (p->watch != NULL && cpu_watch_has_room(p->watch));
}

void pacer_init(struct pacer *p, enum arrival_wait wait, const struct cpu_watch *watch, sem_t *stop)
{
    *p = (struct pacer){.wait = wait, .watch = watch, .stop = stop, .margin_ns = MARGIN_START_NS};
    set_spinning(p, may_spin(p));
}

bool pacer_stopped(struct pacer *p)
{
    return sem_trywait(p->stop) == 0;
}

static void learn_margin(struct pacer *p, int64_t late_ns)
{
    p->margin_ns += late_ns > p->margin_ns ? p->margin_ns / 8 : -p->margin_ns / 1024;
    p->margin_ns = max_i64(MARGIN_MIN_NS, min_i64(MARGIN_MAX_NS, p->margin_ns));
}

int64_t pacer_approach(struct pacer *p, int64_t now_ns, int64_t due_ns)
{
    if (p->spinning != may_spin(p))
        set_spinning(p, !p->spinning);
    int64_t wake_ns = p->spinning ? due_ns - p->margin_ns - PACER_LEAD_NS : due_ns;
    int64_t least_ns = p->spinning ? SAVING_MIN_NS : 1;
    if (wake_ns - now_ns < least_ns)
        return pacer_stopped(p) ? -1 : now_ns;
    if (clock_sem_wait(p->stop, wake_ns))
        return -1;
    now_ns = clock_now_ns();
    if (p->spinning)
        learn_margin(p, now_ns - wake_ns);
    return now_ns;
}
