/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/job_run.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "service/jobs/job_look.h"
#include "tools/child.h"

/* Time from the signal that ends a process to SIGKILL. */
#define END_SECONDS 30
/* Interval between two checks whether the job must be terminated. */
#define LOOK_MS 100

struct progress {
    struct job_outcome *outcome;
    struct archive *archive;
    const struct job_place *place;
    const struct job_plan *plan;
    int64_t id;
    const struct job_watch *watch;
    char *out; /* output folder of a capacity search or a sweep */
    char *own; /* tables that earlier jobs have created; NULL if this job changes no tables */
    int64_t deadline_ns;
    int64_t kill_ns; /* time of SIGKILL; 0 if the process has not been signalled to end */
};

int64_t job_process_start(int64_t process)
{
    char path[64], line[1024], *rest;
    int64_t start = 0;
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", process);
    FILE *file = process > 0 ? fopen(path, "re") : NULL;
    if (file == NULL)
        return 0;
    /* The start time is the 20th word after the name, which may contain blanks. A process in state
     * 'Z' (zombie) has ended. */
    if (fgets(line, sizeof(line), file) != NULL && (rest = strrchr(line, ')')) != NULL &&
        strncmp(rest, ") Z", 3) != 0) {
        for (int i = 0; i < 20 && rest != NULL; i++)
            rest = strchr(rest + 1, ' ');
        start = rest != NULL ? strtoll(rest, NULL, 10) : 0;
    }
    fclose(file);
    return start;
}

/* Sets state and reason of the outcome, which then owns `reason`. */
static void set_end(struct progress *p, enum job_state state, char *reason)
{
    p->outcome->state = state;
    free(p->outcome->reason);
    p->outcome->reason = reason;
}

/* Checks before the process: the server must have the identity of the target. A job that changes
 * tables must find no tables in the schema that were not created by jobs. */

static char *find_foreign_table(struct progress *p, const struct job_look *look)
{
    char *own = jobs_tables(p->archive, p->plan->target->name), *text = NULL;
    char *table =
        own != NULL && strcmp(own, JOBS_ANY_TABLE) != 0 ? job_look_foreign_table(look, own) : NULL;
    if (own == NULL)
        text = xstrdup("the archive cannot be read");
    else if (table != NULL &&
             asprintf(&text, "the schema %s has a table that no job has created: %.200s",
                      p->plan->target->schema, table) < 0)
        checked_alloc(NULL);
    free(table);
    free(own);
    return text;
}

static bool changes_tables(const struct progress *p)
{
    return p->plan->kind == KIND_PREPARE || p->plan->kind == KIND_CLEANUP;
}

/* Replaces JOBS_ANY_TABLE by the present tables. An earlier job has left JOBS_ANY_TABLE if the
 * service was killed or if the query after the job failed. */
static void settle_claim(struct progress *p, const struct job_look *look)
{
    char *own = jobs_tables(p->archive, p->plan->target->name);
    if (own != NULL && strcmp(own, JOBS_ANY_TABLE) == 0)
        jobs_set_tables(p->archive, p->plan->target->name, look->tables);
    free(own);
}

static bool check_server(struct progress *p)
{
    struct job_look look;
    char *wrong = NULL;
    if (p->plan->target->identity == NULL)
        return true;
    job_look(&look, p->place->program, p->plan->target);
    wrong = job_look_check(&look, p->plan->target);
    if (wrong == NULL && changes_tables(p))
        wrong = find_foreign_table(p, &look);
    if (wrong == NULL && p->plan->target->schema != NULL)
        settle_claim(p, &look);
    job_look_fini(&look);
    if (wrong != NULL)
        set_end(p, JOB_FAILED, wrong);
    return wrong == NULL;
}

/*
 * Stores JOBS_ANY_TABLE before the process starts: all tables that the schema has from now on were
 * created by jobs. Otherwise the tables of a job whose service was killed would be unknown.
 */
static bool claim_tables(struct progress *p)
{
    if (!changes_tables(p))
        return true;
    p->own = jobs_tables(p->archive, p->plan->target->name);
    if (p->own != NULL && jobs_set_tables(p->archive, p->plan->target->name, JOBS_ANY_TABLE) == 0)
        return true;
    set_end(p, JOB_FAILED, xstrdup("the archive cannot be written"));
    return false;
}

/* Restores the list of tables if the process could not be started. */
static void restore_tables(struct progress *p)
{
    if (changes_tables(p))
        jobs_set_tables(p->archive, p->plan->target->name, p->own);
}

/* Stores the tables after the process has ended. All of them were created by jobs, because the
 * schema had no other tables before. */
static void note_tables(struct progress *p)
{
    struct job_look look;
    if (!changes_tables(p))
        return;
    job_look(&look, p->place->program, p->plan->target);
    if (look.wrong != NULL)
        set_end(p, JOB_FAILED, xstrdup(look.wrong));
    else if (jobs_set_tables(p->archive, p->plan->target->name, look.tables) != 0)
        set_end(p, JOB_FAILED, xstrdup("the list of tables could not be written to the archive"));
    job_look_fini(&look);
}

