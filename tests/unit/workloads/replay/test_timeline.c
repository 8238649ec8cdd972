/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that statements are returned in the order in which they began. */
#include "workloads/replay/timeline.h"

#include <string.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/util.h"
#include "workloads/replay/replay_census.h"

static char path[] = "timeline.XXXXXX";
static struct timeline_plan plan;
static struct replay_item *items[64];
static unsigned count;

static void setup(void)
{
    close(mkstemp(path));
    plan = (struct timeline_plan){.files = path, .writes = true};
}

static void teardown(void)
{
    for (unsigned i = 0; i < count; i++)
        free(items[i]);
    unlink(path);
}

/* A record without a statement. A write is replayed only if another record follows. */
static const char *further_record(const char *log)
{
    return strstr(log, "\tA\n") != NULL ? "\t\t     99 Quit\t\n"
                                        : "2026-11-24 03:37:09.000 UTC [99] LOG:  checkpoint\n";
}

static struct timeline_counts read_part(const char *text, const char *further)
{
    FILE *file = fopen(path, "w");
    fprintf(file, "%s%s", text, further);
    fclose(file);
    struct timeline *t = timeline_open(&plan);
    ck_assert_ptr_nonnull(t);
    while ((items[count] = timeline_next(t)) != NULL)
        count++;
    struct timeline_counts counts = *timeline_counts(t);
    timeline_close(t);
    return counts;
}

static struct timeline_counts read_log(const char *text)
{
    return read_part(text, further_record(text));
}

static double seconds(unsigned i)
{
    return (double)(items[i]->time_ns - items[0]->time_ns) / 1e9;
}

START_TEST(a_tick_is_spread)
{
    struct timeline_counts c = read_log("261124  3:37:02\t     7 Query\tA\n\t\t     8 Query\tB\n"
                                        "\t\t     7 Query\tC\n\t\t     8 Query\tD\n"
                                        "261124  3:37:05\t     7 Query\tE\n");
    ck_assert_uint_eq(count, 5);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(seconds(i), 0.25 * i, 1e-9);
        ck_assert_uint_eq(items[i]->session, i % 2);
    }
    ck_assert_double_eq_tol(seconds(4), 3, 1e-9);
    ck_assert_int_eq(c.tick_ns, NS_PER_SEC);
    ck_assert(!c.ends);
}
END_TEST

#define SLOW(schema, text)                                                                         \
    "# User@Host: root[root] @ localhost []\n# Thread_id: 7  Schema: " schema                      \
    "  QC_hit: No\n# Query_time: 0.000100  Lock_time: 0.000000  Rows_sent: 1\n"                    \
    "SET timestamp=1795491418;\n" text ";\n"

#define SLOW_QUIT SLOW("", "# administrator command: Quit")

#define AT "2026-11-24 03:37:01.000 UTC [1] "
static const struct {
    const char *text, *further;
    unsigned count, left_out;
} logs[] = {
    {"261124  3:00:00\t     7 Query\tSELECT 1\n\t\t     7 Query\tDELETE FROM t\n",
     "WHERE id = 1\n\t\t     7 Quit\t\n", 1, 1},
    {"261124  3:00:00\t     7 Query\tSELECT 1\n\t\t     7 Query\tSELECT 2\n",
     "WHERE 1\n\t\t     7 Quit\t\n", 2, 0},
    {SLOW("", "SELECT 1") SLOW("", "CREATE PROCEDURE p() BEGIN DELETE FROM t WHERE id = 1"),
     "END;\n" SLOW_QUIT, 1, 1},
    {SLOW("", "SELECT 1") SLOW("", "DELETE FROM t"), "", 2, 0},
    {AT "LOG:  statement: SELECT 1\n" AT "LOG:  statement: DELETE FROM t\n",
     "\tWHERE id = 1\n" AT "LOG:  checkpoint\n", 1, 1},
    {AT "LOG:  statement: SELECT 1\n" AT "LOG:  statement: SELECT 2\n",
     "\tWHERE 1 = 1\n" AT "LOG:  checkpoint\n", 2, 0},
    {AT "LOG:  statement: SELECT 1\n" AT "ERROR:  x\n" AT "STATEMENT:  DELETE FROM t\n",
     "\tWHERE id = 1\n" AT "LOG:  checkpoint\n", 1, 1},
    {AT "LOG:  statement: SELECT 1\n" AT "LOG:  execute a: DELETE FROM t WHERE id < $1\n" AT
        "DETAIL:  parameters: $1 = '1'\n",
     AT "LOG:  checkpoint\n", 1, 1},
};

