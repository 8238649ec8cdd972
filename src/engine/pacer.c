/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pacer.h"

#include <errno.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/util.h"

#define MARGIN_MIN_NS (20 * NS_PER_US)
#define MARGIN_MAX_NS (500 * NS_PER_US)
#define MARGIN_START_NS (100 * NS_PER_US)

/* What a sleep must save to be worth its risk: a virtual machine's processor that is idle may come
 * back one to three milliseconds late. */
#define SAVING_MIN_NS (5 * NS_PER_MS)

/*
 * How late a sleep may end. With 1 ns the machine takes an interrupt for each arrival, with more
 * one for those that are close together (docs/performance.md). Whoever asks for sleep asks for what
 * is cheap: the kernel's default, as with any other program.
 */
#define AUTO_SLACK_NS (10 * NS_PER_US)
#define SLEEP_SLACK_NS (50 * NS_PER_US)

/* How often auto looks at the processors: /proc/stat counts in 10 ms. */
#define LOOK_NS (200 * NS_PER_MS)
/* A look takes some 30 µs, so it waits for a gap of that length, up to that long. */
#define LOOK_GAP_NS (300 * NS_PER_US)
#define LOOK_LATEST_NS NS_PER_SEC

/* The share of all processors that must stay idle beside the one that spins. */
#define IDLE_RESERVE 0.1

static void set_spinning(struct pacer *p, bool spinning)
{
    p->spinning = spinning;
    int64_t sleep_ns = p->wait == ARRIVAL_WAIT_SLEEP ? SLEEP_SLACK_NS : AUTO_SLACK_NS;
    clock_set_slack_ns(spinning ? 1 : sleep_ns);
}

void pacer_init(struct pacer *p, enum arrival_wait wait, sem_t *stop)
{
    struct cpu_times times;
    bool known = cpu_times_read(&times);
    *p = (struct pacer){.wait = wait,
                        .stop = stop,
                        .cpus = cpu_count(),
                        .margin_ns = MARGIN_START_NS,
                        .looked_ns = clock_now_ns(),
                        .idle_ns = times.idle_ns,
                        .own_ns = clock_thread_cpu_ns()};
    set_spinning(p,
                 wait == ARRIVAL_WAIT_SPIN || (wait == ARRIVAL_WAIT_AUTO && known && p->cpus > 1));
}

/*
 * What would be idle if generator and standby did not run, less the processor that the generator
 * would use up by spinning. The standby gives way to everybody, so it needs no processor of its
 * own.
 */
static void look_at_cpus(struct pacer *p, int64_t now_ns, int64_t standby_ns)
{
    struct cpu_times times;
    if (!cpu_times_read(&times))
        return;
    int64_t own_ns = clock_thread_cpu_ns() + standby_ns;
    double span = (double)(now_ns - p->looked_ns);
    double spare = ((double)(times.idle_ns - p->idle_ns) + (double)(own_ns - p->own_ns)) / span;
    set_spinning(p, p->cpus > 1 && spare - 1 >= IDLE_RESERVE * p->cpus);
    p->looked_ns = now_ns;
    p->idle_ns = times.idle_ns;
    p->own_ns = own_ns;
}

static void look_when_due(struct pacer *p, int64_t now_ns, int64_t due_ns, int64_t standby_ns)
{
    int64_t since_ns = now_ns - p->looked_ns;
    bool due =
        since_ns >= LOOK_LATEST_NS || (since_ns >= LOOK_NS && due_ns - now_ns >= LOOK_GAP_NS);
    if (p->wait == ARRIVAL_WAIT_AUTO && p->cpus > 1 && due)
        look_at_cpus(p, now_ns, standby_ns);
}

bool pacer_stopped(struct pacer *p)
{
    return sem_trywait(p->stop) == 0;
}

/* False when told to stop. */
static bool sleep_until(struct pacer *p, int64_t deadline_ns)
{
    const struct timespec deadline = clock_timespec(deadline_ns);
    int rc;
    while ((rc = sem_clockwait(p->stop, CLOCK_MONOTONIC, &deadline)) != 0 && errno == EINTR)
        ;
    return rc != 0;
}

static void learn_margin(struct pacer *p, int64_t late_ns)
{
    p->margin_ns += late_ns > p->margin_ns ? p->margin_ns / 8 : -p->margin_ns / 1024;
    p->margin_ns = max_i64(MARGIN_MIN_NS, min_i64(MARGIN_MAX_NS, p->margin_ns));
}

int64_t pacer_approach(struct pacer *p, int64_t now_ns, int64_t due_ns, int64_t standby_ns)
{
    look_when_due(p, now_ns, due_ns, standby_ns);
    int64_t wake_ns = p->spinning ? due_ns - p->margin_ns - PACER_LEAD_NS : due_ns;
    int64_t least_ns = p->spinning ? SAVING_MIN_NS : 1;
    if (wake_ns - now_ns < least_ns)
        return pacer_stopped(p) ? -1 : now_ns;
    if (!sleep_until(p, wake_ns))
        return -1;
    now_ns = clock_now_ns();
    if (p->spinning)
        learn_margin(p, now_ns - wake_ns);
    return now_ns;
}
