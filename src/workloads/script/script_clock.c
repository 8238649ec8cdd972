/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the clock of script_api.h. */
#include "base/clock.h"
#include "workloads/script/script_api.h"

double script_clock(void)
{
    return (double)clock_now_ns() / NS_PER_SEC;
}

void script_sleep(double seconds)
{
    clock_sleep_until_ns(clock_after_ns(clock_now_ns(), (int64_t)(seconds * NS_PER_SEC)));
}
