/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests features that only SQLite has: the file, locks between connections, journal modes. */
#include <pthread.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "../capture.h"
#include "../database.h"
#include "../suite.h"
#include "base/clock.h"
#include "sql/sql_internal.h"

static struct database d;
static sql_connection *a, *b;

static void setup(void)
{
    database_open(&d, (const char *const[]){"sqlite-busy-timeout=0", NULL});
    a = connect_to("sqlite");
    b = connect_to("sqlite");
    execute(a, "CREATE TABLE t (id INTEGER PRIMARY KEY, k INT)");
    execute(a, "INSERT INTO t VALUES (1, 0)");
}

static void teardown(void)
{
    sql_connection_free(a);
    sql_connection_free(b);
    database_close(&d);
}

static void assert_in_transaction(sql_connection *con, bool expected)
{
    sqlite3 *const *db = con->conn.handle; /* the first member of the driver's handle */
    ck_assert(!sqlite3_get_autocommit(*db) == expected);
}

START_TEST(busy_is_ignorable_and_rolled_back)
{
    execute(a, "BEGIN IMMEDIATE");
    execute(b, "BEGIN");
    ck_assert_int_eq(query(b, "UPDATE t SET k = 1"), -1);
    ck_assert_int_eq(sql_error_code(b) & 0xff, SQLITE_BUSY);
    ck_assert_str_eq(sql_error_message(b), "database is locked");
    ck_assert(sql_error_ignorable(b));
    assert_in_transaction(b, true);
    sql_error_ignore(b);
    assert_in_transaction(b, false);
    ck_assert_uint_eq(counted(&d, COUNTER_ERROR), 1);
    assert_in_transaction(a, true);

    execute(a, "UPDATE t SET k = k + 10");
    execute(a, "COMMIT");
    execute(b, "BEGIN"); /* the restarted event succeeds */
    execute(b, "UPDATE t SET k = k + 1");
    execute(b, "COMMIT");
    assert_result(a, "SELECT k FROM t", "11");
}
END_TEST

START_TEST(a_stale_snapshot_is_ignorable)
{
    sql_statement *update = prepare(b, "UPDATE t SET k = 5");
    execute(b, "BEGIN");
    assert_result(b, "SELECT k FROM t", "0");
    execute(a, "UPDATE t SET k = 1");
    ck_assert_int_eq(sql_execute(update), -1);
    ck_assert_int_eq(sql_error_code(b), SQLITE_BUSY_SNAPSHOT);
    ck_assert(sql_error_ignorable(b));
    sql_error_ignore(b);
    ck_assert_int_eq(sql_execute(update), 0);
    assert_result(a, "SELECT k FROM t", "5");
    sql_statement_free(update);
}
END_TEST

START_TEST(other_errors_are_fatal)
{
    ck_assert_int_eq(query(a, "INSERT INTO t VALUES (1, 1)"), -1);
    ck_assert_int_eq(sql_error_code(a), SQLITE_CONSTRAINT_PRIMARYKEY);
    ck_assert(!sql_error_ignorable(a));
}
END_TEST

/* If the read transaction were still open, the log could not be emptied, and the answer of the
 * checkpoint would begin with 1. */
START_TEST(no_read_transaction_stays_open)
{
    sql_statement *read = prepare(b, "SELECT k FROM t");
    ck_assert_int_eq(sql_execute(read), 1);
    execute(a, "UPDATE t SET k = 2");
    assert_result(a, "PRAGMA wal_checkpoint(TRUNCATE)", "0,0,0");
    sql_statement_free(read);
}
END_TEST

START_TEST(a_bulk_insert_survives_a_lock)
{
    execute(a, "BEGIN IMMEDIATE");
    ck_assert_int_eq(sql_bulk_init(b, "INSERT INTO t VALUES", 20), 0);
    ck_assert_int_eq(sql_bulk_next(b, "(2, 2)", 6), 0);
    ck_assert_int_eq(sql_bulk_done(b), -1);
    ck_assert(sql_error_ignorable(b));
    execute(a, "COMMIT");
    ck_assert_int_eq(sql_bulk_done(b), 0);
    assert_result(a, "SELECT id FROM t", "1;2");
}
END_TEST

START_TEST(the_busy_timeout_is_kept)
{
    struct database other;
    database_open(&other, (const char *const[]){"sqlite-busy-timeout=200", NULL});
    sql_connection *holder = connect_to(NULL), *waiter = connect_to(NULL);
    execute(holder, "CREATE TABLE t (a INT)");
    execute(holder, "BEGIN IMMEDIATE");
    int64_t start_ns = clock_now_ns();
    ck_assert_int_eq(query(waiter, "INSERT INTO t VALUES (1)"), -1);
    /* SQLite gives up before a sleep (of up to 100 ms) that would exceed the 200 ms. */
    ck_assert_int_ge(clock_now_ns() - start_ns, 100 * NS_PER_MS);
    sql_connection_free(holder);
    sql_connection_free(waiter);
    database_close(&other);
}
END_TEST

static const char *const journal_modes[] = {"wal",     "delete", "truncate",
                                            "persist", "memory", "off"};

