/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saves the steps of the earlier runs of a series in the archive. */
#ifndef TREND_MEMORY_H
#define TREND_MEMORY_H

#include "tools/trend/trend.h"

/* Fills in `state`, which must be all zero, if a saved result for these values exists. */
void trend_recall(struct change_state *state, struct archive *archive, int64_t series,
                  enum trend_figure figure, const double *value, size_t count);
void trend_remember(const struct change_state *state, struct archive *archive, int64_t series,
                    enum trend_figure figure, const double *value);

#endif
