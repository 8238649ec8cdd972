-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A variant of the bundled workloads: their tables, statements and connection, another mix of queries.

require("oltp_common")

function prepare_statements()
   prepare_begin()
   prepare_commit()
   prepare_point_selects()
   prepare_sum_ranges()
   prepare_index_updates()
   prepare_delete_inserts()
end

function event()
   assert(#get_c_value() == 119 and #get_pad_value() == 59 and drv and con and stmt and param)
   begin()
   execute_point_selects()
   execute_sum_ranges()
   execute_index_updates()
   execute_delete_inserts()
   commit()
end
