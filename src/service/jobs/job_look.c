/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/job_look.h"

#include <string.h>

#include "base/clock.h"
#include "base/secret.h"
#include "base/util.h"
#include "service/jobs/job_plan.h"

/* Time limit for the query of a server. */
#define LOOK_SECONDS 30

/* The Lua script that the child process runs. It prints lines "identity=…" and "table=…". */
static const char script[] =
    "local asks = {\n"
    "   mysql = {\n"
    "      identity = [[SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_uuid', "
    "'server_uid')]], column = 2,\n"
    "      tables = [[SELECT table_name FROM information_schema.tables\n"
    "                 WHERE table_schema = DATABASE() ORDER BY table_name]],\n"
    "   },\n"
    "   pgsql = {\n"
    "      identity = [[SELECT system_identifier FROM pg_control_system()]], column = 1,\n"
    "      tables = [[SELECT table_schema || '.' || table_name FROM information_schema.tables\n"
    "                 WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY "
    "1]],\n"
    "   },\n"
    "}\n"
    "sysbench.cmdline.options = {tables = {'look at tables', false}}\n"
    "local function show(con, query, column, name)\n"
    "   local result = con:query(query)\n"
    "   local row = result:fetch_row()\n"
    "   while row do\n"
    "      print(name .. '=' .. row[column]:gsub('%c', '?'))\n"
    "      row = result:fetch_row()\n"
    "   end\n"
    "end\n"
    "local function look()\n"
    "   local driver = sysbench.sql.driver()\n"
    "   local ask, con = asks[driver:name()], driver:connect()\n"
    "   show(con, ask.identity, ask.column, 'identity')\n"
    "   if sysbench.opt.tables then\n"
    "      show(con, ask.tables, 1, 'table')\n"
    "   end\n"
    "end\n"
    "sysbench.cmdline.commands = {look = {look}}\n";

static void add_word(void *arg, const char *word)
{
    child_arg(arg, "%s", word);
}

static char *write_script(const struct child *child)
{
    char *path = child_path(child, "look.lua");
    FILE *file = fopen(path, "we");
    if (file != NULL) {
        fputs(script, file);
        fclose(file);
    }
    return path;
}

struct child *job_child_create(const char *program)
{
    struct child *child = child_create();
    if (child == NULL)
        return NULL;
    child_of_threads(child);
    child_set_program(child, program);
    return child;
}

char *job_child_reason(const struct child *child)
{
    static const char level[] = "FATAL: ";
    char *text = child_text(child, "stderr"), *rest = text, *line, *reason = NULL;
    while (reason == NULL && (line = strsep(&rest, "\n")) != NULL)
        if (strncmp(line, level, strlen(level)) == 0)
            reason = secret_mask(line + strlen(level));
    free(text);
    return reason != NULL ? reason : xstrdup(child_end_text(child));
}

/* Returns the values of all lines "NAME=VALUE", each followed by '\n'. The caller frees the text.
 * */
static char *values_of(const char *text, const char *name)
{
    char *copy = xstrdup(text), *rest = copy, *line, *values = NULL;
    const size_t length = strlen(name);
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&values, &bytes));
    while ((line = strsep(&rest, "\n")) != NULL)
        if (strncmp(line, name, length) == 0 && line[length] == '=')
            fprintf(out, "%s\n", line + length + 1);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    free(copy);
    return values;
}

static void read_answer(struct job_look *look, const struct child *child)
{
    char *text = child_text(child, "stdout");
    look->identity = values_of(text, "identity");
    look->identity[strcspn(look->identity, "\n")] = '\0';
    look->tables = values_of(text, "table");
    free(text);
}

static void ask(struct job_look *look, struct child *child)
{
    if (child_start_tool(child) != 0)
        look->wrong = xstrdup("the program sysrate cannot be executed");
    else if (!child_wait(child, clock_now_ns() + LOOK_SECONDS * (int64_t)NS_PER_SEC))
        look->wrong = xstrdup("the server does not answer");
    else if (child_exit_code(child) != 0)
        look->wrong = job_child_reason(child);
    else
        read_answer(look, child);
}

void job_look(struct job_look *look, const char *program, const struct target *target)
{
    *look = (struct job_look){0};
    struct child *child = job_child_create(program);
    if (child == NULL) {
        look->wrong = xstrdup("cannot make a temporary folder");
        return;
    }
    char *path = write_script(child);
    child_arg(child, "%s", path);
    target_words(target, add_word, child);
    if (target->schema != NULL)
        child_arg(child, "--tables");
    child_arg(child, "look");
    ask(look, child);
    free(path);
    child_destroy(child);
}

void job_look_fini(struct job_look *look)
{
    free(look->identity);
    free(look->tables);
    free(look->wrong);
    *look = (struct job_look){0};
}

char *job_look_check(const struct job_look *look, const struct target *target)
{
    char *wrong = NULL;
    if (look->wrong != NULL)
        return xstrdup(look->wrong);
    if (strcmp(look->identity, target->identity) != 0 &&
        asprintf(&wrong,
                 "the server of the target %s is not the expected one: its identity is '%.100s'",
                 target->name, look->identity) < 0)
        checked_alloc(NULL);
    return wrong;
}

static bool has_line(const char *text, const char *line, size_t length)
{
    for (; *text != '\0'; text += strcspn(text, "\n") + 1)
        if (strcspn(text, "\n") == length && strncmp(text, line, length) == 0)
            return true;
    return false;
}

char *job_look_foreign_table(const struct job_look *look, const char *own)
{
    for (const char *line = look->tables; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const size_t length = strcspn(line, "\n");
        if (!has_line(own, line, length))
            return checked_alloc(strndup(line, length));
    }
    return NULL;
}
