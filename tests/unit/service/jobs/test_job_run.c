/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One job. The program that it starts is this test itself. main() tells by its arguments
 * which part to play: a look at a server with a table, a prepare that ends well, a run that never
 * ends, one that does not even when it is asked to.
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

/* A run of so many seconds has a deadline of a fifth of one. */
#define SECONDS (-89.8)

static char folder[] = "job-run.XXXXXX";
static struct archive *archive;
static char *during; /* the tables of jobs, as they were while a process was there */

/* Where a run says that it was asked to end, by SIGTERM, and by which process. */
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

/* Where looks are counted, of which the first alone succeeds. */
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

START_TEST(a_deadline_ends_it)
{
    struct job_outcome outcome = outcome_of(KIND_RUN, "abc");
    ck_assert_int_eq(outcome.state, JOB_FAILED);
    ck_assert_str_eq(outcome.reason, "it took too long and was ended");
    ck_assert_int_ne(outcome.exit_code, 0);
    job_outcome_fini(&outcome);
}
END_TEST

/* The process that is asked to end, once it was. */
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

/* The service is killed while it waits for a job that was told that it takes too long. */
START_TEST(killed_behind_the_deadline)
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
    ck_assert_str_eq(outcome.reason,
                     "the server of the target shop is not the one that it should be: it is 'abc'");
    ck_assert_int_eq(outcome.exit_code, -1);
    job_outcome_fini(&outcome);
}
END_TEST

START_TEST(tables_of_others_are_left_alone)
{
    struct job_outcome outcome = outcome_of(KIND_CLEANUP, "abc");
    ck_assert_int_eq(outcome.state, JOB_FAILED);
    ck_assert_str_eq(outcome.reason, "the schema made has a table that no job has made: t1");
    ck_assert_ptr_null(during);
    job_outcome_fini(&outcome);
}
END_TEST

/* What it makes is known to be its own before it makes it: the service may be killed meanwhile. */
START_TEST(tables_are_claimed_before_they_are_made)
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

/* What jobs have made is open until the next look alone. */
START_TEST(a_claim_does_not_outlive_the_next_look)
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

START_TEST(what_a_lost_prepare_left_can_be_removed)
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
    const TTest *const tests[] = {a_deadline_ends_it,
                                  killed_behind_the_deadline,
                                  another_server_is_left_alone,
                                  tables_of_others_are_left_alone,
                                  tables_are_claimed_before_they_are_made,
                                  a_claim_does_not_outlive_the_next_look,
                                  what_a_lost_prepare_left_can_be_removed};
    return suite_run_tests("job_run", 60, open_archive, close_archive, tests,
                           sizeof(tests) / sizeof(tests[0]));
}
