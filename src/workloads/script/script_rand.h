/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the random numbers of script_api.h. */
#ifndef SCRIPT_RAND_H
#define SCRIPT_RAND_H

#include "base/rand.h"

/* From now on, scripts of the calling thread draw from `rand`. */
void script_bind_rand(struct rand *rand);

#endif
