/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/request_log.h"

#include <inttypes.h>

#include "base/outfile.h"
#include "base/util.h"

/* Entries are allocated in chunks and never moved: a worker that had to copy them would be late for
 * its next request. */
#define CHUNK_ENTRIES 4096

struct entry {
    int64_t arrival_ns, start_ns, end_ns;
};

struct chunk {
    struct chunk *next;
    unsigned used;
    struct entry entry[CHUNK_ENTRIES];
};

struct request_log_thread {
    _Alignas(CACHE_ALIGN) struct chunk *first;
    struct chunk *last;
};

struct request_log {
    unsigned threads;
    struct request_log_thread thread[];
};

struct request_log *request_log_create(unsigned threads)
{
    size_t bytes = sizeof(struct request_log) + threads * sizeof(struct request_log_thread);
    struct request_log *log = checked_alloc(aligned_alloc(CACHE_ALIGN, bytes));
    log->threads = threads;
    for (unsigned i = 0; i < threads; i++)
        log->thread[i] = (struct request_log_thread){0};
    return log;
}

void request_log_destroy(struct request_log *log)
{
    if (log == NULL)
        return;
    for (unsigned i = 0; i < log->threads; i++)
        for (struct chunk *chunk = log->thread[i].first, *next; chunk != NULL; chunk = next) {
            next = chunk->next;
            free(chunk);
        }
    free(log);
}

struct request_log_thread *request_log_thread(struct request_log *log, unsigned thread)
{
    return &log->thread[thread];
}

static void add_chunk(struct request_log_thread *part)
{
    struct chunk *chunk = checked_alloc(malloc(sizeof(*chunk)));
    chunk->next = NULL;
    chunk->used = 0;
    *(part->last != NULL ? &part->last->next : &part->first) = chunk;
    part->last = chunk;
}

void request_log_add(struct request_log_thread *part, int64_t arrival_ns, int64_t start_ns,
                     int64_t end_ns)
{
    if (part->last == NULL || part->last->used == CHUNK_ENTRIES)
        add_chunk(part);
    struct chunk *chunk = part->last;
    chunk->entry[chunk->used++] = (struct entry){arrival_ns, start_ns, end_ns};
}

static void print_thread(const struct request_log_thread *part, unsigned thread, int64_t started_ns,
                         FILE *out)
{
    for (const struct chunk *chunk = part->first; chunk != NULL; chunk = chunk->next)
        for (unsigned i = 0; i < chunk->used; i++) {
            const struct entry *e = &chunk->entry[i];
            fprintf(out, "%" PRId64 " %" PRId64 " %" PRId64 " %u\n", e->arrival_ns - started_ns,
                    e->start_ns - started_ns, e->end_ns - started_ns, thread);
        }
}

int request_log_write(const struct request_log *log, int64_t started_ns, unsigned first_thread,
                      const char *path)
{
    struct outfile file;
    if (outfile_open(&file, path) != 0)
        return -1;
    fprintf(file.stream, "# started_ns %" PRId64 "\n", started_ns);
    for (unsigned i = 0; i < log->threads; i++)
        print_thread(&log->thread[i], first_thread + i, started_ns, file.stream);
    return outfile_commit(&file);
}
