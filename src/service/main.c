/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program sysrate-serve, which `sysrate serve` executes. */
#include "base/limits.h"
#include "base/log.h"
#include "options/exit_codes.h"
#include "service/serve/serve_tool.h"

int main(int argc, char **argv)
{
    static char name[] = "serve"; /* the tool's name in messages, whatever the program is called */
    if (limits_begin() != 0)
        return EXIT_FAILED;
    argv[0] = name;
    int code = serve_tool_main(argc, argv);
    return log_end() || code != EXIT_WELL ? code : EXIT_FAILED;
}
