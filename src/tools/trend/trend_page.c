/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the page of an archive's history, without scripts or external files. */
#include "tools/trend/trend_print.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>sysrate "
    "trend</title>\n<style>\n"
    ":root { --back: #fff; --text: #1c2128; --muted: #5b6470; --line: #d8dde3; --good: #0b62b8; "
    "--bad: #b84a00;\n"
    "  --level: #6a3fb5; color-scheme: light; }\n"
    "@media screen and (prefers-color-scheme: dark) { :root { --back: #12161c; --text: #e4e8ed; "
    "--muted: #9aa5b1;\n"
    "  --line: #333c47; --good: #4f9df5; --bad: #ff8a3d; --level: #c3a6ff; color-scheme: dark; } "
    "}\n"
    "body { margin: 0 auto; padding: 1rem 1.25rem 2rem; max-width: 62rem; background: "
    "var(--back); color: var(--text);\n"
    "  font: 15px/1.45 system-ui, \"Segoe UI\", Roboto, \"DejaVu Sans\", sans-serif; }\n"
    "h1 { margin: 0; font-size: 1.45rem; } h2 { margin: 1.6rem 0 0.3rem; font-size: 1.15rem; "
    "overflow-wrap: anywhere; }\n"
    "p, ul { margin: 0.3rem 0; } .muted { color: var(--muted); font-size: 0.85rem; }\n"
    ".good { color: var(--good); } .bad { color: var(--bad); }\n";

void trend_print_page(FILE *out, const struct trend *trend)
{
    fprintf(out, "%s%s</style>\n</head>\n<body>\n<h1>History of runs</h1>\n", head,
            trend_chart_style);
    trend_print_charts(out, trend, NULL);
    fputs("</body>\n</html>\n", out);
}
