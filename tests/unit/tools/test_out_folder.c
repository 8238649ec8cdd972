/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/out_folder.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../capture.h"
#include "../suite.h"

static char home[] = "/tmp/sysrate-test.XXXXXX";

static void enter_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(home));
    ck_assert_int_eq(chdir(home), 0);
}

/* Removes only files that the tests make. */
static void leave_folder(void)
{
    static const char *const left[] = {"a/b/one.json", "a/b/x.txt", "a/b/.hidden", "a/b/link",
                                       "a/b",          "a",         "file"};
    for (size_t i = 0; i < ARRAY_SIZE(left); i++)
        remove(left[i]);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(home), 0);
}

static void touch(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

/* Checks that locking fails, and the logged message. */
static void check_refused(const char *path, const char *message)
{
    struct capture capture;
    capture_start(&capture, 0);
    int fd = out_folder_lock(path, "sweep");
    char *text = capture_end(&capture);
    ck_assert_int_eq(fd, -1);
    ck_assert_str_eq(text, message);
    free(text);
}

START_TEST(a_name_is_needed)
{
    ck_assert_str_eq(out_folder_check(""), "the name of a folder");
    ck_assert_ptr_null(out_folder_check("x"));
}
END_TEST

START_TEST(folders_above_are_made_too)
{
    struct stat about;
    int fd = out_folder_lock("a/b/", "sweep");
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(stat("a/b", &about), 0);
    ck_assert(S_ISDIR(about.st_mode));
    close(fd);
}
END_TEST

START_TEST(absolute_paths_are_accepted)
{
    char path[sizeof(home) + 8];
    snprintf(path, sizeof(path), "%s/a", home);
    int fd = out_folder_lock(path, "sweep");
    ck_assert_int_ge(fd, 0);
    close(fd);
}
END_TEST

START_TEST(the_lock_is_exclusive)
{
    int fd = out_folder_lock("a/b", "sweep");
    ck_assert_int_ge(fd, 0);
    check_refused("a/b", "FATAL: another sweep is using 'a/b'\n");
    close(fd);
    fd = out_folder_lock("a/b", "sweep");
    ck_assert_int_ge(fd, 0);
    close(fd);
}
END_TEST

/* Otherwise a child that outlives its parent would keep the folder locked. */
START_TEST(children_do_not_inherit_the_lock)
{
    int fd = out_folder_lock("a/b", "sweep");
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    close(fd);
}
END_TEST

START_TEST(a_file_is_no_folder)
{
    touch("file");
    check_refused("file", "FATAL: cannot use --out=file: Not a directory\n");
    check_refused("file/a", "FATAL: cannot make the folder --out=file/a: Not a directory\n");
}
END_TEST

START_TEST(a_folder_without_files_is_empty)
{
    int fd = out_folder_lock("a/b", "sweep");
    ck_assert(out_folder_is_empty("a/b", NULL));
    touch("a/b/.hidden");
    ck_assert(!out_folder_is_empty("a/b", NULL));
    ck_assert(out_folder_is_empty("a/b", ".hid"));
    touch("a/b/x.txt");
    ck_assert(!out_folder_is_empty("a/b", ".hid"));
    close(fd);
}
END_TEST

START_TEST(paths_of_files_in_the_folder)
{
    char *path = out_folder_path("a/b", "x.txt");
    ck_assert_str_eq(path, "a/b/x.txt");
    free(path);
}
END_TEST

START_TEST(json_can_be_read_back)
{
    json_t *value = json_pack("{s:[i,f],s:s}", "a", 1, 0.5, "b", "\xc3\xa4");
    int fd = out_folder_lock("a/b", "sweep");
    ck_assert_int_eq(out_folder_write_json("a/b", "one.json", value, JSON_COMPACT), 0);
    json_t *again = json_load_file("a/b/one.json", 0, NULL);
    ck_assert(json_equal(value, again));
    json_decref(again);
    json_decref(value);
    close(fd);
}
END_TEST

START_TEST(a_write_error_is_logged_once)
{
    struct capture capture;
    json_t *value = json_object();
    int fd = out_folder_lock("a/b", "sweep");
    ck_assert_int_eq(symlink("/dev/full", "a/b/link"), 0);
    capture_start(&capture, 0);
    int status = out_folder_write_json("a/b", "link", value, JSON_COMPACT);
    char *text = capture_end(&capture);
    ck_assert_int_eq(status, -1);
    ck_assert_str_eq(text, "FATAL: cannot write 'a/b/link': No space left on device\n");
    free(text);
    json_decref(value);
    close(fd);
}
END_TEST

RUN_SUITE_WITH("out_folder", 60, enter_folder, leave_folder, a_name_is_needed,
               folders_above_are_made_too, absolute_paths_are_accepted, the_lock_is_exclusive,
               children_do_not_inherit_the_lock, a_file_is_no_folder,
               a_folder_without_files_is_empty, paths_of_files_in_the_folder, json_can_be_read_back,
               a_write_error_is_logged_once)
