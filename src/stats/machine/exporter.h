/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A probe source (stats/probe.h) for another machine: reads the metrics of its node_exporter over
 * HTTP. */
#ifndef EXPORTER_H
#define EXPORTER_H

#include "stats/probe.h"

/* Returns name and version of the library that transfers the metrics, or NULL if this program was
 * built without it. */
const char *exporter_library(void);

/* Creates the source with the name `name`, which reads `url`. Copies both texts. Returns −1 after
 * one logged line if this program was built without the library. For the main thread only. */
int exporter_source(struct probe_source *source, const char *name, const char *url);

#endif
