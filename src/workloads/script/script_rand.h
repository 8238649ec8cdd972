/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The random numbers of script_api.h. */
#ifndef SCRIPT_RAND_H
#define SCRIPT_RAND_H

#include "base/rand.h"

/* Makes `rand` what the calling thread's scripts draw from. */
void script_bind_rand(struct rand *rand);

#endif
