/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/unique.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/types.h>

int unique_write(char text[UNIQUE_BYTES])
{
    uint64_t drawn;

    if (getrandom(&drawn, sizeof(drawn), 0) != (ssize_t)sizeof(drawn))
        return -1;
    snprintf(text, UNIQUE_BYTES, "%016" PRIx64, drawn);
    return 0;
}
