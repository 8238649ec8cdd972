/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target for JSON reports. An input is passed to everything that reads reports: the conversions to
 * text, page, CSV and the formats of other programs, and the tools for comparison, merging and the
 * archive. The tools are called in the same way as in main.c.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/util.h"
#include "fuzz.h"
#include "json_mutate.h"
#include "ranks/merge/merge_tool.h"
#include "report/page/html.h"
#include "report/text/report_csv.h"
#include "tools/tool_mains.h"
#include "tools/report_again.h"
#include "tools/report_export.h"

static void begin(void);
static void run(const uint8_t *data, size_t bytes);

const struct fuzz_target fuzz_report = {
    .name = "report", .begin = begin, .run = run, .mutate = json_mutate};

static char folder[40]; /* folder of a temporary archive */

static void remove_archive(void)
{
    static const char *const files[] = {"archive.sqlite", "archive.sqlite-wal",
                                        "archive.sqlite-shm", "archive.sqlite-journal"};
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        char path[64];
        snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        unlink(path);
    }
}

static void remove_folder(void)
{
    remove_archive();
    rmdir(folder);
}

static void begin(void)
{
    /* A folder in memory is preferred, so that writing does not wait for a disk. */
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof(folder), "%s/sysrate-fuzz.XXXXXX", place);
    FUZZ_CHECK(mkdtemp(folder) != NULL);
    atexit(remove_folder);
}

/* Writes the report as text, CSV, page, and, to save time, one of the formats of other programs. */
static void try_forms(const struct report_document *document)
{
    const struct report_named named = {"run", document};
    const struct html_run run_of_page = {"run", document};
    FILE *out = fuzz_null();
    report_again(out, document, "run");
    report_print_cost(out, &named, 1.5);
    report_export(out, EXPORT_NYRKIO + document->bytes % EXPORT_JUNIT, &named, 1);
    if (html_available())
        html_print(out, &run_of_page, 1, NULL);
    fclose(out);
    report_csv_write("/dev/null", "run", document);
}

static void try_archive(const char *text, size_t bytes)
{
    struct archive *archive = archive_open(folder, true);
    FUZZ_CHECK(archive != NULL);
    int64_t id = archive_add(archive, "run", text, bytes, NULL, 0);
    if (id >= 0) {
        size_t kept;
        char *report = archive_report(archive, id, &kept);
        FUZZ_CHECK(report != NULL && kept == bytes && memcmp(report, text, bytes) == 0);
        free(report);
    }
    archive_close(archive);
    remove_archive();
}

static void compare(const char *a, const char *b)
{
    char min[] = "--min-change=1", condition[] = "--fail-if=p95>+10%", tool[] = "compare";
    char *argv[] = {tool, min, condition, (char *)a, (char *)b, NULL};
    compare_tool_main(5, argv);
}

static void merge(const char *a, const char *b)
{
    char tool[] = "merge", unlike[] = "--unlike";
    char *argv[] = {tool, unlike, (char *)a, (char *)b, NULL};
    merge_tool_main(4, argv);
}

/* Runs the tools that need two runs: the input and a copy of it that began at another time. */
static void try_pairs(const uint8_t *data, size_t bytes)
{
    static const char started[] = "\"started\":\"";
    struct fuzz_file a, b;
    uint8_t *other = xcalloc(1, bytes + 1);
    memcpy(other, data, bytes);
    uint8_t *at = memmem(other, bytes, started, strlen(started));
    if (at != NULL)
        at[strlen(started)] ^= 1;
    fuzz_file_init(&a, data, bytes);
    fuzz_file_init(&b, other, bytes);
    compare(a.path, b.path);
    merge(a.path, b.path);
    fuzz_file_fini(&a);
    fuzz_file_fini(&b);
    free(other);
}

static void run(const uint8_t *data, size_t bytes)
{
    struct report_document document;
    char *text = xcalloc(1, bytes + 1);
    if (bytes > 0)
        memcpy(text, data, bytes);
    if (report_document_parse(&document, "run", text, bytes) != 0)
        return;
    try_forms(&document);
    try_archive(document.text, document.bytes);
    try_pairs(data, bytes);
    report_document_fini(&document);
}
