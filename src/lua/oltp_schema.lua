-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The tables of oltp_common.lua: how each database creates, loads, indexes and warms them.
--
-- Tables are named sbtest1, sbtest2 ...; each holds the ids 1 to table_size without gaps, so that
-- every random id finds a row.

local tables = require("table_schema")
local format = string.format
local schema = {}

-- -------------------------------------------------------------------------------------------------
-- Dialects: differences between databases
--
--   session           first statement of a connection that loads rows
--   begin, begin_read statements that start a transaction: one that may write, one that only reads
--   id_column()       type of the id column
--   inline_key        the secondary index on id can be part of CREATE TABLE
--   auto_insert       INSERT without an id, which the database then assigns
--   table_options()   text after the column list of CREATE TABLE
--   after_load(n)     statement that makes automatic ids continue after the loaded ids
--   warm(n)           statements that read table n and its index into the cache
-- -------------------------------------------------------------------------------------------------

local INSERT_WITHOUT_ID = "INSERT INTO sbtest%u (k, c, pad) VALUES (?, ?, ?)"
local LARGEST_INTEGER = 2147483647

local function is_large()
   return sysbench.opt.table_size > LARGEST_INTEGER
end

local function integer_type()
   return is_large() and "BIGINT" or "INTEGER"
end

local function plain_id()
   return integer_type() .. " NOT NULL"
end

local dialects = {}

dialects.mysql = {
   begin = "BEGIN",
   begin_read = "BEGIN",
   inline_key = true,
   auto_insert = "INSERT INTO sbtest%u (id, k, c, pad) VALUES (0, ?, ?, ?)",
   id_column = function()
      return plain_id() .. (sysbench.opt.auto_inc and " AUTO_INCREMENT" or "")
   end,
   table_options = function()
      return format("/*! ENGINE = %s */ ", sysbench.opt.mysql_storage_engine)
   end,
   warm = function(n)
      local key = sysbench.opt.secondary and "xid" or "PRIMARY"
      local size = sysbench.opt.table_size
      return {
         "SET tmp_table_size=2*1024*1024*1024",
         "SET max_heap_table_size=2*1024*1024*1024",
         format("ANALYZE TABLE sbtest%u", n),
         format("SELECT AVG(id) FROM (SELECT * FROM sbtest%u FORCE KEY (%s) LIMIT %d) t",
                n, key, size),
         format("SELECT COUNT(*) FROM (SELECT * FROM sbtest%u WHERE k LIKE '%%0%%' LIMIT %d) t",
                n, size),
      }
   end,
}

dialects.pgsql = {
   begin = "BEGIN",
   begin_read = "BEGIN",
   auto_insert = INSERT_WITHOUT_ID,
   id_column = function()
      if not schema.database_makes_ids("pgsql") then
         return plain_id()
      end
      return is_large() and "BIGSERIAL" or "SERIAL"
   end,
   after_load = function(n)
      return format("SELECT setval('sbtest%u_id_seq', %d)", n, sysbench.opt.table_size)
   end,
   warm = function(n)
      return {
         format("ANALYZE sbtest%u", n),
         format("SELECT SUM(LENGTH(c)) + SUM(LENGTH(pad)) FROM sbtest%u", n),
         "SET enable_seqscan TO off",
         format("SELECT COUNT(k) FROM sbtest%u WHERE k > 0", n),
      }
   end,
}

-- In SQLite, an id that is INTEGER PRIMARY KEY has 64 bits and is assigned automatically. A
-- transaction that will write takes the write lock at its start: after a read, it could no longer
-- get the lock if another transaction has written in between. Only one thread can write at a time;
-- while loading, the other threads wait without a time limit.
dialects.sqlite = {
   session = "PRAGMA busy_timeout = 86400000",
   begin = "BEGIN IMMEDIATE",
   begin_read = "BEGIN",
   auto_insert = INSERT_WITHOUT_ID,
   id_column = function()
      return "INTEGER NOT NULL"
   end,
   warm = function(n)
      return {
         format("SELECT SUM(LENGTH(c)) + SUM(LENGTH(pad)) FROM sbtest%u", n),
         format("SELECT SUM(k) FROM sbtest%u", n),
      }
   end,
}

