/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/script/script_rand.h"

#include "workloads/script/script_api.h"

static _Thread_local struct rand *rand_of_thread;
/* the thread's own stream, saved while another stream is in use */
static _Thread_local struct rand_stream own_stream;
static _Thread_local bool is_aside;

void script_bind_rand(struct rand *rand)
{
    rand_of_thread = rand;
    is_aside = false;
}

void script_rand_stream(double n)
{
    if (!is_aside)
        own_stream = rand_of_thread->stream;
    is_aside = n >= 0;
    if (is_aside)
        rand_stream_init(&rand_of_thread->stream, rand_of_thread->config->seed, RAND_SHARED,
                         n < UINT32_MAX ? (unsigned)n : UINT32_MAX);
    else
        rand_of_thread->stream = own_stream;
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

/* A script that passes nil gets an empty text, or no text at all. */

void sb_rand_str(const char *fmt, char *buf)
{
    if (buf != NULL)
        rand_string(rand_of_thread, fmt != NULL ? fmt : "", buf);
}

uint32_t sb_rand_varstr(char *buf, uint32_t min_len, uint32_t max_len)
{
    return buf != NULL ? (uint32_t)rand_varstring(rand_of_thread, buf, min_len, max_len) : 0;
}

uint32_t script_rand_alnum(char *buf, uint32_t min_len, uint32_t max_len)
{
    return (uint32_t)rand_alnum(rand_of_thread, buf, min_len, max_len);
}
