/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prefixes of PostgreSQL's stderr log that are recognized without --log-line-prefix. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../../capture.h"
#include "log_contents.h"

/* Each log has two sessions that alternate: the first one executes SELECT 1 and SELECT 3, the
 * second SELECT 2. `database` is that of the first statement, if it can be known. */
static const struct {
    const char *lines[5], *database;
    int second; /* of the first statement */
} logs[] = {
    /* Blanks in the name of the application. */
    {{"2026-11-24 03:37:01.125 UTC [71] user=app,db=shop,app=PostgreSQL JDBC "
      "Driver,client=10.0.0.1 LOG:  ",
      "2026-11-24 03:37:02.125 UTC [72] user=app,db=shop,app=pgAdmin 4 - DB:x,client=10.0.0.1 LOG: "
      " ",
      "2026-11-24 03:37:03.125 UTC [71] user=app,db=shop,app=PostgreSQL JDBC "
      "Driver,client=10.0.0.1 LOG:  ",
      "2026-11-24 03:37:03.125 UTC [9] user=,db=,app=,client= LOG:  "},
     "shop",
     1},
    {{"2026-11-24 03:37:01 UTC [71]: [1-1] db=shop,user=app,app=PostgreSQL JDBC Driver LOG:  ",
      "2026-11-24 03:37:02 UTC [72]: [1-1] db=shop,user=app,app=[unknown] LOG:  ",
      "2026-11-24 03:37:03 UTC [71]: [2-1] db=shop,user=app,app=PostgreSQL JDBC Driver LOG:  "},
     "shop",
     1},
    /* The command and the type of the process. */
    {{"2026-11-24 03:37:01.125 UTC [71] app@shop idle LOG:  ",
      "2026-11-24 03:37:02.125 UTC [72] app@shop idle in transaction LOG:  ",
      "2026-11-24 03:37:03.125 UTC [71] app@shop SELECT LOG:  ",
      "2026-11-24 03:37:03.125 UTC [9] @  LOG:  "},
     "shop",
     1},
    {{"2026-11-24 03:37:01.125 UTC [71] client backend app@shop LOG:  ",
      "2026-11-24 03:37:02.125 UTC [72] client backend app@shop LOG:  ",
      "2026-11-24 03:37:03.125 UTC [71] client backend app@shop LOG:  ",
      "2026-11-24 03:37:03.125 UTC [9] walwriter @ LOG:  "},
     "shop",
     1},
    /* No blank before LOG, one blank after it, and lines without a time zone. */
    {{"2026-11-24 03:37:01 UTC:10.0.0.1(51234):app@shop:[71]:LOG:  ",
      "2026-11-24 03:37:02 UTC:10.0.0.1(51235):app@shop:[72]:LOG:  ",
      "2026-11-24 03:37:03 UTC:[local]:app@shop:[71]:LOG:  ",
      "2026-11-24 03:37:03 UTC::@:[9]:LOG:  "},
     "shop",
     1},
    {{"2026-11-24 03:37:01 UTC:10.0.0.1:app@shop:[71]:LOG: ",
      "2026-11-24 03:37:02 UTC:10.0.0.1:app@shop:[72]:LOG: ",
      "2026-11-24 03:37:03 UTC:10.0.0.2:app@shop:[71]:LOG: "},
     "shop",
     1},
    {{"2026-11-24 03:37:01.125 [71]LOG:  ", "2026-11-24 03:37:02.125 [72]LOG:  ",
      "2026-11-24 03:37:03.125 [71]LOG:  "},
     "",
     1},
    /* Azure. */
    {{"2026-11-24 03:37:01 UTC-6925a1b3.47-LOG:  ", "2026-11-24 03:37:02 UTC-6925a1b4.48-LOG:  ",
      "2026-11-24 03:37:03 UTC-6925a1b3.47-LOG:  "},
     "",
     1},
    /* Delimiters, and identifiers of sessions. */
    {{"2026-11-24 03:37:01.125 UTC|app|shop|6925a1b3.47|LOG:  ",
      "2026-11-24 03:37:02.125 UTC|app|shop|6925a1b4.48|LOG:  ",
      "2026-11-24 03:37:03.125 UTC|app|shop|6925a1b3.47|LOG:  ",
      "2026-11-24 03:37:03.125 UTC|||6925a1b0.9|LOG:  "},
     "shop",
     1},
    /* Counters of lines, transactions, states and query identifiers next to the process. */
    {{"[1-1] 2026-11-24 03:37:01.125 UTC 3/17 0 00000 [71] [queryid=-5123456789012345678] app@shop "
      "LOG:  ",
      "[1-1] 2026-11-24 03:37:02.125 UTC 4/2 7012 00000 [72] [queryid=0] app@shop LOG:  ",
      "[2-1] 2026-11-24 03:37:03.125 UTC 3/18 0 00000 [71] [queryid=123] app@shop LOG:  "},
     "shop",
     1},
    {{"1795491421.125 71 1 app shop LOG:  ", "1795491422.125 72 1 app shop LOG:  ",
      "1795491423.125 71 2 app shop LOG:  "},
     "shop",
     1},
    {{"2026-11-24 03:37:01 CET [71-1] app@shop LOG:  ",
      "2026-11-24 03:37:02 CET [72-1] app@shop LOG:  ",
      "2026-11-24 03:37:03 CET [71-2] app@shop LOG:  "},
     "shop",
     1},
    /* Words with blanks around '=' and quotes, and a second time, as on Heroku. */
    {{"sql_error_code = 00000 time_ms = \"2026-11-24 03:37:01.125 UTC\" pid=\"71\" "
      "proc_start_time=\"2026-11-24 03:36:12 UTC\" session_id=\"6925a1b3.47\" tid=\"0\" "
      "log_line=\"4\" "
      "database=\"shop\" user=\"app\" application_name=\"web 6.2 [6 of 16 busy]\" LOG:  ",
      "sql_error_code = 00000 time_ms = \"2026-11-24 03:37:02.125 UTC\" pid=\"72\" "
      "proc_start_time=\"2026-11-24 03:36:12 UTC\" session_id=\"6925a1b4.48\" tid=\"0\" "
      "log_line=\"4\" "
      "database=\"shop\" user=\"app\" application_name=\"psql\" LOG:  ",
      "sql_error_code = 00000 time_ms = \"2026-11-24 03:37:03.125 UTC\" pid=\"71\" "
      "proc_start_time=\"2026-11-24 03:36:12 UTC\" session_id=\"6925a1b3.47\" tid=\"0\" "
      "log_line=\"5\" "
      "database=\"shop\" user=\"app\" application_name=\"\" LOG:  "},
     "shop",
     1},
    /* Padded values. */
    {{"2026-11-24 03:37:01.125 UTC [   71] app        shop   LOG:  ",
      "2026-11-24 03:37:02.125 UTC [10072] longer_name shop   LOG:  ",
      "2026-11-24 03:37:03.125 UTC [   71] app        shop   LOG:  "},
     "shop",
     1},
};

