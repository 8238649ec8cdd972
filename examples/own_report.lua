#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A custom report for a bundled workload: one line per interval, with fields separated by tabs. The
-- table is created by `sysrate oltp_point_select prepare`.
--
--    sysrate oltp_point_select --db-driver=sqlite prepare
--    sysrate own_report.lua --db-driver=sqlite --tx-rate=500 --threads=4 --report-interval=0.2 run

require("oltp_point_select")

local function tabbed(...)
   io.write(table.concat({...}, "\t") .. "\n")
end

function init()
   tabbed("seconds", "events/s", "mean ms", "percentile ms", "waiting")
end

-- Called in the main state, not in the states of workers. Times are in seconds.
function sysbench.hooks.report_intermediate(stat)
   tabbed(("%.1f"):format(stat.time_total), ("%.0f"):format(stat.events / stat.time_interval),
          ("%.3f"):format(stat.latency_avg * 1000), ("%.3f"):format(stat.latency_pct * 1000),
          stat.queue_length)
end
