/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Open MPI knows of its launcher's end is an event of PMIx, which it has a default handler
 * for. Handlers of a single event come before those, and may say that nothing is left to do.
 *
 * The library of PMIx is there with Open MPI 5. Nothing else of it is needed, so it is found when
 * the program runs, and building does not need its headers: what is declared here stands in the
 * PMIx Standard.
 */
#include "ranks/launch/mpi/pmix_watch.h"

#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#define PMIX_SUCCESS 0
#define PMIX_ERR_LOST_CONNECTION (-61)
#define PMIX_EVENT_ACTION_COMPLETE (-334)

/* Who is told what a handler has done; data are of who calls. */
typedef void (*told_fn)(int status, void *results, size_t count, void *done, void *done_data,
                        void *data);
typedef void (*handler_fn)(size_t id, int status, const void *source, void *info, size_t infos,
                           void *results, size_t count, told_fn told, void *data);
typedef int (*register_fn)(int codes[], size_t count, void *info, size_t infos, handler_fn handler,
                           void *registered, void *data);

static int relay; /* written before there is a handler */

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
    /* Without somebody to tell it waits, and returns the number of the handler. */
    return registers(codes, 1, NULL, 0, lost, NULL, NULL) >= PMIX_SUCCESS ? 0 : -1;
}
