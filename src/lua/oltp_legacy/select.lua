-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the reading of one row by its id.

pathtest = string.match(test, "(.*/)") or ""
dofile(pathtest .. "common.lua")

function event()
   db_query(("SELECT pad FROM %s WHERE id=%d"):format(get_table_name(), get_id()))
end
