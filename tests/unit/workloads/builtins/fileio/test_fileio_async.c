/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asynchronous requests with a simulated ring and engine. The ring moves as many bytes per transfer
 * as configured, fails if configured, and completes the latest transfer first. */
#include "../../../suite.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

#include "../../../capture.h"
#include "engine/worker.h"
#include "engine/worker_api.h"
#include "workloads/builtins/fileio/fileio.h"
#include "workloads/builtins/fileio/fileio_order.h"
#include "workloads/builtins/fileio/fileio_ring.h"

#define BLOCK 65536
#define MERGED 4
#define BACKLOG_MAX 8

/* The simulated ring. */

static struct {
    struct fileio_transfer *flying[BACKLOG_MAX];
    unsigned count;
    int64_t most; /* maximum number of bytes per transfer */
    int64_t end;  /* length of all files; nothing can be read beyond it */
    int error;    /* error of writes */
    bool broken;  /* waiting for a transfer fails */
    unsigned submitted[3], destroyed;
    int64_t moved; /* bytes */
} ring;

static void *create(unsigned depth)
{
    ck_assert_uint_le(depth, BACKLOG_MAX);
    return &ring;
}

/* Until the ring is destroyed, the kernel may write to the read buffers. */
static void destroy(void *self)
{
    ck_assert_ptr_eq(self, &ring);
    for (unsigned i = 0; i < ring.count; i++)
        memset(ring.flying[i]->data, 1, (size_t)ring.flying[i]->bytes);
    ring.destroyed++;
}

static int submit(void *self, struct fileio_transfer *transfer)
{
    (void)self;
    ck_assert_uint_lt(ring.count, BACKLOG_MAX);
    ring.flying[ring.count++] = transfer;
    ring.submitted[transfer->kind]++;
    return 0;
}

static int64_t move(const struct fileio_transfer *t)
{
    if (t->kind == FILEIO_FSYNC)
        return 0;
    if (t->kind == FILEIO_WRITE && ring.error != 0)
        return -ring.error;
    int64_t left = t->kind == FILEIO_READ ? max_i64(0, ring.end - t->offset) : INT64_MAX;
    int64_t bytes = min_i64(min_i64(t->bytes, ring.most), left);
    if (t->kind == FILEIO_READ)
        memset(t->data, 1, (size_t)bytes);
    ring.moved += bytes;
    return bytes;
}

static struct fileio_transfer *reap(void *self, bool wait)
{
    (void)self;
    errno = EIO;
    if (ring.count == 0 || ring.broken) {
        ck_assert(!wait || ring.broken);
        return NULL;
    }
    struct fileio_transfer *transfer = ring.flying[--ring.count];
    transfer->result = move(transfer);
    return transfer;
}

static const struct fileio_ring_ops ring_ops = {
    .name = "test", .create = create, .destroy = destroy, .submit = submit, .reap = reap};

/* The engine: hands out `events_left` events as soon as they are requested. */

static unsigned events_left, finished, failed;
static int in_service, detached;

bool worker_next(void)
{
    if (events_left == 0)
        return false;
    events_left--;
    in_service++;
    return true;
}

bool worker_would_wait(void)
{
    return false;
}

void worker_detach(struct worker_request *request)
{
    *request = (struct worker_request){1, 2, NULL};
    in_service--;
    detached++;
}

void worker_resume(const struct worker_request *request)
{
    ck_assert_int_eq(request->arrival_ns, 1);
    detached--;
    in_service++;
}

void worker_finish(bool done)
{
    ck_assert_int_eq(in_service, 1);
    in_service--;
    *(done ? &finished : &failed) += 1;
}

/* The test uses four files with one request each. */

static int fds[4] = {3, 4, 5, 6};
static struct fileio fileio;
static struct fileio_thread state;
static struct builtin_thread thread = {.test = &fileio, .state = &state};
static struct workload_worker worker;
static struct stats *stats;
static char *printed;

static void before(void)
{
    /* Each buffer is a separate mapping, so that any access after free() crashes. musl has no such
     * setting. */
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, BLOCK);
#endif
    fileio = (struct fileio){.num = 4,
                             .block_bytes = BLOCK,
                             .file_bytes = MERGED * BLOCK,
                             .merged = MERGED,
                             .backlog = 2,
                             .mode = FILEIO_SEQRD,
                             .fd = fds,
                             .ring = &ring_ops};
    fileio_size_groups(&fileio);
    ring.most = ring.end = INT64_MAX;
    stats = stats_create(1, false);
    stats_enter(stats_thread(stats, 0), PHASE_MEASURED);
    worker.stats = stats_thread(stats, 0);
    thread.worker = &worker;
    state.write_buffer = fileio_buffer(fileio.group_bytes);
}

