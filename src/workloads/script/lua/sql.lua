-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.sql: drivers, connections, statements, parameters and results on top of sql_api.h.
--
-- Objects are tables with a C pointer. The C side counts references, so the garbage collector may
-- free objects in any order. Each connection has one result object, which is reused for each result
-- set, so that executing a statement creates no garbage.
--
-- Error messages name the line of the script: level 2 is correct in functions that methods call as
-- `return f()`, because a tail call replaces its caller. Other functions add the levels in between.

local sysbench, ffi = ...
local C = ffi.C

local type, error, tostring, tonumber, select = type, error, tostring, tonumber, select
local getmetatable, setmetatable, rawget, unpack = getmetatable, setmetatable, rawget, unpack
local format, math_min = string.format, math.min
local HUGE, LONGEST = math.huge, 2 ^ 30

local sql = {}

sql.type = {
   NONE = 0, TINYINT = 1, SMALLINT = 2, INT = 3, BIGINT = 4, FLOAT = 5, DOUBLE = 6,
   TIME = 7, DATE = 8, DATETIME = 9, TIMESTAMP = 10, CHAR = 11, VARCHAR = 12,
}

sql.error = { NONE = 0, IGNORABLE = 1, FATAL = 2 }

local function class(name)
   local methods = {}
   local text = "<" .. name .. ">"
   local function to_string() return text end
   return methods, { __index = methods, __tostring = to_string, __metatable = text }
end

local driver, driver_mt = class("sql_driver")
local connection, connection_mt = class("sql_connection")
local statement, statement_mt = class("sql_statement")
local param, param_mt = class("sql_param")
local result, result_mt = class("sql_result")

-- Returns the C pointer of the object of a method. Scripts may call a method without its object, as
-- in con.query("SELECT 1"); C must not get a NULL pointer then.
local function handle_of(self)
   local handle = self.handle
   if not handle then
      error("a method was called without its object: a colon is needed, as in con:query()", 3)
   end
   return handle
end

-- Errors ------------------------------------------------------------------------------------------

local function describe_error(con)
   local handle = con.handle
   return {
      connection = con,
      query = ffi.string(C.sql_error_query(handle)),
      sql_errno = C.sql_error_code(handle),
      sql_state = ffi.string(C.sql_error_state(handle)),
      sql_errmsg = ffi.string(C.sql_error_message(handle)),
   }
end

local function is_ignorable(con, e)
   if C.sql_error_ignorable(con.handle) then return true end
   if C.sql_error_fatal(con.handle) then return false end
   local hook = sysbench.hooks.sql_error_ignorable
   return hook ~= nil and hook(e)
end

-- Restarts the event, or raises an error. Never returns. Call it as `return fail(con)`.
local function fail(con)
   if not C.sql_connected(con.handle) then
      error("attempt to use an already closed connection", 2)
   end
   local e = describe_error(con)
   if is_ignorable(con, e) then
      if C.sql_error_ignore(con.handle) then
         local hook = sysbench.hooks.before_restart_event
         if hook ~= nil then hook(e) end
         sysbench.error.RESTART_EVENT.cause = e
         error(sysbench.error.RESTART_EVENT)
      end
      e = describe_error(con)
   end
   C.sql_error_log(con.handle)
   error(format("SQL error, errno = %d, state = '%s': %s", e.sql_errno, e.sql_state,
      e.sql_errmsg), 2)
end

local function check_text(value, what)
   if type(value) ~= "string" then
      error(format("%s must be a string, not %s", what, type(value)), 3)
   end
end

-- Results -----------------------------------------------------------------------------------------

-- Returns the result of a call to the script. `status` is 1 if there is a result set, 0 if not, −1
-- if the call failed.
local function finish(con, status)
   if status > 0 then
      return con.result
   elseif status < 0 then
      return fail(con)
   end
   return nil
end

-- Returns the result of an executed statement. Without a result set, the result has no rows and no
-- fields.
local function executed(con, status)
   if status >= 0 then return con.result end
   return fail(con)
end

-- nrows and nfields are computed when a script reads them, because few scripts do.
function result_mt.__index(self, key)
   if key == "nrows" then
      return C.sql_rows(self.handle)
   elseif key == "nfields" then
      return C.sql_fields(self.handle)
   end
   return result[key]
