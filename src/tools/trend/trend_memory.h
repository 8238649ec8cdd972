/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was found in the earlier runs of a series, kept in the archive. */
#ifndef TREND_MEMORY_H
#define TREND_MEMORY_H

#include "tools/trend/trend.h"

/* Fills `state`, which is all zero, where what is kept was found in these values. */
void trend_recall(struct change_state *state, struct archive *archive, int64_t series,
                  enum trend_figure figure, const double *value, size_t count);
void trend_remember(const struct change_state *state, struct archive *archive, int64_t series,
                    enum trend_figure figure, const double *value);

#endif