/* A log may have been cut off between two lines of its last statement: "DELETE FROM t" and "WHERE
 * id = 1". A part of a statement that only reads does no harm. */
START_TEST(the_last_write_is_left_out)
{
    for (unsigned i = 0; i < ARRAY_SIZE(logs); i++) {
        unsigned before = count;
        struct timeline_counts c = read_part(logs[i].text, "");
        ck_assert_uint_eq(count - before, logs[i].count);
        ck_assert_uint_eq(c.left_out.count, logs[i].left_out);
        before = count;
        c = read_part(logs[i].text, logs[i].further);
        ck_assert_uint_eq(count - before, logs[i].count + logs[i].left_out);
        ck_assert_uint_eq(c.left_out.count, 0);
    }
}
END_TEST

#define ENDED(time, pid, ms, text)                                                                 \
    "2026-11-24 03:37:" time " UTC [" pid "] LOG:  duration: " ms " ms  statement: " text "\n"

/* The log has the end times of statements. */
START_TEST(ends_become_beginnings)
{
    struct timeline_counts c = read_log(ENDED("01.000", "1", "10", "A") ENDED(
        "02.000", "2", "1500", "B") ENDED("03.000", "1", "2010", "C"));
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(items[0]->text, "B");
    ck_assert_str_eq(items[1]->text, "A");
    ck_assert_str_eq(items[2]->text, "C");
    ck_assert_double_eq_tol(seconds(1), 0.49, 1e-9);
    ck_assert_double_eq_tol(seconds(2), 0.5, 2e-2);
    ck_assert_int_eq(items[0]->duration_ns, 1500 * NS_PER_MS);
    ck_assert(c.ends);
}
END_TEST

/* Durations are rounded, and clocks are coarse. The order of a session is that of the log
 * nevertheless. */
START_TEST(the_order_of_a_session_is_kept)
{
    read_log(ENDED("01.000", "1", "0.010", "A") ENDED("01.000", "1", "500", "B")
                 ENDED("01.001", "1", "300", "C"));
    ck_assert_uint_eq(count, 3);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(items[i]->text[0], 'A' + (int)i);
    ck_assert_int_lt(items[0]->time_ns, items[1]->time_ns);
    ck_assert_int_lt(items[1]->time_ns, items[2]->time_ns);
}
END_TEST

START_TEST(a_clock_that_is_set_back)
{
    struct timeline_counts c =
        read_log("261124  3:00:00\t     7 Query\tA\n261124  3:00:02\t     7 Query\tB\n"
                 "261124  2:00:03\t     7 Query\tC\n261124  2:00:04\t     7 Query\tD\n");
    ck_assert_uint_eq(count, 4);
    ck_assert_uint_eq(c.back, 1);
    ck_assert_double_eq_tol(seconds(1), 2, 1e-9);
    ck_assert_double_eq_tol(seconds(2), 2, 0.6);
    ck_assert_double_eq_tol(seconds(3), 3, 1e-9);
}
END_TEST

