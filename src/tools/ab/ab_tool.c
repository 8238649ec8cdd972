/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_mains.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "options/exit_codes.h"
#include "options/labels.h"
#include "report/page/html.h"
#include "tools/ab/ab.h"
#include "tools/before_commands.h"
#include "tools/out_folder.h"

static const char *check_program(const char *value)
{
    return access(value, X_OK) == 0 ? NULL : "the path of a program that can be executed";
}

static const struct option_spec rows[] = {
    {"a", OPTION_STRING, .help = "options of variant A, such as '--mysql-port=3306 --tables=2'",
     .check = ab_check_options, .field = OPTION_NO_FIELD, .repeats = true, .argument = "=OPTIONS"},
    {"b", OPTION_STRING, .help = "options of variant B", .check = ab_check_options,
     .field = OPTION_NO_FIELD, .repeats = true, .argument = "=OPTIONS"},
    {"a-before", OPTION_STRING,
     .help = "exec: COMMAND or sh: COMMAND, which is run before each block of A; may be repeated",
     .check = before_commands_check, .field = OPTION_NO_FIELD, .repeats = true, .argument = "=COMMAND"},
    {"b-before", OPTION_STRING, .help = "the same before each block of B", .check = before_commands_check,
     .field = OPTION_NO_FIELD, .repeats = true, .argument = "=COMMAND"},
    {"a-program", OPTION_FILE, .help = "another sysrate that runs the blocks of A",
     .check = check_program, .field = OPTION_NO_FIELD},
    {"b-program", OPTION_FILE, .help = "another sysrate that runs the blocks of B",
     .check = check_program, .field = OPTION_NO_FIELD},
    {"a-server", OPTION_STRING,
     .help = "NAME=VALUE: a setting of the server for the blocks of A; may be repeated; needs "
             "--allow-server-changes",
     .check = ab_check_server, .field = OPTION_NO_FIELD, .repeats = true,
     .argument = "=NAME=VALUE"},
    {"b-server", OPTION_STRING, .help = "a setting of the server for the blocks of B",
     .check = ab_check_server, .field = OPTION_NO_FIELD, .repeats = true,
     .argument = "=NAME=VALUE"},
    SERVER_SETTINGS_ROWS,
    {"out", OPTION_FILE,
     .help = "folder for the results; only blocks whose result is missing are run",
     .check = out_folder_check, .field = OPTION_NO_FIELD},
    {"until", OPTION_STRING, "2%",
     "precision to reach: a percentage for the usual figures, or figures with theirs, such as "
     "p95±2%,mean±1%",
     .check = ab_check_until, .field = OPTION_NO_FIELD},
    {"max-pairs", OPTION_INT, "50", "largest number of pairs of blocks", 1, 10000,
     .field = OPTION_NO_FIELD},
    {"control", OPTION_BOOL, "off", "run A against A first, and print the noise floor",
     .field = OPTION_NO_FIELD},
    {"doubtful", OPTION_STRING, "use", "pairs with a block that is CLIENT-LIMITED or ARRIVALS-OFF",
     .choices = OPTION_CHOICES({"use", "they are named, and used like the others"},
                               {"leave-out", "they are named, and not used"}),
     .field = OPTION_NO_FIELD},
    {"seed", OPTION_INT,
     .help = "seed of the order of blocks and of the requests; default: from the clock",
     .max = 9e15, .field = OPTION_NO_FIELD},
    {"archive", OPTION_STRING, .help = "add each block to the archive in this folder",
     .check = out_folder_check, .field = OPTION_NO_FIELD},
    {"label", OPTION_STRING, .help = "label of each block; may be repeated", .check = label_check,
     .field = OPTION_NO_FIELD, .repeats = true},
    SUBJECT_LAUNCHER_ROW,
    {"format", OPTION_STRING, "text",
     "print the result as text, or in the format of another "
     "program",
     .choices = REPORT_FORMAT_CHOICES, .field = OPTION_NO_FIELD, .argument = "=FORMAT"},
    {"help", OPTION_BOOL, "off", "print this help and exit", .field = OPTION_NO_FIELD},
};

static const struct tool_options tool = {
    "Usage:\n"
    "  sysrate ab --a=OPTIONS --b=OPTIONS --out=DIR [options] -- TEST [options]\n\n"
    "Runs two variants of a test in alternating blocks under the same requests, until their\n"
    "difference is known. The exit status is 0 if no difference was found at the requested\n"
    "precision, 5 if B is worse, 6 if B is better, and 7 if that is undecided.\n\n",
    "ab options",
    rows,
    ARRAY_SIZE(rows),
};

/* Options. */

static int check_subject(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->cmdline.count; i++)
        if (option_name_is(subject->cmdline.assignments[i].name, "rand-seed")) {
            log_text(LOG_FATAL, "ab: --rand-seed cannot be used after '--': each pair of blocks "
                                "has its own, from --seed");
            return -1;
        } else if (option_name_is(subject->cmdline.assignments[i].name, "until")) {
            log_text(LOG_FATAL, "ab: --until cannot be used after '--': the blocks of a pair have "
                                "the same length; before '--' it ends the experiment");
            return -1;
        }
    return 0;
}

