-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The tables of oltp_common.lua: how they are created, loaded, indexed and read into the cache,
-- on each database.
--
-- Tables are named sbtest1, sbtest2 ...; each holds the ids 1 to table_size without gaps, so that
-- every random id finds a row.

local tables = require("table_schema")
local format = string.format
local schema = {}

-- -------------------------------------------------------------------------------------------------
-- Dialects: what differs between databases
--
--   session           statement that a loading connection executes first
--   begin, begin_read start of a transaction that may write, and of one that only reads
--   id_column()       type of the id column
--   inline_key        the secondary index on id can be part of CREATE TABLE
--   auto_insert       INSERT that leaves the id to the database
--   table_options()   text behind the column list of CREATE TABLE
--   after_load(n)     statement that lets the automatic ids go on behind the loaded ones
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

-- An id that is INTEGER and PRIMARY KEY has 64 bits and numbers itself. A transaction that will
-- write takes the write lock when it begins: one that has read first cannot get it any more once
-- somebody else has written. One thread writes at a time; when loading, the others wait for it as
-- long as it takes.
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

-- True where the database named so numbers new rows; else the client has to.
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

-- Ids are always given, never left to the database: its steps may be wider than one, and updates of
-- ids in the gaps would change nothing.
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

-- Where a server numbers rows in steps, tables that it numbers have gaps, and updates of ids in the
-- gaps change nothing. Ours have none, since ids are always given; who compares with tables of
-- another kind should know.
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

function schema.warmup()
   tables.warmup("sbtest", function(driver, n) return schema.dialect(driver).warm(n) end)
end

function schema.drop()
   tables.drop("sbtest")
end

return schema