end

-- Returns the row as an array of strings, with nil for NULL. Returns nil after the last row.
function result:fetch_row()
   local handle = handle_of(self)
   if not C.sql_fetch(handle) then return nil end
   local row = {}
   for i = 1, C.sql_fields(handle) do
      local text = C.sql_field(handle, i - 1)
      if text ~= nil then
         row[i] = ffi.string(text, C.sql_field_length(handle, i - 1))
      end
   end
   return row
end

function result:free()
   C.sql_free_result(handle_of(self))
end

-- Parameters --------------------------------------------------------------------------------------

local T = sql.type

local NAMES = {}
for name, number in pairs(T) do NAMES[number] = name end
NAMES[T.NONE] = nil

-- The smallest signed and the largest unsigned value of each type.
local INTEGERS = {
   [T.TINYINT] = { -0x80, 0xff },
   [T.SMALLINT] = { -0x8000, 0xffff },
   [T.INT] = { -0x80000000, 0xffffffff },
   [T.BIGINT] = { -2 ^ 63, 2 ^ 63 - 1024 }, -- doubles within the bounds
}
local NUMBERS = { [T.FLOAT] = true, [T.DOUBLE] = true }
local TIMES = { [T.TIME] = true, [T.DATE] = true, [T.DATETIME] = true, [T.TIMESTAMP] = true }
local LONGEST_TIME = 32 -- length of "2038-01-19 03:14:07.123456+00:00"
local EXACT = 2 ^ 53 -- integers below this are exact as Lua numbers

local int64, uint64 = ffi.typeof("int64_t"), ffi.typeof("uint64_t")

local function is_wide(value)
   return ffi.istype(int64, value) or ffi.istype(uint64, value)
end

-- Converts a string, 1LL or 1ULL to a Lua number if that is exact, otherwise to int64_t. Returns
-- nil for other values.
local function to_integer(value)
   local number = (type(value) == "string" or is_wide(value)) and tonumber(value)
   if not number or (number < EXACT and number > -EXACT) then
      return number or nil
   elseif ffi.istype(int64, value) or (is_wide(value) and value <= 0x7fffffffffffffffULL) then
      return int64(value)
   end
   return nil
end

-- These functions store a value that is not nil. They return false if the parameter cannot have the
-- value.

local function store_integer(self, value)
   local number = value
   if type(number) ~= "number" then number = to_integer(value) end
   if type(number) == "number" then
      if not (number >= self.min and number <= self.max) then return false end
   elseif number == nil or self.max < EXACT then
      return false
   end
   C.sql_param_int(self.handle, number)
   return true
end

local function store_number(self, value)
   if type(value) ~= "number" then
      value = (type(value) == "string" or is_wide(value)) and tonumber(value)
   end
   if not value then return false end
   C.sql_param_double(self.handle, value)
   return true
end