static int read_settings(struct ab *ab)
{
    const struct options *set = ab->subject.options;
    const struct option_value *seed = options_get(set, "seed");
    ab->folder = options_string(set, "out");
    ab->max_pairs = (size_t)options_int(set, "max-pairs");
    ab->with_control = options_bool(set, "control");
    ab->use_doubtful = options_choice(set, "doubtful") == 0;
    ab->format = (enum report_format_name)options_choice(set, "format");
    ab->seed = seed->given ? seed->integer : clock_seed(CLOCK_SHORT_SEED);
    ab->control.control = true;
    if (ab->folder != NULL)
        return check_subject(&ab->subject);
    log_text(LOG_FATAL, "ab: --out=DIR is needed, a folder for the results");
    return -1;
}

/* Reports mistakes in the options of the test before anything is run. */
static int check_test(const struct ab *ab)
{
    for (int k = 0; k < AB_VARIANTS; k++) {
        struct child *child = ab_child(ab, k, "help");
        if (child == NULL || subject_finish(child) != 0)
            return -1;
    }
    return 0;
}

/* Results. */

static void print_plan(const struct ab *ab)
{
    printf("%s: A against B, at most %zu pairs of blocks, results in %s, --seed=%lld\n",
           ab->subject.cmdline.test, ab->max_pairs, ab->folder, (long long)ab->seed);
    log_flush_stdout();
}

static int write_results(const struct ab *ab)
{
    struct outfile file;
    json_t *value = ab_value(ab);
    int status = out_folder_write_json(ab->folder, "ab.json", value,
                                       JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    json_decref(value);
    if (out_folder_open(&file, ab->folder, "table.md") != 0)
        return -1;
    ab_print(file.stream, ab);
    if (outfile_commit(&file) != 0)
        status = -1;
    return ab_write_page(ab) == 0 ? status : -1;
}

/* Prints the result in the format of another program to `out`. */
static int export_result(const struct ab *ab, FILE *out)
{
    int status = ab_export(out, ab);
    if (fflush(out) == 0 && !ferror(out))
        return status;
    log_errno(LOG_FATAL, "ab: cannot write the result to standard output");
    return -1;
}

static int report(const struct ab *ab, FILE *out)
{
    if (ab->control.pairs + ab->main.pairs == 0)
        return 0;
    int status = write_results(ab);
    if (ab->format != EXPORT_NONE)
        return export_result(ab, out) == 0 ? status : -1;
    printf("\n");
    ab_print(stdout, ab);
    if (status == 0 && html_available() && ab->main.figures > 0)
        printf("The page is %s/page.html\n", ab->folder);
    log_flush_stdout();
    return status;
}

/* If the result is printed in the format of another program, all other lines go to standard error.
 * Returns the stream of the result, or NULL after a logged message. */
static FILE *open_result(const struct ab *ab)
{
    if (ab->format == EXPORT_NONE)
        return stdout;
    const int fd = dup(STDOUT_FILENO);
    FILE *out = fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL)
        log_errno(LOG_FATAL, "ab: cannot use standard output");
    return out;
}

/* The experiment. */

static int run_all(struct ab *ab)
{
    int status = ab->with_control ? ab_run(ab, &ab->control) : 0;
    if (status == 0 && interrupt_signal() == 0 && !ab_is_alarm(&ab->control))
        status = ab_run(ab, &ab->main);
    return server_settings_restore(&ab->server) == 0 ? status : -1;
}

static int execute(struct ab *ab, bool seed_given)
{
    static const enum exit_code codes[] = {[AB_UNDECIDED] = EXIT_UNDECIDED,
                                           [AB_SAME] = EXIT_WELL,
                                           [AB_WORSE] = EXIT_DIFFERENT,
                                           [AB_BETTER] = EXIT_BETTER};
    FILE *out = open_result(ab);
    if (out == NULL || check_test(ab) != 0 || ab_folder_open(ab, seed_given) != 0 ||
        interrupt_init() != 0)
        return EXIT_FAILED;
    print_plan(ab);
    int status = run_all(ab), signal = interrupt_signal();
    interrupt_fini();
    if (report(ab, out) != 0 || status != 0)
        return EXIT_FAILED;
    return signal != 0 ? EXIT_BY_SIGNAL + signal : (int)codes[ab->main.result];
}

int ab_main(int argc, char **argv)
{
    struct ab ab = {.lock_fd = -1};
    int code = subject_init(&ab.subject, &tool, argc, argv);
    if (code < 0 && (read_settings(&ab) != 0 || ab_read_variants(&ab) != 0))
        code = EXIT_FAILED;
    if (code < 0)
        code = execute(&ab, options_get(ab.subject.options, "seed")->given);
    ab_fini(&ab);
    return code;
}
