/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../capture.h"
#include "../suite.h"
#include "base/outfile.h"

static char home[] = "/tmp/sysrate-test.XXXXXX";

static void enter_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(home));
    ck_assert_int_eq(chdir(home), 0);
}

/* Calls `visit` for each directory entry and returns the number of entries. */
static unsigned each_entry(void (*visit)(const char *name))
{
    unsigned count = 0;
    DIR *folder = opendir(home);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            count++;
            if (visit != NULL)
                visit(entry->d_name);
        }
    closedir(folder);
    return count;
}

static void remove_entry(const char *name)
{
    ck_assert_int_eq(remove(name), 0);
}

static void leave_folder(void)
{
    each_entry(remove_entry);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(home), 0);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds(const char *path, const char *expected)
{
    char text[64];
    FILE *file = fopen(path, "re");
    ck_assert_msg(file != NULL, "%s is not there", path);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    ck_assert_str_eq(text, expected);
}

static bool exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

/* Opens the file and writes `text` through to the file system. */
static struct outfile *begin(struct outfile *file, const char *path, const char *text)
{
    ck_assert_int_eq(outfile_open(file, path), 0);
    fputs(text, file->stream);
    fflush(file->stream);
    return file;
}

START_TEST(a_new_file_appears_at_the_end)
{
    struct outfile file;
    begin(&file, "new", "text");
    ck_assert(!exists("new"));
    assert_holds(file.temporary, "text");
    ck_assert_int_eq(outfile_commit(&file), 0);
    assert_holds("new", "text");
    ck_assert_uint_eq(each_entry(NULL), 1);
}
END_TEST

START_TEST(a_new_file_has_the_usual_permissions)
{
    struct outfile file;
    struct stat about;
    umask(027);
    ck_assert_int_eq(outfile_commit(begin(&file, "new", "")), 0);
    ck_assert_int_eq(stat("new", &about), 0);
    ck_assert_int_eq(about.st_mode & 0777, 0640);
}
END_TEST

START_TEST(the_old_file_stays_until_the_commit)
{
    struct outfile file;
    struct stat about;
    put("old", "before");
    ck_assert_int_eq(chmod("old", 0604), 0);
    begin(&file, "old", "after");
    assert_holds("old", "before");
    ck_assert_int_eq(outfile_commit(&file), 0);
    assert_holds("old", "after");
    ck_assert_int_eq(stat("old", &about), 0);
    ck_assert_int_eq(about.st_mode & 0777, 0604);
    ck_assert_uint_eq(each_entry(NULL), 1);
}
END_TEST

START_TEST(an_abandoned_file_leaves_nothing)
{
    struct outfile file;
    put("old", "before");
    outfile_abandon(begin(&file, "old", "after"));
    assert_holds("old", "before");
    outfile_abandon(begin(&file, "new", "after"));
    ck_assert_uint_eq(each_entry(NULL), 1);
}
END_TEST

START_TEST(a_link_stays_a_link)
{
    struct outfile file;
    struct stat about;
    put("target", "before");
    ck_assert_int_eq(symlink("target", "link"), 0);
    ck_assert_int_eq(outfile_commit(begin(&file, "link", "after")), 0);
    assert_holds("target", "after");
    ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
    ck_assert_int_eq(outfile_commit(begin(&file, "dangling", "new")), 0);
    assert_holds("nowhere", "new");
    ck_assert(lstat("link", &about) == 0 && S_ISLNK(about.st_mode));
    ck_assert(lstat("dangling", &about) == 0 && S_ISLNK(about.st_mode));
    ck_assert_uint_eq(each_entry(NULL), 4);
}
END_TEST

START_TEST(standard_output_stays_open)
{
    struct outfile file;
    struct capture capture;
    capture_start(&capture, 1);
    printf("one ");
    ck_assert_int_eq(outfile_commit(begin(&file, "/dev/stdout", "two ")), 0);
    printf("three");
    char *text = capture_end(&capture);
    ck_assert_str_eq(text, "one two three");
    free(text);
}
END_TEST

/* Ends the file with `end`, which must fail, and returns the messages. */
static char *failure_of(struct outfile *file, int (*end)(struct outfile *))
{
    struct capture capture;
    capture_start(&capture, 0);
    int status = end(file);
    char *text = capture_end(&capture);
    ck_assert_int_eq(status, -1);
    return text;
}

START_TEST(an_error_is_logged_with_its_cause)
{
    struct outfile file;
    begin(&file, "/dev/full", "text");
    char *text = failure_of(&file, outfile_commit);
    ck_assert_str_eq(text, "FATAL: cannot write '/dev/full': No space left on device\n");
    free(text);
}
END_TEST

START_TEST(a_flush_warns_once)
{
    struct outfile file;
    struct capture capture;
    begin(&file, "/dev/full", "text");
    capture_start(&capture, 0);
    outfile_flush(&file);
    outfile_flush(&file);
    char *text = capture_end(&capture);
    ck_assert_str_eq(text, "WARNING: cannot write '/dev/full': No space left on device\n");
    free(text);
    free(failure_of(&file, outfile_commit));
}
END_TEST

