/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "script/script_rand.h"

#include "script/script_api.h"

static _Thread_local struct rand *rand_of_thread;

void script_bind_rand(struct rand *rand)
{
    rand_of_thread = rand;
}

#define DEFINE_DISTRIBUTION(name)                                                                  \
    double script_rand_##name(double a, double b)                                                  \
    {                                                                                              \
        return rand_##name(rand_of_thread, a, b);                                                  \
    }                                                                                              \
    uint32_t sb_rand_##name(uint32_t a, uint32_t b)                                                \
    {                                                                                              \
        return (uint32_t)rand_##name(rand_of_thread, a, b);                                        \
    }

DEFINE_DISTRIBUTION(default)
DEFINE_DISTRIBUTION(uniform)
DEFINE_DISTRIBUTION(gaussian)
DEFINE_DISTRIBUTION(special)
DEFINE_DISTRIBUTION(pareto)
DEFINE_DISTRIBUTION(zipfian)

uint32_t sb_rand_unique(void)
{
    return rand_unique(rand_of_thread);
}

uint64_t sb_rand_uniform_uint64(void)
{
    return rand_stream_u64(&rand_of_thread->stream);
}

double sb_rand_uniform_double(void)
{
    return rand_stream_double(&rand_of_thread->stream);
}

void sb_rand_str(const char *fmt, char *buf)
{
    rand_string(rand_of_thread, fmt, buf);
}

uint32_t sb_rand_varstr(char *buf, uint32_t min_len, uint32_t max_len)
{
    return (uint32_t)rand_varstring(rand_of_thread, buf, min_len, max_len);
}
