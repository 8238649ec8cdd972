/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/job_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/installed.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/thread.h"
#include "base/util.h"
#include "report/json/report_json_value.h"
#include "service/jobs/job_run.h"

#define OWN_FILE "/proc/self/exe"
/* Interval between two attempts to lock the machine, or two checks of another service's process. */
#define PAUSE_MS 100
/* Interval between two checks of the queue if no job is queued. */
#define IDLE_MS 1000
/* Time that processes of an earlier service may take to end before they are killed. */
#define LEFT_SECONDS 30
/* Bytes at the end of a file that are read; longer than any interval. */
#define TAIL_BYTES (256 * 1024)

struct job_worker {
    const char *folder;
    char *program; /* path of sysrate */
    const struct target_list *targets;
    const struct catalogue *catalogue;
    struct job_notifier *notifier;
    struct archive *archive; /* used by the thread only */
    int service_fd;          /* descriptor of jobs.lock, which is locked */
    pthread_t thread;
    atomic_bool stop;
    pthread_mutex_t mutex; /* protects the fields below */
    pthread_cond_t woken;
    bool wake;
    int64_t running;            /* number of the running job; 0 if no job runs */
    char *intervals, *progress; /* files that the job's process writes, see struct job_watch */
};

/* The progress of a process, from the file that it is writing. */

/* Returns the last TAIL_BYTES bytes of a file up to its last newline, or NULL if there is no
 * complete line. The caller frees the text. */
static char *tail_of(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    ssize_t n = -1;
    char *text = xcalloc(1, TAIL_BYTES + 1);
    if (fd >= 0 && fstat(fd, &st) == 0)
        n = pread(fd, text, TAIL_BYTES, st.st_size > TAIL_BYTES ? st.st_size - TAIL_BYTES : 0);
    if (fd >= 0)
        close(fd);
    char *end = n > 0 ? memrchr(text, '\n', (size_t)n) : NULL;
    if (end != NULL) {
        *end = '\0';
        return text;
    }
    free(text);
    return NULL;
}

/* Removes the last line from the text and returns it. */
static char *cut_line(char *text)
{
    char *newline = strrchr(text, '\n');
    if (newline == NULL)
        return text;
    *newline = '\0';
    return newline + 1;
}

static bool is_interval(const char *line)
{
    static const char begin[] = "{\"from_s\":";
    return strncmp(line, begin, strlen(begin)) == 0;
}

/* Returns the last complete line of a file that is an interval of a JSON report, as a new
 * reference, or NULL if there is no such line. */
static json_t *last_interval(const char *path)
{
    char *text = tail_of(path), *line;
    json_t *interval = NULL;
    bool more = text != NULL;
    while (more && interval == NULL) {
        line = cut_line(text);
        more = line != text;
        if (is_interval(line))
            interval = json_loads(line, 0, NULL);
    }
    free(text);
    return interval;
}

/* Returns the last complete line of a file as {"progress": TEXT}, with secrets masked, or NULL if
 * there is no such line. */
static json_t *last_progress(const char *path)
{
    char *text = tail_of(path);
    if (text == NULL)
        return NULL;
    char *line = secret_mask(log_printable(cut_line(text), ""));
    json_t *object = value_object();
    value_set(object, "progress", value_text(line));
    free(line);
    free(text);
    return object;
}

/* Functions that use the mutex. */

/* Waits until job_worker_wake() is called, at most `ms` milliseconds. */
static void pause_for(struct job_worker *w, int64_t ms)
{
    struct timespec until = clock_timespec(clock_now_ns() + ms * (int64_t)NS_PER_MS);
    int code = 0;
    pthread_mutex_lock(&w->mutex);
    while (!w->wake && !atomic_load(&w->stop) && code == 0)
        code = pthread_cond_timedwait(&w->woken, &w->mutex, &until);
    w->wake = false;
    pthread_mutex_unlock(&w->mutex);
}

void job_worker_wake(struct job_worker *w)
{
    pthread_mutex_lock(&w->mutex);
    w->wake = true;
    pthread_cond_signal(&w->woken);
    pthread_mutex_unlock(&w->mutex);
}

static bool is_stopping(void *arg)
{
    struct job_worker *w = arg;
    return atomic_load(&w->stop);
}

static void set_files(void *arg, const char *intervals, const char *progress)
{
    struct job_worker *w = arg;
    pthread_mutex_lock(&w->mutex);
    free(w->intervals);
    free(w->progress);
    w->intervals = intervals != NULL ? xstrdup(intervals) : NULL;
    w->progress = progress != NULL ? xstrdup(progress) : NULL;
    pthread_mutex_unlock(&w->mutex);
}

