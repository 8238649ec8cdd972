#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the speed of multi-row INSERT statements. One event is one row; rows are collected and
-- sent when a statement is full. Each thread fills a table of its own: prepare and cleanup need
-- the same --threads as run.

local tables = require("table_schema")

function prepare()
   local con = sysbench.sql.driver():connect()
   for n = 1, sysbench.opt.threads do
      print(("Creating table 'sbtest%u'..."):format(n))
      con:query(([[
CREATE TABLE IF NOT EXISTS sbtest%u (
  id INTEGER NOT NULL,
  k INTEGER DEFAULT '0' NOT NULL,
  PRIMARY KEY (id))]]):format(n))
   end
   con:disconnect()
end

function cleanup()
   tables.drop("sbtest", sysbench.opt.threads)
end

-- Describes the tables for the check before a run. Their number of rows is not known.
function sysbench.hooks.describe_tables()
   return {name = "sbtest%d", tables = sysbench.opt.threads}
end

local con
local rows = 0

function thread_init(tid)
   con = sysbench.sql.driver():connect()
   con:bulk_insert_init(("INSERT INTO sbtest%u VALUES"):format(tid + 1))
end

function event()
   rows = rows + 1
   con:bulk_insert_next(("(%d,%d)"):format(rows, rows))
end

function thread_done()
   con:bulk_insert_done()
   con:disconnect()
end
