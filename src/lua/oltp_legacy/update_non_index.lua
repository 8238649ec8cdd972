-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures updates of a column without an index by id.

pathtest = string.match(test, "(.*/)") or ""
dofile(pathtest .. "common.lua")

function event()
   db_query(("UPDATE %s SET c='%s' WHERE id=%d"):format(get_table_name(), get_c_value(), get_id()))
end
