/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/builtins/fileio/fileio.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/util.h"
#include "report/text/report.h"
#include "workloads/builtins/fileio/fileio_ring.h"

#define MIB 1048576.0
#define MB 1e6

void fileio_print_flags(const struct fileio *fileio, FILE *out)
{
    bool any = fileio->flag_sync || fileio->flag_dsync || fileio->flag_direct;
    fprintf(out, "Extra file open flags: %s%s%s%s\n", any ? "" : "(none)",
            fileio->flag_sync ? "sync " : "", fileio->flag_dsync ? "dsync " : "",
            fileio->flag_direct ? "directio" : "");
}

static void print_fsync_policy(const struct fileio *fileio, FILE *out)
{
    if (fileio->fsync_all) {
        fputs("Calling fsync() after each write operation.\n", out);
        return;
    }
    if (fileio->fsync_freq > 0)
        fprintf(out, "Periodic FSYNC enabled, calling fsync() each %" PRId64 " requests.\n",
                fileio->fsync_freq);
    if (fileio->fsync_end)
        fputs("Calling fsync() at the end of test, Enabled.\n", out);
}

void fileio_print_mode(const void *test, FILE *out)
{
    static const char *const io_names[] = {[FILEIO_SYNC] = "synchronous",
                                           [FILEIO_ASYNC] = "asynchronous",
                                           [FILEIO_MMAP] = "fast mmaped"};
    static const char *const mode_names[] = {[FILEIO_SEQWR] = "sequential write (creation)",
                                             [FILEIO_SEQREWR] = "sequential rewrite",
                                             [FILEIO_SEQRD] = "sequential read",
                                             [FILEIO_RNDRD] = "random read",
                                             [FILEIO_RNDWR] = "random write",
                                             [FILEIO_RNDRW] = "random r/w"};
    const struct fileio *fileio = test;
    fileio_print_flags(fileio, out);
    fprintf(out, "%" PRId64 " files, %s each\n", fileio->num,
            fileio_size_text(fileio->file_bytes).text);
    fprintf(out, "%s total file size\n", fileio_size_text(fileio->total_bytes).text);
    fprintf(out, "Block size %s\n", fileio_size_text(fileio->block_bytes).text);
    if (fileio->merged > 0)
        fprintf(out, "Merging requests up to %s for sequential IO.\n",
                fileio_size_text(fileio->merged * fileio->block_bytes).text);
    if (fileio->mode >= FILEIO_RNDRD)
        fprintf(out,
                "Number of IO requests: %" PRId64 "\n"
                "Read/Write ratio for combined random IO test: %.2f\n",
                fileio->settings->events, fileio->rw_ratio);
    print_fsync_policy(fileio, out);
    fprintf(out, "Using %s I/O mode\n", io_names[fileio->io]);
    if (fileio->io == FILEIO_ASYNC && fileio->settings->layout == LAYOUT_FULL)
        fprintf(out, "Asynchronous I/O by %s\n", fileio->ring->name);
    if (fileio->validate)
        fputs("Using checksums validation.\n", out);
    fprintf(out, "Doing %s test\n", mode_names[fileio->mode]);
}

static double per_second(const struct snapshot *s, enum counter counter, int64_t span_ns)
{
    return (double)s->counter[counter] / ns_to_seconds(max_i64(1, span_ns));
}

void fileio_interval_figures(void *test, FILE *out, const struct interval *interval)
{
    const struct fileio *fileio = test;
    const struct snapshot *s = &interval->snapshot;
    int64_t span_ns = s->to_ns - s->from_ns;
    fprintf(out, "reads: %4.2f MiB/s writes: %4.2f MiB/s fsyncs: %4.2f/s ",
            per_second(s, COUNTER_BYTES_READ, span_ns) / MIB,
            per_second(s, COUNTER_BYTES_WRITTEN, span_ns) / MIB,
            per_second(s, COUNTER_OTHER, span_ns));
    report_latency(out, "latency", 3, fileio->settings, &s->metric[METRIC_RESPONSE]);
}

static void print_1_0(FILE *out, const struct snapshot *s, int64_t span_ns)
{
    fprintf(out,
            "\nFile operations:\n"
            "    reads/s:                      %.2f\n"
            "    writes/s:                     %.2f\n"
            "    fsyncs/s:                     %.2f\n"
            "\nThroughput:\n"
            "    read, MiB/s:                  %.2f\n"
            "    written, MiB/s:               %.2f\n",
            per_second(s, COUNTER_READ, span_ns), per_second(s, COUNTER_WRITE, span_ns),
            per_second(s, COUNTER_OTHER, span_ns), per_second(s, COUNTER_BYTES_READ, span_ns) / MIB,
            per_second(s, COUNTER_BYTES_WRITTEN, span_ns) / MIB);
}

static void print_counts(FILE *out, const struct fileio *fileio, const struct snapshot *s)
{
    fprintf(out,
            "\nFile operations:\n    reads, writes, fsyncs:        %" PRIu64 ", %" PRIu64
            ", %" PRIu64 "\n",
            s->counter[COUNTER_READ], s->counter[COUNTER_WRITE], s->counter[COUNTER_OTHER]);
    if (fileio->end_fsyncs > 0)
        fprintf(out, "    fsyncs after the end:         %u in %.4fs\n", fileio->end_fsyncs,
                ns_to_seconds(fileio->end_fsync_ns));
}

void fileio_summary_figures(void *test, FILE *out, const struct summary *summary)
{
    const struct fileio *fileio = test;
    if (fileio->settings->layout == LAYOUT_SYSBENCH_1_0)
        print_1_0(out, &summary->snapshot, summary->elapsed_ns);
    else if (fileio->settings->layout == LAYOUT_FULL)
        print_counts(out, fileio, &summary->snapshot);
}

static void print_transfer(FILE *out, const char *label, double operations, double bytes)
{
    fprintf(out, "         %-6s IOPS=%.2f %.2f MiB/s (%.2f MB/s)\n", label, operations, bytes / MIB,
            bytes / MB);
}

void fileio_throughput_figures(void *test, FILE *out, const struct summary *summary)
{
    (void)test;
    const struct snapshot *s = &summary->snapshot;
    int64_t span_ns = summary->elapsed_ns;
    print_transfer(out, "read:", per_second(s, COUNTER_READ, span_ns),
                   per_second(s, COUNTER_BYTES_READ, span_ns));
    print_transfer(out, "write:", per_second(s, COUNTER_WRITE, span_ns),
                   per_second(s, COUNTER_BYTES_WRITTEN, span_ns));
    fprintf(out, "         fsync: IOPS=%.2f\n", per_second(s, COUNTER_OTHER, span_ns));
}
