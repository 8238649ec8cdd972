/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the bundled scripts that are tests, with one sentence about each. */
#ifndef BUNDLED_H
#define BUNDLED_H

#include <stdbool.h>

/* `sentence` comes from the comment at the head of the script and has no full stop. */
typedef void bundled_visit(void *arg, const char *name, const char *sentence);

/*
 * Calls `visit` for each script of a folder that begins with "#!", sorted by name; other files are
 * modules. `name` and `sentence` are valid until `visit` returns. If the folder cannot be read,
 * does not call `visit`.
 */
void bundled_each(const char *folder, bundled_visit *visit, void *arg);

/* Returns true if the text of the script `name`, or of oltp_common if the script requires it, has
 * the row of this option. Dashes in `option` mean underscores. */
bool bundled_declares(const char *folder, const char *name, const char *option);

#endif
