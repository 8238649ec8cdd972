-- SPDX-License-Identifier: GPL-2.0-or-later
-- Everything that a script of a third party may reach, each tried once. Ends with "all is there"; fails at what is not.
local function is(expected, seen, what)
   if expected ~= seen then
      error(("%s: expected %s, not %s"):format(what or "", tostring(expected), tostring(seen)), 2)
   end
end

local function within(low, seen, high, what)
   if not (seen >= low and seen <= high) then
      error(("%s: %s is not from %s to %s"):format(what, tostring(seen), low, high), 2)
   end
end

local function fails(pattern, f, ...)
   local ok, message = pcall(f, ...)
   is(false, ok, "must fail")
   if not tostring(message):match(pattern) then
      error(("'%s' does not match '%s'"):format(tostring(message), pattern), 2)
   end
end

local function try_names()
   is("table", type(ffi.C) == "userdata" and "table" or type(ffi), "ffi")
   is("number", type(sysbench.tid), "tid")
   is("string", type(sysbench.version), "version")
   is("string", type(sysbench.version_string), "version_string")
   is("table", type(sysbench.opt), "opt")
   is("table", type(sysbench.hooks), "hooks")
   is(true, sysbench.error.NONE ~= nil and sysbench.error.RESTART_EVENT ~= nil, "error")
   for i, name in ipairs{"NULL", "BOOL", "INT", "SIZE", "DOUBLE", "STRING", "LIST", "FILE"} do
      is(i - 1, sysbench.cmdline["ARG_" .. name], name)
   end
   is("function", type(sysbench.cmdline.print_test_options), "print_test_options")
   for _, name in ipairs{"report_default", "report_csv", "report_json"} do
      is("function", type(sysbench[name]), name)
   end
   local types = {NONE = 0, TINYINT = 1, SMALLINT = 2, INT = 3, BIGINT = 4, FLOAT = 5, DOUBLE = 6, TIME = 7, DATE = 8,
                  DATETIME = 9, TIMESTAMP = 10, CHAR = 11, VARCHAR = 12}
   for name, number in pairs(types) do
      is(number, sysbench.sql.type[name], name)
   end
   is(0, sysbench.sql.error.NONE, "NONE")
   is(1, sysbench.sql.error.IGNORABLE, "IGNORABLE")
   is(2, sysbench.sql.error.FATAL, "FATAL")
   is(nil, sysbench.nothing_like_that, "an unknown field")
end