/* The process of the job. */

static void signal_end(struct progress *p, struct child *child, int signal)
{
    if (p->kill_ns != 0)
        return;
    child_signal(child, signal);
    p->kill_ns = clock_now_ns() + END_SECONDS * (int64_t)NS_PER_SEC;
}

static void check_end(struct progress *p, struct child *child)
{
    if (p->outcome->reason == NULL && jobs_is_cancelled(p->archive, p->id)) {
        set_end(p, JOB_CANCELLED, xstrdup("the job was stopped"));
        signal_end(p, child, SIGINT);
    } else if (p->outcome->reason == NULL && p->watch->ends(p->watch->arg)) {
        set_end(p, JOB_LOST, xstrdup("the service was ended while the job ran"));
        signal_end(p, child, SIGTERM);
    } else if (clock_now_ns() > p->deadline_ns && p->kill_ns == 0) {
        set_end(p, JOB_FAILED, xstrdup("the job took too long and was terminated"));
        signal_end(p, child, SIGTERM);
    }
    if (p->kill_ns != 0 && clock_now_ns() > p->kill_ns)
        child_signal(child, SIGKILL);
}

static bool is_measured(int code)
{
    return code == 0 || code == 3 || code == 4;
}

static char *text_for(int code)
{
    return code == 3   ? xstrdup("objectives were missed")
           : code == 4 ? xstrdup("the rate was not found with the requested precision")
                       : NULL;
}

static void note_end(struct progress *p, const struct child *child)
{
    const int code = child_exit_code(child);
    p->outcome->exit_code = code;
    if (p->outcome->reason != NULL)
        return;
    if (is_measured(code))
        set_end(p, JOB_DONE, text_for(code));
    else
        set_end(p, JOB_FAILED, job_child_reason(child));
}

static void wait_for(struct progress *p, struct child *child)
{
    const bool run = p->plan->kind == KIND_RUN;
    char *output = child_path(child, "stdout"), *errors = child_path(child, "stderr");
    p->watch->runs(p->watch->arg, run ? output : NULL, run ? NULL : errors);
    while (!child_wait(child, clock_now_ns() + LOOK_MS * (int64_t)NS_PER_MS))
        check_end(p, child);
    p->watch->runs(p->watch->arg, NULL, NULL);
    free(output);
    free(errors);
    note_end(p, child);
}

/* Reads the result of a capacity search, which no report of a run contains. */
static void read_result(struct progress *p)
{
    char *path;
    if (p->plan->kind != KIND_CAPACITY)
        return;
    if (asprintf(&path, "%s/capacity.json", p->out) < 0)
        checked_alloc(NULL);
    json_t *all = json_load_file(path, 0, NULL);
    json_t *result = json_object_get(all, "result");
    p->outcome->result = result != NULL ? json_dumps(result, JSON_COMPACT) : NULL;
    json_decref(all);
    free(path);
}

static void add_word(void *arg, const char *word)
{
    child_arg(arg, "%s", word);
}

/* Runs the process of the job. Returns false if it could not be started. */
static bool execute(struct progress *p)
{
    struct child *child = job_child_create(p->place->program);
    if (child == NULL) {
        set_end(p, JOB_FAILED, xstrdup("cannot make a temporary folder"));
        return false;
    }
    job_plan_words(p->plan, p->place->folder, p->out, p->id, add_word, child);
    p->deadline_ns = clock_now_ns() + seconds_to_ns(job_plan_deadline(p->plan));
    const bool started = child_start_tool(child) == 0;
    if (!started) {
        set_end(p, JOB_FAILED, xstrdup("the program sysrate cannot be executed"));
    } else {
        const int64_t process = child_process(child);
        jobs_note_process(p->archive, p->id, process, job_process_start(process));
        wait_for(p, child);
        read_result(p);
    }
    child_destroy(child);
    return started;
}

void job_run(struct job_outcome *outcome, const struct job_place *place,
             const struct job_plan *plan, int64_t id, const struct job_watch *watch)
{
    *outcome = (struct job_outcome){.state = JOB_FAILED, .exit_code = -1};
    struct progress p = {.outcome = outcome,
                         .archive = place->archive,
                         .place = place,
                         .plan = plan,
                         .id = id,
                         .watch = watch};
    if (asprintf(&p.out, "%s/jobs/%" PRId64, place->folder, id) < 0)
        checked_alloc(NULL);
    if (check_server(&p) && claim_tables(&p)) {
        if (execute(&p))
            note_tables(&p);
        else
            restore_tables(&p);
    }
    free(p.own);
    free(p.out);
}

void job_outcome_fini(struct job_outcome *outcome)
{
    free(outcome->reason);
    free(outcome->result);
    *outcome = (struct job_outcome){0};
}
