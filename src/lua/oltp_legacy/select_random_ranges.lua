-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the counting of rows in several short ranges of the indexed column k.

pathtest = string.match(test, "(.*/)") or ""
dofile(pathtest .. "common.lua")

function event()
   local ranges = {}
   for i = 1, number_of_ranges do
      local first = get_id()
      ranges[i] = ("k BETWEEN %d AND %d"):format(first, first + delta)
   end
   db_query("SELECT count(k) FROM sbtest1 WHERE " .. table.concat(ranges, " OR "))
end
