/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/wait_sessions.h"

#include <string.h>

#include "../suite.h"
#include "base/util.h"

static struct wait_sessions sessions;
static struct wait_names names;

static void before(void)
{
    sessions = (struct wait_sessions){.own_count = 0};
    wait_names_init(&names);
}

static void after(void)
{
    wait_sessions_fini(&sessions);
}

static void add(uint64_t id, const char *event, uint64_t blocker, const char *program)
{
    struct wait_session s = {.id = id,
                             .activity = event != NULL ? WAIT_FOR_EVENT : WAIT_FOR_CLIENT,
                             .blocker = blocker,
                             .seconds = (double)id};
    snprintf(s.event, sizeof(s.event), "%s", event != NULL ? event : "");
    snprintf(s.program, sizeof(s.program), "%s", program);
    wait_sessions_add(&sessions, &s);
}

/* Returns who blocks the session. */
static unsigned blocker_of(uint64_t id)
{
    struct wait_sample sample;
    wait_sessions_sort(&sessions);
    wait_sessions_label(&sessions, wait_sessions_find(&sessions, id), &names, &sample);
    return names.detail[sample.detail].blocker;
}

/* Session 1 waits for session 2, which is another worker and waits for session 9, a stranger. */
START_TEST(the_root_of_a_chain_is_named)
{
    wait_sessions_own(&sessions, 2, 1);
    wait_sessions_own(&sessions, 1, 0);
    add(9, NULL, WAIT_NO_BLOCKER, "psql");
    add(2, "Lock:transactionid", 9, "sysrate");
    add(1, "Lock:tuple", 2, "sysrate");
    ck_assert_uint_eq(blocker_of(1), WAIT_BY_STRANGER);
    ck_assert_uint_eq(blocker_of(2), WAIT_BY_STRANGER);
    ck_assert_uint_eq(names.strangers, 1);
    ck_assert_str_eq(names.stranger[0].program, "psql");
    ck_assert_uint_eq(names.stranger[0].session, 9);
}
END_TEST

START_TEST(workers_block_each_other)
{
    wait_sessions_own(&sessions, 2, 1);
    add(1, "Lock:tuple", 2, "sysrate");
    ck_assert_uint_eq(blocker_of(1), WAIT_BY_RUN);
}
END_TEST

/* In a deadlock, the chain is a circle. */
START_TEST(a_circle_ends)
{
    wait_sessions_own(&sessions, 1, 0);
    wait_sessions_own(&sessions, 2, 1);
    add(1, "Lock:tuple", 2, "sysrate");
    add(2, "Lock:tuple", 1, "sysrate");
    ck_assert_uint_eq(blocker_of(1), WAIT_BY_RUN);
}
END_TEST

START_TEST(blockers_that_are_not_known)
{
    add(1, "Lock:tuple", WAIT_UNKNOWN_BLOCKER, "sysrate");
    add(2, "IO:WALSync", WAIT_NO_BLOCKER, "sysrate");
    add(3, "Lock:tuple", 77, "sysrate"); /* an idle session with a lock */
    ck_assert_uint_eq(blocker_of(1), WAIT_BY_UNKNOWN);
    ck_assert_uint_eq(blocker_of(2), WAIT_BY_NOBODY);
    ck_assert_uint_eq(blocker_of(3), WAIT_BY_STRANGER);
    ck_assert_uint_eq(names.stranger[0].session, 77);
}
END_TEST

/* Sessions of one program and user are one stranger, described by the session that blocked for
 * longest. */
START_TEST(strangers_are_told_apart_by_program_and_user)
{
    add(1, "Lock:tuple", 10, "sysrate");
    add(2, "Lock:tuple", 11, "sysrate");
    add(3, "Lock:tuple", 12, "sysrate");
    add(10, NULL, WAIT_NO_BLOCKER, "psql");
    add(11, NULL, WAIT_NO_BLOCKER, "pg_dump");
    add(12, NULL, WAIT_NO_BLOCKER, "psql");
    ck_assert_uint_eq(blocker_of(1), blocker_of(3));
    ck_assert_uint_ne(blocker_of(1), blocker_of(2));
    ck_assert_uint_eq(names.strangers, 2);
    ck_assert_uint_eq(names.stranger[0].session, 12);
}
END_TEST

