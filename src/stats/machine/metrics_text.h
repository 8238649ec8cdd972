/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the text format of Prometheus, version 0.0.4: one sample per line, such as
 * `node_cpu_seconds_total{cpu="0",mode="idle"} 5361.2`. Comments, empty lines and lines that are
 * malformed are skipped. Nothing is copied or changed.
 */
#ifndef METRICS_TEXT_H
#define METRICS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* One sample. The texts are parts of the text that is read, and are not terminated by a zero. */
struct metric {
    const char *name;
    size_t name_bytes;
    const char *labels; /* text between the braces; NULL if there are no braces */
    size_t labels_bytes;
    double value; /* may be NAN or infinite */
};

/* Reads the next sample and moves *text to the line after it. Returns false if there is none before
 * `end`. */
bool metrics_next(const char **text, const char *end, struct metric *metric);

/* Returns true if the sample has this name. */
bool metric_is(const struct metric *metric, const char *name);

/* Returns true if the sample has a label of this name whose value, without escapes, begins with
 * `value`, or is equal to it if `whole` is true. */
bool metric_has(const struct metric *metric, const char *label, const char *value, bool whole);

#endif