/* A session number that is used again after the end of a session denotes a new session. */
START_TEST(sessions_end)
{
    read_log("261124  3:00:00\t     7 Query\tA\n\t\t     7 Quit\t\n\t\t     7 Connect\tx@y on shop "
             "using TCP\n"
             "\t\t     7 Query\tB\n\t\t     7 Query\tC\n");
    ck_assert_uint_eq(count, 3);
    ck_assert_uint_eq(items[0]->session, 0);
    ck_assert_uint_eq(items[1]->session, 1);
    ck_assert_uint_eq(items[2]->session, 1);
    ck_assert_str_eq(items[1]->database, "shop");
    ck_assert_str_eq(items[2]->database, "");
}
END_TEST

/* If the server was killed, the log lacks the end of the first session, and the server numbers
 * sessions from the start again. */
START_TEST(a_session_ends_where_another_begins)
{
    read_log("261124  3:00:00\t     7 Query\tA\n\t\t     8 Quit\t\n"
             "/usr/sbin/mariadbd, Version: 10.11.6-MariaDB (Debian 12). started with:\n"
             "Tcp port: 3306  Unix socket: /tmp/x\nTime\t\t    Id Command\tArgument\n"
             "261124  3:00:09\t     7 Connect\tx@y on shop using TCP\n\t\t     7 Query\tB\n");
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(items[0]->text, "A");
    ck_assert_uint_eq(items[0]->session, 0);
    ck_assert_uint_eq(items[1]->session, 1);
    ck_assert_str_eq(items[1]->database, "shop");
}
END_TEST

/* The replayed statements may be written to the log that is being replayed. */
START_TEST(entries_added_during_the_replay_are_ignored)
{
    static const char log[] = ENDED("01.000", "1", "10", "SELECT 1")
        ENDED("01.400", "1", "10", "SELECT 0") "2026-11-24 03:37:01.500 UTC [1] ";
    struct replay_census c;
    read_part(log, "");
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(replay_census_take(&c, &plan), 0);
    ck_assert_uint_eq(c.bytes.part[0], strlen(log));
    FILE *file = fopen(path, "a");
    fputs("LOG:  duration: 1 ms  statement: SELECT 2\n" ENDED("02.000", "2", "10", "SELECT 3"),
          file);
    fclose(file);
    plan.bytes = &c.bytes;
    struct timeline *t = timeline_open(&plan);
    struct replay_item *item = timeline_next(t);
    ck_assert_str_eq(item->text, "SELECT 1");
    ck_assert_ptr_null(timeline_next(t));
    free(item);
    timeline_close(t);
    replay_census_fini(&c);
}
END_TEST

START_TEST(a_change_of_the_user_goes_to_its_database)
{
    read_log("261124  3:37:02\t     7 Connect\troot@localhost on my shop using Socket\n"
             "\t\t     7 Query\tA\n\t\t     7 Query\tB\n"
             "\t\t     7 Change user\troot@localhost on store using  on using Socket\n"
             "\t\t     7 Query\tC\n"
             "\t\t     8 Connect\troot@localhost on  using Socket\n\t\t     8 Query\tD\n");
    ck_assert_uint_eq(count, 4);
    for (unsigned i = 0; i < count; i++)
        ck_assert(!items[i]->nowhere);
    ck_assert_str_eq(items[0]->database, "my shop");
    ck_assert_str_eq(items[1]->database, "");
    ck_assert_str_eq(items[2]->database, "store using  on");
    ck_assert_str_eq(items[3]->database, "");
}
END_TEST

START_TEST(a_change_of_the_user_goes_to_no_database)
{
    plan.writes = false;
    read_log("261124  3:37:02\t     7 Connect\troot@localhost on shop using Socket\n"
             "\t\t     7 Change user\troot@localhost on  using Socket\n"
             "\t\t     7 Query\tDELETE FROM t\n"
             "\t\t     7 Query\tSELECT 1\n\t\t     7 Query\tSELECT 2\n"
             "\t\t     7 Change user\troot@localhost on  using Socket\n"
             "\t\t     7 Change user\troot@localhost on store using Socket\n"
             "\t\t     7 Query\tSELECT 3\n");
    ck_assert_uint_eq(count, 3);
    ck_assert(items[0]->nowhere);
    ck_assert_str_eq(items[0]->database, "");
    ck_assert(!items[1]->nowhere);
    ck_assert(!items[2]->nowhere);
    ck_assert_str_eq(items[2]->database, "store");
}
END_TEST

