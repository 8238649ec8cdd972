/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts threads other than the main one, and creates their condition variables. */
#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>

/* Starts a thread with all signals blocked, because signals are handled by the main thread.
 * Returns 0 or an error number. */
int thread_start_quiet(pthread_t *thread, void *(*body)(void *), void *arg);

/* Creates a condition variable whose pthread_cond_timedwait() uses CLOCK_MONOTONIC. */
void thread_condition_init(pthread_cond_t *condition);

#endif
