/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/stream.h"

#include <string.h>

#include "base/util.h"

#define PART_BYTES 131072

/* Belongs to the thread of the web server, but from lane_submit() to the end of the task to the
 * lane. */
struct stream {
    struct lane_task task; /* must be the first field, see read_part() */
    struct MHD_Connection *connection;
    struct lane *lane;
    struct archive_stream *report;
    int64_t count, taken; /* bytes of the part, and those that were sent; count is −1 on failure */
    char part[PART_BYTES];
};

/* Runs in a thread of the lane. */
static void read_part(struct lane_task *task, struct archive *archive)
{
    struct stream *s = (struct stream *)task;
    s->taken = 0;
    s->count = archive != NULL ? archive_stream_read(s->report, archive, s->part, PART_BYTES) : -1;
    if (s->count == 0)
        s->count = -1; /* the library asks for no more than the length of the report */
    MHD_resume_connection(s->connection);
}

static ssize_t send_part(void *arg, uint64_t from, char *to, size_t room)
{
    struct stream *s = arg;
    (void)from;
    if (s->count < 0)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    const size_t rest = (size_t)(s->count - s->taken), count = rest < room ? rest : room;
    memcpy(to, s->part + s->taken, count);
    s->taken += (int64_t)count;
    if (count > 0)
        return (ssize_t)count;
    MHD_suspend_connection(s->connection);
    if (lane_submit(s->lane, &s->task))
        return 0;
    s->count = -1;
    MHD_resume_connection(s->connection);
    return 0;
}

static void destroy(void *arg)
{
    struct stream *s = arg;
    archive_stream_close(s->report);
    free(s);
}

struct MHD_Response *stream_response(struct archive_stream *report, int64_t bytes,
                                     struct MHD_Connection *connection, struct lane *lane)
{
    struct stream *s = xcalloc(1, sizeof(*s));
    *s = (struct stream){
        .task.run = read_part, .connection = connection, .lane = lane, .report = report};
    struct MHD_Response *response =
        MHD_create_response_from_callback((uint64_t)bytes, PART_BYTES, send_part, s, destroy);
    if (response == NULL)
        destroy(s);
    return response;
}
