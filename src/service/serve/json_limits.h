/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits the structure of JSON text from clients. The check runs before the text is parsed, because
 * a parser would allocate memory for it. */
#ifndef JSON_LIMITS_H
#define JSON_LIMITS_H

#include <stddef.h>

/* Reports that sysrate writes reach less than half of each limit. */
#define JSON_LIMIT_DEPTH 32       /* levels of brackets */
#define JSON_LIMIT_MEMBERS 2000   /* members of one object */
#define JSON_LIMIT_VALUES 2000000 /* values in the whole text */
#define JSON_LIMIT_STRING 16384   /* bytes of one string */

/* Memory that a parsed report may need. Pages and comparisons parse one report at a time, and one
 * of its intervals at a time; comparisons do not parse checkpoints. */
#define JSON_LIMIT_SETTINGS_BYTES ((size_t)4 << 20) /* without summary and checkpoints */
#define JSON_LIMIT_INTERVAL_BYTES ((size_t)4 << 20) /* one interval */
/* Multiples of the maximum size of a report. A list of buckets needs 14 times its size. */
#define JSON_LIMIT_SUMMARY 5
#define JSON_LIMIT_CHECKPOINTS 16

/* Returns NULL if the text is within the limits, otherwise a sentence that names the limit. Text
 * that passes is not necessarily valid JSON. */
const char *json_limits_check(const char *text, size_t bytes);
/* The same for reports and results of capacity searches, whose memory is limited in addition;
 * `bytes_max` is the maximum size of a report. */
const char *json_limits_check_report(const char *text, size_t bytes, size_t bytes_max);

#endif
