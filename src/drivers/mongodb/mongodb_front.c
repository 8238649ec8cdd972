/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of the MongoDB driver that is compiled into the program: options and language. The rest
 * is the shared object sysrate_mongodb.so, which is loaded when the driver is used, because the
 * client library loads about thirty other libraries and runs initialization code as soon as it is
 * loaded.
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
                 "the driver mongodb is not installed: %s must be in the folder of the program, or "
                 "where 'make install' puts it",
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
