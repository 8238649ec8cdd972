#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the reading of rows of sbtest1 by a list of values of the indexed column k: one SELECT
-- with IN().

require("oltp_common")
local oltp = require("oltp_events")
oltp.reads_only = true

sysbench.cmdline.options.random_points =
   {"Number of random points in the IN() clause in generated SELECTs", 10}
oltp.minimum.random_points = 1

local TEXT = [[
SELECT id, k, c, pad
FROM sbtest1
WHERE k IN (%s)]]

local points

function prepare_statements()
   local marks, types = {}, {}
   for i = 1, sysbench.opt.random_points do
      marks[i] = "?"
      types[i] = sysbench.sql.type.BIGINT
   end
   stmt.points, points = oltp.prepare(TEXT:format(table.concat(marks, ", ")), types, "random_points")
end

function event()
   for i = 1, sysbench.opt.random_points do
      points[i]:set(sysbench.rand.default(1, sysbench.opt.table_size))
   end
   stmt.points:execute()
   oltp.check_reconnect()
end
