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

-- A script that catches an error finds here what to compare; one that raises it again, or raises an
-- error with this code, has its event restarted.
sysbench.error.RESTART_EVENT.errcode = DB_ERROR_RESTART_TRANSACTION

-- Options that scripts use without a default of their own.
local DEFAULTS = {mysql_table_engine = "innodb", myisam_max_rows = 1000000}

local exported = {}

-- Functions and libraries keep their names (help, debug).
local function is_free(name)
   local present = rawget(_G, name)
   return present == exported[name] or (type(present) ~= "function" and type(present) ~= "table")
end

-- Makes every option a global, "-" as "_". Those that the script does not declare, all of its own,
-- are strings.
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

-- Bounds are often options, and so text.
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

-- Larger than any range that is not much larger, and each is prime: one of them has no factor in
-- common with a range, so that steps of that length visit the whole range before they come back.
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

-- Whole numbers from a to b, none twice until all threads together have drawn as many as there are.
-- Without a range: 32 bits.
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

-- The functions below call methods as `return f()`, so that errors name the line of the script.

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

-- `values` is an array of numbers and strings. It is read again by each db_execute().
function db_bind_param(stmt, values)
   local params = {}
   for i, value in ipairs(values) do
      params[i] = new_param(stmt, value)
   end
   stmt:bind_param(unpack(params))
   stmt.legacy_params, stmt.legacy_values = params, values
end

-- Results are read with :fetch_row() of what db_execute() and db_query() return.
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

-- Results are always stored.
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

-- What opens the connection.
local DATABASE = "db_connect db_query db_bulk_insert_init db_bulk_insert_next db_prepare"

local getinfo, getupvalue = debug.getinfo, debug.getupvalue

-- Whether a function, or one that it has as a local, uses the database; `seen` were looked at before.
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

-- Workers are connected before the run begins, if the script uses the database at all. `reads` is what legacy_detect.lua returns.
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
