/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PostgreSQL's logs in syslog, in the output of containers, in JSON and in other forms of CSV. */
#include <string.h>

#include "log_contents.h"

#define LONG_850                                                                                   \
    TEN_50 TEN_50 "01234567890123456789012345678901234567890123456789"                             \
                  "01234567890123456789012345678901234567890123456789"                             \
                  "01234567890123456789012345678901234567890123456789"
#define TEN_50 FIVE_50 FIVE_50
#define FIVE_50                                                                                    \
    "01234567890123456789012345678901234567890123456789"                                           \
    "01234567890123456789012345678901234567890123456789"                                           \
    "01234567890123456789012345678901234567890123456789"                                           \
    "01234567890123456789012345678901234567890123456789"

static const struct {
    const char *log, *text;
    unsigned left_out;
} logs[] = {
    /* syslog: pieces of two sessions are mixed; tabs are written as numbers. */
    {"Nov 24 03:37:01 host postgres[71]: [5-1] user=app,db=shop LOG:  statement: SELECT 1,\n"
     "Nov 24 03:37:01 host postgres[72]: [5-1] user=app,db=shop LOG:  statement: SELECT 7\n"
     "Nov 24 03:37:01 host postgres[71]: [5-2] #0112\n"
     "Nov 24 03:37:01 host CRON[99]: (root) CMD (x)\n"
     "Nov 24 03:37:02 host postgres[71]: [6-1] user=app,db=shop LOG:  statement: SELECT 'a#011b'\n",
     "SELECT 1,\n2|SELECT 7|SELECT 'a\tb'|", 0},
    /* Parameters, the lines of which have the prefix. */
    {"2026-11-24T03:37:01.125+02:00 host postgres[71]: [5-1] 2026-11-24 03:37:01 EET [71] LOG:  "
     "execute a: SELECT $1\n"
     "2026-11-24T03:37:01.125+02:00 host postgres[71]: [5-2] 2026-11-24 03:37:01 EET [71] DETAIL:  "
     "parameters: $1 = 'a\n"
     "2026-11-24T03:37:01.125+02:00 host postgres[71]: [5-3] \tb'\n",
     "SELECT  'a\nb'|", 0},
    /* A line that was cut between two words, because it is too long. */
    {"<134>Nov 24 03:37:01 host postgres[71]: [5-1] LOG:  statement: SELECT '" LONG_850 "',\n"
     "<134>Nov 24 03:37:01 host postgres[71]: [5-2]  2\n",
     "SELECT '" LONG_850 "', 2|", 0},
    /* A piece is missing, in the middle and at the start. */
    {"Nov 24 03:37:01 host postgres[71]: [5-1] LOG:  statement: DELETE FROM t\n"
     "Nov 24 03:37:01 host postgres[71]: [5-3] #011AND b = 1\n"
     "Nov 24 03:37:01 host postgres[71]: [6-2] #011OR c = 1\n"
     "Nov 24 03:37:01 host postgres[71]: [7-1] LOG:  statement: SELECT 1\n",
     "SELECT 1|", 1},
    /* Without numbers of pieces. */
    {"Nov 24 03:37:01 host postgres[71]: LOG:  statement: SELECT 1,\n"
     "Nov 24 03:37:01 host postgres[71]: #0112\n"
     "Nov 24 03:37:01 host postgres[71]: LOG:  statement: SELECT 2\n",
     "SELECT 1,\n2|SELECT 2|", 0},
    /* Not split. */
    {"Nov 24 03:37:01 host postgres[71]: [5] LOG:  execute a: SELECT $1#012#011, 2#012DETAIL:  "
     "parameters: $1 = '5'\n"
     "Nov 24 03:37:01 host postgres[71]: [6] LOG:  statement: SELECT 2\n",
     "SELECT  '5'\n, 2|SELECT 2|", 0},
    /* Heroku. */
    {"2026-11-24T03:37:01+00:00 app[postgres.71]: [DATABASE] [7-1]  sql_error_code = 00000 LOG:  "
     "duration: 4.012 ms  statement: SELECT 1,\n"
     "2026-11-24T03:37:01+00:00 app[postgres.71]: [DATABASE] [7-2]       2\n"
     "2026-11-24T03:37:02+00:00 app[postgres.71]: [DATABASE] [8-1]  sql_error_code = 00000 LOG:  "
     "duration: 4.012 ms  statement: SELECT 'a\n"
     "2026-11-24T03:37:02+00:00 app[postgres.71]: [DATABASE] [8-2]       b'\n",
     "SELECT 1,\n      2|", 1},
    /* log_error_verbosity=verbose */
    {"2026-11-24 03:37:01.125 UTC [71] LOG:  00000: statement: SELECT 1\n"
     "2026-11-24 03:37:01.125 UTC [71] LOCATION:  exec_simple_query, postgres.c:1078\n"
     "2026-11-24 03:37:02.125 UTC [71] LOG:  00000: execute a: SELECT $1\n"
     "2026-11-24 03:37:02.125 UTC [71] DETAIL:  parameters: $1 = '5'\n"
     "2026-11-24 03:37:02.125 UTC [71] LOCATION:  exec_execute_message, postgres.c:2013\n",
     "SELECT 1|SELECT  '5'|", 0},
    /* auto_explain and pgaudit */
    {"2026-11-24 03:37:01.125 UTC [71] LOG:  duration: 1.5 ms  plan:\n\tQuery Text: SELECT 1\n"
     "2026-11-24 03:37:02.125 UTC [71] LOG:  AUDIT: SESSION,1,1,READ,SELECT,,,SELECT 1,<none>\n",
     "", 2},
    /* Containers: the engines of Kubernetes and Docker, and docker compose. */
    {"2026-11-24T03:37:01.125123456Z stderr F 2026-11-24 03:37:01.125 UTC [71] LOG:  statement: "
     "SELECT 1,\n"
     "2026-11-24T03:37:01.125123456Z stderr F \t2\n"
     "2026-11-24T03:37:02.125123456Z stderr P 2026-11-24 03:37:02.125 UTC [71] LOG:  statement: "
     "SEL\n"
     "2026-11-24T03:37:02.125123456Z stderr F ECT 2\n",
     "SELECT 1,\n2|SELECT 2|", 0},
    {"{\"log\":\"2026-11-24 03:37:01.125 UTC [71] LOG:  statement: SELECT "
     "1,\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-24T03:37:01.125Z\"}\n"
     "{\"log\":\"\\t2\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-24T03:37:01.125Z\"}\n"
     "{\"log\":\"2026-11-24 03:37:02.125 UTC [71] LOG:  statement: SEL\",\"stream\":\"stderr\"}\n"
     "{\"log\":\"ECT 2\\n\",\"stream\":\"stderr\"}\n",
     "SELECT 1,\n2|SELECT 2|", 0},
    {"db-1   | 2026-11-24 03:37:01.125 UTC [71] LOG:  statement: SELECT 1,\n"
     "db-1   | \t2\n"
     "db-1   | 2026-11-24 03:37:02.125 UTC [71] LOG:  statement: SELECT 2\n",
     "SELECT 1,\n2|SELECT 2|", 0},
    {"db-1  | 2026-11-24T03:37:01.125Z 2026-11-24 03:37:01.125 UTC [71] LOG:  statement: SELECT "
     "1,\n"
     "db-1  | 2026-11-24T03:37:01.125Z \t2\n"
     "db-1  | 2026-11-24T03:37:02.125Z 2026-11-24 03:37:02.125 UTC [71] LOG:  statement: SELECT "
     "2\n",
     "SELECT 1,\n2|SELECT 2|", 0},
    /* Google Cloud SQL. */
    {"{\"insertId\":\"a\",\"textPayload\":\"2026-11-24 03:37:01.125 UTC [71]: [1-1] "
     "db=shop,user=app LOG:  statement: SELECT "
     "1,\\n\\t2\",\"timestamp\":\"2026-11-24T03:37:01.125Z\"}\n"
     "{\"insertId\":\"b\",\"textPayload\":\"2026-11-24 03:37:02.125 UTC [71]: [2-1] "
     "db=shop,user=app LOG:  statement: SELECT\\n2\",\"timestamp\":\"2026-11-24T03:37:01.125Z\"}\n",
     "SELECT 1,\n2|SELECT\n2|", 0},
    /* The server's own JSON, and that of CloudNativePG, whose other programs log as well. */
    {"{\"timestamp\":\"2026-11-24 03:37:01.125 "
     "UTC\",\"user\":\"app\",\"dbname\":\"shop\",\"pid\":71,\"session_id\":\"6925a1b3.47\",\"line_"
     "num\":1,\"error_severity\":\"LOG\",\"message\":\"execute a: SELECT "
     "$1,\\n\\t2\",\"detail\":\"Parameters: $1 = '5'\",\"backend_type\":\"client backend\"}\n"
     "{\"timestamp\":\"2026-11-24 03:37:01.125 "
     "UTC\",\"user\":\"app\",\"dbname\":\"shop\",\"pid\":71,\"error_severity\":\"LOG\",\"message\":"
     "\"stat\n"
     "{\"timestamp\":\"2026-11-24 03:37:02.125 "
     "UTC\",\"user\":\"app\",\"dbname\":\"shop\",\"pid\":71,\"session_id\":\"6925a1b3.47\",\"error_"
     "severity\":\"LOG\",\"message\":\"statement: SELECT 2\"}\n",
     "SELECT  '5',\n\t2|SELECT 2|", 0},
    {"{\"level\":\"info\",\"ts\":\"2026-11-24T03:37:01Z\",\"msg\":\"Starting\",\"logging_pod\":\"c-"
     "1\"}\n"
     "{\"level\":\"info\",\"ts\":\"2026-11-24T03:37:01Z\",\"logger\":\"postgres\",\"msg\":"
     "\"record\",\"logging_pod\":\"c-1\",\"record\":{\"log_time\":\"2026-11-24 03:37:01.125 "
     "UTC\",\"user_name\":\"app\",\"database_name\":\"shop\",\"process_id\":\"71\",\"session_id\":"
     "\"6925a1b3.47\",\"error_severity\":\"LOG\",\"message\":\"statement: SELECT "
     "1\",\"backend_type\":\"client backend\"}}\n",
     "SELECT 1|", 0},
    {"2026-11-24T03:37:01.125Z stdout P "
     "{\"level\":\"info\",\"msg\":\"record\",\"record\":{\"log_time\":\"2026-11-24 03:37:01.125 "
     "UTC\",\"process_id\":\"71\",\n"
     "2026-11-24T03:37:01.125Z stdout F "
     "\"session_id\":\"6925a1b3.47\",\"error_severity\":\"LOG\",\"message\":\"statement: SELECT "
     "1\"}}\n",
     "SELECT 1|", 0},
    /* A line of a literal that looks like a record. */
    {"2026-11-24 03:37:01.125 "
     "UTC,\"app\",\"shop\",71,\"[local]\",6925a1b3.47,1,\"SELECT\",2026-11-24 03:36:01 "
     "UTC,3/17,0,LOG,00000,\"statement: INSERT INTO t VALUES ('\n"
     "2026-11-24 03:37:01.125 UTC,,,71,,6925a1b3.47,1,x,,1/1,0,LOG,00000,statement: DROP TABLE "
     "t,,,,,,,,,psql,x,,0\n"
     "')\",,,,,,,,,\"psql\",\"client backend\",,0\n"
     "2026-11-24 03:37:02.125 "
     "UTC,\"app\",\"shop\",71,\"[local]\",6925a1b3.47,1,\"SELECT\",2026-11-24 03:36:01 "
     "UTC,3/17,0,LOG,00000,\"statement: SELECT 3\",,,,,,,,,\"psql\",\"client backend\",,0\n",
     "SELECT 3|", 1},
    /* CSV: all fields with quotes; 23 and 26 columns; records that were cut off in the middle. */
    {"\"2026-11-24 03:37:01.125 "
     "UTC\",\"app\",\"shop\",\"71\",\"[local]\",\"6925a1b3.47\",\"1\",\"SELECT\",\"2026-11-24 "
     "03:36:01 UTC\",\"3/17\",\"0\",\"LOG\",\"00000\",\"statement: SELECT "
     "\"\"a\"\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"psql\"\n",
     "SELECT \"a\"|", 0},
    {"2026-11-24 03:37:01.125 "
     "UTC,\"app\",\"shop\",71,\"[local]\",6925a1b3.47,1,\"SELECT\",2026-11-24 03:36:01 "
     "UTC,3/17,0,LOG,00000,\"statement: SELECT 1\",,,,,,,,,\"psql\"\n"
     "2026-11-24 03:37:01.125 "
     "UTC,\"app\",\"shop\",71,\"[local]\",6925a1b3.47,1,\"SELECT\",2026-11-24 03:36:01 "
     "UTC,3/17,0,LOG,00000,\"statement: SEL\n"
     "2026-11-24 03:37:01.125 "
     "UTC,\"app\",\"shop\",71,\"[local]\",6925a1b3.47,1,\"SELECT\",2026-11-24 03:36:01 "
     "UTC,3/17,0,LOG,00000,\"statement: SELECT 3\",,,,,,,,,\"psql\",\"client backend\"\n"
     "CT 4\",,,,,,,,,\"psql\"\n"
     "2026-11-24 03:37:02.125 "
     "UTC,\"app\",\"shop\",71,\"[local]\",6925a1b3.47,1,\"SELECT\",2026-11-24 03:36:01 "
     "UTC,3/17,0,LOG,00000,\"execute a: SELECT $1\",\"parameters: $1 = "
     "'5'\",,,,,,,,\"psql\",\"client backend\",,123\n",
     "SELECT 1|SELECT 3|SELECT  '5'|", 0},
};

