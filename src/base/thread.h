/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads beside the main one, and what they wait for. */
#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>

/* Starts a thread that gets no signals: those are for the main thread. 0 or an error number. */
int thread_start_quiet(pthread_t *thread, void *(*body)(void *), void *arg);

/* A condition whose pthread_cond_timedwait() takes times of CLOCK_MONOTONIC. */
void thread_condition_init(pthread_cond_t *condition);

#endif