-- Text that is longer than the parameter is truncated, as in sysbench.
local function store_text(self, value)
   if type(value) == "number" then value = tostring(value) end
   return type(value) == "string" and C.sql_param_text(self.handle, value, math_min(#value, self.max_length))
end

local function refuse(self, value)
   local shown = type(value) == "string" and format("'%s'", value) or tostring(value)
   error(format("a parameter of type %s cannot be set to %s; allowed: %s", self.name, shown,
      self.allowed), 2)
end

-- nil is stored as NULL. Fractions of integers are truncated, as in C.
function param:set(value)
   if value == nil then
      C.sql_param_null(handle_of(self))
   elseif not self.store(self, value) then
      return refuse(self, value)
   end
end

-- Stores the text that sysbench.rand.string() would return, without creating a Lua string.
function param:set_rand_str(fmt)
   check_text(fmt, "the format")
   if self.buffer == nil or not C.sql_param_length(self.handle, #fmt) then
      return refuse(self, fmt)
   end
   C.sb_rand_str(fmt, self.buffer)
end

local function make_integer(self, number)
   self.min, self.max = INTEGERS[number][1], INTEGERS[number][2]
   self.store = store_integer
   self.allowed = format("whole numbers from %.0f to %.0f", self.min, self.max)
   if number == T.BIGINT then
      self.allowed = "whole numbers of 64 bits, as strings up to 2^53"
   end
end

local function make_text(self, number, max_length)
   max_length = max_length or (TIMES[number] and LONGEST_TIME)
   if type(max_length) ~= "number" or not (max_length >= 0 and max_length < LONGEST) then
      error(format("bind_create: a parameter of type %s needs its maximum length in bytes",
         self.name), 4)
   end
   self.max_length = max_length
   self.store = store_text
   self.allowed = format("strings of up to %d bytes", max_length)
end

local function new_param(number, max_length)
   local self = { name = NAMES[number] }
   if self.name == nil then
      error(format("bind_create: %s is not one of sysbench.sql.type", tostring(number)), 3)
   elseif INTEGERS[number] ~= nil then
      make_integer(self, number)
   elseif NUMBERS[number] then
      self.store, self.allowed = store_number, "numbers"
   else
      make_text(self, number, max_length)
   end
   self.handle = ffi.gc(C.sql_param_create(number, self.max_length or 0), C.sql_param_free)
   if self.max_length ~= nil then
      self.buffer = C.sql_param_buffer(self.handle) -- stored, because each pointer returned to Lua is garbage
   end
   return setmetatable(self, param_mt)
end

-- Statements --------------------------------------------------------------------------------------

local param_array = ffi.typeof("sql_param *[?]")

function statement:bind_create(number, max_length)
   return (new_param(number, max_length))
end

-- Parameters that are left out are NULL. Without arguments, the bound parameters stay.
function statement:bind_param(...)
   local count = select("#", ...)
   if count == 0 then return nil end
   local params = param_array(count)
   for i = 1, count do
      local p = select(i, ...)
      if getmetatable(p) ~= "<sql_param>" then
         error(format("bind_param: argument %d is no parameter made by bind_create()", i), 2)
      end
      params[i - 1] = p.handle
   end
   if C.sql_bind(handle_of(self), params, count) < 0 then
      error(format("the statement has %d parameters, %d are bound", C.sql_parameters(self.handle), count), 2)
   end
end

function statement:execute()
   local status = C.sql_execute(handle_of(self))
   if status > 0 then
      local rs = self.connection.result
      rs.statement = self -- drivers may keep the rows in the statement, so it must live as long as the result
      return rs
   elseif status < 0 then
      if self.closed then error("attempt to execute a closed statement", 2) end
   end
   return executed(self.connection, status)
end

function statement:next_result()
   return self.connection:next_result()
end

function statement:close()
   self.closed = true
   C.sql_close(handle_of(self))
end

-- Connections -------------------------------------------------------------------------------------

-- The error of the last statement; 0 and nil if it succeeded.
local error_fields = {
   sql_errno = function(handle) return C.sql_failed(handle) and C.sql_error_code(handle) or 0 end,
   sql_state = function(handle) return C.sql_failed(handle) and ffi.string(C.sql_error_state(handle)) or nil end,
   sql_errmsg = function(handle) return C.sql_failed(handle) and ffi.string(C.sql_error_message(handle)) or nil end,
}

function connection_mt.__index(self, key)
   local method = connection[key]
   if method ~= nil then return method end
   local field = error_fields[key]
   return field and field(self.handle)
end

-- `class` names the statement in the report of --report-sql. It is optional here and in prepare().
function connection:query(text, class)
   check_text(text, "a query")
   if class then C.sql_query_class(handle_of(self), class) end
   return executed(self, C.sql_query(handle_of(self), text, #text))
end

-- Returns the columns of the first row, or nothing if there are no rows.
function connection:query_row(text, class)
   check_text(text, "a query")
   if class then C.sql_query_class(handle_of(self), class) end
   local status = C.sql_query(handle_of(self), text, #text)
   if status <= 0 then return finish(self, status) end
   local rs = finish(self, status)
   local row, nfields = rs:fetch_row(), rs.nfields
   rs:free()
   if row == nil then return nil end
   return unpack(row, 1, nfields)
end

function connection:prepare(text, class)
   check_text(text, "a statement")
   local handle = C.sql_prepare(handle_of(self), text, #text)
   if handle == nil then
      return fail(self)
   end
   handle = ffi.gc(handle, C.sql_statement_free)
   if class then C.sql_statement_class(handle, class) end
   return setmetatable({ handle = handle, connection = self }, statement_mt)
end

local PREPARED_MAX = 256

-- Returns the statement of execute() with this text, and prepares it the first time. Returns nil if
-- that fails. If PREPARED_MAX statements are prepared, a new one replaces the oldest one.
local function prepared(con, text)
   local cache = rawget(con, "prepared") or { statement = {}, texts = {}, place = 1 } -- `texts` is a ring
   local stmt = cache.statement[text]
   if stmt then return stmt end
   local handle = C.sql_prepare(handle_of(con), text, #text)
   if handle == nil then return nil end
   local place = cache.place
   local oldest = cache.texts[place]
   if oldest then
      cache.statement[oldest]:close()
      cache.statement[oldest] = nil
   end
   stmt = setmetatable({ handle = ffi.gc(handle, C.sql_statement_free), connection = con, params = {} }, statement_mt)
   cache.texts[place], cache.statement[text], cache.place = text, stmt, place % PREPARED_MAX + 1
   con.prepared = cache
   return stmt
end

-- Returns the type of a parameter for the value, or nil if no parameter can have it. Small numbers
-- are INT, because functions of PostgreSQL such as repeat() do not accept a BIGINT.
local function type_for(value)
   if type(value) == "number" then
      if value % 1 ~= 0 or value >= EXACT or value <= -EXACT then return T.DOUBLE end
      return value < 2 ^ 31 and value >= -2 ^ 31 and T.INT or T.BIGINT
   elseif type(value) == "string" or value == nil then
      return T.VARCHAR
   end
   return is_wide(value) and T.BIGINT or nil
end

-- Returns true if the parameter can have the value, whose type type_for() has returned. Wide
-- parameters also take narrower numbers, so that the type does not change with each value.
local function suits(p, value, kind)
   if p == nil or value == nil then return p ~= nil end
   if kind == T.VARCHAR then return p.max_length ~= nil and #value <= p.max_length end
   return p.number == kind or (p.number == T.BIGINT and kind == T.INT) or
      (p.number == T.DOUBLE and type(value) == "number")
end

-- Sets parameter i of the statement. Returns false if no parameter can have the value.
local function assign(stmt, i, value)
   local kind, p = type_for(value), stmt.params[i]
   if kind == nil then return false end
   if not suits(p, value, kind) then
      local room = 64
      while kind == T.VARCHAR and value ~= nil and room < #value do room = room * 2 end
      p = new_param(kind, kind == T.VARCHAR and room or nil)
      p.number = kind
      stmt.params[i], stmt.bound = p, false
   end
   p:set(value)
   return true
end

-- Executes a statement with values for its parameters. The statement stays prepared for the next
-- call with the same text.
function connection:execute(text, ...)
   check_text(text, "a statement")
   local stmt, count = prepared(self, text), select("#", ...)
   if stmt == nil then return fail(self) end
   if C.sql_parameters(stmt.handle) ~= count then
      error(format("execute: the statement has %d parameters, but %d values are given",
         C.sql_parameters(stmt.handle), count), 2)
   end
   for i = 1, count do
      local value = select(i, ...)
      if not assign(stmt, i, value) then
         error(format("execute: value %d is a %s (allowed: numbers, strings, nil)", i, type(value)), 2)
      end
   end
   if not stmt.bound then
      stmt:bind_param(unpack(stmt.params, 1, count))
      stmt.bound = true
   end
   return stmt:execute()
end

-- Ends a method that returns nothing. `status` is negative if it failed.
local function ended(self, status)
   if status < 0 then return fail(self) end
end

function connection:bulk_insert_init(text)
   check_text(text, "a bulk insert")
   return ended(self, C.sql_bulk_init(handle_of(self), text, #text))
end

local BULK_NOT_BEGUN = -2

function connection:bulk_insert_next(text)
   check_text(text, "a row")
   local status = C.sql_bulk_next(handle_of(self), text, #text)
   if status == BULK_NOT_BEGUN then
      error("db_bulk_insert_next() failed", 2)
   elseif status < 0 then
      return fail(self)
   end
end

-- Without a previous bulk_insert_init(), does nothing: scripts call this in thread_done(), also in
-- threads without any event.
function connection:bulk_insert_done()
   return ended(self, C.sql_bulk_done(handle_of(self)))
end

-- Loads rows into a table in the fastest way that the database supports. Call load_begin("t", "id,
-- c" [, "auto"|"insert"|"load"]), then for each row the functions for its fields and load_row(),
-- and finally load_done().
function connection:load_begin(table, columns, method)
   check_text(table, "a table's name")
   check_text(columns, "a list of columns")
   method = method or "auto"
   if method ~= "auto" and method ~= "insert" and method ~= "load" then
      error(format("load_begin: the method '%s' is not one of auto, insert, load", tostring(method)), 2)
   end
   return ended(self, C.sql_load_begin(handle_of(self), table, columns, method))
end

function connection:load_int(value)
   local number = tonumber(value)
   if not (number and number > -HUGE and number < HUGE) then
      error(format("load_int: %s is no finite number", tostring(value)), 2)
   end
   return ended(self, C.sql_load_int(handle_of(self), number))
end

function connection:load_text(text)
   check_text(text, "a text to load")
   return ended(self, C.sql_load_text(handle_of(self), text, #text))
end

function connection:load_null()
   return ended(self, C.sql_load_null(handle_of(self)))
end

-- Random strings are written directly, without creating Lua strings.
local string_buffer, string_room = ffi.new("char[?]", 256), 256

local function reserve(bytes)
   if bytes > string_room then
      string_buffer, string_room = ffi.new("char[?]", bytes), bytes
   end
end

-- Adds a string like that of sysbench.rand.alnum().
function connection:load_rand_alnum(min, max)
   min, max = tonumber(min), tonumber(max)
   if not (min and max and min >= 0 and min <= max and max < LONGEST) then
      error(format("load_rand_alnum: 0 <= min <= max < %.0f must hold", LONGEST), 2)
   end
   reserve(max + 1)
   if C.sql_load_text(handle_of(self), string_buffer, C.script_rand_alnum(string_buffer, min, max)) < 0 then
      return fail(self)
   end
end

-- Adds a string in the format of sysbench.rand.string().
function connection:load_rand_str(fmt)
   check_text(fmt, "the format")
   reserve(#fmt + 1)
   C.sb_rand_str(fmt, string_buffer)
   return ended(self, C.sql_load_text(handle_of(self), string_buffer, #fmt))
end

function connection:load_row()
   return ended(self, C.sql_load_row(handle_of(self)))
end

function connection:load_done()
   return ended(self, C.sql_load_done(handle_of(self)))
end

function connection:more_results()
   return C.sql_more_results(handle_of(self))
end

function connection:next_result()
   return finish(self, C.sql_next_result(handle_of(self)))
end

function connection:disconnect()
   C.sql_disconnect(handle_of(self))
end

function connection:reconnect()
   if C.sql_reconnect(handle_of(self)) < 0 then
      error("reconnection failed", 2)
   end
end

-- Drivers -----------------------------------------------------------------------------------------

function driver:name()
   return ffi.string(C.sql_driver_name(handle_of(self)))
end

local function connected(self, handle)
   if handle == nil then
      error("connection creation failed", 2)
   end
   handle = ffi.gc(handle, C.sql_connection_free)
   local rs = setmetatable({ handle = handle }, result_mt)
   return setmetatable({ handle = handle, driver = self, result = rs }, connection_mt)
end

function driver:connect()
   return connected(self, C.sql_connect(handle_of(self)))
end

-- `name` is the name of a compiled-in driver; the default is --db-driver.
function sql.driver(name)
   local handle = C.sql_driver_open(name)
   if handle == nil then
      error("failed to initialize the DB driver", 2)
   end
   return setmetatable({ handle = handle }, driver_mt)
end

-- Returns a connection for read-only transactions: a new one to a host of --read-hosts. Without this
-- option returns `con`, or a new connection if `con` is nil.
function sql.reader(con)
   if con ~= nil and getmetatable(con) ~= connection_mt.__metatable then error("reader needs a connection, or nothing", 2) end
   local drv = con and con.driver or sql.driver()
   if con and not C.sql_has_read_hosts(handle_of(drv)) then return con end
   return connected(drv, C.sql_connect_reader(handle_of(drv)))
end

return sql
