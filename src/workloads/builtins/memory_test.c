/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The test `memory`: an event reads or writes one block, word by word. */
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "base/util.h"
#include "workloads/builtins/tests.h"

#define MIB 1048576.0
#define HUGE_PAGE_BYTES ((size_t)2 << 20)

enum oper { OPER_READ, OPER_WRITE, OPER_NONE };

struct memory {
    int64_t block_bytes, total_bytes;
    const char *scope_name, *oper_name;
    bool hugetlb;

    bool local, random, validate;
    enum oper oper;
    /* words of the single event that makes the sum exactly the total size; 0 if not needed or
     * already drawn */
    _Atomic size_t short_words;
    _Atomic uint64_t *shared; /* block shared by all threads (global scope) */
};

struct memory_thread {
    _Atomic uint64_t *block;
};

static int configure(void *test, const struct options *options, struct settings *settings);
static int begin(void *test);
static void print_mode(const void *test, FILE *out);
static int thread_start(struct builtin_thread *thread);
static int event(struct builtin_thread *thread);
static int thread_end(struct builtin_thread *thread);
static int end(void *test);
static void interval_figures(void *test, FILE *out, const struct interval *interval);
static void summary_figures(void *test, FILE *out, const struct summary *summary);

static const struct option_spec rows[] = {
    {.name = "memory-block-size",
     .type = OPTION_SIZE,
     .fallback = "1K",
     .help = "size of memory block for test",
     .min = 8,
     .max = (double)((int64_t)1 << 46),
     .field = offsetof(struct memory, block_bytes)},
    {.name = "memory-total-size",
     .type = OPTION_SIZE,
     .fallback = "100G",
     .help = "total size of data to transfer",
     .min = 8,
     .max = (double)((int64_t)1 << 60),
     .field = offsetof(struct memory, total_bytes)},
    {.name = "memory-scope",
     .type = OPTION_STRING,
     .fallback = "global",
     .help = "memory access scope",
     .choices = OPTION_CHOICES({"global", NULL}, {"local", NULL}),
     .tight = true,
     .field = offsetof(struct memory, scope_name)},
    {.name = "memory-hugetlb",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "allocate memory from HugeTLB pool",
     .field = offsetof(struct memory, hugetlb)},
    {.name = "memory-oper",
     .type = OPTION_STRING,
     .fallback = "write",
     .help = "type of memory operations",
     .choices = OPTION_CHOICES([OPER_READ] = {"read", NULL}, [OPER_WRITE] = {"write", NULL},
                               [OPER_NONE] = {"none", NULL}),
     .field = offsetof(struct memory, oper_name)},
    {.name = "memory-access-mode",
     .type = OPTION_STRING,
     .fallback = "seq",
     .help = "memory access mode",
     .choices = OPTION_CHOICES({"seq", NULL}, {"rnd", NULL}),
     .tight = true,
     .field = OPTION_NO_FIELD},
};

const struct builtin_ops memory_test = {
    .name = "memory",
    .description = "Memory functions speed test",
    .rows = rows,
    .row_count = ARRAY_SIZE(rows),
    .test_bytes = sizeof(struct memory),
    .thread_bytes = sizeof(struct memory_thread),
    .configure = configure,
    .begin = begin,
    .print_mode = print_mode,
    .thread_start = thread_start,
    .event = event,
    .thread_end = thread_end,
    .end = end,
    .interval_figures = interval_figures,
    .summary_figures = summary_figures,
};

static int check_size(const char *name, int64_t bytes)
{
    if (bytes % (int64_t)sizeof(uint64_t) == 0)
        return 0;
    log_text(LOG_FATAL, "invalid value for --%s: '%" PRId64 "' (allowed: a multiple of 8 bytes)",
             name, bytes);
    return -1;
}

static int configure(void *test, const struct options *options, struct settings *settings)
{
    struct memory *memory = test;
    if (check_size("memory-block-size", memory->block_bytes) != 0 ||
        check_size("memory-total-size", memory->total_bytes) != 0)
        return -1;
    memory->local = options_choice(options, "memory-scope") != 0;
    memory->random = options_choice(options, "memory-access-mode") != 0;
    memory->oper = (enum oper)options_choice(options, "memory-oper");
    memory->validate = settings->validate;

    int64_t rest = memory->total_bytes % memory->block_bytes;
    int64_t events = memory->total_bytes / memory->block_bytes + (rest > 0);
    atomic_init(&memory->short_words, (size_t)rest / sizeof(uint64_t));
    if (settings->events == 0 || settings->events > events)
        settings->events = events;
    return 0;
}

