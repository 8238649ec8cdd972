-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Shared code of workloads on numbered tables (sbtest1, sbtest2 ...) with any columns: how the
-- threads of a command divide the work, how tables are created, loaded, warmed and dropped, and how
-- statements get their parameters. Every table has the ids 1 to table_size without gaps.

local format = string.format
local tables = {}

-- -------------------------------------------------------------------------------------------------
-- Options and dialects
-- -------------------------------------------------------------------------------------------------

function tables.reject(name, value, allowed)
   name = sysbench.typed[name:gsub("-", "_")] or name
   error(format("invalid value for --%s: '%s' (allowed: %s)", name, value, allowed), 0)
end

function tables.check_prepare_method()
   local method = sysbench.opt.prepare_method
   if method ~= "auto" and method ~= "insert" and method ~= "load" then
      tables.reject("prepare_method", method, "auto, insert, load")
   end
end

-- Returns the entry of `dialects` for a driver.
function tables.dialect(dialects, driver)
   local names = {}
   for name in pairs(dialects) do names[#names + 1] = name end
   table.sort(names)
   return dialects[driver:name()] or
      tables.reject("db-driver", driver:name(), table.concat(names, ", "))
end

-- Creates and returns the parameters of a statement. Each type is a type or {type, length}.
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

-- Threads of a command wait for each other and report progress with these functions. If the program
-- does not have them, commands run with one thread.
local claimed = -1
local progress = {
   barrier = function() claimed = -1; return true end,
   total = function() end,
   add = function() end,
   claim = function() claimed = claimed + 1; return claimed end,
}
tables.progress = progress

if pcall(function() return ffi.C.command_barrier end) then
   progress.barrier = function() return ffi.C.command_barrier() end
   progress.total = function(rows) ffi.C.command_progress_total(rows) end
   progress.add = function(rows) ffi.C.command_progress(rows) end
   progress.claim = function() return ffi.C.command_claim() end
end

-- Prints a line with a single call, so that lines of several threads are not mixed.
local function notice(...)
   io.write(format(...) .. "\n")
end
tables.notice = notice

function tables.warn(...)
   io.stderr:write("WARNING: " .. format(...) .. "\n")
end

function tables.my_number()
   return sysbench.tid % sysbench.opt.threads
end

-- Returns the share of the calling thread. The threads of one process share its tables. If
-- processes cannot exchange messages (--node), each process has its own tables: every nodes-th
-- table, starting at `first`.
function tables.find_place()
   local place = {first = 1, nodes = 1, thread = tables.my_number(),
                  threads = sysbench.opt.threads}
   local found = pcall(function() return ffi.C.command_find_place end) and
      ffi.new("command_place")
   if found and ffi.C.command_find_place(found) then
      place = {first = found.node + 1, nodes = found.nodes, thread = found.thread,
               threads = found.threads}
   end
   place.count = math.max(0, math.ceil(((sysbench.opt.tables or 0) - place.first + 1) / place.nodes))
   return place
end

-- Returns the number of the i-th table of this process, for i from 1 to count.
local function table_at(place, i)
   return place.first + (i - 1) * place.nodes
end

-- Calls work(n) for each table of the calling thread.
local function for_my_tables(place, work)
   for i = place.thread + 1, place.count, place.threads do
      work(table_at(place, i))
   end
end

-- Calls work(n, first, last) for the calling thread's share of the rows of all tables. The share is
-- one range of rows, split at the ends of tables: ids first to last of table n.
local function for_my_rows(place, work)
   local size, threads = sysbench.opt.table_size, place.threads
   local total = place.count * size
   local row = math.floor(total * place.thread / threads)
   local stop = math.floor(total * (place.thread + 1) / threads)
   while row < stop do
      local i = math.floor(row / size)
      local last = math.min(stop - i * size, size)
      work(table_at(place, i + 1), row - i * size + 1, last)
      row = i * size + last
   end
end

-- -------------------------------------------------------------------------------------------------
-- Work on one table
-- -------------------------------------------------------------------------------------------------

-- Queries for the kind of object that has a given name. They return no row if there is no such
-- object.
local kind_query = {
   mysql = "SELECT table_type FROM information_schema.tables " ..
      "WHERE table_schema = DATABASE() AND table_name = '%s'",
   pgsql = "SELECT CASE WHEN relkind IN ('v', 'm') THEN 'VIEW' END FROM pg_class " ..
      "WHERE oid = to_regclass('%s')",
   sqlite = "SELECT upper(type) FROM sqlite_master WHERE name = '%s'",
}

-- Some servers with MongoDB's protocol ignore the filter.
local function mongodb_kind(connection, name)
   local found = connection:query(format('{"listCollections": 1, "filter": {"name": "%s"}, ' ..
                                         '"$fields": ["name", "type"]}', name))
   for _ = 1, found.nrows do
      local row = found:fetch_row()
      if row[1] == name then return (row[2] or ""):upper() end
   end
   return nil
end

-- Returns "VIEW", or another word for a table, or nil if there is no such object or it is unknown.
-- `comment` is put in front of an SQL query.
local function kind_of(driver, connection, name, comment)
   if driver:name() == "mongodb" then
      return mongodb_kind(connection, name)
   end
   local query = kind_query[driver:name()]
   local found = query and connection:query((comment or "") .. format(query, name))
   local row = found and found.nrows > 0 and found:fetch_row()
   return row and (row[1] or "TABLE") or nil
end

-- Returns true if the error means that the table exists. MySQL and PostgreSQL report it as an
-- SQLSTATE; SQLite only has a message, always in English; MongoDB has a number.
local function is_existing_table(reason)
   return tostring(reason):find("state = '42S01'", 1, true) or
      tostring(reason):find("state = '42P07'", 1, true) or
      tostring(reason):find("state = '': table .* already exists") or
      tostring(reason):find("errno = 48, state = ''", 1, true)
end

-- Drops a table if it exists.
local function drop_table(driver, connection, name)
   if driver:name() ~= "mongodb" then
      connection:query("DROP TABLE IF EXISTS " .. name)
   elseif kind_of(driver, connection, name) then
      connection:query(format('{"drop": "%s"}', name))
   end
end

-- Executes the statement `text`, which creates the table `name`.
function tables.create(connection, name, text)
   if sysbench.opt.force then
      drop_table(sysbench.sql.driver(), connection, name)
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

-- Loads the rows with ids from first to last. Messages call them `what`. write_row(connection, id)
-- writes the columns of one row. Progress is updated after every `step` rows.
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

-- Executes the statement `text`, which creates the index or key `what` of the table `name`.
function tables.create_index(connection, name, what, text)
   notice("Creating %s on '%s'...", what, name)
   connection:query(text)
end

-- -------------------------------------------------------------------------------------------------
-- Work on all tables, shared by the threads of a command
-- -------------------------------------------------------------------------------------------------

-- Returns true under the name sysbench, which notices an existing table only when it creates it,
-- after it has created others.
local function speaks_as_sysbench()
   return (sysbench.version_string or "sysbench"):find("^sysbench ") ~= nil
end

-- Raises an error if a table exists that prepare is to create.
local function refuse_existing(driver, connection, prefix, place)
   if sysbench.opt.force or speaks_as_sysbench() or (sysbench.opt.pgsql_variant or "") ~= "" then
      return
   end
   for i = 1, place.count do
      local n = table_at(place, i)
      if kind_of(driver, connection, prefix .. n, "/* check-tables */ ") then
         error(format("table %s%d exists: run cleanup first, or prepare --force", prefix, n), 0)
      end
   end
end

-- The command prepare: all threads create tables, then all load rows, then all create indexes.
-- `work` has the functions create(driver, connection, n), load(connection, n, first, last) and
-- create_indexes(driver, connection, n), and the prefix of the table names. It may also have
-- `session`, a statement that each thread executes first, and check(driver, connection), which is
-- called before anything is created. Returns true if all threads have succeeded.
function tables.prepare(driver, work)
   local connection, place = driver:connect(), tables.find_place()
   if work.session then
      connection:query(work.session)
   end
   if place.thread == 0 then
      refuse_existing(driver, connection, work.prefix, place)
   end
   if not progress.barrier() then return end
   if work.check then
      work.check(driver, connection)
   end
   if place.thread == 0 then
      progress.total(place.count * sysbench.opt.table_size)
   end
   for_my_tables(place, function(n) work.create(driver, connection, n) end)
   if not progress.barrier() then return end
   for_my_rows(place, function(n, first, last) work.load(connection, n, first, last) end)
   if not progress.barrier() then return end
   for_my_tables(place, function(n) work.create_indexes(driver, connection, n) end)
   connection:disconnect()
   return progress.barrier()
end

-- The command prepare with a function create_table(driver, connection, n) that makes a whole table:
-- one of the threads calls it for each table.
function tables.prepare_with(driver, session, create_table)
   local connection = driver:connect()
   if session then
      connection:query(session)
   end
   for_my_tables(tables.find_place(), function(n) create_table(driver, connection, n) end)
   connection:disconnect()
end

-- Executes the statements returned by statements(driver, n), for each table.
function tables.warmup(prefix, statements)
   local driver = sysbench.sql.driver()
   local connection = driver:connect()
   for_my_tables(tables.find_place(), function(n)
      notice("Prewarming table %s%u", prefix, n)
      for _, statement in ipairs(statements(driver, n)) do
         connection:query(statement)
      end
   end)
   connection:disconnect()
end

-- Raises an error if the name is a view. For a view, MySQL's DROP TABLE IF EXISTS does nothing. The
-- other databases refuse it, but only after the message that a table is dropped.
local function refuse_view(driver, connection, name)
   if kind_of(driver, connection, name) == "VIEW" then
      error(format("'%s' is a view, which cleanup does not drop: 'DROP VIEW %s' does", name, name), 0)
   end
end

-- Drops the tables prefix1 to prefixN. N is `count`, or --tables if `count` is nil.
function tables.drop(prefix, count)
   local driver = sysbench.sql.driver()
   local connection = driver:connect()
   for n = 1, count or sysbench.opt.tables do
      refuse_view(driver, connection, prefix .. n)
      notice("Dropping table '%s%u'...", prefix, n)
      drop_table(driver, connection, prefix .. n)
   end
   connection:disconnect()
end

return tables
