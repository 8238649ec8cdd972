#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the reading of one row by its id, without a transaction: the smallest useful query.
-- One event is one SELECT, whatever --point_selects says.

local oltp = require("oltp_common")

function prepare_statements()
   prepare_point_selects()
end

function event()
   oltp.execute_by_id("point_selects", 1)
   check_reconnect()
end
