#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the counting of rows of sbtest1 in several short ranges of the indexed column k: one
-- SELECT with BETWEEN ... OR BETWEEN ...

require("oltp_common")
local oltp = require("oltp_events")
oltp.reads_only = true

sysbench.cmdline.options.number_of_ranges = {"Number of random BETWEEN ranges per SELECT", 10}
sysbench.cmdline.options.delta = {"Size of BETWEEN ranges", 5}
oltp.minimum.number_of_ranges = 1
oltp.minimum.delta = 0

local TEXT = [[
SELECT count(k)
FROM sbtest1
WHERE %s]]

local bounds

function prepare_statements()
   local ranges, types = {}, {}
   for i = 1, sysbench.opt.number_of_ranges do
      ranges[i] = "k BETWEEN ? AND ?"
      types[2 * i - 1] = sysbench.sql.type.BIGINT
      types[2 * i] = sysbench.sql.type.BIGINT
   end
   stmt.ranges, bounds = oltp.prepare(TEXT:format(table.concat(ranges, " OR ")), types, "random_ranges")
end

function event()
   for i = 1, sysbench.opt.number_of_ranges do
      local first = sysbench.rand.default(1, sysbench.opt.table_size)
      bounds[2 * i - 1]:set(first)
      bounds[2 * i]:set(first + sysbench.opt.delta)
   end
   stmt.ranges:execute()
   oltp.check_reconnect()
end
