/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/job_queue.h"

#include <string.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/util.h"

static char folder[] = "jobs.XXXXXX";
static struct archive *archive;

static void open_archive(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    archive = archive_open(folder, true);
    ck_assert_ptr_nonnull(archive);
    ck_assert_int_eq(jobs_init(archive), 0);
    ck_assert_int_eq(jobs_init(archive), 0);
}

static void close_archive(void)
{
    char path[64];
    archive_close(archive);
    snprintf(path, sizeof(path), "%s/archive.sqlite", folder);
    unlink(path);
    rmdir(folder);
}

static int64_t add(const char *key, const char *request)
{
    bool known;
    const struct job job = {.key = key,
                            .who = "ann",
                            .kind = "run",
                            .target = "shop",
                            .test = "point",
                            .request = request};
    return jobs_add(archive, &job, &known);
}

struct seen {
    enum job_state state;
    int exit_code;
    bool ended;
    char reason[40];
};

static void see(void *arg, const struct job *job)
{
    struct seen *seen = arg;
    seen->state = job->state;
    seen->exit_code = job->exit_code;
    seen->ended = job->ended != NULL;
    snprintf(seen->reason, sizeof(seen->reason), "%s", job->reason != NULL ? job->reason : "-");
}

static struct seen look_at(int64_t id)
{
    struct seen seen = {0};
    ck_assert_int_eq(jobs_each(archive, &(struct jobs_filter){.id = id}, see, &seen), 1);
    return seen;
}

START_TEST(the_oldest_job_is_taken_first)
{
    ck_assert_int_eq(jobs_take(archive), 0);
    int64_t first = add(NULL, "{}"), second = add(NULL, "{}");
    ck_assert_int_gt(second, first);
    ck_assert_int_eq(jobs_take(archive), first);
    ck_assert_int_eq(look_at(first).state, JOB_RUNNING);
    ck_assert_int_eq(look_at(second).state, JOB_QUEUED);
    ck_assert_int_eq(jobs_take(archive), second);
}
END_TEST

START_TEST(a_key_adds_one_job)
{
    int64_t first = add("k", "{\"a\":1}");
    ck_assert_int_eq(add("k", "{\"a\":1}"), first);
    ck_assert_int_eq(add("k", "{\"a\":2}"), JOBS_REFUSED);
    ck_assert_int_gt(add("l", "{\"a\":1}"), first);
    ck_assert_int_gt(add(NULL, "{\"a\":1}"), first);
}
END_TEST

START_TEST(an_ended_job_keeps_its_result)
{
    const struct job done = {.state = JOB_DONE, .exit_code = 3, .reason = "missed"};
    int64_t id = add(NULL, "{}");
    jobs_take(archive);
    ck_assert_int_eq(jobs_end(archive, id, &done), 0);
    struct seen seen = look_at(id);
    ck_assert_int_eq(seen.state, JOB_DONE);
    ck_assert_int_eq(seen.exit_code, 3);
    ck_assert_str_eq(seen.reason, "missed");
    ck_assert(seen.ended);
    bool ended;
    ck_assert_int_eq(jobs_cancel(archive, id, &ended), JOBS_REFUSED);
    ck_assert_int_eq(jobs_cancel(archive, id + 1, &ended), JOBS_REFUSED);
}
END_TEST

START_TEST(cancellation_of_queued_and_running_jobs)
{
    const struct job failed = {.state = JOB_FAILED, .exit_code = 130, .reason = "signal"};
    int64_t waits = add(NULL, "{}"), runs = add(NULL, "{}");
    bool ended;
    ck_assert_int_eq(jobs_cancel(archive, waits, &ended), 0);
    ck_assert(ended);
    ck_assert_int_eq(look_at(waits).state, JOB_CANCELLED);
    ck_assert_int_eq(jobs_take(archive), runs);
    ck_assert(!jobs_is_cancelled(archive, runs));
    ck_assert_int_eq(jobs_cancel(archive, runs, &ended), 0);
    ck_assert(!ended);
    ck_assert(jobs_is_cancelled(archive, runs));
    ck_assert_int_eq(look_at(runs).state, JOB_RUNNING);
    ck_assert_int_eq(jobs_end(archive, runs, &failed), 0);
    ck_assert_int_eq(look_at(runs).state, JOB_CANCELLED);
}
END_TEST

START_TEST(tables_are_replaced)
{
    char *names = jobs_tables(archive, "shop");
    ck_assert_str_eq(names, "");
    free(names);
    ck_assert_int_eq(jobs_set_tables(archive, "shop", "t1\nt2\n"), 0);
    ck_assert_int_eq(jobs_set_tables(archive, "shop", "t2\n"), 0);
    names = jobs_tables(archive, "shop");
    ck_assert_str_eq(names, "t2\n");
    free(names);
}
END_TEST

RUN_SUITE_WITH("job_queue", 30, open_archive, close_archive, the_oldest_job_is_taken_first,
               a_key_adds_one_job, an_ended_job_keeps_its_result,
               cancellation_of_queued_and_running_jobs, tables_are_replaced)
