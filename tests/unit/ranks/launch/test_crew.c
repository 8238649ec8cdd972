/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/crew.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "fake_transport.h"
#include "ranks/launch/affinity.h"
#include "ranks/launch/crew_steps.h"
#include "ranks/launch/keeper.h"

struct player {
    struct crew crew;
    pthread_t thread;
    void (*part)(struct player *player);
    uint64_t seed;
    struct crew_start start;
    struct clock_offset offset[FAKE_RANKS]; /* offsets measured by rank 0 */
    const char *option;                     /* option in this rank's hello message */
    int status, code;                       /* results of the tested step, and of leaving */
};

static struct player players[FAKE_RANKS];

static void *play_one(void *arg)
{
    struct player *player = arg;
    player->part(player);
    return NULL;
}

/* All ranks run `part`. Rank 0 gets the keeper, which may be NULL. */
static void play_kept(void (*part)(struct player *player), struct keeper *keeper)
{
    for (unsigned r = 0; r < FAKE_RANKS; r++) {
        players[r].part = part;
        fake_crew(&players[r].crew, r);
        players[r].crew.keeper = r == 0 ? keeper : NULL;
        ck_assert_int_eq(pthread_create(&players[r].thread, NULL, play_one, &players[r]), 0);
    }
    for (unsigned r = 0; r < FAKE_RANKS; r++)
        pthread_join(players[r].thread, NULL);
}

static void play(void (*part)(struct player *player))
{
    play_kept(part, NULL);
    ck_assert_int_eq(fake.left, FAKE_RANKS);
}

static void play_plan(struct player *p)
{
    p->seed = 100 + p->crew.world.rank;
    p->status = crew_plan(&p->crew, &p->seed, 4);
    p->code = crew_leave(&p->crew, 0, false);
}

START_TEST(the_seed_of_rank_0_is_that_of_all)
{
    play(play_plan);
    for (unsigned r = 0; r < FAKE_RANKS; r++) {
        ck_assert_int_eq(players[r].status, 0);
        ck_assert_uint_eq(players[r].seed, 100);
        ck_assert_int_eq(players[r].code, 0);
    }
}
END_TEST

static void play_hello(struct player *p)
{
    p->status = crew_plan(&p->crew, &p->seed, 4);
    json_t *card = json_pack("{s:s, s:{s:s, s:s}}", "version", "1", "options", "threads", "4",
                             "time", p->option != NULL ? p->option : "10");
    if (p->status == 0)
        p->status = crew_hello(&p->crew, card);
    json_decref(card);
    p->code = crew_leave(&p->crew, p->status == 0 ? 0 : 1, false);
}

START_TEST(ranks_with_the_same_options_may_start)
{
    play(play_hello);
    for (unsigned r = 0; r < FAKE_RANKS; r++)
        ck_assert_int_eq(players[r].status, 0);
}
END_TEST

START_TEST(a_rank_with_another_option_stops_all)
{
    players[2].option = "11";
    play(play_hello);
    for (unsigned r = 0; r < FAKE_RANKS; r++) {
        ck_assert_int_eq(players[r].status, -1);
        ck_assert_int_eq(players[r].code, 1);
    }
}
END_TEST

static void play_start(struct player *p)
{
    p->status = crew_plan(&p->crew, &p->seed, 4);
    if (p->crew.world.rank == 3 && p->option != NULL)
        p->status = -1; /* this rank cannot start, and the others must be notified */
    else if (p->status == 0)
        p->status = crew_agree_on_start(&p->crew, &p->start);
    for (unsigned r = 0; p->crew.mates != NULL && r < FAKE_RANKS; r++)
        p->offset[r] = p->crew.mates[r].before;
    p->code = crew_leave(&p->crew, p->status == 0 ? 0 : 7, false);
}

START_TEST(all_start_at_the_same_time)
{
    play(play_start);
    for (unsigned r = 1; r < FAKE_RANKS; r++) {
        const struct clock_offset *o = &players[0].offset[r];
        ck_assert_int_eq(players[r].status, 0);
        ck_assert_uint_ge(o->rounds, 100);
        ck_assert_int_le(o->least_ns, r * FAKE_SKEW_NS);
        ck_assert_int_ge(o->most_ns, r * FAKE_SKEW_NS);
        ck_assert_int_eq(players[r].start.start_ns, players[0].start.start_ns + clock_offset_ns(o));
    }
}
END_TEST

