/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of job_run(). The program that a job starts is this test itself. The last argument selects
 * the part that it plays: "look" is the query of a server that has a table, "run" never ends, and
 * "prepare" and "cleanup" end with status 0. If ASKED is set, it also ignores SIGTERM.
 */
#include "service/jobs/job_run.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/clock.h"
#include "base/util.h"

/* A job may take 90 seconds (GRACE_SECONDS) more than requested. With this request its deadline is
 * after 0.2 seconds. */
#define SECONDS (-89.8)

static char folder[] = "job-run.XXXXXX";
static struct archive *archive;
static char *during; /* list of tables in the archive while the process of the job ran */

/* Environment variable with the path of a file to which a process writes its id when it receives
 * SIGTERM. */
#define ASKED "SYSRATE_TEST_ASKED"

static void note_asked(int signal)
{
    const pid_t self = getpid();
    (void)signal;
    int fd = open(getenv(ASKED), O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write(fd, &self, sizeof(self)) != (ssize_t)sizeof(self))
        _exit(1);
    close(fd);
}

/* Environment variable with the path of a file that the first query of the server creates. Further
 * queries fail. */
#define LOOKS "SYSRATE_TEST_LOOKS"

static int look(void)
{
    const char *path = getenv(LOOKS);
    if (path != NULL && access(path, F_OK) == 0)
        return 1;
    if (path != NULL)
        close(open(path, O_WRONLY | O_CREAT, 0600));
    printf("identity=abc\ntable=t1\n");
    return 0;
}

static int play(char *part)
{
    if (getenv(ASKED) != NULL)
        signal(SIGTERM, note_asked);
    if (strcmp(part, "look") == 0)
        return look();
    else if (strcmp(part, "run") == 0)
        while (pause() != 0 && getenv(ASKED) != NULL)
            ;
    else
        usleep(300000);
    return 0;
}

static void open_archive(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    archive = archive_open(folder, true);
    ck_assert_int_eq(jobs_init(archive), 0);
}

static void close_archive(void)
{
    char path[64];
    archive_close(archive);
    snprintf(path, sizeof(path), "%s/archive.sqlite", folder);
    unlink(path);
    rmdir(folder);
    free(during);
}

static void runs(void *arg, const char *intervals, const char *progress)
{
    (void)arg;
    (void)intervals;
    (void)progress;
}

static bool ends(void *arg)
{
    (void)arg;
    free(during);
    during = jobs_tables(archive, "shop");
    return false;
}

static struct job_outcome outcome_of(enum job_kind kind, const char *identity)
{
    const struct job_watch watch = {NULL, runs, ends};
    const struct target target = {
        .name = "shop", .driver = "null", .identity = identity, .schema = "made", .max_seconds = 1};
    const struct catalogue_test test = {.name = "point", .script = "point"};
    const struct job_plan plan = {.target = &target,
                                  .test = &test,
                                  .kind = kind,
                                  .rate = 1,
                                  .workers = 1,
                                  .seconds = SECONDS};
    struct job_outcome outcome;
    const struct job_place place = {archive, folder, "/proc/self/exe"};
    job_run(&outcome, &place, &plan, 1, &watch);
    return outcome;
}

START_TEST(a_deadline_ends_the_job)
{
    struct job_outcome outcome = outcome_of(KIND_RUN, "abc");
    ck_assert_int_eq(outcome.state, JOB_FAILED);
    ck_assert_ptr_nonnull(strstr(outcome.reason, "took too long"));
    ck_assert_int_ne(outcome.exit_code, 0);
    job_outcome_fini(&outcome);
}
END_TEST

/* Waits until a process has received SIGTERM and returns its id, or 0 after 30 seconds. */
static pid_t wait_for_asked(const char *path)
{
    pid_t process = 0;
    const int64_t until = clock_now_ns() + 30 * (int64_t)NS_PER_SEC;
    while (process == 0 && clock_now_ns() < until) {
        int fd = open(path, O_RDONLY);
        if (fd >= 0 && read(fd, &process, sizeof(process)) != (ssize_t)sizeof(process))
            process = 0;
        if (fd >= 0)
            close(fd);
        usleep(10000);
    }
    return process;
}

static bool has_gone(pid_t process)
{
    const int64_t until = clock_now_ns() + 30 * (int64_t)NS_PER_SEC;
    while (job_process_start(process) != 0 && clock_now_ns() < until)
        usleep(10000);
    return job_process_start(process) == 0;
}

