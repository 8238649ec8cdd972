-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Shared code of the oltp_* and select_random_* scripts: options, commands, prepared statements and
-- the queries of a transaction. A script of your own starts with require("oltp_common"), prepares
-- the statements it needs in prepare_statements(), and executes them in event(). oltp_read_only.lua
-- is a good example to start from.

if sysbench.cmdline.command == nil then
   error("Command is required. Supported commands: prepare, warmup, run, cleanup, help", 0)
end

local tables = require("table_schema")
local schema = require("oltp_schema")
local format = string.format
local t = sysbench.sql.type

-- Functions and values for scripts, in addition to the global functions. require("oltp_common")
-- returns this table.
local oltp = {}

-- -------------------------------------------------------------------------------------------------
-- Options and commands
-- -------------------------------------------------------------------------------------------------

sysbench.cmdline.options = {
   table_size = {"Number of rows per table", 10000},
   tables = {"Number of tables", 1},
   range_size = {"Range size for range SELECT queries", 100},
   range_selects = {"Enable/disable all range SELECT queries", true},
   point_selects = {"Number of point SELECT queries per transaction", 10},
   simple_ranges = {"Number of simple range SELECT queries per transaction", 1},
   sum_ranges = {"Number of SELECT SUM() queries per transaction", 1},
   order_ranges = {"Number of SELECT ORDER BY queries per transaction", 1},
   distinct_ranges = {"Number of SELECT DISTINCT queries per transaction", 1},
   index_updates = {"Number of UPDATE index queries per transaction", 1},
   non_index_updates = {"Number of UPDATE non-index queries per transaction", 1},
   delete_inserts = {"Number of DELETE/INSERT combinations per transaction", 1},
   auto_inc = {"Use AUTO_INCREMENT column as Primary Key (for MySQL), or its alternatives in " ..
               "other DBMS. When disabled, use client-generated IDs", true},
   skip_trx = {"Don't start explicit transactions and execute all queries in the AUTOCOMMIT mode",
               false},
   secondary = {"Use a secondary index in place of the PRIMARY KEY", false},
   create_secondary = {"Create a secondary index in addition to the PRIMARY KEY", true},
   prepare_method = {"How prepare loads rows {auto, insert, load}: LOAD DATA or COPY where the " ..
                     "server takes it, multi-row INSERT, or nothing but LOAD DATA or COPY", "auto"},
   force = {"Drop tables that exist before prepare creates them", false},
   create_table_options = {"Text to append to each CREATE TABLE statement"},
   reconnect = {"Reconnect after every N events, 0 = never", 0},
   mysql_storage_engine = {"Storage engine, if MySQL is used", "innodb"},
   pgsql_variant = {"Use this PostgreSQL variant when running with the PostgreSQL driver. The " ..
                    "only currently supported variant is 'redshift'. When enabled, " ..
                    "create_secondary is automatically disabled, and delete_inserts is set to 0"},
}

-- Smallest valid value of each option. Scripts add entries for their own options.
oltp.minimum = {
   table_size = 1,
   tables = 1,
   range_size = 1,
   point_selects = 0,
   simple_ranges = 0,
   sum_ranges = 0,
   order_ranges = 0,
   distinct_ranges = 0,
   index_updates = 0,
   non_index_updates = 0,
   delete_inserts = 0,
   reconnect = 0,
}

local function check_options()
   for name, minimum in pairs(oltp.minimum) do
      if sysbench.opt[name] < minimum then
         tables.reject(name, sysbench.opt[name], "a whole number, at least " .. minimum)
      end
   end

   tables.check_prepare_method()

   local variant = sysbench.opt.pgsql_variant or ""
   if variant == "redshift" then
      sysbench.opt.create_secondary = false
      sysbench.opt.delete_inserts = 0
   elseif variant ~= "" then
      tables.reject("pgsql_variant", variant, "redshift")
   end
end

function cmd_prepare()
   check_options()
   schema.prepare()
end

function cmd_warmup()
   check_options()
   schema.warmup()
end

function cleanup()
   check_options()
   schema.drop()
end

sysbench.cmdline.commands = {
   prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND},
   warmup = {cmd_warmup, sysbench.cmdline.PARALLEL_COMMAND},
   prewarm = {cmd_warmup, sysbench.cmdline.PARALLEL_COMMAND},
}

-- Describes the tables for the check before a run.
function sysbench.hooks.describe_tables()
   local has_index = sysbench.opt.create_secondary and sysbench.opt.pgsql_variant ~= "redshift"
   return {name = "sbtest%d", tables = sysbench.opt.tables, rows = sysbench.opt.table_size,
           index = has_index and "k" or nil}
end

