/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/server_settings/server_restart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/port.h"
#include "base/util.h"
#include "tools/out_folder.h"

#define OPTION_FILE "server-options.cnf"
#define LOG_FILE "restart.log"
#define VARIABLE "SYSRATE_SERVER_OPTIONS"
#define PAUSE_NS (20 * NS_PER_MS)

static int fail(char **failure, const char *fmt, ...) PRINTF_LIKE(2, 3);

static int fail(char **failure, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (vasprintf(failure, fmt, args) < 0)
        checked_alloc(NULL);
    va_end(args);
    return -1;
}

static int write_options(const json_t *settings, const char *folder)
{
    struct outfile file;
    const char *name;
    json_t *value;
    if (out_folder_open(&file, folder, OPTION_FILE) != 0)
        return -1;
    fputs("[mysqld]\n", file.stream);
    json_object_foreach((json_t *)settings, name, value)
        fprintf(file.stream, "%s = %s\n", name, json_string_value(value));
    return outfile_commit(&file);
}

/* Returns the words of the command, NULL-terminated, in the memory of `copy`. */
static char **split(char *copy)
{
    size_t count = 0;
    char **words = xcalloc(strlen(copy) + 2, sizeof(*words)), *word;
    while ((word = strsep(&copy, " \t")) != NULL)
        if (word[0] != '\0')
            words[count++] = word;
    return words;
}

/* Waits for the process. Returns its status as of waitpid(), or −1 if it was killed at the limit.
 */
static int wait_for(pid_t pid, int64_t limit_ns)
{
    static const struct timespec pause = {.tv_nsec = PAUSE_NS};
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (clock_now_ns() > limit_ns) {
            kill(-pid, SIGKILL);
            waitpid(pid, &status, 0);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    return status;
}

static int execute(char *const argv[], const char *log, int64_t limit_ns, char **failure)
{
    pid_t pid;
    int output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (output < 0)
        return fail(failure, "cannot write '%s': %s", log, strerror(errno));
    const int error = port_spawn(argv, output, output, &pid);
    close(output);
    if (error != 0)
        return fail(failure, "cannot execute '%s': %s", argv[0], strerror(error));
    const int status = wait_for(pid, limit_ns);
    if (status == 0)
        return 0;
    if (status < 0)
        return fail(failure, "--restart-command has not ended within --restart-timeout");
    if (WIFEXITED(status))
        return fail(failure, "--restart-command has ended with exit status %d: see '%s'",
                    WEXITSTATUS(status), log);
    return fail(failure, "--restart-command was ended by signal %d", WTERMSIG(status));
}

int server_restart(const char *command, const json_t *settings, const char *folder,
                   int64_t limit_ns, char **failure)
{
    if (write_options(settings, folder) != 0)
        return fail(failure, "no option file for --restart-command");
    char *copy = xstrdup(command), *log = out_folder_path(folder, LOG_FILE);
    char *options = out_folder_path(folder, OPTION_FILE), *path = realpath(options, NULL);
    char **argv = split(copy);
    setenv(VARIABLE, path != NULL ? path : options, 1);
    const int status = execute(argv, log, limit_ns, failure);
    unsetenv(VARIABLE);
    free(argv);
    free(path);
    free(options);
    free(log);
    free(copy);
    return status;
}
