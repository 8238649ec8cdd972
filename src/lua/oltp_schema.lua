-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The tables of oltp_common.lua: how they are created, loaded, indexed and read into the cache,
-- on each database.
--
-- Tables are named sbtest1, sbtest2 ...; each holds the ids 1 to table_size without gaps, so that
-- every random id finds a row.

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
   local dialect = dialects[driver:name()]
   if dialect == nil then
      error(format("invalid value for --db-driver: '%s' (allowed: mysql, pgsql, sqlite, null)",
                   driver:name()), 0)
   end
   return dialect
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

-- How the threads of a command wait for each other and tell how far they are. Where the program
-- has no such functions, commands work with one thread.
local progress = {
   barrier = function() return true end,
   total = function() end,
   add = function() end,
}

if pcall(function() return ffi.C.command_barrier end) then
   progress.barrier = function() return ffi.C.command_barrier() end
   progress.total = function(rows) ffi.C.command_progress_total(rows) end
   progress.add = function(rows) ffi.C.command_progress(rows) end
end

local ROWS_PER_PROGRESS = 1000

-- One call per line, so that lines of several threads do not mix.
local function notice(...)
   io.write(format(...) .. "\n")
end

-- What workloads with tables of their own use, too.
schema.progress, schema.notice = progress, notice

local function key_definition(dialect)
   if not sysbench.opt.secondary then
      return ",\n  PRIMARY KEY (id)"
   end
   return dialect.inline_key and ",\n  KEY xid (id)" or ""
end

function schema.create_empty_table(driver, connection, n)
   local dialect = schema.dialect(driver)
   local options = dialect.table_options and dialect.table_options() or ""

   if sysbench.opt.force then
      connection:query(format("DROP TABLE IF EXISTS sbtest%u", n))
   end
   notice("Creating table 'sbtest%u'...", n)
   connection:query(format([[
CREATE TABLE sbtest%u(
  id %s,
  k %s DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL%s
) %s%s]], n, dialect.id_column(), integer_type(), key_definition(dialect), options,
      sysbench.opt.create_table_options or ""))
end

-- Loads the rows with ids from first to last. Ids are always given, never left to the database:
-- its steps may be wider than one, and updates of ids in the gaps would change nothing.
function schema.load_rows(connection, n, first, last)
   local size = sysbench.opt.table_size
   if first == 1 then
      notice("Inserting %d records into 'sbtest%u'", size, n)
   end
   connection:load_begin("sbtest" .. n, "id, k, c, pad", sysbench.opt.prepare_method)
   for id = first, last do
      connection:load_int(id)
      connection:load_int(sysbench.rand.default(1, size))
      connection:load_text(get_c_value())
      connection:load_text(get_pad_value())
      connection:load_row()
      if (id - first + 1) % ROWS_PER_PROGRESS == 0 then
         progress.add(ROWS_PER_PROGRESS)
      end
   end
   connection:load_done()
   progress.add((last - first + 1) % ROWS_PER_PROGRESS)
end

function schema.create_indexes(driver, connection, n)
   local dialect = schema.dialect(driver)
   if sysbench.opt.secondary and not dialect.inline_key then
      connection:query(format("CREATE INDEX xid_%u ON sbtest%u(id)", n, n))
   end
   if sysbench.opt.create_secondary then
      notice("Creating a secondary index on 'sbtest%u'...", n)
      connection:query(format("CREATE INDEX k_%u ON sbtest%u(k)", n, n))
   end
   if dialect.after_load and schema.database_makes_ids(driver:name()) then
      connection:query(dialect.after_load(n))
   end
end

-- -------------------------------------------------------------------------------------------------
-- Work on all tables, shared by the threads of a command
-- -------------------------------------------------------------------------------------------------

function schema.my_number()
   return sysbench.tid % sysbench.opt.threads
end

-- Calls work(n) for each table that is the calling thread's.
function schema.for_my_tables(work)
   for n = schema.my_number() + 1, sysbench.opt.tables, sysbench.opt.threads do
      work(n)
   end
end

-- Calls work(n, first, last) for the calling thread's share of the rows of all tables: one run of
-- rows, cut where a table ends; ids first to last of table n.
function schema.for_my_rows(work)
   local size, threads = sysbench.opt.table_size, sysbench.opt.threads
   local total = sysbench.opt.tables * size
   local row = math.floor(total * schema.my_number() / threads)
   local stop = math.floor(total * (schema.my_number() + 1) / threads)
   while row < stop do
      local n = math.floor(row / size)
      local last = math.min(stop - n * size, size)
      work(n + 1, row - n * size + 1, last)
      row = n * size + last
   end
end

-- Where a server numbers rows in steps, tables that it numbers have gaps, and updates of ids in the
-- gaps change nothing. Ours have none, since ids are always given; who compares with tables of
-- another kind should know.
function schema.warn_of_id_steps(driver, connection)
   if driver:name() ~= "mysql" or schema.my_number() ~= 0 then
      return
   end
   local step = tonumber((connection:query_row("SELECT @@auto_increment_increment")))
   if step and step > 1 then
      io.stderr:write(format("WARNING: auto_increment_increment is %d on this server: ids are " ..
                             "written explicitly, 1 to %d without gaps\n",
                             step, sysbench.opt.table_size))
   end
end

-- All threads create tables, then all load rows, then all create indexes.
function schema.prepare()
   local driver = sysbench.sql.driver()
   local connection = driver:connect()
   local session = schema.dialect(driver).session

   if session then
      connection:query(session)
   end
   if schema.my_number() == 0 then
      progress.total(sysbench.opt.tables * sysbench.opt.table_size)
   end
   schema.warn_of_id_steps(driver, connection)
   schema.for_my_tables(function(n) schema.create_empty_table(driver, connection, n) end)
   if not progress.barrier() then return end
   schema.for_my_rows(function(n, first, last) schema.load_rows(connection, n, first, last) end)
   if not progress.barrier() then return end
   schema.for_my_tables(function(n) schema.create_indexes(driver, connection, n) end)
   connection:disconnect()
end

function schema.warmup()
   local driver = sysbench.sql.driver()
   local connection = driver:connect()

   schema.for_my_tables(function(n)
      notice("Prewarming table sbtest%u", n)
      for _, statement in ipairs(schema.dialect(driver).warm(n)) do
         connection:query(statement)
      end
   end)
   connection:disconnect()
end

function schema.drop()
   local connection = sysbench.sql.driver():connect()
   for n = 1, sysbench.opt.tables do
      notice("Dropping table 'sbtest%u'...", n)
      connection:query(format("DROP TABLE IF EXISTS sbtest%u", n))
   end
   connection:disconnect()
end

return schema
