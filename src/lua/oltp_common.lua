-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Shared code of the oltp_* and select_random_* scripts: options, commands, prepared statements and
-- the queries of a transaction. A script of your own starts with require("oltp_common"), prepares
-- the statements it needs in prepare_statements(), and executes them in event(). oltp_read_only.lua
-- is a good example to start from.
--
-- A script may define any of the global functions below again. The new function is then called in
-- place of the old one, here and in the bundled scripts.

if sysbench.cmdline.command == nil then
   error("Command is required. Supported commands: prepare, warmup, run, cleanup, help", 0)
end

local tables = require("table_schema")
local schema = require("oltp_schema")
local oltp = require("oltp_events")
local get_id, get_table_num = oltp.get_id, oltp.get_table_num
local format = string.format
local t = sysbench.sql.type

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
   mysql_storage_engine = {"Storage engine, if MySQL is used", "innodb"},
   pgsql_variant = {"Use this PostgreSQL variant when running with the PostgreSQL driver. The " ..
                    "only currently supported variant is 'redshift'. When enabled, " ..
                    "create_secondary is automatically disabled, and delete_inserts is set to 0"},
}

-- A script may drop options that it does not use. These options then have their defaults.
local defaults = {}
for name, row in pairs(sysbench.cmdline.options) do
   defaults[name] = row[2]
end
setmetatable(sysbench.opt, {__index = defaults})

local function check_options()
   oltp.check_minimum()
   tables.check_prepare_method()

   local variant = sysbench.opt.pgsql_variant or ""
   if variant == "redshift" then
      sysbench.opt.create_secondary = false
      sysbench.opt.delete_inserts = 0
   elseif variant ~= "" then
      tables.reject("pgsql_variant", variant, "redshift")
   end
end

-- Creates table n with all rows and indexes.
function create_table(driver, connection, n)
   schema.create_empty_table(driver, connection, n)
   schema.load_rows(connection, n, 1, sysbench.opt.table_size)
   schema.create_indexes(driver, connection, n)
end

local own_create_table = create_table

function cmd_prepare()
   check_options()
   if create_table == own_create_table then
      schema.prepare()
   else
      schema.prepare_with(create_table)
   end
end

function cmd_warmup()
   check_options()
   schema.warmup()
end

function cleanup()
   check_options()
   schema.drop()
end

local function prepare_command() cmd_prepare() end
local function warmup_command() cmd_warmup() end

sysbench.cmdline.commands = {
   prepare = {prepare_command, sysbench.cmdline.PARALLEL_COMMAND},
   warmup = {warmup_command, sysbench.cmdline.PARALLEL_COMMAND},
   prewarm = {warmup_command, sysbench.cmdline.PARALLEL_COMMAND},
}

-- Describes the tables for the check before a run. Tables of a script's own create_table() may
-- have other columns and indexes.
function sysbench.hooks.describe_tables()
   if create_table ~= own_create_table then
      return nil
   end
   local has_index = sysbench.opt.create_secondary and sysbench.opt.pgsql_variant ~= "redshift"
   return {name = "sbtest%d", tables = sysbench.opt.tables, rows = sysbench.opt.table_size,
           index = has_index and "k" or nil}
end

-- -------------------------------------------------------------------------------------------------
-- Values
-- -------------------------------------------------------------------------------------------------

local C_FORMAT, PAD_FORMAT = oltp.formats.get_c_value, oltp.formats.get_pad_value

function get_c_value()
   return sysbench.rand.string(C_FORMAT)
end

function get_pad_value()
   return sysbench.rand.string(PAD_FORMAT)
end

oltp.values.get_c_value, oltp.values.get_pad_value = get_c_value, get_pad_value

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

-- Deletes a row and inserts a new row with the same id.
function execute_delete_inserts()
   local n = get_table_num()
   local row = param[n].inserts
   for _ = 1, sysbench.opt.delete_inserts do
      local id = get_id()
      param[n].deletes[1]:set(id)
      stmt[n].deletes:execute()
      row[1]:set(id)
      row[2]:set(get_id())
      row[3]:set_rand_str(C_FORMAT)
      row[4]:set_rand_str(PAD_FORMAT)
      stmt[n].inserts:execute()
   end
end

-- -------------------------------------------------------------------------------------------------
-- Threads
-- -------------------------------------------------------------------------------------------------

local events = 0

-- Call this at the end of each event. With --connect-in-response the program reconnects, at another
-- time.
function check_reconnect()
   if sysbench.opt.reconnect == 0 or sysbench.opt.connect_in_response ~= "auto" then
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
   con = oltp.reads_only and sysbench.sql.reader() or drv:connect()

   stmt, param = {}, {}
   for n = 1, sysbench.opt.tables do
      stmt[n], param[n] = {}, {}
   end
   prepare_statements()
end

local own_close_statements = close_statements

-- Does not close the statements first, unless a script has its own close_statements(): on
-- PostgreSQL each close is a transaction, which the statistics of the server would count as a part
-- of the load.
function thread_done()
   if close_statements ~= own_close_statements then
      close_statements()
   end
   con:disconnect()
end

return oltp