START_TEST(databases_in_a_slow_log_of_mariadb)
{
    read_part(SLOW("", "A") SLOW("my shop", "B") SLOW("my shop", "C") SLOW("", "D") SLOW("", "E")
                  SLOW("shop", "F"),
              SLOW_QUIT);
    ck_assert_uint_eq(count, 6);
    static const char *const databases[] = {"", "my shop", "my shop", "", "", "shop"};
    for (unsigned i = 0; i < count; i++) {
        ck_assert_str_eq(items[i]->database, databases[i]);
        ck_assert_int_eq(items[i]->nowhere, i == 3);
    }
}
END_TEST

/* USE changes the database of a session. */
START_TEST(one_database_of_a_general_log)
{
    plan.database = "shop";
    struct timeline_counts c =
        read_log("261124  3:37:02\t     7 Connect\troot@localhost on  using Socket\n"
                 "\t\t     7 Query\tA\n\t\t     7 Query\tUSE shop\n\t\t     7 Query\tB\n"
                 "\t\t     7 Init DB\tother\n\t\t     7 Query\tC\n"
                 "\t\t     7 Query\tUSE -- there\n`shop`\n\t\t     7 Query\tSELECT 1\n"
                 "\t\t     7 Change user\troot@localhost on  using Socket\n"
                 "\t\t     7 Query\tD\n\t\t     7 Quit\t\n");
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(items[0]->text, "B");
    ck_assert_str_eq(items[0]->database, "shop");
    ck_assert_str_eq(items[1]->text, "USE `other`");
    ck_assert_str_eq(items[2]->text, "SELECT 1");
    ck_assert_uint_eq(c.elsewhere, 5);
}
END_TEST

#define LINE(text) "2026-11-24 03:37:01.000 UTC [5] " text "\n"

START_TEST(durations_and_errors_come_later)
{
    read_log(LINE("LOG:  statement: A") LINE("LOG:  duration: 2.000 ms")
                 LINE("LOG:  duration: 9.000 ms") LINE("LOG:  statement: B") LINE("ERROR:  no")
                     LINE("STATEMENT:  B") LINE("ERROR:  no") LINE("STATEMENT:  C"));
    ck_assert_uint_eq(count, 3);
    ck_assert_int_eq(items[0]->duration_ns, 2 * NS_PER_MS);
    ck_assert(!items[0]->failed);
    ck_assert(items[1]->failed);
    ck_assert_str_eq(items[2]->text, "C");
    ck_assert(items[2]->failed);
}
END_TEST

/* A client may retry a failed statement. Of a failed statement that is logged with its duration,
 * only the error is in the log. */
START_TEST(the_same_statement_fails_again)
{
    read_log(LINE("ERROR:  no") LINE("STATEMENT:  A") LINE("ERROR:  no") LINE("STATEMENT:  A")
                 LINE("LOG:  statement: A") LINE("ERROR:  no") LINE("STATEMENT:  A")
                     LINE("LOG:  duration: 9.000 ms") LINE("LOG:  statement: A"));
    ck_assert_uint_eq(count, 4);
    for (unsigned i = 0; i < count; i++) {
        ck_assert_int_eq(items[i]->failed, i < 3);
        ck_assert_int_eq(items[i]->duration_ns, -1);
    }
}
END_TEST

#define OF(database, text)                                                                         \
    "2026-11-24 03:37:01.000 UTC [5] u@" database " LOG:  statement: " text "\n"

static void join(void *text, const char *note)
{
    strncat(text, note, 500);
}