static void write_log(const char *const *lines, FILE *out)
{
    static const char *const messages[] = {"statement: SELECT 1",
                                           "duration: 0.5 ms statement: SELECT 2",
                                           "statement: SELECT 3", "checkpoint starting: time"};
    /* The process that is not a session logs first. */
    for (int round = 0; round < 3; round++)
        for (int i = 3; i >= 0; i--)
            if (lines[3 - i] != NULL)
                fprintf(out, "%s%s\n", lines[3 - i], messages[3 - i]);
}

/* Sessions have the same numbers as in the lines, and times are those of the lines. */
START_TEST(recognized)
{
    char path[] = "prefix.XXXXXX";
    struct log_event e;
    uint64_t session[3];
    close(mkstemp(path));
    FILE *out = fopen(path, "w");
    write_log(logs[_i].lines, out);
    fclose(out);
    struct log_reader *r = log_reader_open(path, LOG_FORMAT_UNKNOWN, NULL, LOG_TEXT_BYTES);
    ck_assert_ptr_nonnull(r);
    for (int i = 0; i < 9; i++) {
        char text[] = "SELECT 0";
        text[7] = (char)('1' + i % 3);
        ck_assert_msg(log_reader_next(r, &e), "line %d", i);
        ck_assert_int_eq(e.kind, LOG_EVENT_STATEMENT);
        ck_assert_str_eq(e.text, text);
        if (i < 3)
            session[i] = e.session;
        ck_assert_uint_eq(e.session, session[i % 3]);
        ck_assert_int_eq(e.time_ns / NS_PER_SEC % 60, logs[_i].second + i % 3);
        ck_assert_str_eq(e.database, logs[_i].database);
    }
    ck_assert(!log_reader_next(r, &e));
    ck_assert_uint_eq(session[0], session[2]);
    ck_assert_uint_ne(session[0], session[1]);
    log_reader_close(r);
    unlink(path);
}
END_TEST

/* Messages have their own lines of details, so a number that changes within a message is
 * not the number of a process. */
START_TEST(counters_are_no_processes)
{
    struct contents c = read_text("2026-11-24 03:37:01 UTC 1 71 LOG:  execute a: SELECT $1\n"
                                  "2026-11-24 03:37:01 UTC 2 71 DETAIL:  parameters: $1 = '5'\n"
                                  "2026-11-24 03:37:02 UTC 1 72 LOG:  execute a: SELECT $1\n"
                                  "2026-11-24 03:37:02 UTC 2 72 DETAIL:  parameters: $1 = '6'\n");
    ck_assert_str_eq(c.text, "SELECT  '5'|SELECT  '6'|");
    free(c.text);
}
END_TEST

/* The message has the first line and the part of the prefix that was recognized. */
START_TEST(not_recognized)
{
    struct capture capture;
    capture_start(&capture, 0);
    struct contents c = read_text("03:37 app@shop LOG:  statement: SELECT 1\n"
                                  "03:37 app@shop LOG:  statement: SELECT 2\n");
    char *said = capture_end(&capture);
    ck_assert_uint_eq(c.statements, 0);
    ck_assert_ptr_nonnull(strstr(said, "--log-line-prefix"));
    ck_assert_ptr_nonnull(strstr(said, "03:37 app@shop LOG:  statement: SELECT 1"));
    ck_assert_ptr_nonnull(strstr(said, "%u@%d"));
    free(c.text);
    free(said);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pgsql_guess");
    TCase *tcase = tcase_create("pgsql_guess");
    tcase_add_loop_test(tcase, recognized, 0, (int)ARRAY_SIZE(logs));
    tcase_add_test(tcase, counters_are_no_processes);
    tcase_add_test(tcase, not_recognized);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
