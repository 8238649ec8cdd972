-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The globals of scripts for sysbench 0.4.12 and 0.5, on top of sysbench.sql and sysbench.rand: one
-- connection per thread, opened when first used, and functions that take no connection.
-- docs/legacy.md describes them.
local sysbench = ...

local rand = sysbench.rand
local M = {}

-- Facts -------------------------------------------------------------------------------------------

test = sysbench.cmdline.script_path
thread_id = sysbench.tid
num_threads = sysbench.opt.threads
db_driver = sysbench.opt.db_driver

DB_ERROR_NONE = 0
DB_ERROR_RESTART_TRANSACTION = 1
DB_ERROR_FAILED = 2

-- Scripts compare the code of a caught error with this one. An error with this code restarts the
-- event.
sysbench.error.RESTART_EVENT.errcode = DB_ERROR_RESTART_TRANSACTION

-- Defaults of options that scripts use without declaring a default.
local DEFAULTS = {mysql_table_engine = "innodb", myisam_max_rows = 1000000}

local exported = {}

-- Returns true if the name may become a global: functions and libraries (help, debug) keep their
-- names.
local function is_free(name)
   local present = rawget(_G, name)
   return present == exported[name] or (type(present) ~= "function" and type(present) ~= "table")
end

-- Sets a global for each option; "-" is replaced by "_" in the name. If the script declares no
-- options, all its options are strings.
function M.export_options()
   for name, value in pairs(DEFAULTS) do
      if rawget(_G, name) == nil then
         rawset(_G, name, value)
      end
   end
   for name, value in pairs(sysbench.opt) do
      if is_free(name) then
         rawset(_G, name, value)
         exported[name] = value
      end
   end
end

-- Random numbers ----------------------------------------------------------------------------------

-- Bounds of random numbers are often options, and therefore strings.
local function with_text(draw)
   return function(a, b)
      return draw(tonumber(a) or a, tonumber(b) or b)
   end
end

sb_rand = with_text(rand.default)
sb_rand_uniform = with_text(rand.uniform)
sb_rand_gaussian = with_text(rand.gaussian)
sb_rand_special = with_text(rand.special)
sb_rand_pareto = with_text(rand.pareto)
sb_rand_str = rand.string

function sb_rnd()
   return rand.uniform(0, 2 ^ 31 - 2)
end

-- Primes larger than the usual ranges. At least one of them has no common factor with a given
-- range, so that steps of this length visit all numbers of the range before the first one repeats.
local STEPS = {1000003, 1000033, 1000037, 1000039}

local function divides(a, b)
   return b % a == 0
end

local function step_for(span)
   for _, prime in ipairs(STEPS) do
      if not divides(prime, span) then
         return prime
      end
   end
   return 1
end

local turn = 0

-- Returns integers from a to b. No number repeats until all threads together have drawn as many
-- numbers as the range has. Without a range, returns a random 32-bit integer.
function sb_rand_uniq(a, b)
   if a == nil then
      return rand.unique()
   end
   local span = b - a + 1
   local place = (turn * sysbench.opt.threads + sysbench.tid) % span
   turn = turn + 1
   return a + place * step_for(span) % span
end

-- Connection --------------------------------------------------------------------------------------

local con

-- The functions below call methods as `return f()`, so that error messages name the line of the
-- script.

function db_connect()
   con = con or sysbench.sql.driver():connect()
end

function db_disconnect()
   if con then
      con:disconnect()
      con = nil
   end
end

local function connected()
   db_connect()
   return con
end

function db_query(text)
   return connected():query(text)
end

function db_bulk_insert_init(text)
   return connected():bulk_insert_init(text)
end

function db_bulk_insert_next(text)
   return connected():bulk_insert_next(text)
end

function db_bulk_insert_done()
   return connected():bulk_insert_done()
end

-- Statements and results --------------------------------------------------------------------------

local BIGINT, CHAR = sysbench.sql.type.BIGINT, sysbench.sql.type.CHAR
local TEXT_BYTES = 255 -- room for values that grow after they were bound

function db_prepare(text)
   return connected():prepare(text)
end

local function new_param(stmt, value)
   if type(value) == "number" then
      return stmt:bind_create(BIGINT)
   elseif type(value) == "string" then
      return stmt:bind_create(CHAR, math.max(#value, TEXT_BYTES))
   end
   error("Unsupported variable type: " .. type(value), 3)
end

-- `values` is an array of numbers and strings. Each db_execute() reads it again.
function db_bind_param(stmt, values)
   local params = {}
   for i, value in ipairs(values) do
      params[i] = new_param(stmt, value)
   end
   stmt:bind_param(unpack(params))
   stmt.legacy_params, stmt.legacy_values = params, values
end

-- Does nothing: results are read by the method fetch_row() of the result of db_execute() or
-- db_query().
function db_bind_result()
end

function db_execute(stmt)
   local params = stmt.legacy_params
   if params then
      local values = stmt.legacy_values
      for i = 1, #params do
         params[i]:set(values[i])
      end
   end
   return stmt:execute()
end

-- Does nothing: results are always stored.
function db_store_results()
end

function db_free_results(result)
   if result then
      result:free()
   end
end

function db_close(stmt)
   return stmt:close()
end

-- Names of the functions that open the connection.
local DATABASE = "db_connect db_query db_bulk_insert_init db_bulk_insert_next db_prepare"

local getinfo, getupvalue = debug.getinfo, debug.getupvalue

-- Returns true if a function, or another function that it uses as a local variable, uses the
-- database. `seen` has the functions checked before.
local function uses_database(fn, reads, seen)
   if type(fn) ~= "function" or seen[fn] or getinfo(fn, "S").what == "C" then
      return false
   end
   seen[fn] = true
   local i, found = 0, reads(fn, DATABASE)
   repeat
      i = i + 1
      local name, value = getupvalue(fn, i)
      found = found or uses_database(value, reads, seen)
   until found or not name
   return found
end

local before_script = {}
for _, value in pairs(_G) do
   before_script[value] = true
end

local function script_uses_database(reads)
   for _, value in pairs(_G) do
      if uses_database(value, reads, before_script) then
         return true
      end
   end
   return false
end

-- Connects workers before the run begins, if the script uses the database. `reads` is the result of
-- legacy_detect.lua.
function M.body_done(reads)
   M.export_options()
   if not script_uses_database(reads) then
      return
   end
   local script_thread_init = thread_init
   function thread_init(id)
      db_connect()
      if script_thread_init then
         return script_thread_init(id)
      end
   end
end

return M
