-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures updates of an indexed column by id.

pathtest = string.match(test, "(.*/)") or ""
dofile(pathtest .. "common.lua")

function event()
   db_query(("UPDATE %s SET k=k+1 WHERE id=%d"):format(get_table_name(), get_id()))
end
