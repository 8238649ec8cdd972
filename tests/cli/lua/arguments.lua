-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Calls each function of the interface for scripts with values that it does not expect: missing, negative, huge and
-- fractional ones, no numbers, and values of other types. Each call must return or raise an error. An address
-- sanitizer, or a crash, shows calls that write or read where they must not.
--
-- "sysrate arguments.lua everything" calls the functions in the main state, "run" calls them in a worker. Prints the names
-- of the functions, for a comparison with the documentation.

local NAN, INF = 0 / 0, 1 / 0
local VALUES = {
   -1, 0, 1, 2, 3.9, -0.5, 7, 255, 256, 257, 2 ^ 31 - 1, 2 ^ 31, 2 ^ 32 - 1, 2 ^ 32, 2 ^ 53, 2 ^ 63, 2 ^ 64, 1e300, -2 ^ 31, -1e300,
   NAN, INF, -INF, "", "x", "3", "-1", "###@@@", "a\0b#", ("#"):rep(70000), true, false, {}, print, 1LL, -1LL, 2ULL ^ 63,
   ffi.new("char[4]"), newproxy(),
}
local COUNT = 40 -- VALUES[COUNT] is nil

local called = {}
local failures = 0

-- Prints the name before the calls, so that it is known which function ends the program.
local function note(name)
   if not called[name] then
      called[name] = true
      print("called " .. name)
      io.flush()
   end
end

-- Calls the function without an answer that counts. An error value must be a text that names something.
local function call(name, fn, ...)
   local ok, err = pcall(fn, ...)
   if not ok and type(err) ~= "string" and err ~= sysbench.error.RESTART_EVENT then
      failures = failures + 1
      print(("%s: an error of type %s"):format(name, type(err)))
   end
end

-- Calls the function with all pairs of values after the arguments `...`, which are usually its object.
local function abuse(name, fn, arity, ...)
   note(name)
   local first = select("#", ...)
   local args = {...}
   call(name, fn, ...)
   for i = 1, arity > 0 and COUNT or 0 do
      args[first + 1] = VALUES[i]
      call(name, fn, unpack(args, 1, first + 1))
      for j = 1, arity > 1 and COUNT or 0 do
         args[first + 2] = VALUES[j]
         call(name, fn, unpack(args, 1, first + 2))
         if arity > 2 then
            args[first + 3] = VALUES[(i * 7 + j * 3) % COUNT + 1]
            call(name, fn, unpack(args, 1, first + 3))
         end
      end
   end
end

-- Calls a method with objects that are no objects, as in con.query("SELECT 1").
local function abuse_object(name, fn)
   for i = 1, COUNT do
      call(name, fn, VALUES[i])
      call(name, fn, VALUES[i], "x")
      call(name, fn, VALUES[i], 1, 1)
   end
end

local function abuse_methods(title, object, arities)
   for method, arity in pairs(arities) do
      local name = title .. ":" .. method
      abuse(name, object[method], arity, object)
      abuse_object(name, object[method])
   end
end

local function abuse_cmdline()
   abuse("cmdline.print_test_options", sysbench.cmdline.print_test_options, 1)
end

local function abuse_random_numbers()
   for name, arity in pairs {
      default = 2, uniform = 2, gaussian = 2, special = 2, pareto = 2, zipfian = 2, unique = 1, uniform_uint64 = 1,
      uniform_double = 1, string = 1, varstring = 2, alnum = 2, stream = 1,
   } do
      abuse("rand." .. name, sysbench.rand[name], arity)
   end
   sysbench.rand.stream()
end

local function abuse_histograms()
   abuse("histogram.new", sysbench.histogram.new, 3)
   local histogram = sysbench.histogram.new(3, 1, 10)
   abuse_methods("histogram", histogram, {update = 1})
   note("histogram:print")
   abuse_object("histogram:print", histogram.print)
end

local function abuse_clock()
   abuse("sysbench.clock", sysbench.clock, 1)
   abuse("sysbench.quality", sysbench.quality, 2)
   abuse("sysbench.sleep", function(seconds)
      local sleeps = type(seconds) == "number" and seconds > 0 and seconds <= 3600
      if not sleeps then sysbench.sleep(seconds) end
   end, 1)
end

-- Functions of an event.
local function abuse_events()
   abuse("sysbench.event_type", sysbench.event_type, 1)
   abuse("sysbench.tally", sysbench.tally, 2)
   for i = 1, COUNT do
      for j = 1, COUNT do call("sysbench.tally", sysbench.tally, "tally", VALUES[i], VALUES[j]) end
   end
   abuse("sysbench.defer", sysbench.defer, 3)
   abuse("terminals.populate", sysbench.terminals.populate, 2)
   abuse("terminals.current", sysbench.terminals.current, 1)
   abuse("terminals.pause", sysbench.terminals.pause, 3)
   abuse("session.number", sysbench.session.number, 1)
   abuse("session.event_index", sysbench.session.event_index, 1)
   abuse("session.is_last", sysbench.session.is_last, 1)
end