START_TEST(labels_and_groups)
{
    struct wait_sample sample;
    add(1, "Lock:tuple", WAIT_NO_BLOCKER, "");
    add(2, "IO:WALSync", WAIT_NO_BLOCKER, "");
    wait_sessions_sort(&sessions);
    wait_sessions_label(&sessions, wait_sessions_find(&sessions, 1), &names, &sample);
    ck_assert_str_eq(names.event[sample.label], "Lock:tuple");
    ck_assert_uint_eq(sample.group, WAIT_LABEL_LOCKS);
    wait_sessions_label(&sessions, wait_sessions_find(&sessions, 2), &names, &sample);
    ck_assert_str_eq(names.event[sample.label], "IO:WALSync");
    ck_assert_uint_eq(sample.group, WAIT_NO_GROUP);
    wait_sessions_label(&sessions, wait_sessions_find(&sessions, 3), &names, &sample);
    ck_assert_uint_eq(sample.label, WAIT_LABEL_CLIENT);
}
END_TEST

START_TEST(too_many_names_are_other_waits)
{
    char event[16];
    unsigned label = 0;
    for (unsigned i = 0; i < 2 * WAIT_LABELS; i++) {
        snprintf(event, sizeof(event), "event%u", i);
        label = wait_names_label(&names, event);
        ck_assert_uint_lt(label, WAIT_LABELS);
    }
    ck_assert_uint_eq(label, WAIT_LABEL_OTHER);
    struct wait_detail detail = {.label = 20, .blocker = WAIT_BY_RUN};
    for (unsigned i = 0; i < 2 * WAIT_DETAILS; i++) {
        snprintf(detail.object, sizeof(detail.object), "t%u", i);
        ck_assert_uint_lt(wait_names_detail(&names, &detail), WAIT_DETAILS);
    }
    /* Blockers are still kept, without the table. */
    const unsigned by_run = wait_names_detail(&names, &detail);
    detail.blocker = WAIT_BY_STRANGER + 5;
    const unsigned by_stranger = wait_names_detail(&names, &detail);
    ck_assert_uint_eq(names.detail[by_run].blocker, WAIT_BY_RUN);
    ck_assert_uint_eq(names.detail[by_stranger].blocker, WAIT_BY_STRANGER + 5);
    ck_assert_str_eq(names.detail[by_stranger].object, "");
    /* Until there is no room for those either. */
    for (detail.label = 30; detail.label < 80; detail.label++)
        wait_names_detail(&names, &detail);
    ck_assert_uint_eq(names.details, WAIT_DETAILS);
    ck_assert_uint_eq(wait_names_detail(&names, &detail), 0);
}
END_TEST

START_TEST(passwords_in_statements_are_masked)
{
    const struct wait_session s = {.id = 9,
                                   .text = "ALTER USER joe IDENTIFIED WITH PASSWORD 'sesame'"};
    ck_assert_uint_eq(wait_names_stranger(&names, &s), WAIT_BY_STRANGER);
    ck_assert_ptr_null(strstr(names.stranger[0].text, "sesame"));
    ck_assert_ptr_nonnull(strstr(names.stranger[0].text, "ALTER USER joe"));
}
END_TEST

/* With --wait-events-text=off, no statement of another session is kept anywhere. */
START_TEST(texts_are_hidden)
{
    const struct wait_session s = {
        .id = 9, .blocker = WAIT_NO_BLOCKER, .program = "psql", .text = "DELETE FROM t"};
    sessions.hide_texts = true;
    wait_sessions_add(&sessions, &s);
    add(1, "Lock:tuple", 9, "sysrate");
    ck_assert_uint_eq(blocker_of(1), WAIT_BY_STRANGER);
    ck_assert_str_eq(names.stranger[0].program, "psql");
    ck_assert_str_eq(names.stranger[0].text, "");
}
END_TEST

RUN_SUITE_WITH("wait_sessions", 60, before, after, the_root_of_a_chain_is_named,
               workers_block_each_other, a_circle_ends, blockers_that_are_not_known,
               strangers_are_told_apart_by_program_and_user, labels_and_groups,
               too_many_names_are_other_waits, passwords_in_statements_are_masked, texts_are_hidden)