/* Blocks. Word i of a block always has the value i + 1, except while it is being written. */

static inline uint64_t word_value(size_t i)
{
    return i + 1;
}

static size_t mapped_bytes(const struct memory *memory)
{
    size_t bytes = (size_t)memory->block_bytes;
    return memory->hugetlb ? (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES
                           : bytes;
}

/* Maps a block and touches all pages, so that no event waits for a page fault. Returns NULL after
 * logging a message. */
static _Atomic uint64_t *map_block(const struct memory *memory)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (memory->hugetlb ? MAP_HUGETLB : 0);
    uint64_t *block = mmap(NULL, mapped_bytes(memory), PROT_READ | PROT_WRITE, flags, -1, 0);
    if (block == MAP_FAILED) {
        log_errno(LOG_FATAL, "cannot allocate %zu bytes of %s", mapped_bytes(memory),
                  memory->hugetlb ? "huge pages, as --memory-hugetlb asks for (vm.nr_hugepages "
                                    "sets how many there are)"
                                  : "memory for --memory-block-size");
        return NULL;
    }
    for (size_t i = 0; i < (size_t)memory->block_bytes / sizeof(*block); i++)
        block[i] = word_value(i);
    return (_Atomic uint64_t *)block;
}

static void unmap_block(const struct memory *memory, _Atomic uint64_t *block)
{
    if (block != NULL)
        munmap((void *)block, mapped_bytes(memory));
}

static int begin(void *test)
{
    struct memory *memory = test;
    if (memory->local || memory->oper == OPER_NONE)
        return 0;
    memory->shared = map_block(memory);
    return memory->shared != NULL ? 0 : -1;
}

static int thread_start(struct builtin_thread *thread)
{
    const struct memory *memory = thread->test;
    struct memory_thread *state = thread->state;
    state->block = memory->local && memory->oper != OPER_NONE ? map_block(memory) : memory->shared;
    return state->block != NULL || memory->oper == OPER_NONE ? 0 : -1;
}

static int thread_end(struct builtin_thread *thread)
{
    const struct memory *memory = thread->test;
    struct memory_thread *state = thread->state;
    if (memory->local)
        unmap_block(memory, state->block);
    return 0;
}

static int end(void *test)
{
    struct memory *memory = test;
    unmap_block(memory, memory->shared);
    return 0;
}

/* Events. Accesses are atomic, so that the compiler can neither omit nor combine them. */

