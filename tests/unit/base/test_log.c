/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../capture.h"
#include "../suite.h"
#include "base/log.h"

static void assert_captured(struct capture *c, const char *expected)
{
    char *text = capture_end(c);
    ck_assert_str_eq(text, expected);
    free(text);
}

START_TEST(levels_have_prefixes_and_streams)
{
    struct capture c;
    log_set_verbosity(LOG_DEBUG);
    capture_start(&c, 0);
    log_text(LOG_FATAL, "a %d", 1);
    log_text(LOG_ALERT, "b");
    log_text(LOG_WARNING, "c");
    log_text(LOG_DEBUG, "d");
    assert_captured(&c, "FATAL: a 1\nALERT: b\nWARNING: c\nDEBUG: d\n");
    capture_start(&c, 1);
    log_text(LOG_NOTICE, "e");
    log_text(LOG_INFO, "f");
    assert_captured(&c, "e\nf\n");
}
END_TEST

START_TEST(notices_go_to_stdout)
{
    struct capture c;
    capture_start(&c, 0);
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    FILE *out = tmpfile();
    dup2(fileno(out), STDOUT_FILENO);
    log_text(LOG_NOTICE, "bare");
    dup2(saved, STDOUT_FILENO);
    close(saved);
    assert_captured(&c, "");
    char line[16];
    rewind(out);
    ck_assert_ptr_nonnull(fgets(line, sizeof(line), out));
    ck_assert_str_eq(line, "bare\n");
    fclose(out);
}
END_TEST

START_TEST(verbosity_mutes_higher_levels)
{
    struct capture c;
    for (int verbosity = LOG_FATAL; verbosity <= LOG_DEBUG; verbosity++) {
        log_set_verbosity((enum log_level)verbosity);
        for (int level = LOG_FATAL; level <= LOG_DEBUG; level++) {
            capture_start(&c, 1);
            log_text((enum log_level)level, "%d %d", verbosity, level);
            char *text = capture_end(&c);
            ck_assert_int_eq(text[0] != '\0', level <= verbosity);
            ck_assert_int_eq(log_enabled((enum log_level)level), level <= verbosity);
            free(text);
        }
    }
}
END_TEST

static void collect(void *arg, const char *text)
{
    strcat(strcat(arg, text), ";");
}

START_TEST(different_warnings_are_kept)
{
    struct capture c;
    char seen[16 * LOG_WARNINGS] = "";
    log_set_verbosity(LOG_FATAL);
    capture_start(&c, 0);
    log_text(LOG_WARNING, "a %d", 1);
    log_text(LOG_ALERT, "b");
    log_text(LOG_WARNING, "c");
    errno = ENOENT;
    log_errno(LOG_WARNING, "d");
    log_text(LOG_WARNING, "a 1");
    assert_captured(&c, "");
    log_each_warning(collect, seen);
    ck_assert_str_eq(seen, "a 1;c;d: No such file or directory;");
    for (int i = 4; i <= LOG_WARNINGS + 1; i++)
        log_text(LOG_WARNING, "number %d", i);
    seen[0] = '\0';
    log_each_warning(collect, seen);
    ck_assert_ptr_nonnull(strstr(seen, ";number 100;"));
    ck_assert_ptr_null(strstr(seen, "number 101"));
}
END_TEST

START_TEST(usage_is_bare_and_never_muted)
{
    struct capture c;
    log_set_verbosity(LOG_FATAL);
    capture_start(&c, 0);
    log_bare("invalid option: %s", "--x");
    assert_captured(&c, "invalid option: --x\n");
}
END_TEST

START_TEST(errno_text_is_appended)
{
    struct capture c;
    capture_start(&c, 0);
    errno = ENOENT;
    log_errno(LOG_FATAL, "cannot open %s", "f");
    assert_captured(&c, "FATAL: cannot open f: No such file or directory\n");
}
END_TEST

