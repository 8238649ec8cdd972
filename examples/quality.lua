#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
-- A quality figure of its own: how often a cache that holds rows for --hold seconds would be right.
-- --slo='right>0.9' makes it an objective.
--
--    sysrate quality.lua --db-driver=sqlite prepare
--    sysrate quality.lua --db-driver=sqlite --threads=2 --tx-rate=50 run
sysbench.cmdline.options = {hold = {"Seconds for which a row is held", 0.01}}

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE held (id INT PRIMARY KEY, n INT)")
   for id = 1, 10 do con:query(("INSERT INTO held VALUES (%d, 0)"):format(id)) end
end

function cleanup() sysbench.sql.driver():connect():query("DROP TABLE held") end

function thread_init()
   con = sysbench.sql.driver():connect()
end

local function read(id) return con:query_row(("SELECT n FROM held WHERE id = %d"):format(id)) end

function event()
   local id = sysbench.rand.uniform(1, 10)
   local held = read(id)
   con:query(("UPDATE held SET n = n + 1 WHERE id = %d"):format(sysbench.rand.uniform(1, 10)))
   sysbench.sleep(sysbench.opt.hold)
   sysbench.quality("right", read(id) == held and 1 or 0)
end
