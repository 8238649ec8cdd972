-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The parts from which the bundled oltp_* scripts make their events. They rely only on the globals
-- that oltp_common defines, so that they also work with a user's own oltp_common.lua, and with
-- scripts that define some of these globals again.

local tables = require("table_schema")
local schema = require("oltp_schema")
local format = string.format
local t = sysbench.sql.type

-- require("oltp_common") returns this table, too.
local oltp = {}

-- A script whose events only read sets oltp.reads_only = true: they go to --read-hosts.

-- Formats of the texts of a row: c has 10 groups of 11 digits, pad has 5 groups.
oltp.formats = {
   get_c_value = ("###########-"):rep(9) .. "###########",
   get_pad_value = ("###########-"):rep(4) .. "###########",
}

-- The functions of oltp_common that return these texts.
oltp.values = {}

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

-- A script may declare one of the options with another type, which has no minimum.
function oltp.check_minimum()
   for name, minimum in pairs(oltp.minimum) do
      if type(sysbench.opt[name]) == "number" and sysbench.opt[name] < minimum then
         tables.reject(name, sysbench.opt[name], "a whole number, at least " .. minimum)
      end
   end
end

function oltp.get_table_num()
   return sysbench.rand.uniform(1, sysbench.opt.tables)
end

function oltp.get_id()
   return sysbench.rand.default(1, sysbench.opt.table_size)
end

-- Prepares a statement. `types` has the type of each parameter, either a type or {type, length}.
-- Returns the statement and the list of its parameters.
function oltp.prepare(text, types, class)
   local statement = con:prepare(text, class)
   return statement, tables.bind_parameters(statement, types)
end

-- Call this at the end of each event. An oltp_common.lua that was written for sysbench 1.0 has no
-- check_reconnect().
function oltp.check_reconnect()
   if check_reconnect then
      check_reconnect()
   end
end

-- -------------------------------------------------------------------------------------------------
-- Transactions of oltp_read_only, oltp_write_only and oltp_read_write
-- -------------------------------------------------------------------------------------------------

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

-- -------------------------------------------------------------------------------------------------
-- Single statements
-- -------------------------------------------------------------------------------------------------

-- Executes a statement that has an id as its only parameter, `count` times on one table.
function oltp.execute_by_id(name, count)
   local n = oltp.get_table_num()
   local statement, id = stmt[n][name], param[n][name][1]
   for _ = 1, count do
      id:set(oltp.get_id())
      statement:execute()
   end
end

local NEW_ROW = {t.BIGINT, t.BIGINT, {t.CHAR, 120}, {t.CHAR, 60}}

-- Prepares the statements of oltp.insert_row().
function oltp.prepare_new_rows()
   local name, text, types = "inserts", "INSERT INTO sbtest%u (id, k, c, pad) VALUES (?, ?, ?, ?)", NEW_ROW
   if schema.database_makes_ids(drv:name()) then
      name, text, types = "auto_inserts", schema.dialect(drv).auto_insert, {unpack(NEW_ROW, 2)}
   end
   for n = 1, sysbench.opt.tables do
      stmt[n][name], param[n][name] = oltp.prepare(format(text, n), types, name)
   end
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

-- Sets a parameter to a text of the script's own function, which is given by its name. Texts of
-- oltp_common's functions are made without Lua strings.
local function set_text(text, name)
   if _G[name] == oltp.values[name] then
      text:set_rand_str(oltp.formats[name])
   else
      text:set(_G[name]())
   end
end

local function set_row(k, c, pad)
   k:set(oltp.get_id())
   set_text(c, "get_c_value")
   set_text(pad, "get_pad_value")
end

-- Inserts a row with an unused id.
function oltp.insert_row()
   local n = oltp.get_table_num()
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

return oltp
