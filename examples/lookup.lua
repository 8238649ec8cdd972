#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A complete workload: creates a table, reads one row per event, and drops the table.
--
--    sysrate lookup.lua --db-driver=sqlite prepare
--    sysrate lookup.lua --db-driver=sqlite --tx-rate=500 --threads=4 run
--    sysrate lookup.lua --db-driver=sqlite cleanup

sysbench.cmdline.options = {
   rows = {"Number of rows", 10000},
}

local function connect()
   return sysbench.sql.driver():connect()
end

function prepare()
   local con = connect()
   con:query("CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20))")
   con:load_begin("item", "id, name")
   for id = 1, sysbench.opt.rows do
      con:load_int(id)
      con:load_rand_str("@@@@@@@@-####")
      con:load_row()
   end
   con:load_done()
   con:disconnect()
end

function cleanup()
   connect():query("DROP TABLE IF EXISTS item")
end

-- Set once per thread and used by every event.
local con, statement, id

function thread_init()
   con = connect()
   statement = con:prepare("SELECT name FROM item WHERE id = ?")
   id = statement:bind_create(sysbench.sql.type.INT)
   statement:bind_param(id)
end

function event()
   id:set(sysbench.rand.default(1, sysbench.opt.rows))
   statement:execute()
end

function thread_done()
   con:disconnect()
end
