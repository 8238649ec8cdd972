-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures multi-row INSERT statements: one event is one row. Each thread fills a table of its own,
-- so prepare and cleanup need the same --num-threads as run.

local tables = require("table_schema")

function prepare()
   for n = 1, num_threads do
      print(("Creating table 'sbtest%d'..."):format(n))
      db_query(([[
CREATE TABLE sbtest%d (
  id INTEGER NOT NULL,
  k INTEGER DEFAULT 0 NOT NULL,
  PRIMARY KEY (id))]]):format(n))
   end
end

function cleanup()
   tables.drop("sbtest", num_threads)
end

local rows = 0

function thread_init(thread_id)
   db_bulk_insert_init(("INSERT INTO sbtest%d (id, k) VALUES"):format(thread_id + 1))
end

function event()
   rows = rows + 1
   db_bulk_insert_next(("(%d, %d)"):format(rows, rows))
end

function thread_done()
   db_bulk_insert_done()
end