START_TEST(a_rank_that_cannot_start_stops_all)
{
    players[3].option = "fails";
    play(play_start);
    for (unsigned r = 0; r < FAKE_RANKS; r++) {
        ck_assert_int_eq(players[r].status, -1);
        ck_assert_int_eq(players[r].code, 7);
    }
}
END_TEST

START_TEST(a_rank_that_does_not_answer_stops_all)
{
    fake.mute[2] = true;
    play(play_start);
    ck_assert_int_eq(players[0].status, -1);
    ck_assert_int_eq(fake.broken, 1);
}
END_TEST

/* Ends the processes of the launcher, including the keeper of rank 0. */
static void end_keeper(void)
{
    kill(getppid(), SIGKILL);
    while (!interrupt_relayed())
        interrupt_wait(clock_now_ns() + NS_PER_MS);
}

/* Forks a process with a keeper, and returns in it, as rank 0. Its messages go to `log`. */
static struct keeper *keep_child(int log)
{
    setenv("PRTE_LAUNCHED", "1", 1);
    setpgid(0, 0);
    signal(SIGALRM, SIG_DFL); /* the test library has set a handler */
    dup2(log, STDERR_FILENO);
    struct keeper *keeper = keeper_create(false);
    if (keeper == NULL || interrupt_init() != 0)
        _exit(99);
    return keeper;
}

static void play_interrupted(int told, int log)
{
    struct keeper *keeper = keep_child(log);
    fake.mute[2] = true;
    fake.on_mute = end_keeper;
    play_kept(play_start, keeper);
    log_flush();
    _exit(write(told, "e", 1) != 1);
}

START_TEST(a_rank_given_up_at_the_end_is_notified_and_not_blamed)
{
    int told[2];
    char ended = 0, text[4096] = "";
    FILE *log = tmpfile();
    ck_assert_int_eq(pipe(told), 0);
    if (fork() == 0)
        play_interrupted(told[1], fileno(log));
    close(told[1]);
    /*
     * Wait for the process through this pipe. If it does not end by itself, it is ended after 20 s.
     */
    ck_assert_int_eq(poll(&(struct pollfd){.fd = told[0], .events = POLLIN}, 1, 50000), 1);
    ck_assert_int_eq(read(told[0], &ended, 1), 1);
    rewind(log);
    text[fread(text, 1, sizeof(text) - 1, log)] = 0;
    fclose(log);
    ck_assert_str_eq(text, "");
}
END_TEST

static void play_codes(struct player *p)
{
    p->code = crew_leave(&p->crew, p->crew.world.rank == 2 ? 5 : 0, false);
}

START_TEST(the_exit_code_of_one_is_that_of_all)
{
    play(play_codes);
    for (unsigned r = 0; r < FAKE_RANKS; r++)
        ck_assert_int_eq(players[r].code, 5);
    ck_assert_int_eq(fake.broken, 0);
}
END_TEST

START_TEST(one_process_does_not_wait)
{
    struct crew crew = {.world = {.ranks = 1}};
    uint64_t seed = 9;
    ck_assert_int_eq(crew_plan(&crew, &seed, 1), 0);
    ck_assert_int_eq(crew_hello(&crew, NULL), 0);
    ck_assert_int_eq(crew_leave(&crew, 3, false), 3);
    ck_assert_uint_eq(seed, 9);
}
END_TEST

START_TEST(bound_means_fewer_processors_than_the_parent)
{
    struct affinity a = {.own = 1, .parent = 2, .online = 2};
    ck_assert(affinity_is_bound(&a));
    a = (struct affinity){.own = 2, .parent = 2, .online = 8};
    ck_assert(!affinity_is_bound(&a));
    a.told = true;
    ck_assert(affinity_is_bound(&a));
    a = affinity_look(getppid());
    ck_assert_uint_ge(a.own, 1);
    ck_assert_uint_ge(a.parent, 1);
}
END_TEST

RUN_SUITE("crew", 60, the_seed_of_rank_0_is_that_of_all, ranks_with_the_same_options_may_start,
          a_rank_with_another_option_stops_all, all_start_at_the_same_time,
          a_rank_that_cannot_start_stops_all, a_rank_that_does_not_answer_stops_all,
          a_rank_given_up_at_the_end_is_notified_and_not_blamed,
          the_exit_code_of_one_is_that_of_all, one_process_does_not_wait,
          bound_means_fewer_processors_than_the_parent)
