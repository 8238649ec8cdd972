/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/serve_tool.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/installed.h"
#include "base/interrupt.h"
#include "base/listen.h"
#include "base/log.h"
#include "base/util.h"
#include "options/exit_codes.h"
#include "options/tool_options.h"
#include "service/jobs/job_desk.h"
#include "service/jobs/job_worker.h"
#include "service/serve/server.h"
#include "service/serve/site.h"
#include "tools/archive/archive_words.h"

static bool is_address(const char *text)
{
    struct in6_addr any;
    return inet_pton(AF_INET, text, &any) == 1 || inet_pton(AF_INET6, text, &any) == 1;
}

static bool is_loopback(const char *text)
{
    struct in6_addr six;
    struct in_addr four;
    if (inet_pton(AF_INET, text, &four) == 1)
        return ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET;
    return inet_pton(AF_INET6, text, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

static const char *check_bind(const char *value)
{
    return is_address(value) ? NULL : "an IP address of this machine, such as 127.0.0.1 or ::1";
}

static const char *check_host(const char *value)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const char *at = value;
    if (value[0] == '[' && strchr(value, ']') == value + strlen(value) - 1)
        return NULL;
    while (*at != '\0' && (strchr(letters, *at) != NULL || strchr("-._", *at) != NULL))
        at++;
    return at > value && *at == '\0' ? NULL
                                     : "a name or an address without a port, such as "
                                       "bench.example.org, 10.0.0.7 or [fd00::7]";
}

static const struct option_spec rows[] = {
    {"bind", OPTION_STRING, "127.0.0.1",
     "IP address to listen at; an address that is not loopback needs --token-file",
     .check = check_bind, .field = OPTION_NO_FIELD, .argument = "=ADDRESS"},
    {"port", OPTION_INT, "8377", "port to listen at; 0: any free port", 0, 65535,
     .field = OPTION_NO_FIELD, .argument = "=PORT"},
    {"host", OPTION_STRING,
     .help = "additional name by which browsers may call the service; repeats",
     .check = check_host, .field = OPTION_NO_FIELD, .repeats = true, .argument = "=NAME"},
    {"token-file", OPTION_FILE,
     .help = "tokens of clients, in lines 'read NAME TOKEN' and 'run NAME TOKEN'; the file must "
             "have mode 0600",
     .check = archive_check_name, .field = OPTION_NO_FIELD, .argument = "=FILE"},
    {"upload-limit", OPTION_SIZE, "8M", "maximum size of an uploaded report, in bytes", 1024,
     1024.0 * 1024 * 1024, .field = OPTION_NO_FIELD, .argument = "=SIZE"},
    {"request-timeout", OPTION_SECONDS, "30s", "time limit for receiving a request", 1, 3600,
     .field = OPTION_NO_FIELD, .argument = "=TIME"},
    {"targets", OPTION_FILE,
     .help = "accept jobs for the databases in this file, which must have mode 0600; needs --tests "
             "and --token-file",
     .check = archive_check_name, .field = OPTION_NO_FIELD, .argument = "=FILE"},
    {"tests", OPTION_FILE, .help = "file with the tests that jobs may run; needs --targets",
     .check = archive_check_name,
     .field = OPTION_NO_FIELD, .argument = "=FILE"},
    {"help", OPTION_BOOL, "off", "print this help and exit", .field = OPTION_NO_FIELD,
     .argument = ""},
    {"version", OPTION_BOOL, "off", "print version and exit", .field = OPTION_NO_FIELD,
     .argument = ""},
};

static const struct tool_options tool = {
    "Usage:\n"
    "  sysrate serve [options] DIR\n"
    "  sysrate-serve [options] DIR\n\n"
    "Serves the archive in the folder DIR to web browsers, and to programs under /api/v1: lists\n"
    "of runs, single runs, comparisons and the trend. Accepts reports, and jobs with --targets.\n"
    "Creates the archive if it does not exist. Ctrl-C ends the service.\n\n",
    "serve options",
    rows,
    ARRAY_SIZE(rows),
};

/* Names that are allowed in the Host header: the addresses of the service, then those of --host. */
struct names {
    char **name; /* NULL-terminated array */
    size_t count;
};

static void add_name(struct names *names, const char *format, const char *text)
{
    names->name = xrealloc(names->name, (names->count + 2) * sizeof(*names->name));
    if (asprintf(&names->name[names->count++], format, text) < 0)
        checked_alloc(NULL);
    names->name[names->count] = NULL;
}

static struct names list_names(const struct options *options)
{
    const char *bind = options_string(options, "bind");
    char *const *more = options_get(options, "host")->list;
    struct names names = {0};
    add_name(&names, "%s", "localhost");
    add_name(&names, "%s", "127.0.0.1");
    add_name(&names, "%s", "[::1]");
    add_name(&names, strchr(bind, ':') != NULL ? "[%s]" : "%s", bind);
    for (; more != NULL && *more != NULL; more++)
        add_name(&names, "%s", *more);
    return names;
}

static void names_fini(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
}

/* Jobs need tokens, so that not every client can put a load on a database. */
static int check_jobs(const struct options *options)
{
    const bool targets = options_get(options, "targets")->given;
    const bool tests = options_get(options, "tests")->given;
    if (targets != tests)
        log_text(LOG_FATAL, "jobs need both --targets and --tests");
    else if (targets && !options_get(options, "token-file")->given)
        log_text(LOG_FATAL, "--targets needs --token-file, which lists the clients that may start "
                            "jobs");
    else
        return 0;
    return -1;
}

static int check_call(const struct tool_call *call)
{
    const char *bind = options_string(call->options, "bind");
    if (call->files != 1)
        log_text(LOG_FATAL, "serve: the folder of one archive is needed, but %zu names are given",
                 call->files);
    else if (!is_loopback(bind) && !options_get(call->options, "token-file")->given)
        log_text(LOG_FATAL,
                 "--bind=%s needs --token-file, because other machines can reach this address. For "
                 "TLS, put a reverse proxy in front of the service (docs/service.md)",
                 bind);
    else
        return check_jobs(call->options);
    return -1;
}

static int open_socket(const struct options *options)
{
    char *option;
    const char *bind = options_string(options, "bind");
    char port[8];
    snprintf(port, sizeof(port), "%d", (int)options_int(options, "port"));
    if (asprintf(&option, "serve: --bind=%s --port=%s", bind, port) < 0)
        checked_alloc(NULL);
    int fd = listen_at(option, bind, port);
    free(option);
    return fd;
}

static int serve_at(int fd, struct service *service)
{
    char url[LISTEN_URL_BYTES];
    listen_url(fd, url);
    struct server *server = server_start(fd, service);
    if (server == NULL)
        return -1;
    log_text(LOG_NOTICE, "%s at %s/", service->folder, url);
    server_wait(server);
    server_stop(server);
    return 0;
}

static int serve(struct service *service, const struct options *options)
{
    int fd = open_socket(options), status = -1;
    if (fd < 0)
        return -1;
    if (interrupt_init() == 0) {
        status = serve_at(fd, service);
        interrupt_fini();
    } else {
        close(fd);
    }
    return status;
}

/* Opens the job desk if --targets is given, then serves. */
static int serve_jobs(struct service *service, const struct options *options)
{
    struct job_desk desk;
    if (options_string(options, "targets") == NULL)
        return serve(service, options);
    service->jobs = &desk;
    int status = job_desk_open(&desk, service->folder, options_string(options, "targets"),
                               options_string(options, "tests"));
    if (status == 0)
        status = serve(service, options);
    job_desk_close(&desk);
    return status;
}

static void print_version(void)
{
    char *program = installed_program(JOB_PROGRAM);
    printf("sysrate-serve " VERSION "\nBuilt with SQLite %s, jansson %s, %s\nJobs execute: %s\n",
           SQLITE_VERSION, JANSSON_VERSION, server_library(),
           program != NULL ? program : JOB_PROGRAM " (not installed)");
    free(program);
}

/* All files are checked before the service answers its first request. */
static int call_tool(const struct tool_call *call)
{
    const struct options *options = call->options;
    const char *path = options_string(options, "token-file");
    struct tokens *tokens = NULL;
    if (check_call(call) != 0 || archive_check(call->file[0]) != 0 ||
        (path != NULL && (tokens = tokens_load(path)) == NULL))
        return EXIT_FAILED;
    struct names names = list_names(options);
    struct service service = {.folder = call->file[0],
                              .host = names.name,
                              .tokens = tokens,
                              .sessions =
                                  sessions_create(SERVICE_SESSION_SECONDS * (int64_t)NS_PER_SEC),
                              .body_bytes_max = options_int(options, "upload-limit"),
                              .request_ns = options_int(options, "request-timeout")};
    site_init(&service);
    int status = serve_jobs(&service, options);
    site_fini(&service);
    names_fini(&names);
    sessions_destroy(service.sessions);
    tokens_destroy(tokens);
    return status == 0 ? EXIT_WELL : EXIT_FAILED;
}

int serve_tool_main(int argc, char **argv)
{
    struct tool_call call;
    int code = tool_call_init(&call, &tool, argc, argv);
    if (code < 0 && options_bool(call.options, "version"))
        print_version(), code = EXIT_WELL;
    else if (code < 0)
        code = call_tool(&call);
    tool_call_fini(&call);
    return code;
}
