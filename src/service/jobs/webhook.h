/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends texts to a webhook, each with an HTTP POST without TLS. Each webhook has a queue and a
 * thread, which sends the texts one after the other. A webhook that does not answer does not delay
 * other webhooks.
 */
#ifndef JOBS_WEBHOOK_H
#define JOBS_WEBHOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"

/* Time limit for sending a text, not counting the time to resolve the host name. */
#define WEBHOOK_NS (6 * NS_PER_SEC)

struct webhook;

/* True if the address has the form "http://HOST[:PORT]/PATH", without user and password. */
bool webhook_check(const char *url);

/* Starts the thread. Copies the address. Returns NULL after a logged message. */
struct webhook *webhook_start(const char *url);
/* Adds a text, JSON, to the queue, which then owns it. */
void webhook_put(struct webhook *webhook, char *text);
/* Announces the end: no text is added after this call, and none is sent later than `end_ns`
 * (CLOCK_MONOTONIC). Does not wait. */
void webhook_end(struct webhook *webhook, int64_t end_ns);
/* Waits for the thread until `end_ns` of webhook_end(), which must have been called, and one second
 * longer. A thread that has not ended by then, because a name resolver does not answer, is detached
 * and keeps its memory. */
void webhook_destroy(struct webhook *webhook);

#endif
