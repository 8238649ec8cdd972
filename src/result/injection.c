/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/injection.h"

#include <inttypes.h>
#include <stdio.h>

void injection_outcome_write(const struct injection_outcome *outcome,
                             char text[INJECTION_OUTCOME_BYTES])
{
    const bool rows = outcome->kind == INJECTION_OUTCOME_ROWS;
    const bool changed = rows && (outcome->rows_changed > 0 || !outcome->gave_rows);
    int used = 0;

    text[0] = '\0';
    if (changed)
        used = snprintf(text, INJECTION_OUTCOME_BYTES, "%" PRIu64 " rows changed",
                        outcome->rows_changed);
    if (rows && outcome->gave_rows)
        snprintf(text + used, INJECTION_OUTCOME_BYTES - (size_t)used, "%s%" PRIu64 " rows read",
                 changed ? ", " : "", outcome->rows_read);
}

bool injection_is_counted(const struct injection *injection)
{
    const struct injection_outcome *outcome = &injection->outcome;

    if (injection->state == INJECTION_NOT_STARTED)
        return false;
    return outcome->kind == INJECTION_OUTCOME_UNKNOWN ||
           (outcome->kind == INJECTION_OUTCOME_ROWS && outcome->rows_changed > 0);
}
