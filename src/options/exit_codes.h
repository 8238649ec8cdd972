/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the program ends with. Those from 3 on are judgements on what was measured: the program did
 * what it was asked for, and its output is complete.
 */
#ifndef EXIT_CODES_H
#define EXIT_CODES_H

enum exit_code {
    EXIT_WELL = 0,
    EXIT_FAILED = 1,      /* a message says why */
    EXIT_FORCED = 2,      /* workers were still stuck when --forced-shutdown was over */
    EXIT_MISSED = 3,      /* an objective (--slo) was missed; capacity: by the lowest rate */
    EXIT_DOUBTFUL = 4,    /* with --strict: the verdict is not VALID; capacity: not precise */
    EXIT_DIFFERENT = 5,   /* compare: the two differ */
    EXIT_BY_SIGNAL = 128, /* + the number of the signal that ended it early */
};

#endif
