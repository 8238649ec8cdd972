/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/team/team_tick.h"

#include "ranks/codec.h"
#include "ranks/record_codec.h"
#include "ranks/sample_codec.h"

#define LONGEST_NS NS_PER_SEC
#define THREADS_MAX 1000000

void tick_init(struct tick *tick)
{
    *tick = (struct tick){0};
    for (unsigned phase = 0; phase < PHASES; phase++)
        snapshot_init(&tick->phase[phase]);
}

void tick_fini(struct tick *tick)
{
    for (unsigned phase = 0; phase < PHASES; phase++)
        snapshot_fini(&tick->phase[phase]);
}

void tick_reset(struct tick *tick)
{
    for (unsigned phase = 0; phase < PHASES; phase++)
        snapshot_reset(&tick->phase[phase]);
    tick->fairness = (struct fairness){0};
    tick->waits = (struct wait_span){0};
}

/* INT64_MAX (the last tick) exceeds the bounds of the codec, and is encoded as −1. */
static void code_until(struct codec *c, int64_t *until_ns)
{
    int64_t word = *until_ns == INT64_MAX ? -1 : *until_ns;
    codec_i64(c, &word);
    *until_ns = word < 0 ? INT64_MAX : word;
}

static void code(struct codec *c, struct tick *tick, struct wait_names *names)
{
    code_until(c, &tick->until_ns);
    codec_i64(c, &tick->end_ns);
    codec_i64(c, &tick->late_ns);
    codec_unsigned(c, &tick->gauges.threads_running, THREADS_MAX);
    codec_u64(c, &tick->gauges.queue_length);
    codec_u64(c, &tick->gauges.concurrency);
    codec_u64(c, &tick->gauges.sessions);
    codec_i64(c, &tick->in_service_ns);
    codec_unsigned(c, &tick->threads, THREADS_MAX);
    codec_real(c, &tick->fairness.events_mean);
    codec_real(c, &tick->fairness.events_stddev);
    codec_real(c, &tick->fairness.seconds_mean);
    codec_real(c, &tick->fairness.seconds_stddev);
    for (unsigned phase = 0; phase < PHASES; phase++)
        codec_snapshot(c, &tick->phase[phase]);
    codec_wait_span(c, &tick->waits, names);
}

void tick_encode(struct tick *tick, struct bytes *out)
{
    struct codec c = codec_writer(out);
    code(&c, tick, NULL);
}

int tick_decode(struct tick *tick, const void *bytes, size_t size, struct wait_names *names)
{
    struct codec c = codec_reader(bytes, size);
    code(&c, tick, names);
    return codec_done(&c) ? 0 : -1;
}

static int64_t multiple_after(int64_t at_ns, int64_t step_ns)
{
    return (at_ns / step_ns + 1) * step_ns;
}

int64_t tick_after(const struct settings *whole, int64_t at_ns)
{
    int64_t next_ns = multiple_after(at_ns, LONGEST_NS);
    if (whole->report_interval_ns > 0)
        next_ns = min_i64(next_ns, multiple_after(at_ns, whole->report_interval_ns));
    for (unsigned i = 0; i < whole->checkpoints; i++)
        if (whole->checkpoint_ns[i] > at_ns)
            next_ns = min_i64(next_ns, whole->checkpoint_ns[i]);
    return next_ns;
}

bool tick_ends_interval(const struct settings *whole, int64_t at_ns)
{
    return whole->report_interval_ns > 0 && at_ns % whole->report_interval_ns == 0;
}

bool tick_is_checkpoint(const struct settings *whole, int64_t at_ns)
{
    for (unsigned i = 0; i < whole->checkpoints; i++)
        if (whole->checkpoint_ns[i] == at_ns)
            return true;
    return false;
}
