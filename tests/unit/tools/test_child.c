/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The child executes the program of this test. main() chooses the role from its arguments. */
#include "tools/child.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../suite.h"
#include "base/clock.h"
#include "options/exit_codes.h"

#define SOON (clock_now_ns() + 20 * NS_PER_SEC)

/* Roles of the child. */

static const char *option(char **argv, const char *name)
{
    for (; *argv != NULL; argv++)
        if (strncmp(*argv, name, strlen(name)) == 0)
            return *argv + strlen(name);
    return "";
}

static int echo_input(void)
{
    int c;
    while ((c = getchar()) != EOF)
        putchar(c);
    fputs("to the other", stderr);
    return 7;
}

static int write_report(char **argv)
{
    FILE *file = fopen(option(argv, "--json="), "w");
    fprintf(file, "{\"arguments\": [\"%s\", \"%s\"]}", argv[2], argv[3]);
    return fclose(file);
}

static int write_half_a_report(char **argv)
{
    FILE *file = fopen(option(argv, "--json="), "w");
    fputs("{\"a\": ", file);
    return fclose(file);
}

/* Returns the state of a process from /proc/PID/stat, for example 'T' for stopped. */
static char state_of(pid_t pid)
{
    char path[64], state = '?';
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return '-';
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = '?';
    fclose(file);
    return state;
}

/* Process number of the only child of this process. */
static pid_t only_child(void)
{
    char path[64];
    int pid = 0;
    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)gettid());
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%d", &pid) != 1)
        pid = 0;
    fclose(file);
    return pid;
}

/* Starts a child and dies. Prints the process number and the folder of the child. */
static int leave_orphan(void)
{
    struct child *child = child_create();
    child_arg(child, "sleep");
    child_start(child);
    char *folder = child_path(child, "");
    printf("%d %s", (int)only_child(), folder);
    free(folder);
    fflush(stdout);
    _exit(0);
}

static int play(char **argv)
{
    const char *part = argv[1];
    if (strcmp(part, "echo") == 0)
        return echo_input();
    if (strcmp(part, "report") == 0)
        return write_report(argv);
    if (strcmp(part, "half") == 0)
        return write_half_a_report(argv);
    if (strcmp(part, "orphan") == 0)
        return leave_orphan();
    if (strcmp(part, "sleep") == 0)
        sleep(60);
    return 0;
}

/* Tests. */

static struct child *start(const char *part)
{
    struct child *child = child_create();
    ck_assert_ptr_nonnull(child);
    child_arg(child, "%s", part);
    ck_assert_int_eq(child_start(child), 0);
    return child;
}

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

START_TEST(input_output_and_exit_code)
{
    struct child *child = child_create();
    size_t length = 300000; /* more than a pipe holds */
    char *text = memset(xcalloc(1, length + 1), 'x', length);
    child_arg(child, "echo");
    child_input(child, text);
    ck_assert_int_eq(child_start(child), 0);
    ck_assert(child_wait(child, SOON));
    ck_assert_int_eq(child_exit_code(child), 7);
    char *out = child_text(child, "stdout"), *err = child_text(child, "stderr");
    char *none = child_text(child, "no such file");
    ck_assert(strcmp(out, text) == 0);
    ck_assert_str_eq(err, "to the other");
    ck_assert_str_eq(none, "");
    ck_assert_ptr_null(child_report(child));
    ck_assert_int_eq(child_signal(child, SIGTERM), -1);
    ck_assert_int_eq(child_freeze(child), -1);
    free(out);
    free(err);
    free(none);
    free(text);
    child_destroy(child);
}
END_TEST

START_TEST(report_and_arguments)
{
    struct child *child = child_create();
    child_arg(child, "report");
    child_arg(child, "--rate=%d", 12);
    child_arg(child, "a b $HOME"); /* no shell interprets it */
    ck_assert_int_eq(child_start(child), 0);
    ck_assert(child_wait(child, SOON));
    ck_assert_int_eq(child_exit_code(child), 0);
    json_t *report = child_report(child), *arguments = json_object_get(report, "arguments");
    ck_assert_str_eq(json_string_value(json_array_get(arguments, 0)), "--rate=12");
    ck_assert_str_eq(json_string_value(json_array_get(arguments, 1)), "a b $HOME");
    json_decref(report);
    char *folder = child_path(child, "");
    ck_assert(exists(folder));
    child_destroy(child);
    ck_assert(!exists(folder));
    free(folder);
}
END_TEST

START_TEST(waiting_has_a_deadline)
{
    struct child *child = start("sleep");
    int64_t before_ns = clock_now_ns();
    ck_assert(!child_wait(child, 0));
    ck_assert(!child_wait(child, before_ns + 200 * NS_PER_MS));
    int64_t after_ns = clock_now_ns();
    ck_assert_int_ge(after_ns - before_ns, 200 * NS_PER_MS);
    ck_assert_int_lt(after_ns - before_ns, 20 * NS_PER_SEC);
    ck_assert_int_eq(child_signal(child, SIGTERM), 0);
    ck_assert(child_wait(child, SOON));
    ck_assert_int_eq(child_exit_code(child), 128 + SIGTERM);
    ck_assert(child_wait(child, 0));
    child_destroy(child);
}
END_TEST