START_TEST(several_databases)
{
    struct replay_census c;
    char notes[1000] = "";
    struct timeline_counts counts = read_log(OF("shop", "A") OF("store", "B") OF("shop", "C"));
    ck_assert_uint_eq(counts.of_others, 1);
    ck_assert_int_eq(replay_census_take(&c, &plan), 0);
    replay_census_each(&c, join, notes);
    ck_assert_ptr_nonnull(strstr(notes, "1 statements belong to other databases than shop"));
    replay_census_fini(&c);
    plan.database = "shop";
    counts = read_log(OF("shop", "A") OF("store", "B"));
    ck_assert_uint_eq(counts.of_others, 0);
}
END_TEST

START_TEST(statements_that_are_left_out_are_counted)
{
    plan.writes = false;
    struct timeline_counts c =
        read_log("261124  3:00:00\t     7 Query\tSELECT 1\n\t\t     7 Query\tDELETE\n  FROM t\n"
                 "\t\t     7 Query\tUPDATE t SET a = 1\n\t\t     7 Kill\t9\n"
                 "\t\t     7 Query\tKILL 9\n");
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(c.refused, 2);
    ck_assert_str_eq(c.refused_text, "DELETE FROM t");
    ck_assert_uint_eq(c.left_out.count, 1);
    ck_assert_uint_eq(c.left_out.entries[0].count, 2);
    ck_assert_uint_eq(c.refused_line, 2);
    ck_assert_uint_eq(c.left_out.entries[0].line, 5);
}
END_TEST

/* Names of prepared statements are reused, so a replayed session must deallocate what it has
 * prepared in SQL. Drivers close statements that were prepared by the protocol. */
START_TEST(statements_prepared_in_sql_are_deallocated)
{
    struct timeline_counts c = read_log(
        LINE("LOG:  statement: DEALLOCATE a") LINE("LOG:  statement: PREPARE a AS SELECT 1")
            LINE("LOG:  statement: DEALLOCATE a") LINE("LOG:  statement: PREPARE a AS SELECT 2"));
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(items[1]->text, "DEALLOCATE a");
    ck_assert_uint_eq(c.left_out.entries[0].count, 1);
}
END_TEST

/* Texts of several statements of PostgreSQL, and what is sent of them with and without writes. */
START_TEST(several_statements_in_a_text)
{
    static const struct {
        const char *text, *all, *reads;
    } several[] = {
        {"ROLLBACK; DEALLOCATE ALL", "ROLLBACK; ", "ROLLBACK; "},
        {"DEALLOCATE ALL;ROLLBACK", "ROLLBACK", "ROLLBACK"},
        {"BEGIN; UPDATE t SET a = ';'; COMMIT", "BEGIN; UPDATE t SET a = ';'; COMMIT",
         "BEGIN; COMMIT"},
        {"SELECT 1; SELECT 2", "SELECT 1; SELECT 2", "SELECT 1; SELECT 2"},
        {"SELECT 1; COPY t FROM STDIN; SELECT 2", "SELECT 1; SELECT 2", "SELECT 1; SELECT 2"},
        /* One statement, or not certain. */
        {"CREATE RULE r AS ON DELETE TO t DO (SELECT 1; DELETE FROM u); DEALLOCATE ALL",
         "CREATE RULE r AS ON DELETE TO t DO (SELECT 1; DELETE FROM u); ", NULL},
        {"CREATE FUNCTION f() RETURNS void BEGIN ATOMIC DELETE FROM t; END; DEALLOCATE ALL", NULL,
         NULL},
        {"SELECT 'a\\'; DELETE FROM t; --'", "SELECT 'a\\'; DELETE FROM t; --'", NULL},
        {"DEALLOCATE ALL; DEALLOCATE a", NULL, NULL},
    };
    for (unsigned i = 0; i < 2 * ARRAY_SIZE(several); i++) {
        char log[300];
        const char *expected = i % 2 ? several[i / 2].all : several[i / 2].reads;
        const unsigned before = count;
        snprintf(log, sizeof(log), AT "LOG:  statement: %s\n", several[i / 2].text);
        plan.writes = i % 2;
        read_log(log);
        ck_assert_uint_eq(count - before, expected != NULL);
        if (expected != NULL)
            ck_assert_str_eq(items[before]->text, expected);
    }
}
END_TEST

