/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/inject_agent.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../suite.h"
#include "sessions.h"

static struct inject_stage stage;
static struct inject_plan plan;
static struct inject_agent agent;
static atomic_uint notices;

static void count_notice(void *unused)
{
    (void)unused;
    atomic_fetch_add(&notices, 1);
}

static void before(void)
{
    stage = (struct inject_stage){.workload = {.ops = &session_ops},
                                  .notify = count_notice,
                                  .spans = spans_create(1, 0),
                                  .stop_fd = eventfd(0, EFD_NONBLOCK)};
}

static void after(void)
{
    inject_agent_fini(&agent);
    inject_plan_fini(&plan);
    spans_destroy(stage.spans);
    close(stage.stop_fd);
}

static void make(const char *text)
{
    char *texts[] = {(char *)text, NULL};
    inject_plan_load(&plan, texts);
    inject_agent_init(&agent, &stage, &plan.actions[0]);
}

static void stop(void)
{
    stage.stop_ns = clock_now_ns();
    atomic_store(&stage.stopping, true);
    eventfd_write(stage.stop_fd, 1);
}

static void assert_ended(enum injection_state state, const char *failure)
{
    ck_assert_int_eq(atomic_load(&agent.progress), INJECT_ENDED);
    ck_assert_int_eq(agent.state, state);
    ck_assert_str_eq(agent.failure, failure);
    ck_assert_int_le(agent.from_ns, agent.to_ns);
    ck_assert_uint_eq(atomic_load(&opened), 0);
}

static void assert_output(const char *expected)
{
    char *text = inject_tail_text(&agent.tail);
    ck_assert_str_eq(text, expected);
    free(text);
}

START_TEST(a_statement_succeeds)
{
    make("0: sql: SELECT 1");
    inject_agent_main(&agent);
    assert_ended(INJECTION_DONE, "");
    assert_output("7 rows changed");
    ck_assert_int_eq(agent.outcome.kind, INJECTION_OUTCOME_ROWS);
    ck_assert_uint_eq(agent.outcome.rows_changed, 7);
    ck_assert_int_eq(agent.exit_code, -1);
    ck_assert(atomic_load(&agent.done));
    /* At the begin, at the end, and when the thread is done. */
    ck_assert_uint_eq(atomic_load(&notices), 3);
    ck_assert_uint_eq(agent.first_span, 1);
    ck_assert_uint_eq(agent.end_span, 2);
}
END_TEST

START_TEST(a_statement_fails)
{
    make("0: sql: fail");
    inject_agent_main(&agent);
    assert_ended(INJECTION_FAILED, "not done: fail");
    assert_output("");
    ck_assert_int_eq(agent.outcome.kind, INJECTION_OUTCOME_NONE);
}
END_TEST

START_TEST(a_session_cannot_be_opened)
{
    refused = true;
    make("0: sql: SELECT 1");
    inject_agent_main(&agent);
    assert_ended(INJECTION_FAILED, "nobody there");
    ck_assert_int_eq(agent.outcome.kind, INJECTION_OUTCOME_NONE);
}
END_TEST

START_TEST(no_statement_is_executed_after_the_end)
{
    make("0: sql: SELECT 1");
    stop();
    inject_agent_main(&agent);
    assert_ended(INJECTION_STOPPED, "");
    assert_output("");
    ck_assert(!atomic_load(&executing));
}
END_TEST

static void assert_cancelled(const char *text)
{
    pthread_t thread;
    make(text);
    pthread_create(&thread, NULL, inject_agent_main, &agent);
    while (!atomic_load(&executing))
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    stop();
    inject_cancel_main(&agent);
    pthread_join(thread, NULL);
    assert_ended(INJECTION_STOPPED, "");
    ck_assert_uint_ge(atomic_load(&cancels), 1);
    ck_assert(atomic_load(&agent.canceller_done));
}

START_TEST(a_statement_is_cancelled)
{
    assert_cancelled("0: sql: hang");
    assert_output("cancelled, all has changed");
    ck_assert_int_eq(agent.outcome.kind, INJECTION_OUTCOME_NONE);
}
END_TEST

START_TEST(a_cancelled_statement_may_succeed)
{
    assert_cancelled("0: sql: sleep");
    assert_output("7 rows changed");
}
END_TEST

START_TEST(a_command_ends)
{
    stop();
    make("0: exec: true");
    inject_agent_main(&agent);
    ck_assert(agent.state == INJECTION_DONE || agent.state == INJECTION_STOPPED);
    ck_assert_int_eq(agent.outcome.kind, INJECTION_OUTCOME_UNKNOWN);
    ck_assert(atomic_load(&agent.done));
}
END_TEST

/* With the thread sanitizer vfork() is fork(), so the child cannot report why it has failed. */
START_TEST(a_command_that_does_not_exist)
{
    stop();
#ifdef __SANITIZE_THREAD__
    make("0: exec: true");
    inject_agent_main(&agent);
#else
    make("0: exec: /nowhere/command");
    inject_agent_main(&agent);
    assert_ended(INJECTION_FAILED, "it cannot be started: No such file or directory");
#endif
}
END_TEST

START_TEST(an_injection_without_a_thread_fails)
{
    make("0: exec: true");
    inject_agent_fail(&agent, EAGAIN);
    assert_ended(INJECTION_FAILED, "it cannot be started: Resource temporarily unavailable");
    ck_assert_uint_eq(agent.first_span, 1);
}
END_TEST

RUN_SUITE_WITH("inject_agent", 60, before, after, a_statement_succeeds, a_statement_fails,
               a_session_cannot_be_opened, no_statement_is_executed_after_the_end,
               a_statement_is_cancelled, a_cancelled_statement_may_succeed, a_command_ends,
               a_command_that_does_not_exist, an_injection_without_a_thread_fails)