static inline uint64_t load(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static inline void store(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

/* Four sums, so that a load need not wait for the addition of the previous one. */
static uint64_t read_words(_Atomic uint64_t *block, size_t words)
{
    uint64_t sum[4] = {0};
    size_t i = 0;
#pragma GCC unroll 4
    for (; i + 4 <= words; i += 4) {
        sum[0] += load(&block[i]);
        sum[1] += load(&block[i + 1]);
        sum[2] += load(&block[i + 2]);
        sum[3] += load(&block[i + 3]);
    }
    for (; i < words; i++)
        sum[0] += load(&block[i]);
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* One word per iteration. An unrolled loop would be twice as fast, and results would not be
 * comparable with sysbench. */
static void write_words(_Atomic uint64_t *block, size_t words)
{
#pragma GCC unroll 1
    for (size_t i = 0; i < words; i++)
        store(&block[i], word_value(i));
}

/*
 * Returns the next of a sequence of random positions in [0, words): SplitMix64 by Steele, Lea and
 * Flood, 2014. A step does not depend on the result of a memory access, so the processor can
 * overlap accesses and memory is measured.
 */
static inline size_t random_place(uint64_t *state, size_t words)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return (size_t)(((unsigned __int128)(z ^ (z >> 31)) * words) >> 64);
}

/* Returns the sum of `word − expected value`, which is 0 if all words are correct. */
static uint64_t read_randomly(_Atomic uint64_t *block, size_t words, size_t times, uint64_t state)
{
    uint64_t sum = 0;
    for (size_t n = 0; n < times; n++) {
        size_t i = random_place(&state, words);
        sum += load(&block[i]) - word_value(i);
    }
    return sum;
}

static void write_randomly(_Atomic uint64_t *block, size_t words, size_t times, uint64_t state)
{
    for (size_t n = 0; n < times; n++) {
        size_t i = random_place(&state, words);
        store(&block[i], word_value(i));
    }
}

static uint64_t sum_of_values(uint64_t words)
{
    return words % 2 == 0 ? words / 2 * (words + 1) : (words + 1) / 2 * words;
}

/* Reads the block. Returns false if a word has a wrong value. */
static bool read_block(const struct memory *memory, struct builtin_thread *thread, size_t words)
{
    _Atomic uint64_t *block = ((struct memory_thread *)thread->state)->block;
    size_t all = (size_t)memory->block_bytes / sizeof(uint64_t);
    uint64_t wrong = memory->random ? read_randomly(block, all, words,
                                                    rand_stream_u64(&thread->worker->rand->stream))
                                    : read_words(block, words) - sum_of_values(words);
    stats_count(thread->worker->stats, COUNTER_BYTES_READ, words * sizeof(uint64_t));
    return wrong == 0;
}

/* Writes the block. With --validate, clears a thread's own block first, and returns false if a word
 * has a wrong value afterwards. */
static bool write_block(const struct memory *memory, struct builtin_thread *thread, size_t words)
{
    _Atomic uint64_t *block = ((struct memory_thread *)thread->state)->block;
    size_t all = (size_t)memory->block_bytes / sizeof(uint64_t);
    bool emptied = memory->validate && memory->local && !memory->random;
    if (emptied)
        memset((void *)block, 0, (size_t)memory->block_bytes);
    if (memory->random)
        write_randomly(block, all, words, rand_stream_u64(&thread->worker->rand->stream));
    else
        write_words(block, words);
    stats_count(thread->worker->stats, COUNTER_BYTES_WRITTEN, words * sizeof(uint64_t));
    return !memory->validate ||
           read_words(block, emptied ? words : all) == sum_of_values(emptied ? words : all);
}

static size_t words_of_event(struct memory *memory)
{
    size_t words = 0;
    if (UNLIKELY(atomic_load_explicit(&memory->short_words, memory_order_relaxed) != 0))
        words = atomic_exchange(&memory->short_words, 0);
    return words != 0 ? words : (size_t)memory->block_bytes / sizeof(uint64_t);
}

static int event(struct builtin_thread *thread)
{
    struct memory *memory = thread->test;
    if (memory->oper == OPER_NONE)
        return 0;
    size_t words = words_of_event(memory);
    bool good = memory->oper == OPER_READ ? read_block(memory, thread, words)
                                          : write_block(memory, thread, words);
    if (LIKELY(good))
        return 0;
    log_text(LOG_FATAL, "memory: a block does not hold what was written to it");
    return -1;
}

static void print_mode(const void *test, FILE *out)
{
    const struct memory *memory = test;
    bool whole = memory->block_bytes % 1024 == 0;
    fprintf(out,
            "Running memory speed test with the following options:\n"
            "  block size: %" PRId64 "%s\n"
            "  total size: %" PRId64 "MiB\n"
            "  operation: %s\n"
            "  scope: %s\n\n",
            whole ? memory->block_bytes / 1024 : memory->block_bytes, whole ? "KiB" : "B",
            memory->total_bytes / (1 << 20), memory->oper_name, memory->scope_name);
}

static double mib_touched(const struct snapshot *s)
{
    return (double)(s->counter[COUNTER_BYTES_READ] + s->counter[COUNTER_BYTES_WRITTEN]) / MIB;
}

static void interval_figures(void *test, FILE *out, const struct interval *interval)
{
    (void)test;
    const struct snapshot *s = &interval->snapshot;
    int64_t span_ns = max_i64(1, s->to_ns - s->from_ns);
    fprintf(out, "%4.2f MiB/sec", mib_touched(s) / ns_to_seconds(span_ns));
}

static void summary_figures(void *test, FILE *out, const struct summary *summary)
{
    const struct memory *memory = test;
    const struct snapshot *s = &summary->snapshot;
    double seconds = ns_to_seconds(summary->elapsed_ns);
    fprintf(out, "Total operations: %" PRIu64 " (%8.2f per second)\n\n", s->counter[COUNTER_EVENT],
            (double)s->counter[COUNTER_EVENT] / seconds);
    if (memory->oper != OPER_NONE)
        fprintf(out, "%4.2f MiB transferred (%4.2f MiB/sec)\n\n", mib_touched(s),
                mib_touched(s) / seconds);
}
