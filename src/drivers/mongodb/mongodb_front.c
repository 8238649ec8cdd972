/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the program itself has of the MongoDB driver: options, and what its statements are written
 * in. The rest is a file of its own, sysrate_mongodb.so, which is loaded when the driver is used:
 * the client library brings some thirty others, and begins to work as soon as it is loaded.
 */
#include <dlfcn.h>

#include "base/log.h"
#include "base/shared_object.h"
#include "drivers/mongodb/mongodb_internal.h"
#include "drivers/mongodb/mongodb_rows.h"
#include "drivers/mongodb/mongodb_text.h"

#define FILE_NAME "sysrate_mongodb.so"

static const char *library(void)
{
    return "libmongoc " MONGOC_VERSION_S;
}

static const struct driver_ops *whole(void)
{
    const char *why;
    const struct driver_ops *ops =
        shared_object_symbol(FILE_NAME, RTLD_NOW | RTLD_LOCAL, MONGODB_SYMBOL, &why);
    if (ops == NULL && why == NULL)
        log_text(LOG_FATAL,
                 "the driver mongodb is not there: %s belongs beside the program, or where "
                 "'make install' puts it",
                 FILE_NAME);
    else if (ops == NULL)
        log_text(LOG_FATAL, "the driver mongodb cannot be loaded: %s", why);
    return ops;
}

const struct driver_ops mongodb_driver = {
    .name = "mongodb",
    .description = "MongoDB driver",
    .language = &mongodb_language,
    .options = mongodb_option_rows,
    .options_count = MONGODB_OPTIONS,
    .library = library,
    .whole = whole,
};