#define GCP(text) "{\"textPayload\":\"2026-11-24 03:37:" text "\",\"logName\":\"x\"}"
#define GCP_1 GCP("01.125 UTC [71]: [1-1] db=d,user=u LOG:  statement: SELECT 1")
#define GCP_2 GCP("02.125 UTC [71]: [2-1] db=d,user=u LOG:  statement: SELECT 2")
#define GCP_3                                                                                      \
    GCP("03.125 UTC [71]: [3-1] db=d,user=u LOG:  statement: DELETE FROM t -- x\\n\\tWHERE a")
#define AT(second) "2026-11-24 03:37:" second ".125 UTC [71] LOG:  statement: "
#define CRI(text) "2026-11-24T03:37:01.125Z " text "\n"
#define JOURNAL(pid, text) "{\"MESSAGE\":\"" text "\",\"_PID\":\"" pid "\"}\n"
#define DOCKER(text) "{\"log\":\"2026-11-24 03:37:" text "\\n\",\"stream\":\"stderr\"}\n"
#define SYSLOG(text) "Nov 24 03:37:01 host postgres[71]: " text "\n"

/* Lines of which the text around them is damaged. They are no statements, and what precedes them
 * may go on in them. */
static const struct {
    const char *log, *text;
    unsigned left_out;
} damaged[] = {
    /* The first line has lost its beginning. */
    {"2026-11-24 03:37:00.125 UTC [71]: [1-1] db=d,user=u LOG:  statement: DELETE FROM t -- "
     "x\\n\\tWHERE a\",\"logName\":\"x\"}\n" GCP_1 "\n" GCP_2 "\n" GCP_2 "\n",
     "SELECT 1|SELECT 2|SELECT 2|", 0},
    {GCP_1 "\n" GCP_2 "\nx" GCP_3 "\n" GCP_2 "\n" GCP_2 "\n", "SELECT 1|SELECT 2|SELECT 2|", 1},
    {"2026-11-24 03:37:00.125 UTC [71] LOG:  statement: DELETE FROM t -- x\\n\"}\n"
     "{\"log\":\"\\tWHERE a\\n\",\"stream\":\"stderr\"}\n" DOCKER(
         "01.125 UTC [71] LOG:  statement: SELECT 1") DOCKER("02.125 UTC [71] LOG:  statement: "
                                                             "SELECT 2"),
     "SELECT 1|SELECT 2|", 0},
    {"st postgres[71]: [7-1] 2026-11-24 03:37:00.125 UTC [71] LOG:  statement: DELETE FROM "
     "t\n" SYSLOG("[7-2] #011WHERE a")
         SYSLOG("[8-1] 2026-11-24 03:37:01.125 UTC [71] LOG:  statement: "
                "SELECT 1") SYSLOG("[9-1] 2026-11-24 03:37:02.125 UTC [71] "
                                   "LOG:  statement: SELECT 2"),
     "SELECT 1|SELECT 2|", 0},
    /* The rest of a line that has several records is lost, or after a record of another stream. */
    {CRI("stderr P 2026-11-24 03:37:01.1 UTC [71] LOG:  statement: DELETE FROM t WHERE a ")
         CRI("stderr F " AT("02") "SELECT 2") CRI("stderr F " AT("03") "SELECT 3"),
     "SELECT 3|", 0},
    {CRI("stderr F " AT("01") "SELECT 1") CRI("stderr P " AT("02") "DELETE FROM t WHERE a ")
         CRI("stdout F OR true") CRI("stderr F \tAND b") CRI("stderr F " AT("03") "SELECT 3"),
     "SELECT 3|", 1},
    {DOCKER("01.1 UTC [71] LOG:  statement: SELECT 1") "{\"log\":\"" AT(
         "02") "DELETE FROM t \",\"stream\":\"stderr\"}\n"
               "{\"log\":\";started\\n\",\"stream\":\"stdout\"}\n"
               "{\"log\":\"WHERE a\\n\",\"stream\":\"stderr\"}\n" DOCKER(
                   "03.1 UTC [71] LOG:  statement: SELECT 3"),
     "SELECT 3|", 1},
    /* Cloud Logging has split a text. */
    {GCP_1
     "\n" GCP_2 "\n{\"textPayload\":\"2026-11-24 03:37:03.1 UTC [71]: [3-1] db=d,user=u LOG:  "
     "statement: DELETE FROM t \",\"split\":{\"uid\":\"a\",\"totalSplits\":2}}\n" GCP_2 "\n"
     "{\"textPayload\":\"WHERE a\",\"split\":{\"uid\":\"a\",\"index\":1,\"totalSplits\":2}}\n" GCP_1
     "\n",
     "SELECT 1|SELECT 1|", 2},
    /* Messages of a process are missing in syslog; a daemon has merged or cut some. */
    {SYSLOG("[6-1] " AT("01") "SELECT 1") SYSLOG("[7-1] " AT("02") "DELETE FROM t")
         SYSLOG("[9-1] " AT("03") "SELECT 3"),
     "SELECT 1|SELECT 3|", 1},
    {SYSLOG("[6-1] " AT("01") "SELECT 1") SYSLOG("[7-1] " AT(
         "02") "DELETE FROM t") "Nov 24 03:37:02 host systemd-journald[1]: Suppressed 134 messages "
                                "from x.service\n" SYSLOG("[8-1] " AT("05") "SELECT 3"),
     "SELECT 1|SELECT 3|", 1},
    {SYSLOG("[6-1] " AT("01") "SELECT 1") SYSLOG("[7-1] " AT("02") "DELETE FROM t") SYSLOG(
         "message repeated 2 times: [ [7-2] #011 WHERE id=1]") SYSLOG("[8-1] " AT("05") "SELECT 3"),
     "SELECT 1|SELECT 3|", 1},
    {SYSLOG("[6] " AT("01") "SELECT 1")
         SYSLOG("[7] " AT("02") "SELECT '" LONG_850 LONG_850 LONG_850 LONG_850 LONG_850 LONG_850
                    LONG_850 LONG_850 LONG_850) SYSLOG("[8] " AT("05") "SELECT 3"),
     "SELECT 1|SELECT 3|", 1},
    /* Objects of an array, with commas. */
    {"[\n" GCP_1 ",\n" GCP_3 ",\n" GCP_2 "\n]\n", "SELECT 1|DELETE FROM t -- x\nWHERE a|SELECT 2|",
     0},
    /* Objects that were not recognized, because most lines are none. */
    {"a\nb\nc\nd\ne\n" GCP_1 "\n" GCP_3 "\n", "", 0},
};