static void set_running(struct job_worker *w, int64_t id)
{
    pthread_mutex_lock(&w->mutex);
    w->running = id;
    pthread_mutex_unlock(&w->mutex);
}

json_t *job_worker_live(struct job_worker *w, int64_t id)
{
    json_t *live = NULL;
    pthread_mutex_lock(&w->mutex);
    if (w->running == id && w->intervals != NULL)
        live = last_interval(w->intervals);
    else if (w->running == id && w->progress != NULL)
        live = last_progress(w->progress);
    pthread_mutex_unlock(&w->mutex);
    return live;
}

/* Locks the machine, waiting for the lock until `until_ns`. Returns the descriptor that holds the
 * lock, which children inherit. Returns −1 if the lock was not available until then, if the service
 * ends, or if its program file cannot be opened or locked. */
static int take_machine(struct job_worker *w, int64_t until_ns)
{
    int fd = open(OWN_FILE, O_RDONLY);
    bool taken = false, waits = fd >= 0;
    while (waits && !(taken = flock(fd, LOCK_EX | LOCK_NB) == 0)) {
        waits = (errno == EWOULDBLOCK || errno == EINTR) && clock_now_ns() < until_ns &&
                !atomic_load(&w->stop);
        if (waits)
            pause_for(w, PAUSE_MS);
    }
    if (taken || fd < 0)
        return fd;
    close(fd);
    return -1;
}

/* Jobs that an earlier service has left in state JOB_RUNNING. */

struct left {
    struct job_worker *worker;
    int64_t id, process, start;
};

static void keep_left(void *arg, const struct job *job)
{
    struct left *left = arg;
    left->id = job->id;
    left->process = job->process;
    left->start = job->process_start;
}

static bool is_there(const struct left *left)
{
    return left->process > 0 && left->start > 0 && job_process_start(left->process) == left->start;
}

/* Waits until the process of the job has ended. The kernel has sent SIGHUP to the process, which
 * may need some time to write its figures. After LEFT_SECONDS the process is killed. */
static void wait_for_left(struct job_worker *w, const struct left *left)
{
    const int64_t until = clock_now_ns() + LEFT_SECONDS * (int64_t)NS_PER_SEC;
    while (is_there(left) && clock_now_ns() < until && !atomic_load(&w->stop))
        pause_for(w, PAUSE_MS);
    if (is_there(left) && !atomic_load(&w->stop))
        kill(-(pid_t)left->process, SIGKILL);
}

static const char lost_text[] = "the service ended while the job ran";

/* Ends the job as JOB_LOST. When the machine can be locked, the processes of the job have ended and
 * its last runs are in the archive. The time limit applies if a job of another service holds the
 * lock. */
static int end_lost(struct job_worker *w, const struct left *left)
{
    const struct job lost = {.state = JOB_LOST, .exit_code = -1, .reason = lost_text};
    wait_for_left(w, left);
    int fd = take_machine(w, clock_now_ns() + LEFT_SECONDS * (int64_t)NS_PER_SEC);
    int status = -1;
    if (!atomic_load(&w->stop) && (status = jobs_end(w->archive, left->id, &lost)) == 0)
        job_notifier_add(w->notifier, left->id);
    if (fd >= 0)
        close(fd);
    return status;
}

static void end_all_lost(struct job_worker *w)
{
    const struct jobs_filter running = {.by_state = true, .state = JOB_RUNNING, .limit = 1};
    struct left left;
    while (!atomic_load(&w->stop) && jobs_each(w->archive, &running, keep_left, &left) > 0)
        if (end_lost(w, &left) != 0)
            pause_for(w, IDLE_MS);
}

/* Execution of jobs. */

static void find_request(void *arg, const struct job *job)
{
    *(json_t **)arg = json_loads(job->request, 0, NULL);
}

/* Executes a job. Its request is checked again, because the owner may have changed the rules since
 * the job was queued. */
static void execute(struct job_worker *w, struct job_outcome *outcome, int64_t id)
{
    const struct job_place place = {w->archive, w->folder, w->program};
    const struct job_watch watch = {w, set_files, is_stopping};
    json_t *request = NULL;
    struct job_plan plan;
    *outcome = (struct job_outcome){.state = JOB_FAILED, .exit_code = -1};
    jobs_each(w->archive, &(struct jobs_filter){.id = id}, find_request, &request);
    outcome->reason = request != NULL ? job_plan_read(&plan, request, w->targets, w->catalogue)
                                      : xstrdup("the request of the job cannot be read");
    if (outcome->reason == NULL)
        job_run(outcome, &place, &plan, id, &watch);
    json_decref(request);
}