/* The service is killed after it has sent SIGTERM to a job that took too long. */
START_TEST(a_job_ends_if_the_service_is_killed_after_the_deadline)
{
    char path[64];
    int status;
    snprintf(path, sizeof(path), "%s/asked", folder);
    setenv(ASKED, path, 1);
    pid_t service = fork();
    if (service == 0) {
        struct job_outcome outcome = outcome_of(KIND_RUN, "abc");
        _exit(outcome.state);
    }
    unsetenv(ASKED);
    pid_t asked = wait_for_asked(path);
    ck_assert_int_gt(asked, 0);
    ck_assert_int_eq(waitpid(service, &status, WNOHANG), 0);
    ck_assert_int_ne(job_process_start(asked), 0);
    kill(service, SIGKILL);
    waitpid(service, &status, 0);
    ck_assert(has_gone(asked));
    unlink(path);
}
END_TEST

START_TEST(another_server_is_left_alone)
{
    struct job_outcome outcome = outcome_of(KIND_RUN, "abd");
    ck_assert_int_eq(outcome.state, JOB_FAILED);
    ck_assert_ptr_nonnull(strstr(outcome.reason, "target shop is not the expected one"));
    ck_assert_ptr_nonnull(strstr(outcome.reason, "'abc'"));
    ck_assert_int_eq(outcome.exit_code, -1);
    job_outcome_fini(&outcome);
}
END_TEST

START_TEST(foreign_tables_are_left_alone)
{
    struct job_outcome outcome = outcome_of(KIND_CLEANUP, "abc");
    ck_assert_int_eq(outcome.state, JOB_FAILED);
    ck_assert_ptr_nonnull(strstr(outcome.reason, "no job has created: t1"));
    ck_assert_ptr_null(during);
    job_outcome_fini(&outcome);
}
END_TEST

/* The archive has JOBS_ANY_TABLE while a prepare runs, because the service may be killed then. */
START_TEST(tables_are_claimed_before_they_are_created)
{
    ck_assert_int_eq(jobs_set_tables(archive, "shop", "t1\n"), 0);
    struct job_outcome outcome = outcome_of(KIND_PREPARE, "abc");
    ck_assert_int_eq(outcome.state, JOB_DONE);
    ck_assert_str_eq(during, JOBS_ANY_TABLE);
    char *tables = jobs_tables(archive, "shop");
    ck_assert_str_eq(tables, "t1\n");
    free(tables);
    job_outcome_fini(&outcome);
}
END_TEST

static void check_tables(const char *expected)
{
    char *tables = jobs_tables(archive, "shop");
    ck_assert_str_eq(tables, expected);
    free(tables);
}

/* JOBS_ANY_TABLE, which a failed query has left, is replaced by the next query of the server. */
START_TEST(a_claim_ends_with_the_next_query)
{
    char path[64];
    snprintf(path, sizeof(path), "%s/looks", folder);
    ck_assert_int_eq(jobs_set_tables(archive, "shop", "t1\n"), 0);
    setenv(LOOKS, path, 1);
    struct job_outcome outcome = outcome_of(KIND_PREPARE, "abc");
    unsetenv(LOOKS);
    unlink(path);
    ck_assert_int_eq(outcome.state, JOB_FAILED);
    check_tables(JOBS_ANY_TABLE);
    job_outcome_fini(&outcome);
    outcome = outcome_of(KIND_RUN, "abc");
    check_tables("t1\n");
    job_outcome_fini(&outcome);
}
END_TEST

START_TEST(tables_of_a_lost_prepare_can_be_removed)
{
    ck_assert_int_eq(jobs_set_tables(archive, "shop", JOBS_ANY_TABLE), 0);
    struct job_outcome outcome = outcome_of(KIND_CLEANUP, "abc");
    ck_assert_int_eq(outcome.state, JOB_DONE);
    job_outcome_fini(&outcome);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 1)
        return play(argv[argc - 1]);
    const TTest *const tests[] = {a_deadline_ends_the_job,
                                  a_job_ends_if_the_service_is_killed_after_the_deadline,
                                  another_server_is_left_alone,
                                  foreign_tables_are_left_alone,
                                  tables_are_claimed_before_they_are_created,
                                  a_claim_ends_with_the_next_query,
                                  tables_of_a_lost_prepare_can_be_removed};
    return suite_run_tests("job_run", 60, open_archive, close_archive, tests,
                           sizeof(tests) / sizeof(tests[0]));
}
