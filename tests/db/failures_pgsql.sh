#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
. "$TESTS_DIR/db/failures.sh" || exit 1

test_failures pgsql