/* Fails a job that cannot run because the machine cannot be locked. */
static void refuse(struct job_outcome *outcome)
{
    *outcome = (struct job_outcome){.state = JOB_FAILED, .exit_code = -1};
    outcome->reason = xstrdup("the service cannot lock its program file (" OWN_FILE
                              "): its user must be able to read the file");
    log_text(LOG_WARNING, "jobs: %s", outcome->reason);
}

static void run_job(struct job_worker *w, int64_t id, bool locked)
{
    struct job_outcome outcome;
    set_running(w, id);
    if (locked)
        execute(w, &outcome, id);
    else
        refuse(&outcome);
    set_running(w, 0);
    const struct job end = {.state = outcome.state,
                            .exit_code = outcome.exit_code,
                            .reason = outcome.reason,
                            .result = outcome.result};
    if (jobs_end(w->archive, id, &end) == 0)
        job_notifier_add(w->notifier, id);
    job_outcome_fini(&outcome);
}

static bool has_queued_job(struct job_worker *w)
{
    const struct jobs_filter waiting = {.by_state = true, .state = JOB_QUEUED, .limit = 1};
    return jobs_each(w->archive, &waiting, NULL, NULL) > 0;
}

/* Executes the next job. Returns false if no job was queued. */
static bool do_next(struct job_worker *w)
{
    if (!has_queued_job(w))
        return false;
    int fd = take_machine(w, INT64_MAX);
    int64_t id = !atomic_load(&w->stop) ? jobs_take(w->archive) : 0;
    if (id > 0)
        run_job(w, id, fd >= 0);
    if (fd >= 0)
        close(fd);
    return id > 0;
}

static void *work(void *arg)
{
    struct job_worker *w = arg;
    end_all_lost(w);
    while (!atomic_load(&w->stop))
        if (!do_next(w))
            pause_for(w, IDLE_MS);
    return NULL;
}

/* Start and end of the worker. */

static int take_service(const char *folder)
{
    char *path;
    if (asprintf(&path, "%s/jobs.lock", folder) < 0)
        checked_alloc(NULL);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool taken = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd < 0)
        log_errno(LOG_FATAL, "cannot write '%s'", path);
    else if (!taken)
        log_text(LOG_FATAL, "another service executes the jobs of the archive '%s'", folder);
    free(path);
    if (taken)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int find_program(struct job_worker *w)
{
    w->program = installed_program(JOB_PROGRAM);
    if (w->program != NULL)
        return 0;
    log_text(LOG_FATAL, "jobs need the program " JOB_PROGRAM ", which is not installed: install "
                        "the Debian package " JOB_PROGRAM " of the same version");
    return -1;
}

static void init_threads(struct job_worker *w)
{
    pthread_mutex_init(&w->mutex, NULL);
    thread_condition_init(&w->woken);
}

static void destroy(struct job_worker *w)
{
    if (w->service_fd >= 0)
        close(w->service_fd);
    archive_close(w->archive);
    pthread_mutex_destroy(&w->mutex);
    pthread_cond_destroy(&w->woken);
    free(w->program);
    free(w->intervals);
    free(w->progress);
    free(w);
}

struct job_worker *job_worker_start(const char *archive, const struct target_list *targets,
                                    const struct catalogue *catalogue,
                                    struct job_notifier *notifier)
{
    struct job_worker *w = xcalloc(1, sizeof(*w));
    *w = (struct job_worker){.folder = archive,
                             .targets = targets,
                             .catalogue = catalogue,
                             .notifier = notifier,
                             .service_fd = -1};
    init_threads(w);
    if (find_program(w) == 0)
        w->archive = archive_open(archive, true);
    if (w->archive != NULL && jobs_init(w->archive) == 0 &&
        (w->service_fd = take_service(archive)) >= 0) {
        if (thread_start_quiet(&w->thread, work, w) == 0)
            return w;
        log_text(LOG_FATAL, "cannot start the thread for jobs");
    }
    destroy(w);
    return NULL;
}

void job_worker_stop(struct job_worker *w)
{
    if (w == NULL)
        return;
    atomic_store(&w->stop, true);
    job_worker_wake(w);
    pthread_join(w->thread, NULL);
    destroy(w);
}