/* Logs in which the lines of several hosts, containers or streams are mixed. */
static const struct {
    const char *log, *text;
} mixed[] = {
    {"db-1  | " AT("01") "DELETE FROM t\ndb-2  | " AT("01") "SELECT 7\ndb-1  | \tWHERE a\n"
                                                            "db-2  | \t+ 1\ndb-1  | " AT(
                                                                "02") "SELECT 2\n",
     "DELETE FROM t\nWHERE a|SELECT 7\n+ 1|SELECT 2|"},
    {"db-1  | " AT("01") "UPDATE t\nweb-1  | \t-- at com.foo\ndb-1  | \tSET a = 1\n"
                         "db-1  | " AT("02") "DELETE FROM t\nweb-1  | \tWHERE x\ndb-1  | " AT(
                             "03") "SELECT 3\n",
     "UPDATE t\nSET a = 1|DELETE FROM t|SELECT 3|"},
    {"[pod/pg-0/db] " AT("01") "DELETE FROM t\n[pod/pg-1/db] " AT(
         "01") "SELECT 1\n"
               "[pod/pg-0/db] \tWHERE a\n[pod/pg-0/db] " AT("02") "SELECT 2\n",
     "DELETE FROM t\nWHERE a|SELECT 1|SELECT 2|"},
    {"2026-11-24T03:37:01.1Z stderr F " AT(
         "01") "DELETE FROM t\n"
               "2026-11-24T03:37:01.1Z stdout F \tOR b\n2026-11-24T03:37:01.1Z stderr F \tWHERE a\n"
               "2026-11-24T03:37:01.1Z stderr F " AT("02") "SELECT 2\n",
     "DELETE FROM t\nWHERE a|SELECT 2|"},
    {"Nov 24 03:37:01 host1 postgres[71]: [7-1] " AT(
         "01") "DELETE FROM t\n"
               "Nov 24 03:37:01 host2 postgres[71]: [7-1] " AT(
                   "01") "SELECT 7\n"
                         "Nov 24 03:37:01 host1 postgres[71]: [7-2] #011WHERE a\n"
                         "Nov 24 03:37:02 host1 postgres[71]: [8-1] " AT("02") "SELECT 2\n",
     "DELETE FROM t\nWHERE a|SELECT 7|SELECT 2|"},
    {"2026-11-24T03:37:01+00:00 app[postgres.71]: [DATABASE] [7-1] LOG:  statement: DELETE FROM t\n"
     "2026-11-24T03:37:01+00:00 app[postgres.71]: [COPPER] [7-1] LOG:  statement: SELECT 7\n"
     "2026-11-24T03:37:01+00:00 app[postgres.71]: [DATABASE] [7-2] \tWHERE a\n"
     "2026-11-24T03:37:02+00:00 app[postgres.71]: [DATABASE] [8-1] LOG:  statement: SELECT 8\n",
     "DELETE FROM t\nWHERE a|SELECT 7|SELECT 8|"},
    /* Processes that journald names. */
    {JOURNAL("71", "[7-1] " AT("01") "DELETE FROM t")
         JOURNAL("72", "[9-1] 2026-11-24 03:37:01.1 UTC "
                       "[72] LOG:  statement: SELECT 7") JOURNAL("71", "[7-2] \\tWHERE a")
             JOURNAL("71", "[8-1] " AT("02") "SELECT 2"),
     "DELETE FROM t\nWHERE a|SELECT 7|SELECT 2|"},
    {JOURNAL("71", AT("01") "DELETE FROM t") JOURNAL("72", "2026-11-24 03:37:01.1 UTC "
                                                           "[72] LOG:  statement: SELECT 7")
         JOURNAL("71", "\\tWHERE a") JOURNAL("71", AT("02") "SELECT 2"),
     "DELETE FROM t\nWHERE a|SELECT 7|SELECT 2|"},
    /* Only the server's container has a log of MySQL. */
    {"web-1 | started\ndb-1  | 2026-11-24T03:37:01.125000Z\t    7 Query\tUPDATE t SET a = 1\n"
     "web-1 | WHERE b\ndb-1  | 2026-11-24T03:37:02.125000Z\t    7 Query\tSELECT 5\n",
     "UPDATE t SET a = 1|SELECT 5|"},
};