START_TEST(repeats_are_counted_before_the_next_line)
{
    struct capture c;
    capture_start(&c, 1);
    for (int i = 0; i < 4; i++)
        log_text(LOG_ALERT, "same %s", "text");
    log_text(LOG_FATAL, "same text"); /* the level is part of the message */
    log_text(LOG_FATAL, "same text");
    log_text(LOG_NOTICE, "notice");
    log_text(LOG_FATAL, "same text");
    assert_captured(&c, "ALERT: same text\n(last message repeated 3 times)\n"
                        "FATAL: same text\n(last message repeated 1 times)\n"
                        "notice\nFATAL: same text\n");
}
END_TEST

START_TEST(flush_prints_the_count_once)
{
    struct capture c;
    capture_start(&c, 1);
    log_flush();
    log_text(LOG_ALERT, "x");
    log_flush();
    log_text(LOG_ALERT, "x");
    log_text(LOG_ALERT, "x");
    log_flush();
    log_flush();
    log_text(LOG_ALERT, "x");
    log_flush();
    assert_captured(&c, "ALERT: x\nALERT: x\n(last message repeated 1 times)\nALERT: x\n");
}
END_TEST

START_TEST(equal_notices_are_not_folded)
{
    struct capture c;
    capture_start(&c, 1);
    log_text(LOG_NOTICE, "%s", "");
    log_text(LOG_NOTICE, "%s", "");
    assert_captured(&c, "\n\n");
}
END_TEST

START_TEST(stdout_is_flushed_before_errors)
{
    struct capture c;
    capture_start(&c, 1);
    printf("[ 1s ] report\n");
    log_text(LOG_ALERT, "x");
    printf("[ 2s ] report\n");
    log_text(LOG_ALERT, "x");
    log_text(LOG_ALERT, "y");
    printf("[ 3s ] report\n");
    log_bare("z");
    assert_captured(&c, "[ 1s ] report\nALERT: x\n[ 2s ] report\n(last message repeated 1 times)\n"
                        "ALERT: y\n[ 3s ] report\nz\n");
}
END_TEST

START_TEST(long_messages_are_whole)
{
    struct capture c;
    size_t length = 1 << 20;
    char *query = xcalloc(1, length + 1);
    memset(query, 'q', length);
    capture_start(&c, 0);
    log_text(LOG_FATAL, "%s", query);
    char *text = capture_end(&c);
    ck_assert_uint_eq(strlen(text), strlen("FATAL: ") + length + strlen("\n"));
    free(text);
    free(query);
}
END_TEST

