-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What workloads on numbered tables (sbtest1, sbtest2 ...) share, whatever the tables hold: how the
-- threads of a command divide the work, how tables are created, loaded, warmed and dropped, how
-- statements get their parameters. Every table has the ids 1 to table_size without gaps.

local format = string.format
local tables = {}

-- -------------------------------------------------------------------------------------------------
-- Options and dialects
-- -------------------------------------------------------------------------------------------------

function tables.reject(name, value, allowed)
   error(format("invalid value for --%s: '%s' (allowed: %s)", name, value, allowed), 0)
end

function tables.check_prepare_method()
   local method = sysbench.opt.prepare_method
   if method ~= "auto" and method ~= "insert" and method ~= "load" then
      tables.reject("prepare_method", method, "auto, insert, load")
   end
end

-- What the table `dialects` has for a driver.
function tables.dialect(dialects, driver)
   return dialects[driver:name()] or
      tables.reject("db-driver", driver:name(), "mysql, pgsql, sqlite, null")
end

-- Makes the parameters of a statement, each of a type or {type, length}, and returns them.
function tables.bind_parameters(statement, types)
   local params = {}
   for i, kind in ipairs(types) do
      if type(kind) == "table" then
         params[i] = statement:bind_create(kind[1], kind[2])
      else
         params[i] = statement:bind_create(kind)
      end
   end
   if #params > 0 then
      statement:bind_param(unpack(params))
   end
   return params
end

-- -------------------------------------------------------------------------------------------------
-- Threads
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

-- One call per line, so that lines of several threads do not mix.
local function notice(...)
   io.write(format(...) .. "\n")
end

function tables.warn(...)
   io.stderr:write("WARNING: " .. format(...) .. "\n")
end

function tables.my_number()
   return sysbench.tid % sysbench.opt.threads
end

-- Calls work(n) for each table that is the calling thread's.
local function for_my_tables(work)
   for n = tables.my_number() + 1, sysbench.opt.tables, sysbench.opt.threads do
      work(n)
   end
end

-- Calls work(n, first, last) for the calling thread's share of the rows of all tables: one run of
-- rows, cut where a table ends; ids first to last of table n.
local function for_my_rows(work)
   local size, threads = sysbench.opt.table_size, sysbench.opt.threads
   local total = sysbench.opt.tables * size
   local row = math.floor(total * tables.my_number() / threads)
   local stop = math.floor(total * (tables.my_number() + 1) / threads)
   while row < stop do
      local n = math.floor(row / size)
      local last = math.min(stop - n * size, size)
      work(n + 1, row - n * size + 1, last)
      row = n * size + last
   end
end

-- -------------------------------------------------------------------------------------------------
-- Work on one table
-- -------------------------------------------------------------------------------------------------

-- MySQL and PostgreSQL say it by SQLSTATE; SQLite has none, and one language.
local function is_existing_table(reason)
   return tostring(reason):find("state = '42S01'", 1, true) or
      tostring(reason):find("state = '42P07'", 1, true) or
      tostring(reason):find("state = '': table .* already exists")
end

-- Executes `text`, which creates the table of that name.
function tables.create(connection, name, text)
   if sysbench.opt.force then
      connection:query("DROP TABLE IF EXISTS " .. name)
   end
   notice("Creating table '%s'...", name)
   local created, reason = pcall(connection.query, connection, text)
   if not created then
      if is_existing_table(reason) then
         tables.warn("Table '%s' exists: 'cleanup' removes it, 'prepare --force' replaces it", name)
      end
      error(reason, 0)
   end
end

-- Loads the rows with ids from first to last, `what` they are for messages. write_row(connection,
-- id) writes the columns of one; the progress line moves every `step` rows.
function tables.load(connection, name, columns, first, last, what, step, write_row)
   if first == 1 then
      notice("Inserting %d %s into '%s'", sysbench.opt.table_size, what, name)
   end
   connection:load_begin(name, columns, sysbench.opt.prepare_method)
   for id = first, last do
      write_row(connection, id)
      connection:load_row()
      if (id - first + 1) % step == 0 then
         progress.add(step)
      end
   end
   connection:load_done()
   progress.add((last - first + 1) % step)
end

-- Executes `text`, which creates `what` on the table of that name.
function tables.create_index(connection, name, what, text)
   notice("Creating %s on '%s'...", what, name)
   connection:query(text)
end

-- -------------------------------------------------------------------------------------------------
-- Work on all tables, shared by the threads of a command
-- -------------------------------------------------------------------------------------------------

-- All threads create tables, then all load rows, then all create indexes. `work` has the functions
-- create(driver, connection, n), load(connection, n, first, last) and create_indexes(driver,
-- connection, n), and, if need be, session, a statement that each thread executes first, and
-- check(driver, connection), called before anything is created.
function tables.prepare(driver, work)
   local connection = driver:connect()
   if work.session then
      connection:query(work.session)
   end
   if work.check then
      work.check(driver, connection)
   end
   if tables.my_number() == 0 then
      progress.total(sysbench.opt.tables * sysbench.opt.table_size)
   end
   for_my_tables(function(n) work.create(driver, connection, n) end)
   if not progress.barrier() then return end
   for_my_rows(function(n, first, last) work.load(connection, n, first, last) end)
   if not progress.barrier() then return end
   for_my_tables(function(n) work.create_indexes(driver, connection, n) end)
   connection:disconnect()
end

-- Executes, for each table, what statements(driver, n) returns.
function tables.warmup(prefix, statements)
   local driver = sysbench.sql.driver()
   local connection = driver:connect()
   for_my_tables(function(n)
      notice("Prewarming table %s%u", prefix, n)
      for _, statement in ipairs(statements(driver, n)) do
         connection:query(statement)
      end
   end)
   connection:disconnect()
end

-- What the server says that a name stands for; nil where there is nothing.
local kind_query = {
   mysql = "SELECT table_type FROM information_schema.tables " ..
      "WHERE table_schema = DATABASE() AND table_name = '%s'",
   pgsql = "SELECT CASE WHEN relkind IN ('v', 'm') THEN 'VIEW' END FROM pg_class " ..
      "WHERE oid = to_regclass('%s')",
   sqlite = "SELECT upper(type) FROM sqlite_master WHERE name = '%s'",
}

-- MySQL takes DROP TABLE IF EXISTS on a view for one on nothing. The others refuse it, but only
-- after the notice that a table is dropped.
local function refuse_view(driver, connection, name)
   local query = kind_query[driver:name()]
   if query and connection:query_row(format(query, name)) == "VIEW" then
      error(format("'%s' is a view, which cleanup does not drop: 'DROP VIEW %s' does", name, name), 0)
   end
end

-- Drops the tables prefix1 to prefixN, as many as `count` or --tables says.
function tables.drop(prefix, count)
   local driver = sysbench.sql.driver()
   local connection = driver:connect()
   for n = 1, count or sysbench.opt.tables do
      refuse_view(driver, connection, prefix .. n)
      notice("Dropping table '%s%u'...", prefix, n)
      connection:query(format("DROP TABLE IF EXISTS %s%u", prefix, n))
   end
   connection:disconnect()
end

return tables