local function try_rand()
   local rand = sysbench.rand
   for _, kind in ipairs{"default", "uniform", "gaussian", "special", "pareto", "zipfian"} do
      for _ = 1, 1000 do
         local value = rand[kind](5, 9)
         within(5, value, 9, kind)
         is(math.floor(value), value, kind)
      end
      is(7, rand[kind](7, 7), kind)
      within(1, ffi.C["sb_rand_" .. kind](1, 10), 10, "sb_rand_" .. kind)
   end
   local seen = {}
   for _ = 1, 1000 do
      local value = rand.unique()
      is(nil, seen[value], "unique")
      seen[value] = true
   end
   is("number", type(ffi.C.sb_rand_unique()), "sb_rand_unique")
   is(true, ffi.istype("uint64_t", rand.uniform_uint64()), "uniform_uint64")
   is(true, ffi.istype("uint64_t", ffi.C.sb_rand_uniform_uint64()), "sb_rand_uniform_uint64")
   within(0, rand.uniform_double(), 1, "uniform_double")
   within(0, ffi.C.sb_rand_uniform_double(), 1, "sb_rand_uniform_double")
   is(true, rand.string("###-@@@ x"):match("^%d%d%d%-%l%l%l x$") ~= nil, "string")
   is("", rand.string(""), "string")
   is(300, #rand.string(("#"):rep(300)), "string")
   for _ = 1, 100 do
      local text = rand.varstring(2, 5)
      within(2, #text, 5, "varstring")
      is(true, text:match("^%w+$") ~= nil, "varstring " .. text)
   end
   is("", rand.varstring(0, 0), "varstring")
   fails("varstring", rand.varstring, 5, 2)
   is(true, rand.alnum(40, 40):match("^%w+$") ~= nil, "alnum")
   fails("alnum", rand.alnum, 5, 2)
   rand.stream(3)
   local first = rand.uniform(1, 1e9)
   rand.uniform(1, 1e9)
   rand.stream(4)
   is(false, first == rand.uniform(1, 1e9), "stream 4 is another")
   rand.stream(3)
   is(first, rand.uniform(1, 1e9), "stream 3 starts again")
   rand.stream()
   fails("stream", rand.stream, -2)
   local buf = ffi.new("char[?]", 6)
   ffi.C.sb_rand_str("##@@!", buf)
   is(true, ffi.string(buf, 5):match("^%d%d%l%l!$") ~= nil, "sb_rand_str")
end

local function try_histogram()
   local h = sysbench.histogram.new(1000, 1, 100)
   h:update(10)
   h:update(10)
   h:update(50)
   h:update(0)
   h:update(-1)
   h:update(1e9)
   h:print()
   fails("histogram", sysbench.histogram.new, 1, 1, 100)
   fails("histogram", sysbench.histogram.new, 10, 0, 100)
   fails("histogram", sysbench.histogram.new, 10, 5, 5)
end

local function try_results(con)
   is(0, con:query("CREATE TABLE t(id INTEGER PRIMARY KEY, word TEXT)").nfields, "DDL")
   con:bulk_insert_init("INSERT INTO t VALUES")
   con:bulk_insert_next("(1, 'one')")
   con:bulk_insert_next("(2, NULL)")
   con:bulk_insert_done()
   local rs = con:query("SELECT id, word FROM t ORDER BY id")
   is("<sql_result>", tostring(rs))
   is(2, rs.nrows, "nrows")
   is(2, rs.nfields, "nfields")
   local row = rs:fetch_row()
   is("1", row[1], "a number arrives as a string")
   is("one", row[2])
   row = rs:fetch_row()
   is("2", row[1])
   is(nil, row[2], "NULL")
   is(nil, rs:fetch_row(), "after the last row")
   rs:free()
   local id, word = con:query_row("SELECT id, word FROM t WHERE id = 1")
   is("1 one", id .. " " .. word, "query_row")
   is(nil, con:query_row("SELECT id FROM t WHERE id = 77"), "no row")
   is(false, con:more_results(), "more_results")
end

local function try_statements(con)
   local types = sysbench.sql.type
   local stmt = con:prepare("INSERT INTO t VALUES(?, ?)")
   is("<sql_statement>", tostring(stmt))
   local id, word = stmt:bind_create(types.INT), stmt:bind_create(types.VARCHAR, 20)
   is("<sql_param>", tostring(id))
   stmt:bind_param(id, word)
   id:set(10)
   word:set("ten")
   is(0, stmt:execute().nrows, "an INSERT has a result without rows")
   id:set(11)
   word:set(nil)
   stmt:execute()
   id:set(12)
   word:set_rand_str("@@-##")
   stmt:execute()
   stmt:close()
   is("ten", con:query_row("SELECT word FROM t WHERE id = 10"))
   is(nil, con:query_row("SELECT word FROM t WHERE id = 11"))
   is(true, con:query_row("SELECT word FROM t WHERE id = 12"):match("^%l%l%-%d%d$") ~= nil, "set_rand_str")
   local ask = con:prepare("SELECT word FROM t WHERE id = ?")
   local key = ask:bind_create(types.BIGINT)
   ask:bind_param(key)
   key:set(10)
   local rs = ask:execute()
   is(1, rs.nrows)
   is("ten", rs:fetch_row()[1])
   rs:free()
   ask:close()
   fails("closed", ask.execute, ask)
   fails("bind_create", ask.bind_create, ask, 99)
end

local function try_sql()
   local drv = sysbench.sql.driver()
   is("<sql_driver>", tostring(drv))
   is("sqlite", drv:name(), "name")
   is("sqlite", sysbench.sql.driver("sqlite"):name())
   is("null", sysbench.sql.driver("null"):name())
   fails("driver", sysbench.sql.driver, "nosuch")
   local con = drv:connect()
   is("<sql_connection>", tostring(con))
   try_results(con)
   try_statements(con)
   fails("SQL error, errno = %d+, state = '.*': .*no such table: nowhere", con.query, con, "SELECT * FROM nowhere")
   -- Where statements are prepared by the server, this fails earlier.
   fails("SQL error", function() con:prepare("SELEC"):execute() end)
   con:reconnect()
   is("5", con:query_row("SELECT COUNT(*) FROM t"), "after reconnect")
   con:disconnect()
   fails("already closed connection", con.query, con, "SELECT 1")
   con:reconnect()
   is("1", con:query_row("SELECT 1"), "a closed connection can be opened again")
   con:disconnect()
   con:disconnect()
end

sysbench.cmdline.commands = {
   try = {function()
      try_names()
      try_rand()
      try_histogram()
      try_sql()
      print("all is there")
   end},
}
