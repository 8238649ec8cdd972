#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the reading of one row by its id, without a transaction: the smallest useful query.
-- One event is one SELECT, whatever --point_selects says.

require("oltp_common")
local oltp = require("oltp_events")
oltp.reads_only = true

function prepare_statements()
   sysbench.opt.point_selects = 1
   prepare_point_selects()
end

function event()
   execute_point_selects()
   oltp.check_reconnect()
end