static const struct {
    const char *text, *shown;
} controls[] = {
    {"plain ~", "plain ~"},
    {"\x1b[31m\a\x7f", "?[31m??"},
    {"a\tb", "a\tb"},
    {"\xc2\x9b"
     "31m",
     "?31m"},                   /* U+009B in UTF-8 */
    {"\xc2\x80\xc2\x9f", "??"}, /* U+0080 and U+009F, the first and the last of these */
    {"\x9b"
     "31m",
     "?31m"},                                 /* 0x9b, a control character of 8-bit terminals */
    {"\xc2\xa0\xc3\x9b", "\xc2\xa0\xc3\x9b"}, /* U+00A0, U+00DB: no control characters, although
                                               * the last byte may look like one */
    {"\xe2\x80\x9c", "\xe2\x80\x9c"},         /* U+201C */
    {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"}, /* U+1F600 */
    {"\xe0\x82\x9b", "\xe0??"},               /* overlong */
    {"\xc1\x9b", "\xc1?"},                    /* overlong */
    {"\xe2\x80", "\xe2?"},                    /* cut off */
    {"\xf4\x90\x80\x80", "\xf4???"},          /* above U+10FFFF */
    {"\xe9t\xe9", "\xe9t\xe9"},               /* Latin-1 */
};

START_TEST(control_characters_do_not_pass)
{
    struct capture c;
    char text[32], expected[48];
    strcpy(text, controls[_i].text);
    ck_assert_str_eq(log_printable(text, "\t"), controls[_i].shown);
    capture_start(&c, 0);
    log_text(LOG_FATAL, "%s", controls[_i].text);
    snprintf(expected, sizeof(expected), "FATAL: %s\n", controls[_i].shown);
    assert_captured(&c, expected);
}
END_TEST

/* Text from outside must not look like a message of the program. */
START_TEST(a_message_is_one_line)
{
    struct capture c;
    capture_start(&c, 1);
    log_text(LOG_FATAL, "host '%s'", "a\nWARNING: b");
    log_text(LOG_ALERT, "%s", "end\n");
    log_bare("x %s", "\ny");
    errno = ENOENT;
    log_errno(LOG_FATAL, "'%s'", "c\nd");
    log_text(LOG_NOTICE, "%s\n", "e\nf\n");
    assert_captured(&c, "FATAL: host 'a WARNING: b'\nALERT: end \nx  y\n"
                        "FATAL: 'c d': No such file or directory\ne f \n\n");
}
END_TEST

START_TEST(log_lines_keeps_line_ends)
{
    struct capture c;
    capture_start(&c, 0);
    log_lines(LOG_FATAL, "%s", "a\n\tb\x1b");
    assert_captured(&c, "FATAL: a\n\tb?\n");
}
END_TEST

START_TEST(kept_warnings_are_as_printed)
{
    struct capture c;
    char seen[64] = "";
    capture_start(&c, 0);
    log_text(LOG_WARNING, "a\nb\x1b%s", "\xc2\x9b");
    assert_captured(&c, "WARNING: a b??\n");
    log_each_warning(collect, seen);
    ck_assert_str_eq(seen, "a b??;");
}
END_TEST

#define THREADS 8
#define MESSAGES 500

static void *write_messages(void *arg)
{
    (void)arg;
    for (int i = 0; i < MESSAGES; i++)
        log_text(LOG_ALERT, "message %d", i % 3);
    return NULL;
}

/* Adds up lines and repetitions; every line must be complete. */
static unsigned long count_messages(char *text)
{
    unsigned long count = 0, repeats;
    int kind;
    char end;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        if (sscanf(line, "(last message repeated %lu times%c", &repeats, &end) == 2) {
            ck_assert_int_eq(end, ')');
            count += repeats;
        } else {
            ck_assert_int_eq(sscanf(line, "ALERT: message %d%c", &kind, &end), 1);
            ck_assert_int_le(kind, 2);
            count++;
        }
    return count;
}

START_TEST(threads_lose_no_message)
{
    struct capture c;
    pthread_t threads[THREADS];
    capture_start(&c, 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_messages, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    log_flush();
    char *text = capture_end(&c);
    ck_assert_uint_eq(count_messages(text), THREADS * MESSAGES);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("log");
    TCase *tcase = tcase_create("log");
    tcase_set_timeout(tcase, 30);
    tcase_add_test(tcase, levels_have_prefixes_and_streams);
    tcase_add_test(tcase, notices_go_to_stdout);
    tcase_add_test(tcase, verbosity_mutes_higher_levels);
    tcase_add_test(tcase, different_warnings_are_kept);
    tcase_add_test(tcase, usage_is_bare_and_never_muted);
    tcase_add_test(tcase, errno_text_is_appended);
    tcase_add_test(tcase, repeats_are_counted_before_the_next_line);
    tcase_add_test(tcase, flush_prints_the_count_once);
    tcase_add_test(tcase, equal_notices_are_not_folded);
    tcase_add_test(tcase, stdout_is_flushed_before_errors);
    tcase_add_test(tcase, long_messages_are_whole);
    tcase_add_test(tcase, a_message_is_one_line);
    tcase_add_test(tcase, log_lines_keeps_line_ends);
    tcase_add_test(tcase, kept_warnings_are_as_printed);
    tcase_add_test(tcase, threads_lose_no_message);
    tcase_add_loop_test(tcase, control_characters_do_not_pass, 0, ARRAY_SIZE(controls));
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