START_TEST(mixed_sources)
{
    struct contents c = read_text(mixed[_i].log);
    ck_assert_str_eq(c.text, mixed[_i].text);
    ck_assert_uint_eq(c.left_out, 0);
    free(c.text);
}
END_TEST

START_TEST(damaged_around)
{
    struct contents c = read_text(damaged[_i].log);
    ck_assert_str_eq(c.text, damaged[_i].text);
    ck_assert_uint_eq(c.left_out, damaged[_i].left_out);
    free(c.text);
}
END_TEST

START_TEST(unwrapped)
{
    struct contents c = read_text(logs[_i].log);
    ck_assert_str_eq(c.text, logs[_i].text);
    ck_assert_uint_eq(c.left_out, logs[_i].left_out);
    free(c.text);
}
END_TEST

#define T(time) "2026-11-24 03:37:" time " UTC "

/* Messages whose lines are not next to each other, or are written in another way. */
static const struct {
    const char *log, *text;
    unsigned failures, left_out;
} pieces[] = {
    {T("01.1") "[71] LOG:  execute a: SELECT $1\n" T(
         "01.1") "[72] LOG:  execute a: SELECT $1 + 1\n" T("01.1") "[72] DETAIL:  parameters: $1 = "
                                                                   "'2'\n" T("01.1") "[71] DETAIL: "
                                                                                     " parameters: "
                                                                                     "$1 = '1'\n",
     "SELECT  '1'|SELECT  '2' + 1|", 0, 0},
    /* The message of a detail is missing: its parameters are not those of the message before. */
    {T("01.1") "[71] LOG:  execute a: SELECT $1\n" T(
         "11.1") "[71] DETAIL:  parameters: $1 = '2'\n" T("12.1") "[71] LOG:  statement: SELECT "
                                                                  "3\n",
     "SELECT 3|", 0, 1},
    /* Statements that begin on the next line. */
    {T("01.1") "[71] LOG:  statement: \n\tSELECT 1\n" T("01.2") "[71] LOG:  duration: 1.5 ms  "
                                                                "statement:\n\tSELECT 2\n" T(
                                                                    "01.3") "[71] LOG:  execute "
                                                                            "<unnamed>: "
                                                                            "\n\n\tSELECT 3\n",
     "\nSELECT 1|\nSELECT 2|\n\nSELECT 3|", 0, 0},
    /* Parameters with line ends, and those of a failed statement. */
    {T("01.1") "[71] LOG:  execute a: SELECT $1\n" T(
         "01.1") "[71] DETAIL:  Parameters: $1 = 'a\n\t\tb'\n" T("01.2") "[71] ERROR:  division by "
                                                                         "zero\n" T(
                                                                             "01.2") "[71] "
                                                                                     "CONTEX"
                                                                                     "T:  "
                                                                                     "PL/"
                                                                                     "pgSQL "
                                                                                     "functi"
                                                                                     "on "
                                                                                     "f() "
                                                                                     "line "
                                                                                     "3\n"
                                                                                     "\tunna"
                                                                                     "med "
                                                                                     "portal"
                                                                                     " with "
                                                                                     "parame"
                                                                                     "ters: "
                                                                                     "$1 = "
                                                                                     "'0'"
                                                                                     "\n" T(
                                                                                         "01"
                                                                                         "."
                                                                                         "2") "[71]"
                                                                                              " STA"
                                                                                              "TEME"
                                                                                              "NT: "
                                                                                              " SEL"
                                                                                              "ECT "
                                                                                              "1/"
                                                                                              "$1"
                                                                                              "\n",
     "SELECT  'a\n\tb'|", 1, 0},
    /* Parameters that the server has cut. */
    {T("01.1") "[71] LOG:  execute a: SELECT $1\n" T(
         "01.1") "[71] DETAIL:  parameters: $1 = 'abc...'\n" T("01.2") "[71] LOG:  statement: "
                                                                       "SELECT 2\n",
     "SELECT 2|", 0, 1},
};

