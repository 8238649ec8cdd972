-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Shared code of the scripts in this folder: options, tables, commands. They use the interface of
-- sysbench 0.5 (docs/legacy.md) and its option names. Write new workloads like
-- ../oltp_read_only.lua instead.
--
-- Options are global variables: strings if they were given, otherwise nil. set_vars() sets the
-- defaults.

local tables = require("table_schema")

local DEFAULTS = {
   oltp_table_size = 10000,
   oltp_tables_count = 1,
   oltp_range_size = 100,
   oltp_point_selects = 10,
   oltp_simple_ranges = 1,
   oltp_sum_ranges = 1,
   oltp_order_ranges = 1,
   oltp_distinct_ranges = 1,
   oltp_index_updates = 1,
   oltp_non_index_updates = 1,
   oltp_delete_inserts = 1,
   oltp_range_selects = true,
   oltp_read_only = false,
   oltp_skip_trx = false,
   oltp_auto_inc = true,
   oltp_secondary = false,
   oltp_create_secondary = true,
   oltp_test_mode = "complex",
   mysql_table_engine = "innodb",
   mysql_table_options = "",
   random_points = 10,
   number_of_ranges = 10,
   delta = 5,
}

local SWITCH = {["on"] = true, ["true"] = true, ["1"] = true, [""] = true,
                ["off"] = false, ["false"] = false, ["0"] = false}

local function reject(name, value, allowed)
   local option = name:gsub("_", "-")
   error(("invalid value for --%s: '%s' (allowed: %s)"):format(option, value, allowed), 0)
end

-- Converts the value of an option to the type of its default.
local function typed(name, value, default)
   local result = value
   if type(default) == "number" then
      result = tonumber(value)
      if not result or result < 0 or result % 1 ~= 0 then
         reject(name, value, "a whole number, at least 0")
      end
   elseif type(default) == "boolean" and type(value) ~= "boolean" then
      result = SWITCH[value]
      if result == nil then
         reject(name, value, "on, off")
      end
   end
   return result
end

local warned = {}

local function is_unknown(name, value)
   return name:find("^oltp_") and type(value) == "string" and DEFAULTS[name] == nil
end

-- Warns of options that are unknown (misspelled, or known to older releases only), because they
-- have no effect.
local function warn_of_unknown()
   for name, value in pairs(_G) do
      if is_unknown(name, value) and not warned[name] then
         warned[name] = true
         local option = name:gsub("_", "-")
         io.stderr:write(("WARNING: --%s=%s has no effect in this test\n"):format(option, value))
      end
   end
end

function set_vars()
   if thread_id == 0 then
      warn_of_unknown()
   end
   for name, default in pairs(DEFAULTS) do
      local value = _G[name]
      if value == nil then
         _G[name] = default
      else
         _G[name] = typed(name, value, default)
      end
   end
   if oltp_test_mode ~= "complex" and oltp_test_mode ~= "simple" then
      reject("oltp-test-mode", oltp_test_mode, "complex, simple")
   end
   if oltp_table_size < 1 or oltp_tables_count < 1 then
      reject("oltp-table-size or --oltp-tables-count", 0, "a whole number, at least 1")
   end
end

function help()
   local names = {}
   for name in pairs(DEFAULTS) do
      names[#names + 1] = name
   end
   table.sort(names)
   for _, name in ipairs(names) do
      local default = DEFAULTS[name]
      if type(default) == "boolean" then
         default = default and "on" or "off"
      end
      print(("  --%s [%s]"):format(name:gsub("_", "-"), default))
   end
end

-- Values ------------------------------------------------------------------------------------------

local GROUP = "###########"
local C_FORMAT = GROUP .. ("-" .. GROUP):rep(9)
local PAD_FORMAT = GROUP .. ("-" .. GROUP):rep(4)

function get_c_value()
   return sb_rand_str(C_FORMAT)
end

function get_pad_value()
   return sb_rand_str(PAD_FORMAT)
end

function get_id()
   return sb_rand(1, oltp_table_size)
end

function get_table_name()
   return "sbtest" .. sb_rand_uniform(1, oltp_tables_count)
end

-- Returns a signed 32-bit id that no other thread draws and that is not the id of a loaded row.
function get_new_id()
   local id
   repeat
      id = sb_rand_uniq()
      if id > 2147483647 then
         id = id - 4294967296
      end
   until id < 1 or id > oltp_table_size
   return id
end

-- Tables ------------------------------------------------------------------------------------------

local function id_column()
   if db_driver == "mysql" then
      return "INTEGER NOT NULL" .. (oltp_auto_inc and " AUTO_INCREMENT" or "")
   end
   return "INTEGER NOT NULL"
end

local function create_table(n)
   local key = oltp_secondary and "" or ",\n  PRIMARY KEY (id)"
   if oltp_secondary and db_driver == "mysql" then
      key = ",\n  KEY xid (id)"
   end
   local engine = db_driver == "mysql" and "ENGINE = " .. mysql_table_engine or ""
   db_query(([[
CREATE TABLE sbtest%d (
  id %s,
  k INTEGER DEFAULT 0 NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL%s
) %s %s]]):format(n, id_column(), key, engine, mysql_table_options))
end

-- Ids are given without gaps. The server might leave out ids, and updates of these would change
-- nothing.
local function load_rows(n)
   db_bulk_insert_init(("INSERT INTO sbtest%d (id, k, c, pad) VALUES"):format(n))
   for id = 1, oltp_table_size do
      db_bulk_insert_next(("(%d, %d, '%s', '%s')")
                             :format(id, get_id(), get_c_value(), get_pad_value()))
   end
   db_bulk_insert_done()
end

function create_insert(n)
   print(("Creating table 'sbtest%d'..."):format(n))
   create_table(n)
   print(("Inserting %d records into 'sbtest%d'"):format(oltp_table_size, n))
   load_rows(n)
   if oltp_secondary and db_driver ~= "mysql" then
      db_query(("CREATE INDEX xid_%d ON sbtest%d (id)"):format(n, n))
   end
   if oltp_create_secondary then
      db_query(("CREATE INDEX k_%d ON sbtest%d (k)"):format(n, n))
   end
end

-- Commands ----------------------------------------------------------------------------------------

function prepare()
   set_vars()
   for n = 1, oltp_tables_count do
      create_insert(n)
   end
end

function cleanup()
   set_vars()
   tables.drop("sbtest", oltp_tables_count)
end

-- Describes the tables for the check before a run.
function sysbench.hooks.describe_tables()
   set_vars()
   return {name = "sbtest%d", tables = oltp_tables_count, rows = oltp_table_size,
           index = oltp_create_secondary and "k" or nil}
end

function thread_init()
   set_vars()
end
