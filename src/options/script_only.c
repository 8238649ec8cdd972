/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/script_only.h"

#include "base/log.h"
#include "base/util.h"

int script_only_refuse(const struct options *set, const char *name)
{
    static const char *const options[] = {"timeout",
                                          "timeout-action",
                                          "retry",
                                          "retry-on",
                                          "reconnect",
                                          "connection-lifetime",
                                          "connect-in-response",
                                          "pool-size",
                                          "pool-scope",
                                          "pool-timeout"};
    for (size_t i = 0; i < ARRAY_SIZE(options); i++)
        if (options_get(set, options[i])->given) {
            log_text(LOG_FATAL, "--%s cannot be used with %s (allowed: scripts)", options[i], name);
            return -1;
        }
    return 0;
}
