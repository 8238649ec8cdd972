/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A script given as text, in the state of the main thread. */
#ifndef TEST_SCRIPT_FIXTURE_H
#define TEST_SCRIPT_FIXTURE_H

#include <check.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "capture.h"
#include "workloads/script/script.h"

static struct options *options;
static struct script_source source;
static struct rand random_numbers;
static struct script *script;

static inline void setup(void)
{
    static char *argv[] = {"sysrate", "t.lua"};
    options = options_create();
    source = (struct script_source){.test = "t.lua",
                                    .folder = xstrdup("."),
                                    .path = xstrdup("./t.lua"),
                                    .options = options,
                                    .argc = 2,
                                    .argv = argv,
                                    .tool_name = "sysrate",
                                    .tool_version = "1.2.3"};
}

static inline void teardown(void)
{
    if (script != NULL)
        script_destroy(script);
    script = NULL;
    script_source_fini(&source);
    options_destroy(options);
}

/* Makes `script` a state for `text`, whose body has not run. */
static inline void create(const char *text)
{
    source.text = xstrdup(text);
    source.text_bytes = strlen(text);
    script = script_create(&source, SCRIPT_MAIN, &random_numbers);
    ck_assert_ptr_nonnull(script);
}

static inline void load(const char *text)
{
    create(text);
    ck_assert_int_eq(script_load(script), 0);
}

/* Calls a function of the script, whose assertions must hold. */
static inline void call(const char *name)
{
    ck_assert_msg(script_has_function(script, name), "no function %s", name);
    ck_assert_msg(script_call(script, name) == 0, "%s failed", name);
}

/* `status` must be −1, and `message` what was logged since `capture` started. */
static inline void assert_failure(struct capture *capture, int status, const char *message)
{
    char *logged = capture_end(capture);
    ck_assert_int_eq(status, -1);
    ck_assert_str_eq(logged, message);
    free(logged);
}

/* The next message is no repetition of the last one. */
static inline void start_messages(struct capture *capture)
{
    log_flush();
    capture_start(capture, 0);
}

#endif
