/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * If Open MPI 5 loses its launcher, PMIx raises an event, for which Open MPI has installed a
 * default handler. A handler for this single event is called before the default handler, and can
 * stop the event from reaching it.
 *
 * pen MPI 5 always loads the PMIx library. This file needs a single function of it, which it looks
 * up at run time, so that building does not require the PMIx headers. The declarations here follow
 * the PMIx Standard.
 */
#include "ranks/launch/mpi/pmix_watch.h"

#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#define PMIX_SUCCESS 0
#define PMIX_ERR_LOST_CONNECTION (-61)
#define PMIX_EVENT_ACTION_COMPLETE (-334)

/* A handler calls this function when it has finished; `data` is passed through from its caller. */
typedef void (*told_fn)(int status, void *results, size_t count, void *done, void *done_data,
                        void *data);
typedef void (*handler_fn)(size_t id, int status, const void *source, void *info, size_t infos,
                           void *results, size_t count, told_fn told, void *data);
typedef int (*register_fn)(int codes[], size_t count, void *info, size_t infos, handler_fn handler,
                           void *registered, void *data);

static int relay; /* signal to send; set before the handler is registered */

static void lost(size_t id, int status, const void *source, void *info, size_t infos, void *results,
                 size_t count, told_fn told, void *data)
{
    (void)id, (void)status, (void)source, (void)info, (void)infos, (void)results, (void)count;
    kill(getpid(), relay);
    if (told != NULL)
        told(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, data);
}

int pmix_watch(int signo)
{
    int codes[] = {PMIX_ERR_LOST_CONNECTION};
    register_fn registers;
    *(void **)&registers = dlsym(RTLD_DEFAULT, "PMIx_Register_event_handler");
    if (registers == NULL)
        return -1;
    relay = signo;
    /* As no callback is given, the call blocks, and returns the id of the handler. */
    return registers(codes, 1, NULL, 0, lost, NULL, NULL) >= PMIX_SUCCESS ? 0 : -1;
}
