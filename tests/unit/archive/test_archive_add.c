/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "../document_fixture.h"
#include "../suite.h"
#include "archive/archive.h"

#define REPORT                                                                                     \
    HEAD "\"intervals\":[" SECOND "],\"summary\":{\"end\":\"time\",\"histogram\":{}}}"

static char folder[] = "archive.XXXXXX";
static char path[64];
static struct archive *archive;

static void open_archive(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/archive.sqlite", folder);
    archive = archive_open(folder, true);
    ck_assert_ptr_nonnull(archive);
}

static void close_archive(void)
{
    archive_close(archive);
    unlink(path);
    rmdir(folder);
}

static int64_t add(const char *text)
{
    return archive_add(archive, "the report", text, strlen(text), NULL, 0);
}

START_TEST(a_report_has_a_number)
{
    ck_assert_int_eq(add(REPORT), 1);
    ck_assert_int_eq(add(REPORT), 1);
}
END_TEST

START_TEST(a_text_that_is_no_report_is_refused)
{
    ck_assert_int_eq(add("archive 'x'"), ARCHIVE_ADD_REFUSED);
    ck_assert_int_eq(add("{}"), ARCHIVE_ADD_REFUSED);
    ck_assert_int_eq(add("{\"schema\":\"capacity\"}"), ARCHIVE_ADD_REFUSED);
}
END_TEST

/* Another program has damaged the archive. */
START_TEST(an_archive_that_cannot_be_written_fails)
{
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, "DROP TABLE reports", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    ck_assert_int_eq(add(REPORT), ARCHIVE_ADD_FAILED);
    ck_assert_int_eq(add("{}"), ARCHIVE_ADD_REFUSED);
}
END_TEST

RUN_SUITE_WITH("archive_add", 60, open_archive, close_archive, a_report_has_a_number,
               a_text_that_is_no_report_is_refused, an_archive_that_cannot_be_written_fails)