-- Functions of C that scripts may use. Buffers are theirs, so their sizes are not wrong here.
local function abuse_c()
   local C, buffer = ffi.C, ffi.new("char[300]")
   for _, name in ipairs {"default", "uniform", "gaussian", "special", "pareto", "zipfian"} do
      abuse("sb_rand_" .. name, C["sb_rand_" .. name], 2)
   end
   abuse("sb_rand_unique", C.sb_rand_unique, 1)
   abuse("sb_rand_uniform_uint64", C.sb_rand_uniform_uint64, 1)
   abuse("sb_rand_uniform_double", C.sb_rand_uniform_double, 1)
   abuse("sb_counter_inc", C.sb_counter_inc, 2)
   abuse("sb_rand_str", function(format) C.sb_rand_str(format, ffi.new("char[?]", type(format) == "string" and #format + 1 or 1)) end, 1)
   call("sb_rand_str", C.sb_rand_str, "##", nil)
   call("sb_rand_varstr", C.sb_rand_varstr, nil, 1, 2)
   abuse("sb_rand_varstr", function(min, max)
      if tonumber(max) and tonumber(max) >= 0 and tonumber(max) < 300 then C.sb_rand_varstr(buffer, min, max) end
   end, 2)
end

-- Functions that end an event or take the next one, which is only possible in a worker.
local function abuse_loop()
   for _, name in ipairs {"sb_event_start", "sb_event_stop", "sb_more_events"} do
      note(name)
      for i = 1, COUNT do call(name, ffi.C[name], VALUES[i]) end
   end
end

local function abuse_params(stmt)
   abuse_methods("stmt", stmt, {bind_create = 2, bind_param = 3, execute = 1, next_result = 1})
   for name, number in pairs(sysbench.sql.type) do
      local ok, param = pcall(stmt.bind_create, stmt, number, 8)
      if ok then
         abuse("param:set", param.set, 1, param)
         abuse("param:set_rand_str", param.set_rand_str, 1, param)
         stmt:bind_param(param, param)
         call("stmt:execute", stmt.execute, stmt)
         abuse_object("param:set", param.set)
         abuse_object("param:set_rand_str", param.set_rand_str)
      else
         assert(name == "NONE", name)
      end
      stmt:bind_param(stmt:bind_create(sysbench.sql.type.INT), stmt:bind_create(sysbench.sql.type.INT))
   end
end

local function abuse_loading(con)
   -- Before load_begin(), then within a load, and with a number of fields that no row has.
   local fields = {load_int = 1, load_text = 1, load_null = 1, load_rand_alnum = 2, load_rand_str = 1, load_row = 1}
   abuse_methods("con", con, fields)
   for _, method in ipairs {"auto", "insert", "load"} do
      if pcall(con.load_begin, con, "t", "a, b", method) then
         abuse_methods("con", con, fields)
         call("con:load_done", con.load_done, con)
      end
   end
   abuse_methods("con", con, {load_begin = 3, load_done = 1})
   abuse_methods("con", con, {bulk_insert_next = 1, bulk_insert_init = 1, bulk_insert_done = 1})
   con:bulk_insert_init("INSERT INTO t VALUES")
   abuse_methods("con", con, {bulk_insert_next = 1, bulk_insert_done = 1})
end

local function abuse_sql()
   abuse("sql.driver", sysbench.sql.driver, 1)
   abuse("sql.reader", sysbench.sql.reader, 1)
   local drv = sysbench.sql.driver()
   abuse_methods("driver", drv, {name = 1})
   note("driver:connect")
   abuse_object("driver:connect", drv.connect)
   local con = drv:connect()
   con:query("CREATE TABLE IF NOT EXISTS t (a INTEGER, b VARCHAR(80))")
   abuse_methods("con", con, {query = 2, query_row = 2, prepare = 2, execute = 2, more_results = 1, next_result = 1})
   abuse("con:execute with values", con.execute, 2, con, "SELECT ?, ?")
   local stmt = con:prepare("SELECT ?, ?")
   abuse_params(stmt)
   local result = con:query("SELECT 1, 2")
   abuse_methods("result", result, {fetch_row = 1, free = 1})
   abuse_loading(con)
   abuse_methods("stmt", stmt, {close = 1})
   abuse_methods("con", con, {reconnect = 1, disconnect = 1})
   -- objects of a connection that is closed
   abuse_methods("con", con, {query = 1, query_row = 1, prepare = 1, execute = 1, more_results = 1, next_result = 1, load_int = 1, load_row = 1,
      load_rand_alnum = 1, load_begin = 2, load_done = 0, bulk_insert_init = 1, bulk_insert_next = 1, bulk_insert_done = 0})
   abuse_methods("stmt", stmt, {execute = 1, bind_param = 2, next_result = 1, close = 0})
   abuse_methods("result", result, {fetch_row = 1, free = 0})
end

-- Sizes that must be refused, with an error that begins with the place in this script.
local function check_refused(con, stmt)
   local rand = sysbench.rand
   con:load_begin("t", "a, b")
   for name, fn in pairs {
      ["alnum, negative"] = function() rand.alnum(1, -1) end,
      ["alnum, negative minimum"] = function() rand.alnum(-1, 5) end,
      ["alnum, reversed"] = function() rand.alnum(5, 4) end,
      ["alnum, huge"] = function() rand.alnum(1, 2 ^ 31) end,
      ["alnum, infinite"] = function() rand.alnum(1, INF) end,
      ["alnum, not a number"] = function() rand.alnum(NAN, NAN) end,
      ["alnum, missing"] = function() rand.alnum(1) end,
      ["alnum, no number"] = function() rand.alnum("a", {}) end,
      ["varstring, negative"] = function() rand.varstring(1, -1) end,
      ["varstring, reversed"] = function() rand.varstring(5, 4) end,
      ["varstring, huge"] = function() rand.varstring(1, 2 ^ 31) end,
      ["varstring, missing"] = function() rand.varstring() end,
      ["string, missing"] = function() rand.string() end,
      ["stream, negative"] = function() rand.stream(-2) end,
      ["load_rand_alnum, negative"] = function() con:load_rand_alnum(1, -1) end,
      ["load_rand_alnum, reversed"] = function() con:load_rand_alnum(5, 4) end,
      ["load_rand_alnum, huge"] = function() con:load_rand_alnum(1, 2 ^ 31) end,
      ["load_rand_alnum, not a number"] = function() con:load_rand_alnum(1, NAN) end,
      ["load_rand_alnum, missing"] = function() con:load_rand_alnum() end,
      ["load_rand_str, missing"] = function() con:load_rand_str() end,
      ["load_text, missing"] = function() con:load_text() end,
      ["load_int, missing"] = function() con:load_int() end,
      ["load_int, infinite"] = function() con:load_int(INF) end,
      ["load_int, not a number"] = function() con:load_int(NAN) end,
      ["load_begin, a method that does not exist"] = function() con:load_begin("t", "a", "fast") end,
      ["bind_create, no length"] = function() stmt:bind_create(sysbench.sql.type.CHAR) end,
      ["bind_create, negative"] = function() stmt:bind_create(sysbench.sql.type.CHAR, -1) end,
      ["bind_create, huge"] = function() stmt:bind_create(sysbench.sql.type.CHAR, 2 ^ 31) end,
      ["bind_create, not a number"] = function() stmt:bind_create(sysbench.sql.type.CHAR, NAN) end,
      ["bind_create, no type"] = function() stmt:bind_create(99) end,
      ["bind_param, no parameter"] = function() stmt:bind_param(1) end,
      ["execute, a value too few"] = function() con:execute("SELECT ?, ?", 1) end,
      ["execute, a value too many"] = function() con:execute("SELECT ?", 1, 2) end,
      ["execute, a boolean"] = function() con:execute("SELECT ?", true) end,
      ["execute, no text"] = function() con:execute(1) end,
      ["sleep, negative"] = function() sysbench.sleep(-1) end,
      ["sleep, huge"] = function() sysbench.sleep(3601) end,
      ["sleep, not a number"] = function() sysbench.sleep(NAN) end,
      ["sleep, missing"] = function() sysbench.sleep() end,
      ["query without its object"] = function() con.query("SELECT 1", "SELECT 1") end,
      ["execute without its object"] = function() stmt.execute("x") end,
      ["fetch_row without its object"] = function() con:query("SELECT 1").fetch_row({}) end,
      ["histogram, negative"] = function() sysbench.histogram.new(-1, 1, 2) end,
      ["histogram, huge"] = function() sysbench.histogram.new(1e12, 1, 2) end,
      ["histogram, infinite"] = function() sysbench.histogram.new(10, 1, INF) end,
      ["histogram without its object"] = function() sysbench.histogram.new(10, 1, 2).update("x", 1) end,
      ["tally, negative"] = function() sysbench.tally("t", -1) end,
      ["tally, not a number"] = function() sysbench.tally("t", NAN) end,
      ["tally, negative trials"] = function() sysbench.tally("t", 1, -1) end,
      ["tally, no number"] = function() sysbench.tally("t", 1, "x") end,
   } do
      local ok, err = pcall(fn)
      if ok or not tostring(err):find("arguments.lua:%d+: ") then
         print(("%s: %s"):format(name, ok and "was accepted" or tostring(err)))
      end
   end
end

local function check_all_refused()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE IF NOT EXISTS t (a INTEGER, b VARCHAR(80))")
   check_refused(con, con:prepare("SELECT ?, ?"))
   con:disconnect()
end

local function abuse_all(...)
   check_all_refused()
   for _, part in ipairs {...} do part() end
   print(("%d errors of another type"):format(failures))
end

-- A command, in the main state.
function everything()
   abuse_all(abuse_cmdline, abuse_random_numbers, abuse_histograms, abuse_clock, abuse_c, abuse_loop, abuse_events, abuse_sql)
end

function event(tid)
   abuse_all(abuse_random_numbers, abuse_histograms, abuse_clock, abuse_c, abuse_events, abuse_sql)
   return 0
end

function sysbench.hooks.deferred() end