START_TEST(in_pieces)
{
    struct contents c = read_text(pieces[_i].log);
    ck_assert_str_eq(c.text, pieces[_i].text);
    ck_assert_uint_eq(c.failures, pieces[_i].failures);
    ck_assert_uint_eq(c.left_out, pieces[_i].left_out);
    free(c.text);
}
END_TEST

/* Writes a line in JSON. */
static void put_json(FILE *out, const char *line)
{
    for (; *line != '\0'; line++) {
        if (*line == '"' || *line == '\\')
            fputc('\\', out);
        if (*line == '\t')
            fputs("\\t", out);
        else
            fputc(*line, out);
    }
}

/* Writes a line as PostgreSQL does for syslog: in pieces of at most 900 bytes, cut between words.
 */
static void put_syslog(FILE *out, const char *line)
{
    static unsigned messages[100000], piece;
    const bool part = strstr(line, "] DETAIL:") != NULL || strstr(line, "] STATEMENT:") != NULL;
    const char *process = strchr(line, '[');
    static int number;
    if (*line != '\t' && !part) {
        piece = 0;
        number = atoi(process + 1) % (int)ARRAY_SIZE(messages);
        messages[number]++;
    }
    do {
        size_t length = strlen(line);
        if (length > 900) {
            length = 900;
            while (length > 1 && line[length] != ' ')
                length--;
        }
        fprintf(out, "Nov 24 03:37:01 host postgres[%d]: [%u-%u] ", number, messages[number],
                ++piece);
        for (size_t i = 0; i < length; i++)
            if (line[i] == '\t')
                fputs("#011", out);
            else
                fputc(line[i], out);
        fputc('\n', out);
        line += length;
    } while (*line != '\0');
}