dialects.null = {
   begin = "BEGIN",
   begin_read = "BEGIN",
   auto_insert = INSERT_WITHOUT_ID,
   id_column = plain_id,
   warm = function(n)
      return {format("SELECT COUNT(*) FROM sbtest%u", n)}
   end,
}

function schema.dialect(driver)
   return tables.dialect(dialects, driver)
end

-- Returns true if the database with this name assigns ids to new rows; otherwise the client must do
-- so.
function schema.database_makes_ids(name)
   if not sysbench.opt.auto_inc then
      return false
   elseif name == "pgsql" then
      return sysbench.opt.pgsql_variant ~= "redshift"
   elseif name == "sqlite" then
      return not sysbench.opt.secondary
   end
   return true
end

-- -------------------------------------------------------------------------------------------------
-- Work on one table
-- -------------------------------------------------------------------------------------------------

local ROWS_PER_PROGRESS = 1000

local function key_definition(dialect)
   if not sysbench.opt.secondary then
      return ",\n  PRIMARY KEY (id)"
   end
   return dialect.inline_key and ",\n  KEY xid (id)" or ""
end

function schema.create_empty_table(driver, connection, n)
   local dialect = schema.dialect(driver)
   local options = dialect.table_options and dialect.table_options() or ""

   tables.create(connection, "sbtest" .. n, format([[
CREATE TABLE sbtest%u(
  id %s,
  k %s DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL%s
) %s%s]], n, dialect.id_column(), integer_type(), key_definition(dialect), options,
      sysbench.opt.create_table_options or ""))
end

local function write_row(connection, id)
   connection:load_int(id)
   connection:load_int(sysbench.rand.default(1, sysbench.opt.table_size))
   connection:load_text(get_c_value())
   connection:load_text(get_pad_value())
end

-- Ids are always given by the client: the database may assign ids in steps larger than one, and
-- updates of ids in the gaps would change nothing.
function schema.load_rows(connection, n, first, last)
   tables.load(connection, "sbtest" .. n, "id, k, c, pad", first, last, "records",
               ROWS_PER_PROGRESS, write_row)
end

function schema.create_indexes(driver, connection, n)
   local dialect = schema.dialect(driver)
   if sysbench.opt.secondary and not dialect.inline_key then
      connection:query(format("CREATE INDEX xid_%u ON sbtest%u(id)", n, n))
   end
   if sysbench.opt.create_secondary then
      tables.create_index(connection, "sbtest" .. n, "a secondary index",
                          format("CREATE INDEX k_%u ON sbtest%u(k)", n, n))
   end
   if dialect.after_load and schema.database_makes_ids(driver:name()) then
      connection:query(dialect.after_load(n))
   end
end

-- -------------------------------------------------------------------------------------------------
-- Commands
-- -------------------------------------------------------------------------------------------------

-- Warns if the server assigns ids in steps larger than one: tables loaded by other tools then have
-- gaps, and updates of ids in the gaps change nothing. Our tables have no gaps, so results may not
-- be comparable.
local function warn_of_id_steps(driver, connection)
   if driver:name() ~= "mysql" or tables.my_number() ~= 0 then
      return
   end
   local step = tonumber((connection:query_row("SELECT @@auto_increment_increment")))
   if step and step > 1 then
      tables.warn("auto_increment_increment is %d on this server: ids are written explicitly, " ..
                  "1 to %d without gaps", step, sysbench.opt.table_size)
   end
end

function schema.prepare()
   local driver = sysbench.sql.driver()
   tables.prepare(driver, {
      prefix = "sbtest",
      session = schema.dialect(driver).session,
      check = warn_of_id_steps,
      create = schema.create_empty_table,
      load = schema.load_rows,
      create_indexes = schema.create_indexes,
   })
end

-- Calls create_table(driver, connection, n) of a script once for each table.
function schema.prepare_with(create_table)
   local driver = sysbench.sql.driver()
   tables.prepare_with(driver, schema.dialect(driver).session, create_table)
end

function schema.warmup()
   tables.warmup("sbtest", function(driver, n) return schema.dialect(driver).warm(n) end)
end

function schema.drop()
   tables.drop("sbtest")
end

return schema
