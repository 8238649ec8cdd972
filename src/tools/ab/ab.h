/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files ab*.c, which compare two variants in alternating blocks. */
#ifndef AB_H
#define AB_H

#include <jansson.h>
#include <stdio.h>

#include "options/inject_plan.h"
#include "tools/ab/ab_figure.h"
#include "tools/compare/compare_run.h"
#include "tools/report_export.h"
#include "tools/server_settings/server_settings.h"
#include "tools/subject.h"

/* Numbers of the variants. */
enum { AB_A, AB_B, AB_VARIANTS };

struct ab_variant {
    char **option; /* options of the test that only this variant has: "--mysql-port=3306" */
    size_t options;
    struct inject_plan before; /* commands that are run before each block; their times are 0 */
    const char *program;       /* NULL for this program */
    json_t *server;            /* settings of the server: {"NAME": "VALUE", …} */
};

/* A run of a variant. */
struct ab_block {
    char *path;             /* path of its report */
    bool measured;          /* the folder has the report, and `run` is filled in */
    struct compare_run run; /* the figures of the report */
};

/* Two blocks with the same seed. */
struct ab_pair {
    bool b_first;
    int64_t seed; /* --rand-seed of both blocks */
    struct ab_block block[AB_VARIANTS];
    char *left_out; /* why the pair is not used, such as "CLIENT-LIMITED in B"; NULL if it is */
};

/* The pairs of one experiment. In a control, both variants are A. */
struct ab_series {
    bool control;
    struct ab_pair *pair;
    size_t pairs;
    size_t left_out;          /* number of pairs that are not used */
    struct ab_figure *figure; /* from the pairs that are used */
    size_t figures;
    enum ab_result result;
};

/* A figure that was asked, and its precision. */
struct ab_goal {
    char *figure;   /* NULL for the usual figures */
    double percent; /* largest distance of the ends of the interval from the change */
};

struct ab {
    struct subject subject;
    struct ab_variant variant[AB_VARIANTS];
    struct ab_goal *goal;
    size_t goals;
    size_t max_pairs;
    bool with_control;
    bool use_doubtful; /* pairs with findings about the client are used, too */
    enum report_format_name format; /* of the printed result */
    int64_t seed;
    const char *folder;
    int lock_fd; /* lock of the folder; −1 if it is not locked */
    struct server_settings server;
    struct ab_series control, main;
};

/* ab_plan.c: the variants, the pairs, and the plan in the folder. */

/* Reads the variants and goals from the options. Returns −1 after a logged message. */
int ab_read_variants(struct ab *ab);
/* Checks of options: they return NULL or a description of allowed values. */
const char *ab_check_options(const char *text);
const char *ab_check_until(const char *text);

/* Appends the next pair to a series: its order and its seed follow from ab->seed. */
void ab_add_pair(struct ab *ab, struct ab_series *series);
/* Returns the plan as JSON, without passwords; a new reference. */
json_t *ab_plan(const struct ab *ab);
/* Returns variant `k` as JSON, without passwords; a new reference. */
json_t *ab_plan_of_variant(const struct ab *ab, int k);
void ab_fini(struct ab *ab);

/* ab_folder.c: the folder of the results. */

/*
 * Creates the folder if it does not exist. Checks that no other process uses it and that it has no
 * other plan. Uses the seed of an earlier call again unless `seed_given`. Returns −1 after a logged
 * message.
 */
int ab_folder_open(struct ab *ab, bool seed_given);
/*
 * Loads the blocks of the newest pair of a series if an earlier call has measured both. If it has
 * measured one, the file is renamed, because the other block would be of another time. Returns −1
 * after a logged message.
 */
int ab_load_pair(const struct ab *ab, struct ab_series *series);
/* Saves `text`, the report of a run that ended with exit code `code`, and loads it. If the run did
 * not complete, block->measured stays false. Returns −1 after a logged message. */
int ab_keep_report(const struct ab *ab, struct ab_block *block, const char *text, int code);

/* ab_series.c */

/* Judges the pairs of a series: fills in its figures and its result. */
void ab_judge_series(const struct ab *ab, struct ab_series *series);
/* Returns true if a difference was found; in a control, of A from itself. */
bool ab_is_alarm(const struct ab_series *series);
/* Returns true if most pairs were left out, so more pairs are unlikely to give a result. */
bool ab_is_hopeless(const struct ab_series *series);
/* Returns sentences on drift, on the order of blocks and on verdicts, as an array of texts; a new
 * reference. */
json_t *ab_notes(const struct ab_series *series);

/* ab_run.c */

/* Creates a child that will execute `command` of the test with the options of variant `k`. Returns
 * NULL after a logged message. */
struct child *ab_child(const struct ab *ab, int k, const char *command);
/* Runs pairs until the series has a result, or as many as allowed. Returns −1 after a logged
 * message if a block has failed. */
int ab_run(struct ab *ab, struct ab_series *series);

/* ab_server.c: settings of the server. */

/* Returns NULL or a description of allowed values. */
const char *ab_check_server(const char *text);
/* Adds a setting that ab_check_server() has accepted. */
void ab_add_server(struct ab_variant *variant, const char *text);
/* Returns true if a variant has settings of the server. */
bool ab_varies_server(const struct ab *ab);
/* Gives the server the settings of variant `k`. The first call prints which settings are changed.
 * Returns −1 after a logged message, or after a signal. */
int ab_set_server(struct ab *ab, int k);
/* Adds the settings to the command line of a run, which puts them into its report. */
void ab_add_server_args(const struct ab_variant *variant, struct child *child);

/* ab_page.c: writes the page to the folder. Returns −1 after a logged message. */
int ab_write_page(const struct ab *ab);

/* ab_print.c */

/* Returns the error probability of each asked figure. */
double ab_share(const struct ab_series *series);
/* Returns the effect of a figure from all its pairs. */
struct ab_effect ab_effect_of(const struct ab_series *series, const struct ab_figure *figure);
const char *ab_result_name(enum ab_result result); /* "same", "worse" … */
/* Writes for example "+1.20 to +3.50 %" to `text`. */
const char *ab_interval_text(const struct ab_effect *e, char *text, size_t bytes);
/* Prints the result as text, a table in Markdown. */
void ab_print(FILE *out, const struct ab *ab);

/* ab_export.c: prints the result in ab->format, which is not text. Returns −1 after a logged message
 * if no pair was measured. */
int ab_export(FILE *out, const struct ab *ab);

/* ab_json.c: returns the plan and the result; a new reference. */
json_t *ab_value(const struct ab *ab);

#endif
