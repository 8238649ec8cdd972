/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit codes of the program. Codes from 3 on are judgements on the measurement: the program did
 * its work and its output is complete. */
#ifndef EXIT_CODES_H
#define EXIT_CODES_H

enum exit_code {
    EXIT_WELL = 0,
    EXIT_FAILED = 1,      /* the message says why */
    EXIT_FORCED = 2,      /* workers were still stuck after --forced-shutdown */
    EXIT_MISSED = 3,      /* an objective (--slo) was missed; capacity: even at the lowest rate */
    EXIT_DOUBTFUL = 4,    /* with --strict: the verdict is not VALID; capacity: the result is not
                           * precise */
    EXIT_DIFFERENT = 5,   /* compare: the two results differ; ab: B is worse */
    EXIT_UNKNOWN = 6,     /* compare, trend: there are too few data for a result */
    EXIT_BETTER = 6,      /* ab: B is better */
    EXIT_UNDECIDED = 7,   /* ab: there are too few data for a result */
    EXIT_BY_SIGNAL = 128, /* plus the number of the signal that ended the run early */
};

#endif
