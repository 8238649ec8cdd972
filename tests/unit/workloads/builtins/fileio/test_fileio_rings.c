/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings that are compiled in and supported by the kernel. */
#include "../../../suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workloads/builtins/fileio/fileio_ring.h"

static void each_ring(void (*test)(const struct fileio_ring_ops *ops, void *ring))
{
    for (const struct fileio_ring_ops *const *ops = fileio_rings; *ops != NULL; ops++) {
        void *ring = (*ops)->create(4);
        if (ring == NULL) {
            fprintf(stderr, "%s: not granted here\n", (*ops)->name);
            continue;
        }
        test(*ops, ring);
        (*ops)->destroy(ring);
    }
}

static int64_t transfer(const struct fileio_ring_ops *ops, void *ring, struct fileio_transfer *t)
{
    ck_assert_int_eq(ops->submit(ring, t), 0);
    ck_assert_ptr_eq(ops->reap(ring, true), t);
    ck_assert_ptr_null(ops->reap(ring, false));
    return t->result;
}

static void write_sync_and_read(const struct fileio_ring_ops *ops, void *ring)
{
    static uint8_t out[8192], in[8192];
    FILE *file = tmpfile();
    struct fileio_transfer t = {
        .kind = FILEIO_WRITE, .fd = fileno(file), .data = out, .offset = 4096, .bytes = 8192};
    memset(out, 7, sizeof(out));
    memset(in, 0, sizeof(in));
    ck_assert_int_eq(transfer(ops, ring, &t), 8192);
    t.kind = FILEIO_FSYNC;
    ck_assert_int_eq(transfer(ops, ring, &t), 0);
    t.kind = FILEIO_READ;
    t.data = in;
    ck_assert_int_eq(transfer(ops, ring, &t), 8192);
    ck_assert_mem_eq(in, out, sizeof(in));
    t.offset = 8192;
    ck_assert_int_eq(transfer(ops, ring, &t), 4096);
    t.offset = 12288;
    ck_assert_int_eq(transfer(ops, ring, &t), 0);
    fclose(file);
}

START_TEST(what_was_written_is_read)
{
    each_ring(write_sync_and_read);
}
END_TEST

/* A write to /dev/null moves as many bytes as the kernel allows at once, without reading them. */
static void write_gigabytes(const struct fileio_ring_ops *ops, void *ring)
{
    static const int64_t lengths[] = {INT64_C(1) << 31, INT64_C(1) << 32,
                                      (INT64_C(1) << 32) + 4096};
    const size_t mapped = ((size_t)1 << 32) + 4096;
    void *data = mmap(NULL, mapped, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int fd = open("/dev/null", O_WRONLY);
    ck_assert_ptr_ne(data, MAP_FAILED);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct fileio_transfer t = {
            .kind = FILEIO_WRITE, .fd = fd, .data = data, .bytes = lengths[i]};
        int64_t moved = transfer(ops, ring, &t);
        ck_assert_int_ge(moved, INT64_C(1) << 30);
        ck_assert_int_le(moved, lengths[i]);
        ck_assert_int_eq(moved % 4096, 0);
    }
    close(fd);
    munmap(data, mapped);
}

START_TEST(gigabytes_are_counted_in_full)
{
    each_ring(write_gigabytes);
}
END_TEST

RUN_SUITE("fileio_rings", 30, what_was_written_is_read, gigabytes_are_counted_in_full)