/* size limit in bytes for files of this process */
#define FULL_BYTES 4096

/* Opens a file "old" and writes more to it than the size limit allows. */
static void begin_too_much(struct outfile *file)
{
    struct rlimit limit;
    put("old", "before");
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = FULL_BYTES;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    begin(file, "old", "");
    for (int i = 0; i < 2 * FULL_BYTES; i++)
        fputc('x', file->stream);
    fflush(file->stream);
}

START_TEST(an_incomplete_file_is_kept_and_named)
{
    struct outfile file;
    struct stat about;
    char path[PATH_MAX], expected[2 * PATH_MAX + 128];
    begin_too_much(&file);
    strcpy(path, file.temporary);
    snprintf(expected, sizeof(expected),
             "FATAL: cannot write '%s' (what was written until then is in '%s'): File too large (see ulimit -f)\n",
             file.path, path);
    char *text = failure_of(&file, outfile_commit);
    ck_assert_str_eq(text, expected);
    free(text);
    assert_holds("old", "before");
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_eq(about.st_size, FULL_BYTES);
}
END_TEST

START_TEST(an_incomplete_replaced_file_is_removed)
{
    struct outfile file;
    begin_too_much(&file);
    char *text = failure_of(&file, outfile_replace);
    ck_assert_ptr_nonnull(strstr(text, "': File too large (see ulimit -f)\n"));
    ck_assert_ptr_null(strstr(text, "written until then"));
    free(text);
    assert_holds("old", "before");
    ck_assert_uint_eq(each_entry(NULL), 1);
}
END_TEST

/* Checks that outfile_check() refuses the path with this message. */
static void assert_refused(const char *path, const char *expected)
{
    struct capture capture;
    capture_start(&capture, 0);
    int status = outfile_check(path);
    char *text = capture_end(&capture);
    ck_assert_int_eq(status, -1);
    ck_assert_str_eq(text, expected);
    free(text);
}

START_TEST(a_check_leaves_nothing)
{
    put("old", "before");
    ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
    ck_assert_int_eq(outfile_check("old"), 0);
    ck_assert_int_eq(outfile_check("new"), 0);
    ck_assert_int_eq(outfile_check("dangling"), 0);
    ck_assert_int_eq(outfile_check("/dev/null"), 0);
    assert_refused("none/file", "FATAL: cannot write 'none/file': No such file or directory\n");
    assert_refused(".", "FATAL: cannot write '.': Is a directory\n");
    assert_holds("old", "before");
    ck_assert_uint_eq(each_entry(NULL), 2);
}
END_TEST

static int check_two(const char *a, const char *b)
{
    struct outfile_option options[] = {{"json", a}, {"html", NULL}, {"csv", b}};
    return outfile_check_all(options, ARRAY_SIZE(options));
}

START_TEST(several_options_need_different_files)
{
    static const char *const same[][2] = {{"new", "./new"},           {"old", "link"},
                                          {"dangling", "nowhere"},    {"dangling", "chain"},
                                          {"nowhere", "chain"},       {"nowhere", "inside/up"},
                                          {"inside/new", "other/new"}};
    put("old", "before");
    ck_assert_int_eq(symlink("old", "link"), 0);
    ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
    ck_assert_int_eq(symlink("dangling", "chain"), 0);
    ck_assert_int_eq(mkdir("inside", 0700), 0);
    ck_assert_int_eq(symlink("../nowhere", "inside/up"), 0);
    ck_assert_int_eq(symlink("inside", "other"), 0);
    ck_assert_int_eq(check_two("old", "new"), 0);
    ck_assert_int_eq(check_two("new", "inside/new"), 0);
    ck_assert_int_eq(check_two("/dev/null", "/dev/null"), 0);
    ck_assert_int_eq(check_two(NULL, NULL), 0);
    for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
        struct capture capture;
        char expected[128];
        capture_start(&capture, 0);
        int status = check_two(same[i][0], same[i][1]);
        char *text = capture_end(&capture);
        snprintf(expected, sizeof(expected),
                 "FATAL: --json=%s and --csv=%s name one file (allowed: a file for each)\n",
                 same[i][0], same[i][1]);
        ck_assert_int_eq(status, -1);
        ck_assert_str_eq(text, expected);
        free(text);
    }
    ck_assert_int_eq(unlink("inside/up") | rmdir("inside"), 0);
}
END_TEST

RUN_SUITE_WITH("outfile", 30, enter_folder, leave_folder, a_new_file_appears_at_the_end,
               a_new_file_has_the_usual_permissions, the_old_file_stays_until_the_commit,
               an_abandoned_file_leaves_nothing, a_link_stays_a_link, standard_output_stays_open,
               an_error_is_logged_with_its_cause, a_flush_warns_once,
               an_incomplete_file_is_kept_and_named, an_incomplete_replaced_file_is_removed,
               a_check_leaves_nothing, several_options_need_different_files)