/* Two files cover the same time, with different time zones. They are merged by absolute time, and
 * equal numbers of processes are not the same session. The offset of the second changes. */
START_TEST(files_with_different_zones)
{
    static const char *const texts[] = {
        "2026-10-25 01:59:01.000 CEST [1] LOG:  statement: SELECT 1\n"
        "2026-10-25 02:59:03.000 CEST [1] LOG:  statement: SELECT 3\n"
        "2026-10-25 02:00:05.000 CET [1] LOG:  statement: SELECT 5\n",
        "2026-10-24 23:59:02.000 UTC [1] LOG:  statement: SELECT 2\n"
        "2026-10-25 00:59:04.000 UTC [1] LOG:  statement: SELECT 4\n"};
    char names[2][20] = {"zone.XXXXXX", "zone.XXXXXX"}, both[64];
    for (int i = 0; i < 2; i++) {
        close(mkstemp(names[i]));
        FILE *file = fopen(names[i], "w");
        fputs(texts[i], file);
        fclose(file);
    }
    snprintf(both, sizeof(both), "%s,%s", names[0], names[1]);
    plan.files = both;
    for (int again = 0; again < 2; again++) {
        struct replay_census c;
        ck_assert_int_eq(replay_census_take(&c, &plan), 0);
        ck_assert_uint_eq(c.statements, 5);
        ck_assert_uint_eq(c.sessions, 2);
        ck_assert_uint_eq(c.counts.back, 0);
        ck_assert_int_eq(replay_census_span_ns(&c), 3664 * NS_PER_SEC);
        struct timeline *t = timeline_open(&plan);
        for (struct replay_item *item; (item = timeline_next(t)) != NULL; free(item), count++)
            ck_assert_int_eq(item->text[7], '1' + (int)count % 5);
        timeline_close(t);
        replay_census_fini(&c);
    }
    ck_assert_uint_eq(count, 10);
    count = 0;
    unlink(names[0]);
    unlink(names[1]);
}
END_TEST

START_TEST(a_second_reading_gives_the_same)
{
    static const char log[] =
        ENDED("01.000", "1", "10", "SELECT 1") ENDED("01.500", "2", "1500", "SELECT 2")
            ENDED("02.000", "3", "10", "SELECT 3") ENDED("03.000", "1", "1", "SELECT 4");
    struct replay_census c;
    read_log(log);
    ck_assert_int_eq(replay_census_take(&c, &plan), 0);
    ck_assert_uint_eq(c.statements, 4);
    ck_assert_uint_eq(c.sessions, 3);
    ck_assert_uint_eq(c.timed, 4);
    ck_assert_int_eq(c.first_ns, items[0]->time_ns);
    ck_assert_int_eq(c.last_ns, items[3]->time_ns);
    for (unsigned i = 0; i < count; i++)
        ck_assert_int_le((int64_t)items[i]->order, c.last_order[items[i]->session]);
    ck_assert_int_eq(c.last_order[items[3]->session], (int64_t)items[3]->order);
    replay_census_fini(&c);
}
END_TEST

RUN_SUITE_WITH("timeline", 30, setup, teardown, the_last_write_is_left_out, a_tick_is_spread,
               ends_become_beginnings, the_order_of_a_session_is_kept, a_clock_that_is_set_back,
               sessions_end, a_session_ends_where_another_begins,
               entries_added_during_the_replay_are_ignored,
               a_change_of_the_user_goes_to_its_database, a_change_of_the_user_goes_to_no_database,
               databases_in_a_slow_log_of_mariadb, one_database_of_a_general_log,
               the_same_statement_fails_again, several_databases, durations_and_errors_come_later,
               statements_that_are_left_out_are_counted, statements_prepared_in_sql_are_deallocated,
               several_statements_in_a_text, files_with_different_zones,
               a_second_reading_gives_the_same)
