/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a page that do not depend on its data, made from the files in src/report/page/html
 * and from dygraphs by scripts/embed_page.lua, which generates embedded_page.c.
 */
#ifndef EMBEDDED_PAGE_H
#define EMBEDDED_PAGE_H

#include <stddef.h>

struct embedded_text {
    const unsigned char *bytes;
    size_t length;
};

/* The text before and after the data. Both are empty in a program that was built --without-html. */
extern const struct embedded_text embedded_page_head, embedded_page_tail;

#endif
