/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/null_load.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "options/quantity.h"

double null_load_begin(struct null_load *load, double ns)
{
    const double serving = atomic_fetch_add(&load->serving, 1) + 1;
    return serving > load->capacity ? ns * serving / load->capacity : ns;
}

void null_load_end(struct null_load *load)
{
    atomic_fetch_sub(&load->serving, 1);
}

int64_t null_load_stall(struct null_load *load, const char *text, size_t length)
{
    static const char word[] = "STALL ";
    char time[32];
    double seconds;
    if (strncasecmp(text, word, strlen(word)) != 0 || length - strlen(word) >= sizeof(time))
        return 0;
    snprintf(time, sizeof(time), "%.*s", (int)(length - strlen(word)), text + strlen(word));
    if (!quantity_parse_time(time, &seconds) || seconds < 0)
        return 0;
    const int64_t end_ns = clock_now_ns() + seconds_to_ns(seconds);
    atomic_store(&load->stall_end_ns, end_ns);
    return end_ns;
}
