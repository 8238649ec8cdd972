#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
. "$TESTS_DIR/db/differential/differential_options.sh" pgsql
