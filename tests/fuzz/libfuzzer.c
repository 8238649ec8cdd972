/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a target under libFuzzer. The environment variable FUZZ_TARGET has the name of the target.
 * */
#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t room); /* defined by libFuzzer */

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("FUZZ_TARGET");
    (void)argc;
    (void)argv;
    fuzz_setup();
    target = name != NULL ? fuzz_find(name) : NULL;
    if (target == NULL) {
        fputs("FUZZ_TARGET must name one of the targets of fuzz.c\n", stderr);
        exit(EXIT_FAILURE);
    }
    fuzz_patience_ms = 20;
    if (target->begin != NULL)
        target->begin();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    fuzz_run(target, data, bytes);
    return 0;
}

/* Half of the inputs are changed by mutate() of the target, the others by libFuzzer. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed)
{
    size_t changed = 0;
    if (target->mutate != NULL && seed % 2 == 0)
        changed = target->mutate(data, bytes, room, seed / 2);
    return changed > 0 ? changed : LLVMFuzzerMutate(data, bytes, room);
}
