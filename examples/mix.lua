#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A mix of reads and writes, made of the statements of the bundled workloads, with their tables,
-- options and commands. An event writes with the probability --write-share, otherwise it reads.
--
--    sysrate mix.lua --db-driver=sqlite --tables=2 prepare
--    sysrate mix.lua --db-driver=sqlite --tables=2 --write-share=0.05 --tx-rate=200 --threads=4 run
--    sysrate mix.lua --db-driver=sqlite --tables=2 cleanup

require("oltp_common")

sysbench.cmdline.options.write_share = {"Share of events that write, from 0 to 1", 0.1}

-- Called once per thread, and again after each reconnect.
function prepare_statements()
   prepare_point_selects()
   prepare_non_index_updates()
end

function event()
   if sysbench.rand.uniform_double() < sysbench.opt.write_share then
      execute_non_index_updates()
   else
      execute_point_selects()
   end
   check_reconnect()
end
