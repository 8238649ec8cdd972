/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of --live: figures of the last second and of the last minutes, at the bottom of the
 * terminal. */
#include "report/live/output_kinds.h"

#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "report/live/live_view.h"
#include "report/live/screen.h"

#define LINE_BYTES 2048

static void live_collect(void *self, const struct snapshot *recorded);
static void live_update(void *self, struct gauges gauges);
static int live_finish(void *self, const struct snapshot *total);
static void live_destroy(void *self);

static const struct output_ops live_ops = {
    .collect = live_collect, .update = live_update, .finish = live_finish, .destroy = live_destroy};

struct live_output {
    struct screen *screen; /* NULL after the end of the run */
    struct live_view view;
    char text[LIVE_LINES_MOST][LINE_BYTES];
};

/* Reads the locale from the environment as setlocale() would do: the program itself stays in the
 * locale "C". */
static bool terminal_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *locale = getenv(names[i]);
        if (locale != NULL && locale[0] != '\0')
            return strcasestr(locale, "utf-8") != NULL || strcasestr(locale, "utf8") != NULL;
    }
    return false;
}

int output_live(struct output *output, const struct settings *settings)
{
    struct screen *screen = settings->live ? screen_open("--live") : NULL;
    if (screen == NULL)
        return 0;
    struct live_output *self = xcalloc(1, sizeof(*self));
    self->screen = screen;
    live_view_init(&self->view, settings, terminal_is_utf8());
    *output = (struct output){&live_ops, self};
    return 0;
}

static void live_collect(void *self, const struct snapshot *recorded)
{
    struct live_output *live = self;
    live_view_collect(&live->view, recorded, clock_now_ns());
}

static void draw(struct live_output *live)
{
    unsigned most = live_view_lines(&live->view);
    unsigned lines = screen_fit(live->screen, most, live_view_figures(&live->view));
    const char *line[LIVE_LINES_MOST];
    if (lines == 0)
        return;
    for (unsigned i = 0; i < lines; i++) {
        FILE *out = checked_alloc(fmemopen(live->text[i], LINE_BYTES, "w"));
        live_view_print(&live->view, out, i, screen_columns(live->screen));
        fclose(out);
        live->text[i][LINE_BYTES - 1] = '\0';
        line[i] = live->text[i];
    }
    screen_show(live->screen, line);
}

static void live_update(void *self, struct gauges gauges)
{
    struct live_output *live = self;
    if (live->screen == NULL || !live_view_end_second(&live->view, gauges, clock_now_ns()))
        return;
    draw(live);
    live_view_begin_second(&live->view);
}

static int live_finish(void *self, const struct snapshot *total)
{
    (void)total;
    struct live_output *live = self;
    screen_close(live->screen);
    live->screen = NULL;
    return 0;
}

static void live_destroy(void *self)
{
    struct live_output *live = self;
    if (live->screen != NULL)
        screen_close(live->screen);
    live_view_fini(&live->view);
    free(live);
}