START_TEST(options_reach_the_connection)
{
    struct database other;
    char setting[64];
    snprintf(setting, sizeof(setting), "sqlite-journal-mode=%s", journal_modes[_i]);
    database_open(&other,
                  (const char *const[]){setting, "sqlite-synchronous=extra", "sqlite-cache-size=3M",
                                        "sqlite-busy-timeout=77", NULL});
    sql_connection *con = connect_to(NULL);
    assert_result(con, "PRAGMA journal_mode", journal_modes[_i]);
    assert_result(con, "PRAGMA synchronous", "3");
    assert_result(con, "PRAGMA cache_size", "-3072");
    assert_result(con, "PRAGMA busy_timeout", "77");
    execute(con, "CREATE TABLE t (a INT)");
    ck_assert_int_eq(sql_reconnect(con), 0);
    assert_result(con, "PRAGMA journal_mode", journal_modes[_i]);
    sql_connection_free(con);
    database_close(&other);
}
END_TEST

/* A thread that connects and inserts a row. */
static void *connect_and_write(void *arg)
{
    struct database *other = arg;
    sql_thread_enter(other->sql, NULL, 0);
    sql_driver *drv = sql_driver_open(NULL);
    sql_connection *con = drv != NULL ? sql_connect(drv) : NULL;
    int status = con != NULL ? query(con, "INSERT INTO t VALUES (NULL)") : -1;
    sql_connection_free(con);
    return status == 0 ? other : NULL;
}

static void connect_at_once(struct database *other)
{
    pthread_t threads[16];
    unsigned failed = 0;

    for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, connect_and_write, other), 0);
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
        void *result;
        pthread_join(threads[i], &result);
        failed += result == NULL;
    }
    ck_assert_uint_eq(failed, 0);
}

/* Each mode starts with a file in the previous mode of the list, and the first mode (WAL) with a
 * file in the mode of a new file. */