static void put_wrapped(FILE *out, const char *line, int kind)
{
    switch (kind) {
    case 0:
        fprintf(out, "2026-11-24T03:37:01.125123456Z stderr F %s\n", line);
        break;
    case 1:
        fputs("{\"log\":\"", out);
        put_json(out, line);
        fputs("\\n\",\"stream\":\"stderr\"}\n", out);
        break;
    case 2:
        fprintf(out, "db-1  | %s\n", line);
        break;
    default:
        put_syslog(out, line);
    }
}

/* Returns true if each statement of `some` is one of `all`, in the same order. */
static bool are_whole(const char *some, const char *all)
{
    while (*some != '\0') {
        const size_t length = strcspn(some, "|") + 1;
        while (strncmp(all, some, length) != 0) {
            if (*all == '\0')
                return false;
            all += strcspn(all, "|") + 1;
        }
        some += length;
        all += length;
    }
    return true;
}

/* A log of a server is read in the same way in a container and in syslog. If it is cut off, whole
 * statements are read and no parts. */
START_TEST(samples_in_containers)
{
    static const char *const names[] = {"postgresql-statements.txt",
                                        "postgresql-statements-durations.txt",
                                        "postgresql-durations.txt"};
    char *path = sample(names[_i / 4]), *line = NULL, *text;
    size_t room = 0, bytes;
    struct contents plain = read_log(path);
    FILE *in = fopen(path, "r"), *out = open_memstream(&text, &bytes);
    for (ssize_t n; (n = getline(&line, &room, in)) > 0;) {
        line[n - (line[n - 1] == '\n')] = '\0';
        put_wrapped(out, line, _i % 4);
    }
    fclose(in);
    fclose(out);
    struct contents c = read_text(text);
    ck_assert_str_eq(c.text, plain.text);
    ck_assert_uint_eq(c.failures, plain.failures);
    free(c.text);
    for (size_t cut = bytes / 2; cut < bytes; cut += 61) {
        c = read_bytes(text, cut, LOG_TEXT_BYTES);
        ck_assert_msg(are_whole(c.text, plain.text), "cut off at %zu", cut);
        free(c.text);
    }
    free(plain.text);
    free(text);
    free(line);
    free(path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("log_containers");
    TCase *tcase = tcase_create("log_containers");
    tcase_add_loop_test(tcase, unwrapped, 0, (int)ARRAY_SIZE(logs));
    tcase_add_loop_test(tcase, damaged_around, 0, (int)ARRAY_SIZE(damaged));
    tcase_add_loop_test(tcase, mixed_sources, 0, (int)ARRAY_SIZE(mixed));
    tcase_add_loop_test(tcase, in_pieces, 0, (int)ARRAY_SIZE(pieces));
    tcase_add_loop_test(tcase, samples_in_containers, 0, 12);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
