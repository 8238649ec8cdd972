#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The transaction of pgbench ("TPC-B (sort of)"), as an example of a script that was ported from pgbench. The tables
-- are those of `pgbench -i`, so the script also runs on tables that pgbench has made. The command `check` compares
-- the sums of the balances.
--
--    sysrate tpcb.lua --db-driver=sqlite --accounts=1000 prepare
--    sysrate tpcb.lua --db-driver=sqlite --accounts=1000 --tx-rate=50 --threads=4 run
--    sysrate tpcb.lua --db-driver=sqlite check
--    sysrate tpcb.lua --db-driver=sqlite cleanup

sysbench.cmdline.options = {
   scale = {"Number of branches", 1},
   accounts = {"Accounts of a branch; pgbench has 100000", 100000},
}

local TELLERS = 10 -- of a branch
local TABLES = {"pgbench_accounts", "pgbench_branches", "pgbench_history", "pgbench_tellers"}

local opt, rand = sysbench.opt, sysbench.rand
local driver = sysbench.sql.driver()

local function fill(con, insert, rows, row_of)
   con:bulk_insert_init(insert)
   for i = 1, rows do
      con:bulk_insert_next(row_of(i))
   end
   con:bulk_insert_done()
end

function prepare()
   local con = driver:connect()
   con:query("CREATE TABLE pgbench_branches (bid INT NOT NULL PRIMARY KEY, bbalance INT, filler CHAR(88))")
   con:query("CREATE TABLE pgbench_tellers (tid INT NOT NULL PRIMARY KEY, bid INT, tbalance INT, filler CHAR(84))")
   con:query("CREATE TABLE pgbench_accounts (aid INT NOT NULL PRIMARY KEY, bid INT, abalance INT, filler CHAR(84))")
   con:query("CREATE TABLE pgbench_history (tid INT, bid INT, aid INT, delta INT, mtime TIMESTAMP, filler CHAR(22))")
   fill(con, "INSERT INTO pgbench_branches (bid, bbalance) VALUES", opt.scale,
      function(bid) return ("(%d, 0)"):format(bid) end)
   fill(con, "INSERT INTO pgbench_tellers (tid, bid, tbalance) VALUES", opt.scale * TELLERS,
      function(tid) return ("(%d, %d, 0)"):format(tid, (tid - 1) / TELLERS + 1) end)
   fill(con, "INSERT INTO pgbench_accounts (aid, bid, abalance, filler) VALUES", opt.scale * opt.accounts,
      function(aid) return ("(%d, %d, 0, '')"):format(aid, (aid - 1) / opt.accounts + 1) end)
   con:disconnect()
end

function cleanup()
   local con = driver:connect()
   for _, name in ipairs(TABLES) do
      con:query("DROP TABLE IF EXISTS " .. name)
   end
   con:disconnect()
end

function check()
   local con = driver:connect()
   local moved, count = con:query_row("SELECT COALESCE(SUM(delta), 0), COUNT(*) FROM pgbench_history")
   for name, column in pairs {pgbench_accounts = "abalance", pgbench_branches = "bbalance", pgbench_tellers = "tbalance"} do
      local sum = con:query_row(("SELECT SUM(%s) FROM %s"):format(column, name))
      if tonumber(sum) ~= tonumber(moved) then
         error(("the balances of %s add up to %s, but those of pgbench_history to %s"):format(name, sum, moved), 0)
      end
   end
   print(("%s transactions, and all sums are %s"):format(count, moved))
   con:disconnect()
end

local con
-- in SQLite only one transaction can write: take the write lock at the start
local begin = driver:name() == "sqlite" and "BEGIN IMMEDIATE" or "BEGIN"

function thread_init()
   con = driver:connect()
end

function event()
   -- \set aid random(1, 100000 * :scale)
   local aid = rand.uniform(1, opt.accounts * opt.scale)
   -- \set bid random(1, 1 * :scale)
   local bid = rand.uniform(1, opt.scale)
   -- \set tid random(1, 10 * :scale)
   local tid = rand.uniform(1, TELLERS * opt.scale)
   -- \set delta random(-5000, 5000)
   local delta = rand.uniform(0, 10000) - 5000

   con:query(begin)
   con:execute("UPDATE pgbench_accounts SET abalance = abalance + ? WHERE aid = ?", delta, aid)
   con:execute("SELECT abalance FROM pgbench_accounts WHERE aid = ?", aid)
   con:execute("UPDATE pgbench_tellers SET tbalance = tbalance + ? WHERE tid = ?", delta, tid)
   con:execute("UPDATE pgbench_branches SET bbalance = bbalance + ? WHERE bid = ?", delta, bid)
   con:execute("INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP)",
      tid, bid, aid, delta)
   con:query("COMMIT")
end

function thread_done()
   con:disconnect()
end
