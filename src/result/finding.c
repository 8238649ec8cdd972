/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/finding.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/util.h"

void finding_add(struct verdict *v, const char *name, const char *advice, const char *fmt, ...)
{
    struct finding *f = &v->finding[v->count++];
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->figure, sizeof(f->figure), fmt, args);
    va_end(args);
    f->name = name;
    f->advice = advice;
}

struct moment moment(int64_t ns)
{
    struct moment m;
    snprintf(m.text, sizeof(m.text), "%.*f", ns < 10 * NS_PER_SEC ? 2 : 1, ns_to_seconds(ns));
    return m;
}

size_t spans_name(char *text, size_t bytes, const struct span *span, unsigned count)
{
    size_t used = 0;
    for (unsigned i = 0; i < count && i < SPANS_NAMED && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%sfrom %s to %s s", i > 0 ? ", " : "",
                                 moment(span[i].from_ns).text, moment(span[i].to_ns).text);
    if (count > SPANS_NAMED && used < bytes)
        used += (size_t)snprintf(text + used, bytes - used, " and %u more time%s",
                                 count - SPANS_NAMED, count > SPANS_NAMED + 1 ? "s" : "");
    return used < bytes ? used : bytes - 1;
}
