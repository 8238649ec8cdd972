/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of the connections of --idle-connections, for reports. */
#ifndef IDLE_COUNTS_H
#define IDLE_COUNTS_H

#include <stdint.h>

#define IDLE_FAILURE_BYTES 256

struct idle_counts {
    uint64_t wanted;                  /* --idle-connections; 0 if there are none */
    uint64_t open;                    /* open now */
    uint64_t most;                    /* largest number that was open at a time */
    uint64_t opened, refused;         /* attempts that succeeded, and that failed */
    uint64_t closed;                  /* closed by the server, or lost */
    uint64_t touched;                 /* statements of --idle-touch that succeeded */
    char failure[IDLE_FAILURE_BYTES]; /* reason of the last attempt that failed; "" if none did */
};

/* What a storm of --connection-storm did. */
struct idle_storm {
    uint64_t closed, opened, refused;
};

#endif
