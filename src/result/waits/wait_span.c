/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/waits/wait_span.h"

#include <stdbool.h>
#include <string.h>

#include "base/util.h"

static double sum_of(const struct wait_sums *sums)
{
    double sum = 0;
    for (unsigned i = 0; i < WAIT_LABELS; i++)
        sum += sums->weight_ns[i];
    return sum;
}

/* Divides `service`, the share of the service in all time. */
static void divide(struct wait_span *span, const struct wait_sums *sums, double service)
{
    const double weight = sum_of(sums);
    if (!(weight > 0)) {
        span->undivided = service;
        return;
    }
    for (unsigned i = 0; i < span->labels; i++)
        span->share[i] = service * sums->weight_ns[i] / weight;
}

void wait_span_between(struct wait_span *span, const struct wait_moment *from,
                       const struct wait_moment *to, const struct wait_times *times)
{
    struct wait_sums sums = {.samples = to->sums.samples - from->sums.samples};
    const double all = times->late + times->queued + times->service;
    *span = (struct wait_span){
        .names = to->names, .labels = to->labels, .samples = sums.samples, .time_ns = all};
    for (unsigned i = 0; i < WAIT_LABELS; i++)
        sums.weight_ns[i] = to->sums.weight_ns[i] - from->sums.weight_ns[i];
    if (!(all > 0))
        return;
    span->late = times->late / all;
    span->queued = times->queued / all;
    divide(span, &sums, times->service / all);
}

void wait_span_since(struct wait_span *span, const struct wait_moment *from,
                     const struct wait_moment *to)
{
    const bool any = to->sums.samples > from->sums.samples;
    wait_span_between(span, from, to, &(struct wait_times){.service = any});
}

void wait_span_of(struct wait_span *span, const struct wait_moment *moment)
{
    wait_span_since(span, &(struct wait_moment){.labels = 0}, moment);
}

static double weighted(double a, double b, double share_of_b)
{
    return a + share_of_b * (b - a);
}

void wait_span_merge(struct wait_span *dst, const struct wait_span *src)
{
    if (src->names == NULL)
        return;
    const double time_ns = dst->time_ns + src->time_ns;
    const double share = time_ns > 0 ? src->time_ns / time_ns : 0;
    dst->names = src->names;
    dst->labels = src->labels > dst->labels ? src->labels : dst->labels;
    dst->samples += src->samples;
    dst->time_ns = time_ns;
    dst->late = weighted(dst->late, src->late, share);
    dst->queued = weighted(dst->queued, src->queued, share);
    dst->undivided = weighted(dst->undivided, src->undivided, share);
    for (unsigned i = 0; i < dst->labels; i++)
        dst->share[i] = weighted(dst->share[i], src->share[i], share);
}

unsigned wait_span_top(const struct wait_span *span, unsigned *label, unsigned most)
{
    unsigned count = 0;
    for (unsigned i = 0; i < span->labels; i++) {
        unsigned at = count;
        while (at > 0 && span->share[i] > span->share[label[at - 1]])
            at--;
        if (at == most || span->share[i] <= 0)
            continue;
        count += count < most;
        memmove(&label[at + 1], &label[at], (count - at - 1) * sizeof(*label));
        label[at] = i;
    }
    return count;
}

enum wait_kind wait_span_kind(const struct wait_span *span, unsigned label)
{
    static const enum wait_kind fixed[WAIT_LABELS_FIXED] = {
        [WAIT_LABEL_CLIENT] = WAIT_KIND_CLIENT,        [WAIT_LABEL_CPU] = WAIT_KIND_CPU,
        [WAIT_LABEL_ABSENT] = WAIT_KIND_CLIENT,        [WAIT_LABEL_SILENT] = WAIT_KIND_SILENT,
        [WAIT_LABEL_NOT_CONNECTED] = WAIT_KIND_SILENT, [WAIT_LABEL_OTHER] = WAIT_KIND_OTHER,
        [WAIT_LABEL_LOCKS] = WAIT_KIND_LOCKS,
    };
    static const char *const files[] = {"IO:", "wait/io/file/"};
    const char *event = span->names->event[label];
    if (label < WAIT_LABELS_FIXED)
        return fixed[label];
    for (unsigned i = 0; i < ARRAY_SIZE(files); i++)
        if (strncmp(event, files[i], strlen(files[i])) == 0)
            return WAIT_KIND_IO;
    return wait_names_group(event) == WAIT_LABEL_LOCKS ? WAIT_KIND_LOCKS : WAIT_KIND_OTHER;
}
