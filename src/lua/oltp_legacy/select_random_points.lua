-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the reading of several rows by random values of the indexed column k.

pathtest = string.match(test, "(.*/)") or ""
dofile(pathtest .. "common.lua")

function event()
   local points = {}
   for i = 1, random_points do
      points[i] = get_id()
   end
   db_query("SELECT id, k, c, pad FROM sbtest1 WHERE k IN (" .. table.concat(points, ", ") .. ")")
end
