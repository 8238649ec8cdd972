/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/secret.h"

#include <string.h>

#include "../suite.h"

static void check_masked(const char *text, const char *expected)
{
    char *masked = secret_mask(text);
    ck_assert_str_eq(masked, expected);
    free(masked);
}

START_TEST(options_of_commands)
{
    check_masked("mysqldump -psecret --all", "mysqldump -p*** --all");
    check_masked("mysqldump -p'a b' -u x", "mysqldump -p'***' -u x");
    check_masked("mysqldump -p\"a b\" -u x", "mysqldump -p\"***\" -u x");
    check_masked("mysqldump -p$x --all", "mysqldump -p*** --all");
    check_masked("mysqldump -p@x", "mysqldump -p***");
    check_masked("sh -c 'mysql -p\"a b\" -e x'", "sh -c 'mysql -p\"***\" -e x'");
    check_masked("mysqldump --password=se'c r'et db", "mysqldump --password=*** db");
    check_masked("x '--password=a b' c", "x '--password=***' c");
    check_masked("x --password=\"a b\" c", "x --password=\"***\" c");
    check_masked("prog --auth-token abc -v", "prog --auth-token *** -v");
    check_masked("sh -c 'mysql -psecret -e \"x\"'", "sh -c 'mysql -p*** -e \"x\"'");
}
END_TEST

START_TEST(environment_addresses_and_documents)
{
    check_masked("MYSQL_PWD=abc mysql", "MYSQL_PWD=*** mysql");
    check_masked("psql postgresql://u:pw@h/db", "psql postgresql://u:***@h/db");
    check_masked("curl http://user:GEH@EIM@x", "curl http://user:***@x");
    check_masked("curl http://u:pw@h/a@b c@d", "curl http://u:***@h/a@b c@d");
    check_masked("curl -d '{\"password\": \"xx\"}' u", "curl -d '{\"password\": \"***\"}' u");
}
END_TEST

/* An invented language. */
static const char *const names[] = {"sesame", NULL};
static const char *const links[] = {"opens", "with", NULL};
static const struct secret_words words = {.names = names, .links = links};

START_TEST(words_of_a_language)
{
    static const char text[] = "Sesame opens 'abc', password with \"d\", SESAME 'e', sesame by 'f'";
    check_masked(text, "Sesame opens 'abc', password with \"d\", SESAME 'e', sesame by 'f'");
    secret_learn(&words);
    check_masked(text, "Sesame opens '***', password with \"***\", SESAME '***', sesame by 'f'");
    secret_learn(NULL);
    check_masked(text, text);
}
END_TEST

START_TEST(no_words_of_a_language_by_default)
{
    static const char text[] = "CREATE USER x IDENTIFIED BY 'secret'";
    check_masked(text, text);
    check_masked("ALTER USER u PASSWORD 'x y'", "ALTER USER u PASSWORD '***'");
}
END_TEST

START_TEST(text_without_secrets_is_unchanged)
{
    static const char *const texts[] = {"",
                                        "'",
                                        "-p",
                                        "password",
                                        "password=",
                                        "--password=''",
                                        "://a:b",
                                        "DROP TABLE big",
                                        "mysqldump -p -u root",
                                        "sh -c 'mysql -p' x",
                                        "'-p' x",
                                        "http://user:@host",
                                        "http://host:80/a@b"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        check_masked(texts[i], texts[i]);
}
END_TEST

START_TEST(output_shows_no_secret_of_its_command)
{
    char *masked = secret_mask_output("it said geheim and geheim, --password=other",
                                      "sh: PGPASSWORD=geheim; echo $PGPASSWORD");
    ck_assert_str_eq(masked, "it said *** and ***, --password=***");
    free(masked);
}
END_TEST

START_TEST(wiping_keeps_the_length)
{
    char text[] = "mysql -psecret -e 'x'";
    secret_wipe(text);
    ck_assert_str_eq(text, "mysql -p****** -e 'x'");
}
END_TEST

RUN_SUITE("secret", 10, options_of_commands, environment_addresses_and_documents,
          words_of_a_language, no_words_of_a_language_by_default, text_without_secrets_is_unchanged,
          output_shows_no_secret_of_its_command, wiping_keeps_the_length)
