/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/team/run_crew.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/rand_stream.h"
#include "engine/arrival.h"
#include "options/settings_load.h"
#include "ranks/launch/crew_steps.h"

static bool is_command(const struct cmdline *cmdline, const char *name)
{
    return cmdline->command != NULL && strcmp(cmdline->command, name) == 0;
}

/* Disables all output that rank 0 writes for all ranks. */
static void leave_presentation_out(struct settings *s)
{
    s->report_interval_ns = 0;
    s->checkpoints = 0;
    s->slo_abort_ns = -1;
    s->json_path = s->html_path = s->archive_path = s->csv_path = s->hlog_path = s->hgrm_path =
        NULL;
    s->prom_file_path = s->prom_address = NULL;
    s->report_format = REPORT_FORMAT_TEXT;
    s->live = false;
}

static void name_request_log(struct run_crew *rc, struct settings *s)
{
    if (s->request_log_path == NULL)
        return;
    if (asprintf(&rc->request_log, "%s.rank%u", s->request_log_path, rc->crew.world.rank) < 0)
        checked_alloc(NULL);
    s->request_log_path = rc->whole.request_log_path = rc->request_log;
}

/* Changes *s to this rank's share of the run. */
static int take_part(struct run_crew *rc, struct settings *s, const struct cmdline *cmdline)
{
    const unsigned rank = rc->crew.world.rank;
    /* Rank 0 logs the message. */
    if (rank > 0 && s->threads < rc->crew.world.ranks)
        return -1;
    if (settings_divide(s, rank, rc->crew.world.ranks) != 0)
        return -1;
    if (is_command(cmdline, "run")) {
        leave_presentation_out(s);
        name_request_log(rc, s);
    }
    return 0;
}

/* Refuses a script from standard input, which a launcher forwards to one process only. */
static int check_script(const struct run_crew *rc, const struct cmdline *cmdline)
{
    if (cmdline->test != NULL && strcmp(cmdline->test, "-") != 0)
        return 0;
    if (crew_leads(&rc->crew))
        log_text(LOG_FATAL,
                 "a script from standard input reaches one of %u ranks only; put it "
                 "into a file that all of them can read",
                 rc->crew.world.ranks);
    return -1;
}

/*
 * By default, mpirun ends all processes when one dies. Its options are visible in the environment.
 */
static void warn_of_recovery(const struct run_crew *rc)
{
    if (rc->whole.rank_lost == RANK_LOST_CONTINUE && crew_leads(&rc->crew) &&
        getenv("OMPI_MCA_orte_ess_num_procs") != NULL &&
        getenv("OMPI_MCA_orte_enable_recovery") == NULL)
        log_text(LOG_WARNING, "--rank-lost=continue: mpirun ends all ranks when one dies, unless "
                              "it is given --enable-recovery");
}

static void set_speaker(const struct run_crew *rc)
{
    static char name[32];
    if (crew_leads(&rc->crew))
        return;
    snprintf(name, sizeof(name), "rank %u: ", rc->crew.world.rank);
    log_set_speaker(name);
}

enum run_crew_part run_crew_join(struct run_crew *rc, struct settings *settings,
                                 const struct cmdline *cmdline)
{
    const bool shared = is_command(cmdline, "run") || is_command(cmdline, "prepare");
    rc->crew = (struct crew){.world = {.ranks = 1}};
    if (settings->node.count == 0 && crew_join(&rc->crew) != 0)
        return RUN_CREW_FAILED;
    rc->whole = *settings;
    if (crew_is_one(&rc->crew))
        return RUN_CREW_PART;
    set_speaker(rc);
    if (check_script(rc, cmdline) != 0 ||
        crew_plan(&rc->crew, &settings->rand.seed, settings->threads) != 0)
        return RUN_CREW_FAILED;
    rc->whole = *settings;
    warn_of_recovery(rc);
    if (!shared)
        return crew_leads(&rc->crew) ? RUN_CREW_PART : RUN_CREW_NONE;
    return take_part(rc, settings, cmdline) == 0 ? RUN_CREW_PART : RUN_CREW_FAILED;
}

/* The values compared between ranks. */

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *c = data;
    for (size_t i = 0; i < bytes; i++)
        hash = rand_mix64(hash + RAND_WEYL + c[i]);
    return hash;
}

static void add_hash(json_t *card, const char *name, uint64_t hash)
{
    char text[32];
    snprintf(text, sizeof(text), "of hash %016" PRIx64, hash);
    json_object_set_new(card, name, json_string(text));
}

/* Adds options as the user wrote them. Options that may contain a secret are left out; of list
 * options only a hash is added. */
static void add_option(void *arg, const struct option_spec *row, const struct option_value *value)
{
    json_t *options = arg;
    char name[128];
    if (option_is_secret(row->name))
        return;
    snprintf(name, sizeof(name), "--%s", row->name);
    if (value->list != NULL) {
        uint64_t hash = 0;
        for (char **item = value->list; *item != NULL; item++)
            hash = mix(hash, *item, strlen(*item) + 1);
        add_hash(options, name, hash);
    } else if (value->text != NULL) {
        json_object_set_new(options, name, json_string(value->text));
    }
}

static json_t *make_card(const struct run_crew *rc, const struct options *options,
                         const char *version, const char *script, size_t script_bytes)
{
    json_t *card = checked_alloc(json_pack("{s:s, s:{}}", "the version", version, "options"));
    options_each(options, add_option, json_object_get(card, "options"));
    if (script != NULL)
        add_hash(card, "the script", mix(0, script, script_bytes));
    if (rc->whole.rate > 0)
        add_hash(card, "the schedule", arrival_fingerprint(&rc->whole));
    return card;
}

int run_crew_hello(struct run_crew *rc, const struct settings *settings,
                   const struct options *options, const char *version, const char *script,
                   size_t script_bytes)
{
    if (crew_is_one(&rc->crew) || rank_is_alone(&settings->rank))
        return 0;
    json_t *card = make_card(rc, options, version, script, script_bytes);
    int status = crew_hello(&rc->crew, card);
    json_decref(card);
    return status;
}

int run_crew_leave(struct run_crew *rc, int code)
{
    code = crew_leave(&rc->crew, code, true);
    free(rc->request_log);
    rc->request_log = NULL;
    return code;
}
