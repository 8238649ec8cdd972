/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operations of a log format. For log_reader.c. */
#ifndef LOG_FORMAT_H
#define LOG_FORMAT_H

#include "workloads/replay/log/log_event.h"
#include "workloads/replay/log/log_lines.h"

struct log_format_ops {
    const char *name, *driver;
    /* Returns true if this line alone looks like the format. */
    bool (*looks_like)(const char *line, const char *prefix);
    /* Creates the state of a reader that leaves out statements of more than `most_bytes` bytes. */
    void *(*create)(const char *prefix, size_t most_bytes);
    void (*destroy)(void *state);
    /* Reads a record. Returns false at the end of the log. The event may be LOG_EVENT_NONE. */
    bool (*next)(void *state, struct log_lines *lines, struct log_event *event);
};

extern const struct log_format_ops mysql_general_log, mysql_slow_log, pgsql_csv_log, pgsql_json_log,
    pgsql_stderr_log;

#endif