-- Creates table n with all rows and indexes, for scripts with their own prepare command.
function create_table(driver, connection, n)
   schema.create_empty_table(driver, connection, n)
   schema.load_rows(connection, n, 1, sysbench.opt.table_size)
   schema.create_indexes(driver, connection, n)
end

-- -------------------------------------------------------------------------------------------------
-- Values
-- -------------------------------------------------------------------------------------------------

-- c: 10 groups of 11 digits; pad: 5 groups
local C_FORMAT = "###########-###########-###########-###########-###########-" ..
                 "###########-###########-###########-###########-###########"
local PAD_FORMAT = "###########-###########-###########-###########-###########"

function get_c_value()
   return sysbench.rand.string(C_FORMAT)
end

function get_pad_value()
   return sysbench.rand.string(PAD_FORMAT)
end

local function get_table_num()
   return sysbench.rand.uniform(1, sysbench.opt.tables)
end

local function get_id()
   return sysbench.rand.default(1, sysbench.opt.table_size)
end

-- Returns a signed 32-bit id that no other thread draws and that is not the id of a loaded row.
local function get_new_id()
   local id
   repeat
      id = sysbench.rand.unique()
      if id > 2147483647 then
         id = id - 4294967296
      end
   until id < 1 or id > sysbench.opt.table_size
   return id
end

-- -------------------------------------------------------------------------------------------------
-- Statements: stmt.begin, stmt.commit, and stmt[n].NAME for table n. param[n].NAME[i] is
-- parameter i of stmt[n].NAME.
-- -------------------------------------------------------------------------------------------------

local statements = {
   point_selects = {"SELECT c FROM sbtest%u WHERE id=?", t.BIGINT},
   simple_ranges = {"SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ?", t.BIGINT, t.BIGINT},
   sum_ranges = {"SELECT SUM(k) FROM sbtest%u WHERE id BETWEEN ? AND ?", t.BIGINT, t.BIGINT},
   order_ranges = {"SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c",
                   t.BIGINT, t.BIGINT},
   distinct_ranges = {"SELECT DISTINCT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c",
                      t.BIGINT, t.BIGINT},
   index_updates = {"UPDATE sbtest%u SET k=k+1 WHERE id=?", t.BIGINT},
   non_index_updates = {"UPDATE sbtest%u SET c=? WHERE id=?", {t.CHAR, 120}, t.BIGINT},
   deletes = {"DELETE FROM sbtest%u WHERE id=?", t.BIGINT},
   inserts = {"INSERT INTO sbtest%u (id, k, c, pad) VALUES (?, ?, ?, ?)",
              t.BIGINT, t.BIGINT, {t.CHAR, 120}, {t.CHAR, 60}},
}

-- Prepares a statement. `types` has the type of each parameter, either a type or {type, length}.
-- Returns the statement and the list of its parameters.
function oltp.prepare(text, types, class)
   local statement = con:prepare(text, class)
   return statement, tables.bind_parameters(statement, types)
end

function prepare_for_each_table(name)
   local definition = statements[name]
   local types = {unpack(definition, 2)}
   for n = 1, sysbench.opt.tables do
      stmt[n][name], param[n][name] = oltp.prepare(format(definition[1], n), types, name)
   end
end

-- Prepares BEGIN. `read_only` is true if the transactions of the script only read.
function prepare_begin(read_only)
   local dialect = schema.dialect(drv)
   stmt.begin = con:prepare(read_only and dialect.begin_read or dialect.begin, "begin")
end

function prepare_commit()
   stmt.commit = con:prepare("COMMIT", "commit")
end

function prepare_point_selects()
   prepare_for_each_table("point_selects")
end

function prepare_simple_ranges()
   prepare_for_each_table("simple_ranges")
end

function prepare_sum_ranges()
   prepare_for_each_table("sum_ranges")
end

function prepare_order_ranges()
   prepare_for_each_table("order_ranges")
end

function prepare_distinct_ranges()
   prepare_for_each_table("distinct_ranges")
end

function prepare_index_updates()
   prepare_for_each_table("index_updates")
end

function prepare_non_index_updates()
   prepare_for_each_table("non_index_updates")
end

function prepare_delete_inserts()
   prepare_for_each_table("deletes")
   prepare_for_each_table("inserts")
end

-- Prepare the three parts of the transactions of oltp_read_only, oltp_write_only and
-- oltp_read_write.

function oltp.prepare_transaction(read_only)
   if not sysbench.opt.skip_trx then
      prepare_begin(read_only)
      prepare_commit()
   end
end

function oltp.prepare_reads()
   prepare_point_selects()
   if sysbench.opt.range_selects then
      prepare_simple_ranges()
      prepare_sum_ranges()
      prepare_order_ranges()
      prepare_distinct_ranges()
   end
end

