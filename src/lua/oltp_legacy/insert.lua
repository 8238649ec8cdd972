-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the insertion of single rows, under ids that are not in use.

pathtest = string.match(test, "(.*/)") or ""
dofile(pathtest .. "common.lua")

function event()
   db_query(("INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%s', '%s')")
               :format(get_table_name(), get_new_id(), get_id(), get_c_value(), get_pad_value()))
end
