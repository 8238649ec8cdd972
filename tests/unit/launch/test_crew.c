/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "launch/crew.h"

#include "../suite.h"
#include "fake_transport.h"
#include "launch/affinity.h"
#include "launch/crew_steps.h"

struct player {
    struct crew crew;
    pthread_t thread;
    void (*part)(struct player *player);
    uint64_t seed;
    struct crew_start start;
    struct clock_offset offset[FAKE_RANKS]; /* as rank 0 has measured them */
    const char *option;                     /* what it says in its hello */
    int status, code;                       /* of the step looked at, and of leaving */
};

static struct player players[FAKE_RANKS];

static void *play_one(void *arg)
{
    struct player *player = arg;
    player->part(player);
    return NULL;
}

/* All ranks play the part. */
static void play(void (*part)(struct player *player))
{
    for (unsigned r = 0; r < FAKE_RANKS; r++) {
        players[r].part = part;
        fake_crew(&players[r].crew, r);
        ck_assert_int_eq(pthread_create(&players[r].thread, NULL, play_one, &players[r]), 0);
    }
    for (unsigned r = 0; r < FAKE_RANKS; r++)
        pthread_join(players[r].thread, NULL);
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

START_TEST(ranks_that_do_the_same_may_go)
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
        p->status = -1; /* it cannot go on, and the others are told */
    else if (p->status == 0)
        p->status = crew_agree_on_start(&p->crew, &p->start);
    for (unsigned r = 0; p->crew.mates != NULL && r < FAKE_RANKS; r++)
        p->offset[r] = p->crew.mates[r].before;
    p->code = crew_leave(&p->crew, p->status == 0 ? 0 : 7, false);
}

START_TEST(all_start_at_one_moment_by_their_own_clocks)
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

START_TEST(one_that_cannot_start_keeps_all_from_it)
{
    players[3].option = "fails";
    play(play_start);
    for (unsigned r = 0; r < FAKE_RANKS; r++) {
        ck_assert_int_eq(players[r].status, -1);
        ck_assert_int_eq(players[r].code, 7);
    }
}
END_TEST

START_TEST(one_that_does_not_answer_keeps_all_from_it)
{
    fake.mute[2] = true;
    play(play_start);
    ck_assert_int_eq(players[0].status, -1);
    ck_assert_int_eq(fake.broken, 1);
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

START_TEST(one_process_waits_for_nobody)
{
    struct crew crew = {.world = {.ranks = 1}};
    uint64_t seed = 9;
    ck_assert_int_eq(crew_plan(&crew, &seed, 1), 0);
    ck_assert_int_eq(crew_hello(&crew, NULL), 0);
    ck_assert_int_eq(crew_leave(&crew, 3, false), 3);
    ck_assert_uint_eq(seed, 9);
}
END_TEST

START_TEST(bound_is_what_has_less_than_its_parent)
{
    struct affinity a = {.own = 1, .parent = 2, .online = 2};
    ck_assert(affinity_is_bound(&a));
    a = (struct affinity){.own = 2, .parent = 2, .online = 8};
    ck_assert(!affinity_is_bound(&a));
    a.told = true;
    ck_assert(affinity_is_bound(&a));
    a = affinity_look();
    ck_assert_uint_ge(a.own, 1);
    ck_assert_uint_ge(a.parent, 1);
}
END_TEST

RUN_SUITE("crew", 60, the_seed_of_rank_0_is_that_of_all, ranks_that_do_the_same_may_go,
          a_rank_with_another_option_stops_all, all_start_at_one_moment_by_their_own_clocks,
          one_that_cannot_start_keeps_all_from_it, one_that_does_not_answer_keeps_all_from_it,
          the_exit_code_of_one_is_that_of_all, one_process_waits_for_nobody,
          bound_is_what_has_less_than_its_parent)
