/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target for what other programs put around the lines of a log, and for the prefix of PostgreSQL's
 * lines. Each kind of wrapping is tried, not only the one that most lines of the input have.
 */
#include <string.h>

#include "base/util.h"
#include "fuzz.h"
#include "workloads/replay/log/log_unwrap.h"
#include "workloads/replay/log/pgsql_form.h"
#include "workloads/replay/log/pgsql_guess.h"

static void run(const uint8_t *data, size_t bytes);

const struct fuzz_target fuzz_log_lines = {.name = "log_lines", .run = run};

/* The form of a line is a prefix that the server could have. It need not match the line. */
static void check_form(const char *line)
{
    struct pgsql_form form;
    struct pgsql_head head;
    if (!pgsql_form_of(line, &form))
        return;
    FUZZ_CHECK(strlen(form.text) < sizeof(form.text));
    for (unsigned i = 0; i < form.count; i++)
        FUZZ_CHECK(form.text[form.numbers[i].at] == 'l');
    const char *at = line;
    if (pgsql_prefix_read(form.text, &at, &head))
        FUZZ_CHECK(at > line && at <= line + strlen(line));
}

/* Adds the lines to the sample, which may be NULL. */
static void read_as(const char *path, struct log_unwrap *u, struct pgsql_sample *sample)
{
    struct log_source *source = log_source_open_to_look(path);
    struct log_carrier carrier;
    char *line;
    size_t length;
    bool cut, unended;
    FUZZ_CHECK(source != NULL);
    while (log_unwrap_line(u, source, &line, &length, &carrier, &cut, &unended)) {
        FUZZ_CHECK(line[length] == '\0');
        FUZZ_CHECK(!carrier.timed || carrier.time.ns >= 0);
        check_form(line);
        if (sample != NULL)
            pgsql_sample_add(sample, line, carrier.timed, carrier.named);
    }
    log_source_close(source);
    log_unwrap_fini(u);
}

static void guess(struct pgsql_sample *sample)
{
    struct pgsql_prefixes prefixes;
    const char *first, *found;
    pgsql_sample_guess(sample, &prefixes, &first, &found);
    FUZZ_CHECK(prefixes.count == 0 || first != NULL);
    pgsql_prefixes_fini(&prefixes);
}

static void run(const uint8_t *data, size_t bytes)
{
    struct fuzz_file file;
    struct log_unwrap found;
    fuzz_file_init(&file, data, bytes);
    struct log_source *source = log_source_open_to_look(file.path);
    if (source == NULL) { /* a compressed file that is damaged */
        fuzz_file_fini(&file);
        return;
    }
    log_unwrap_look(&found, source);
    log_source_close(source);
    struct pgsql_sample *sample = pgsql_sample_create();
    read_as(file.path, &found, sample);
    guess(sample);
    pgsql_sample_free(sample);
    for (int outer = LOG_WRAP_CRI; outer <= LOG_WRAP_JSON; outer++) {
        struct log_unwrap u = {.wraps = {(enum log_wrap)outer, LOG_WRAP_JSON}, .count = 2};
        read_as(file.path, &u, NULL);
        struct log_unwrap one = {.wraps = {(enum log_wrap)outer}, .count = 1};
        read_as(file.path, &one, NULL);
    }
    fuzz_file_fini(&file);
}
