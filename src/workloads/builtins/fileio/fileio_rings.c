/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of rings. Only this file depends on which libraries were found by the build. */
#include "workloads/builtins/fileio/fileio_ring.h"

#include <stddef.h>

const struct fileio_ring_ops *const fileio_rings[] = {
#ifdef HAVE_LIBURING
    &fileio_uring,
#endif
#ifdef HAVE_LIBAIO
    &fileio_libaio,
#endif
    NULL,
};
