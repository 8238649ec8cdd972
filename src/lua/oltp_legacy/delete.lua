-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the deletion of rows by their id, as long as there are any.

pathtest = string.match(test, "(.*/)") or ""
dofile(pathtest .. "common.lua")

function event()
   db_query(("DELETE FROM %s WHERE id=%d"):format(get_table_name(), get_id()))
end