START_TEST(a_frozen_child_is_stopped)
{
    struct child *child = start("sleep");
    pid_t pid = only_child();
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(child_freeze(child), 0);
    ck_assert_int_eq(state_of(pid), 'T');
    ck_assert(!child_wait(child, 0)); /* a stopped child has not ended */
    ck_assert_int_eq(child_signal(child, SIGCONT), 0);
    ck_assert_int_eq(child_freeze(child), 0);
    child_destroy(child); /* also kills a stopped child */
    ck_assert_int_eq(only_child(), 0);
    ck_assert_int_eq(state_of(pid), '-');
}
END_TEST

START_TEST(signals_of_the_terminal_do_not_reach_it)
{
    struct child *child = start("sleep");
    pid_t pid = only_child();
    int64_t deadline_ns = SOON;
    while (getpgid(pid) != pid && clock_now_ns() < deadline_ns)
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    ck_assert_int_eq(getpgid(pid), pid);
    child_destroy(child);
}
END_TEST

static void remove_left_folder(const char *folder)
{
    static const char *const names[] = {"stdout", "stderr"};
    char path[600];
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        snprintf(path, sizeof(path), "%s%s", folder, names[i]);
        ck_assert_int_eq(unlink(path), 0);
    }
    ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(children_die_with_their_parent)
{
    struct child *child = start("orphan");
    ck_assert(child_wait(child, SOON));
    char *text = child_text(child, "stdout"), folder[512];
    int pid;
    ck_assert_int_eq(sscanf(text, "%d %511s", &pid, folder), 2);
    int64_t deadline_ns = SOON;
    /* The state is 'Z' until a process has waited for it. */
    while (strchr("-Z", state_of(pid)) == NULL && clock_now_ns() < deadline_ns)
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    ck_assert_ptr_nonnull(strchr("-Z", state_of(pid)));
    remove_left_folder(folder);
    free(text);
    child_destroy(child);
}
END_TEST

START_TEST(the_end_is_described)
{
    struct child *quick = start("echo"), *slow = start("sleep");
    ck_assert(child_wait(quick, SOON));
    ck_assert_int_eq(child_end_signal(quick), 0);
    ck_assert_str_eq(child_end_text(quick), "exit code 7");
    ck_assert_int_eq(child_signal(slow, SIGTERM), 0);
    ck_assert(child_wait(slow, SOON));
    ck_assert_int_eq(child_end_signal(slow), SIGTERM);
    ck_assert_int_eq(child_exit_code(slow), EXIT_BY_SIGNAL + SIGTERM);
    ck_assert_str_eq(child_end_text(slow), "ended by signal 15 (Terminated)");
    ck_assert_int_eq(child_freeze(slow), -1);
    child_destroy(quick);
    child_destroy(slow);
}
END_TEST

/* The report is incomplete. */
START_TEST(an_incomplete_report_is_ignored)
{
    struct child *child = start("half");
    ck_assert(child_wait(child, SOON));
    char *text = child_text(child, CHILD_REPORT);
    ck_assert_str_eq(text, "{\"a\": ");
    ck_assert_ptr_null(child_report(child));
    free(text);
    child_destroy(child);
}
END_TEST

/* The files for the child then get the descriptors 0, 1 and 2. */
START_TEST(a_parent_may_have_closed_its_standard_streams)
{
    int saved = dup(STDERR_FILENO);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    struct child *child = child_create();
    child_arg(child, "echo");
    child_input(child, "to the one");
    int status = child_start(child);
    dup2(saved, STDERR_FILENO);
    ck_assert_int_eq(status, 0);
    ck_assert(child_wait(child, SOON));
    char *out = child_text(child, "stdout"), *err = child_text(child, "stderr");
    ck_assert_str_eq(out, "to the one");
    ck_assert_str_eq(err, "to the other");
    free(out);
    free(err);
    child_destroy(child);
}
END_TEST

static void swallow(int signal)
{
    (void)signal;
}

/* Even an early signal must end the child: the handler that the child inherits from its parent must
 * not take the signal. */
START_TEST(a_signal_right_after_the_start_is_not_lost)
{
    signal(SIGTERM, swallow);
    for (int i = 0; i < 20; i++) {
        struct child *child = start("sleep");
        ck_assert_int_eq(child_signal(child, SIGTERM), 0);
        ck_assert(child_wait(child, SOON));
        ck_assert_int_eq(child_end_signal(child), SIGTERM);
        child_destroy(child);
    }
}
END_TEST

START_TEST(a_bad_temporary_folder_is_named)
{
    setenv("TMPDIR", "/no/such/folder", 1);
    ck_assert_ptr_null(child_create());
}
END_TEST

START_TEST(a_child_that_never_started_is_freed)
{
    struct child *child = child_create();
    char *folder = child_path(child, "");
    child_destroy(child);
    ck_assert(!exists(folder));
    free(folder);
    child_destroy(NULL);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 1)
        return play(argv);
    const TTest *const tests[] = {
        input_output_and_exit_code,      report_and_arguments,
        waiting_has_a_deadline,          a_frozen_child_is_stopped,
        children_die_with_their_parent,  a_bad_temporary_folder_is_named,
        a_child_that_never_started_is_freed, signals_of_the_terminal_do_not_reach_it,
        the_end_is_described,                an_incomplete_report_is_ignored,
        a_signal_right_after_the_start_is_not_lost,
        a_parent_may_have_closed_its_standard_streams};
    return suite_run_tests("child", 60, NULL, NULL, tests, sizeof(tests) / sizeof(tests[0]));
}
