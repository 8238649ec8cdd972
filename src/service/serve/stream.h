/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers with a report that are read from the archive in parts while they are sent, so that a
 * client that reads slowly holds only a part of the report in memory. */
#ifndef STREAM_H
#define STREAM_H

#include <microhttpd.h>

#include "service/serve/lanes.h"

/* Memory that the answer to a request holds. */
#define STREAM_HOLDS_BYTES (256 * 1024)

/* Returns an answer with the report, of `bytes` bytes, and takes ownership of `report`. Its parts
 * are read by `lane`. Only `connection` may send it. */
struct MHD_Response *stream_response(struct archive_stream *report, int64_t bytes,
                                     struct MHD_Connection *connection, struct lane *lane);

#endif
