/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/service_start.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/installed.h"
#include "base/log.h"
#include "options/exit_codes.h"

int service_start_main(int argc, char **argv)
{
    static char name[] = SERVICE_PROGRAM;
    char *path = installed_program(name);
    (void)argc;
    if (path == NULL) {
        log_text(LOG_FATAL,
                 "serve: the program " SERVICE_PROGRAM " is not installed: install the Debian "
                 "package " SERVICE_PROGRAM " of the same version, or build sysrate with "
                 "libmicrohttpd (Debian package libmicrohttpd-dev)");
        return EXIT_FAILED;
    }
    argv[0] = name;
    execv(path, argv);
    log_errno(LOG_FATAL, "serve: cannot execute '%s'", path);
    free(path);
    return EXIT_FAILED;
}
