/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/follower.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "ranks/launch/launcher.h"

/* Open MPI 4 sends SIGTERM one second after it has seen the first process end. */
#define ENDED_NS (4 * NS_PER_SEC)

/* Time the launcher needs to start one process. */
#define STARTED_NS (16 * NS_PER_MS)
#define STARTED_MAX_NS (2 * NS_PER_SEC)

void follower_begin(struct follower *follower)
{
    const struct launcher launcher = launcher_look(getenv);
    *follower = (struct follower){.early = true, .messages = {-1}};
    if (launcher.variable == NULL || launcher.strangers)
        return;
    follower->ranks = launcher.ranks;
    follower->follows = launcher.rank > 0;
    if (follower->follows)
        held_begin(&follower->messages, STDERR_FILENO);
}

void follower_speak(struct follower *follower)
{
    log_flush();
    held_end(&follower->messages, STDERR_FILENO, -1);
}

void follower_go_on(struct follower *follower)
{
    follower->early = false;
    follower_speak(follower);
}

static int64_t patience_ns(const struct follower *follower)
{
    if (follower->follows)
        return ENDED_NS;
    return min_i64(STARTED_MAX_NS, follower->ranks * STARTED_NS);
}

void follower_fail(struct follower *follower)
{
    if (follower->early)
        clock_sleep_until_ns(clock_now_ns() + patience_ns(follower));
    follower_go_on(follower);
}
