#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Transactions: moves money between two accounts. After a deadlock, the event is restarted
-- automatically and an ignored error is counted. The command `check` fails if money was lost.
--
--    sysrate transfer.lua --db-driver=sqlite prepare
--    sysrate transfer.lua --db-driver=sqlite --tx-rate=100 --threads=4 run
--    sysrate transfer.lua --db-driver=sqlite check
--    sysrate transfer.lua --db-driver=sqlite cleanup

sysbench.cmdline.options = {
   accounts = {"Number of accounts", 1000},
}

local BALANCE = 100

local function connect()
   return sysbench.sql.driver():connect()
end

function prepare()
   local con = connect()
   con:query("CREATE TABLE account (id INTEGER NOT NULL PRIMARY KEY, balance BIGINT NOT NULL)")
   con:bulk_insert_init("INSERT INTO account (id, balance) VALUES")
   for id = 1, sysbench.opt.accounts do
      con:bulk_insert_next(("(%d, %d)"):format(id, BALANCE))
   end
   con:bulk_insert_done()
   con:disconnect()
end

function check()
   local con = connect()
   local sum, count = con:query_row("SELECT SUM(balance), COUNT(*) FROM account")
   if tonumber(sum) ~= BALANCE * tonumber(count) then
      error(("%s accounts hold %s, not %d each"):format(count, sum, BALANCE), 0)
   end
   print(("%s accounts hold %s: nothing was lost"):format(count, sum))
   con:disconnect()
end

function cleanup()
   connect():query("DROP TABLE IF EXISTS account")
end

local con, begin, update, amount, id

function thread_init()
   local driver = sysbench.sql.driver()
   local types = sysbench.sql.type
   con = driver:connect()
   -- in SQLite only one transaction can write: take the write lock at the start
   begin = driver:name() == "sqlite" and "BEGIN IMMEDIATE" or "BEGIN"
   update = con:prepare("UPDATE account SET balance = balance + ? WHERE id = ?")
   amount, id = update:bind_create(types.INT), update:bind_create(types.INT)
   update:bind_param(amount, id)
end

local function change(change_amount)
   amount:set(change_amount)
   id:set(sysbench.rand.default(1, sysbench.opt.accounts))
   update:execute()
end

function event()
   local moved = sysbench.rand.uniform(1, 10)
   con:query(begin)
   change(-moved)
   change(moved)
   con:query("COMMIT")
end

function thread_done()
   con:disconnect()
end