static void after(void)
{
    stats_destroy(stats);
    free(state.write_buffer);
    free(printed);
}

static int run(unsigned events)
{
    struct capture capture;
    events_left = events;
    capture_start(&capture, 0);
    int rc = fileio_async_loop(&thread);
    printed = capture_end(&capture);
    ck_assert_uint_eq(ring.destroyed, 1);
    return rc;
}

static uint64_t counted(enum counter counter)
{
    struct snapshot s;
    snapshot_init(&s);
    stats_drain(stats, PHASE_MEASURED, &s);
    uint64_t count = s.counter[counter];
    snapshot_fini(&s);
    return count;
}

START_TEST(every_request_is_finished_once)
{
    fileio.backlog = 8;
    ck_assert_int_eq(run(100), 0);
    ck_assert_uint_eq(finished, 100);
    ck_assert_uint_eq(failed, 0);
    ck_assert_int_eq(detached, 0);
    ck_assert_uint_eq(ring.submitted[FILEIO_READ], 100);
    ck_assert_uint_eq(counted(COUNTER_READ), 100);
}
END_TEST

START_TEST(short_transfers_are_continued)
{
    ring.most = BLOCK + 4096;
    ck_assert_int_eq(run(6), 0);
    ck_assert_str_eq(printed, "");
    ck_assert_uint_eq(finished, 6);
    ck_assert_uint_eq(ring.submitted[FILEIO_READ], 6 * 4);
    ck_assert_int_eq(ring.moved, 6 * MERGED * BLOCK);
    ck_assert_uint_eq(counted(COUNTER_BYTES_READ), 6 * MERGED * BLOCK);
}
END_TEST

START_TEST(a_write_is_synced_when_all_of_it_is_written)
{
    fileio.mode = FILEIO_SEQREWR;
    fileio.fsync_all = true;
    ring.most = 3 * BLOCK;
    ck_assert_int_eq(run(5), 0);
    ck_assert_uint_eq(ring.submitted[FILEIO_WRITE], 5 * 2);
    ck_assert_uint_eq(ring.submitted[FILEIO_FSYNC], 5);
    ck_assert_int_eq(ring.moved, 5 * MERGED * BLOCK);
    ck_assert_uint_eq(finished, 5);
}
END_TEST

START_TEST(the_end_of_a_file_is_reported)
{
    ring.end = 3 * BLOCK;
    ck_assert_int_eq(run(1), -1);
    ck_assert_uint_eq(failed, 1);
    ck_assert_str_eq(printed, "FATAL: file 'test_file.0' ends at offset 196608, where 65536 bytes "
                              "were expected: it was truncated during the run\n");
}
END_TEST

START_TEST(a_full_disk_is_reported)
{
    fileio.mode = FILEIO_SEQREWR;
    ring.error = ENOSPC;
    ck_assert_int_eq(run(1), -1);
    ck_assert_uint_eq(failed, 1);
    ck_assert_str_eq(printed, "FATAL: cannot write 262144 bytes at offset 0 of file 'test_file.0': "
                              "No space left on device\n");
}
END_TEST

/* With --validate, a worker waits for its own earlier request at the same position. */
START_TEST(a_position_in_use_is_waited_for)
{
    atomic_uchar busy[4] = {0};
    fileio.mode = FILEIO_SEQREWR;
    fileio.busy = busy;
    fileio.backlog = 8;
    ck_assert_int_eq(run(20), 0);
    ck_assert_uint_eq(finished, 20);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(busy[i], 0);
}
END_TEST

START_TEST(buffers_outlive_the_ring_when_a_wait_fails)
{
    ring.broken = true;
    ck_assert_int_eq(run(2), -1);
    ck_assert_uint_eq(ring.count, 2);
    char expected[128];
    snprintf(expected, sizeof(expected), "FATAL: test: cannot wait for requests: %s\n",
             strerror(EIO));
    ck_assert_str_eq(printed, expected);
}
END_TEST

RUN_SUITE_WITH("fileio_async", 30, before, after, every_request_is_finished_once,
               short_transfers_are_continued, a_write_is_synced_when_all_of_it_is_written,
               the_end_of_a_file_is_reported, a_full_disk_is_reported,
               a_position_in_use_is_waited_for, buffers_outlive_the_ring_when_a_wait_fails)
