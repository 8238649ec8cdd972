/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs targets on inputs, without a fuzzer. `run_seeds` runs each target on the seeds in
 * tests/fuzz/seeds/TARGET; `run_seeds TARGET FILE...` runs one target on these files. A failure
 * ends
 * the program; the last line that starts with "# " names the input.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "fuzz.h"

static FILE *out; /* the real standard output; the program under test writes to /dev/null */

static void run_file(const struct fuzz_target *target, const char *path)
{
    char block[65536];
    uint8_t *data = NULL;
    size_t bytes = 0, got;
    FILE *in = fopen(path, "r");
    fprintf(out, "# %s %s\n", target->name, path);
    fflush(out);
    FUZZ_CHECK(in != NULL);
    while ((got = fread(block, 1, sizeof(block), in)) > 0) {
        data = xrealloc(data, bytes + got);
        memcpy(data + bytes, block, got);
        bytes += got;
    }
    FUZZ_CHECK(!ferror(in));
    fclose(in);
    fuzz_run(target, data, bytes);
    free(data);
}

static int is_seed(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Runs all seeds of a folder. Returns their number. */
static int run_folder(const struct fuzz_target *target, const char *folder)
{
    struct dirent **seeds;
    int count = scandir(folder, &seeds, is_seed, alphasort);
    for (int i = 0; i < count; i++) {
        char *path;
        FUZZ_CHECK(asprintf(&path, "%s/%s", folder, seeds[i]->d_name) >= 0);
        run_file(target, path);
        free(path);
        free(seeds[i]);
    }
    if (count >= 0)
        free(seeds);
    return count;
}

static int run_all(void)
{
    const char *tests = getenv("TESTS_DIR");
    for (unsigned i = 0; fuzz_targets[i] != NULL; i++) {
        const struct fuzz_target *target = fuzz_targets[i];
        char folder[PATH_MAX];
        snprintf(folder, sizeof(folder), "%s/fuzz/seeds/%s", tests != NULL ? tests : "tests",
                 target->name);
        if (target->begin != NULL)
            target->begin();
        int count = run_folder(target, folder);
        FUZZ_CHECK(count > 0);
        fprintf(out, "ok - %s: %d inputs\n", target->name, count);
    }
    return EXIT_SUCCESS;
}

static int run_files(int argc, char **argv)
{
    const struct fuzz_target *target = fuzz_find(argv[1]);
    if (target == NULL) {
        fprintf(out, "there is no target '%s'\n", argv[1]);
        return EXIT_FAILURE;
    }
    if (target->begin != NULL)
        target->begin();
    for (int i = 2; i < argc; i++)
        run_file(target, argv[i]);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fuzz_setup();
    out = checked_alloc(fdopen(dup(STDOUT_FILENO), "w"));
    dup2(null, STDOUT_FILENO);
    close(null);
    int code = argc > 1 ? run_files(argc, argv) : run_all();
    fclose(out);
    return code;
}