function oltp.prepare_writes()
   prepare_index_updates()
   prepare_non_index_updates()
   prepare_delete_inserts()
end

-- Prepares the statements of oltp.insert_row().
function oltp.prepare_new_rows()
   if not schema.database_makes_ids(drv:name()) then
      prepare_for_each_table("inserts")
      return
   end
   statements.auto_inserts = {schema.dialect(drv).auto_insert, unpack(statements.inserts, 3)}
   prepare_for_each_table("auto_inserts")
end

function close_statements()
   for key, value in pairs(stmt) do
      if type(key) == "number" then
         for _, statement in pairs(value) do
            statement:close()
         end
      else
         value:close()
      end
   end
end

-- -------------------------------------------------------------------------------------------------
-- The parts of an event
-- -------------------------------------------------------------------------------------------------

function begin()
   stmt.begin:execute()
end

function commit()
   stmt.commit:execute()
end

-- Executes a statement that has an id as its only parameter, `count` times on one table.
function oltp.execute_by_id(name, count)
   local n = get_table_num()
   local statement, id = stmt[n][name], param[n][name][1]
   for _ = 1, count do
      id:set(get_id())
      statement:execute()
   end
end

local function execute_ranges(name)
   local n = get_table_num()
   local statement, bounds = stmt[n][name], param[n][name]
   for _ = 1, sysbench.opt[name] do
      local first = get_id()
      bounds[1]:set(first)
      bounds[2]:set(first + sysbench.opt.range_size - 1)
      statement:execute()
   end
end

function execute_point_selects()
   oltp.execute_by_id("point_selects", sysbench.opt.point_selects)
end

function execute_simple_ranges()
   execute_ranges("simple_ranges")
end

function execute_sum_ranges()
   execute_ranges("sum_ranges")
end

function execute_order_ranges()
   execute_ranges("order_ranges")
end

function execute_distinct_ranges()
   execute_ranges("distinct_ranges")
end

function execute_index_updates()
   oltp.execute_by_id("index_updates", sysbench.opt.index_updates)
end

function execute_non_index_updates()
   local n = get_table_num()
   local values = param[n].non_index_updates
   for _ = 1, sysbench.opt.non_index_updates do
      values[1]:set_rand_str(C_FORMAT)
      values[2]:set(get_id())
      stmt[n].non_index_updates:execute()
   end
end

local function set_row(k, c, pad)
   k:set(get_id())
   c:set_rand_str(C_FORMAT)
   pad:set_rand_str(PAD_FORMAT)
end

-- Deletes a row and inserts a new row with the same id.
function execute_delete_inserts()
   local n = get_table_num()
   local row = param[n].inserts
   for _ = 1, sysbench.opt.delete_inserts do
      local id = get_id()
      param[n].deletes[1]:set(id)
      stmt[n].deletes:execute()
      row[1]:set(id)
      set_row(row[2], row[3], row[4])
      stmt[n].inserts:execute()
   end
end

function oltp.begin()
   if not sysbench.opt.skip_trx then
      begin()
   end
end

function oltp.commit()
   if not sysbench.opt.skip_trx then
      commit()
   end
end

function oltp.execute_reads()
   execute_point_selects()
   if sysbench.opt.range_selects then
      execute_simple_ranges()
      execute_sum_ranges()
      execute_order_ranges()
      execute_distinct_ranges()
   end
end

function oltp.execute_writes()
   execute_index_updates()
   execute_non_index_updates()
   execute_delete_inserts()
end

-- Inserts a row with an unused id.
function oltp.insert_row()
   local n = get_table_num()
   local row = param[n].auto_inserts
   if row then
      set_row(row[1], row[2], row[3])
      stmt[n].auto_inserts:execute()
   else
      row = param[n].inserts
      row[1]:set(get_new_id())
      set_row(row[2], row[3], row[4])
      stmt[n].inserts:execute()
   end
end

-- -------------------------------------------------------------------------------------------------
-- Threads
-- -------------------------------------------------------------------------------------------------

local events = 0

-- Call this at the end of each event.
function check_reconnect()
   if sysbench.opt.reconnect == 0 then
      return
   end
   events = events + 1
   if events % sysbench.opt.reconnect == 0 then
      close_statements()
      con:reconnect()
      prepare_statements()
   end
end

function init()
   check_options()
end

function thread_init()
   check_options()
   drv = sysbench.sql.driver()
   con = drv:connect()

   stmt, param = {}, {}
   for n = 1, sysbench.opt.tables do
      stmt[n], param[n] = {}, {}
   end
   prepare_statements()
end

-- Does not close the statements first: on PostgreSQL each close is a transaction, which the
-- statistics of the server would count as a part of the load.
function thread_done()
   con:disconnect()
end

return oltp