START_TEST(many_threads_connect_at_the_same_moment)
{
    struct database other;
    char setting[64];
    const char *before = journal_modes[_i > 0 ? _i - 1 : 1];

    snprintf(setting, sizeof(setting), "sqlite-journal-mode=%s", journal_modes[_i]);
    database_open(&other, (const char *const[]){setting, "sqlite-busy-timeout=20000", NULL});
    sqlite3 *db;
    char text[128];
    snprintf(text, sizeof(text), "PRAGMA journal_mode=%s; CREATE TABLE t (id INTEGER PRIMARY KEY)",
             before);
    ck_assert_int_eq(sqlite3_open(other.path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    connect_at_once(&other);
    sql_connection *con = connect_to(NULL);
    assert_result(con, "SELECT count(*) FROM t", "16");
    sql_connection_free(con);
    database_close(&other);
}
END_TEST

/* Opens a connection, which must fail, and returns the message. */
static char *connect_message(struct database *other, const char *path)
{
    struct capture c;

    if (strcmp(path, other->path) != 0)
        ck_assert_int_eq(options_set(other->options, "sqlite-db", path), 0);
    sql_driver *drv = sql_driver_open(NULL);
    ck_assert_ptr_nonnull(drv);
    capture_start(&c, 0);
    sql_connection *con = sql_connect(drv);
    char *message = capture_end(&c);
    ck_assert_ptr_null(con);
    return message;
}

static void assert_connect_fails(struct database *other, const char *path, const char *why)
{
    char expected[2 * PATH_MAX];
    char *message = connect_message(other, path);

    snprintf(expected, sizeof(expected),
             "FATAL: unable to connect with the sqlite driver: database file '%s' %s\n", path, why);
    ck_assert_str_eq(message, expected);
    free(message);
}

START_TEST(a_missing_folder_is_named)
{
    struct database other;
    database_open(&other, NULL);
    assert_connect_fails(&other, "/missing/folder/x.db",
                         "cannot be opened: No such file or directory");
    database_close(&other);
}
END_TEST

/* Connects to a file in a folder without write permission. If `existing` is true, the file exists
 * and is writable, but SQLite cannot create its log in the folder. */
static void forbidden_folder(bool existing, const char *why)
{
    struct database other;
    database_open(&other, NULL);
    if (existing) {
        sql_connection_free(connect_to(NULL));
        ck_assert_int_eq(chmod(other.path, 0666), 0);
    }
    ck_assert_int_eq(chmod(other.folder, 0555), 0);
    /* Root ignores permissions. Changing the user is safe, because each test is a process. */
    int dropped = geteuid() == 0 ? seteuid(65534) : 1;
    if (dropped != -1)
        assert_connect_fails(&other, other.path, why);
    if (dropped == 0)
        ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(chmod(other.folder, 0755), 0);
    database_close(&other);
}

START_TEST(a_folder_without_permission_is_named)
{
    forbidden_folder(false, "cannot be opened: Permission denied");
    forbidden_folder(true, "cannot be written: its folder cannot be written");
}
END_TEST

START_TEST(a_file_that_is_no_database_is_named)
{
    struct database other;
    database_open(&other, NULL);
    FILE *file = fopen(other.path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("this is no database\n", file);
    fclose(file);
    assert_connect_fails(&other, other.path, "is damaged or no database: file is not a database");
    database_close(&other);
}
END_TEST

START_TEST(an_unsupported_journal_mode_is_an_error)
{
    struct database other;
    database_open(&other, NULL);
    assert_connect_fails(&other,
                         ":memory:", "does not accept journal mode wal and keeps memory");
    database_close(&other);
}
END_TEST

START_TEST(a_lock_of_another_program_is_named)
{
    struct database other;
    sqlite3 *db;
    database_open(&other, (const char *const[]){"sqlite-busy-timeout=50", NULL});
    ck_assert_int_eq(sqlite3_open(other.path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, "CREATE TABLE t (a INT); BEGIN EXCLUSIVE", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_connect_fails(&other, other.path, "is locked by another program");
    sqlite3_close(db);
    sql_connection_free(connect_to(NULL)); /* after the lock is released, connecting works */
    database_close(&other);
}
END_TEST

START_TEST(a_failed_reconnect_leaves_the_connection_closed)
{
    struct capture c;
    struct database other;
    char moved[PATH_MAX + 8];
    database_open(&other, NULL);
    sql_connection *con = connect_to(NULL);
    execute(con, "CREATE TABLE t (x INT)");
    sql_disconnect(con);
    snprintf(moved, sizeof(moved), "%s.moved", other.path);
    ck_assert_int_eq(rename(other.path, moved), 0);
    ck_assert_int_eq(mkdir(other.path, 0755), 0);
    capture_start(&c, 0);
    int status = sql_reconnect(con);
    char *message = capture_end(&c);
    ck_assert_int_eq(status, -1);
    ck_assert(!sql_connected(con));
    ck_assert_ptr_nonnull(strstr(message, other.path));
    free(message);
    ck_assert_int_eq(rmdir(other.path), 0);
    ck_assert_int_eq(rename(moved, other.path), 0);
    ck_assert_int_eq(sql_reconnect(con), 0);
    assert_result(con, "SELECT * FROM t", "");
    ck_assert_uint_eq(counted(&other, COUNTER_RECONNECT), 1);
    sql_connection_free(con);
    database_close(&other);
}
END_TEST

START_TEST(an_unwritable_database_is_named)
{
    struct database other;
    database_open(&other, NULL);
    sql_connection *con = connect_to(NULL);
    execute(con, "PRAGMA query_only = on");
    ck_assert_int_eq(query(con, "CREATE TABLE t (a INT)"), -1);
    char expected[2 * PATH_MAX];
    snprintf(expected, sizeof(expected),
             "database file '%s' cannot be written: attempt to write a readonly database",
             other.path);
    ck_assert_str_eq(sql_error_message(con), expected);
    ck_assert(!sql_error_ignorable(con));
    sql_connection_free(con);
    database_close(&other);
}
END_TEST

START_TEST(a_full_database_is_named)
{
    struct database other;
    database_open(&other, NULL);
    sql_connection *con = connect_to(NULL);
    execute(con, "CREATE TABLE t (a BLOB)");
    ck_assert_int_eq(query(con, "PRAGMA max_page_count = 10"), 1);
    ck_assert_int_eq(query(con, "INSERT INTO t VALUES (zeroblob(1000000))"), -1);
    ck_assert_int_eq(sql_error_code(con), SQLITE_FULL);
    ck_assert_ptr_nonnull(strstr(sql_error_message(con), other.path));
    ck_assert_ptr_nonnull(strstr(sql_error_message(con), "cannot grow"));
    sql_connection_free(con);
    database_close(&other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sqlite");
    TCase *locks = tcase_create("locks");
    tcase_add_checked_fixture(locks, setup, teardown);
    tcase_add_test(locks, busy_is_ignorable_and_rolled_back);
    tcase_add_test(locks, a_stale_snapshot_is_ignorable);
    tcase_add_test(locks, other_errors_are_fatal);
    tcase_add_test(locks, no_read_transaction_stays_open);
    tcase_add_test(locks, a_bulk_insert_survives_a_lock);
    suite_add_tcase(suite, locks);

    TCase *files = tcase_create("files");
    tcase_set_timeout(files, 30);
    tcase_add_test(files, the_busy_timeout_is_kept);
    tcase_add_loop_test(files, options_reach_the_connection, 0, ARRAY_SIZE(journal_modes));
    tcase_add_loop_test(files, many_threads_connect_at_the_same_moment, 0,
                        ARRAY_SIZE(journal_modes));
    tcase_add_test(files, a_missing_folder_is_named);
    tcase_add_test(files, a_folder_without_permission_is_named);
    tcase_add_test(files, a_file_that_is_no_database_is_named);
    tcase_add_test(files, an_unsupported_journal_mode_is_an_error);
    tcase_add_test(files, a_lock_of_another_program_is_named);
    tcase_add_test(files, a_failed_reconnect_leaves_the_connection_closed);
    tcase_add_test(files, an_unwritable_database_is_named);
    tcase_add_test(files, a_full_database_is_named);
    suite_add_tcase(suite, files);

    return suite_run(suite);
}
