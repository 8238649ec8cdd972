-- SPDX-License-Identifier: GPL-2.0-or-later
-- Tests sysbench.sql as scripts use it. Run without a command by sql_api.sh; prints "all passed" or raises an error.

local t = sysbench.sql.type
local drv = sysbench.sql.driver()

local checks = dofile(sysbench.cmdline.script_path:match("^.*/") .. "checks.lua")
local equal, fails, rows, tests = checks.equal, checks.fails, checks.rows, checks.tests
local no_rows = checks.no_rows

-- The same text is prepared once. A parameter changes its type and its length with the values.
function tests.executed_with_values(con)
   equal(rows(con:execute("SELECT ?, ?, ?", 7, 0.5, nil)), "7,0.5,~")
   local stmt = con.prepared.statement["SELECT ?, ?, ?"]
   equal(rows(con:execute("SELECT ?, ?, ?", ("x"):rep(500), "", 9007199254740993LL)), ("x"):rep(500) .. ",,9007199254740993")
   equal(rows(con:execute("SELECT ?, ?, ?", nil, 1, 2)), "~,1,2")
   equal(con.prepared.statement["SELECT ?, ?, ?"], stmt)
   equal(rows(con:execute("SELECT 1")), "1")
   for i = 1, 600 do
      equal(rows(con:execute("SELECT " .. i .. ", ?", i)), i .. "," .. i)
   end
   fails("the statement has 1 parameters, but 0 values are given", con.execute, con, "SELECT ?")
   fails("value 2 is a table", con.execute, con, "SELECT ?, ?", 1, {})
end

-- A text that is new when 256 statements are prepared replaces only the oldest of them.
function tests.executed_texts_are_limited(con)
   local text = function(i) return "SELECT " .. i .. ", ?" end
   local all = {}
   for i = 1, 600 do
      con:execute(text(i), i)
      all[i] = con.prepared.statement[text(i)]
      if i > 256 then
         equal(all[i - 256].closed, true)
         equal(con.prepared.statement[text(i - 256)], nil)
         equal(all[i - 255].closed, nil)
      end
   end
   for i = 345, 600 do equal(con.prepared.statement[text(i)], all[i]) end
   equal(rows(con:execute(text(1), 7)), "1,7")
   equal(all[345].closed, true)
   equal(all[346].closed, nil)
end

-- The parameter is made again for a value that its type cannot have, and keeps the wider type.
function tests.executed_numbers_widen(con)
   local text, made = "SELECT ?", {}
   for i, value in ipairs({ 1, -2147483648, 2147483647, 2147483648, -2147483649, 5, 9007199254740991, 0.5, 3 }) do
      local rs = con:execute(text, value)
      equal(tonumber(rs:fetch_row()[1]), value)
      made[i] = con.prepared.statement[text].params[1].number
   end
   equal(table.concat(made, " "), ("%d %d %d %d %d %d %d %d %d"):format(t.INT, t.INT, t.INT, t.BIGINT, t.BIGINT, t.BIGINT,
      t.BIGINT, t.DOUBLE, t.DOUBLE))
end

function tests.names_and_constants(con)
   equal(tostring(drv), "<sql_driver>")
   equal(tostring(con), "<sql_connection>")
   equal(drv:name(), sysbench.opt.db_driver)
   local stmt = con:prepare("SELECT 1")
   equal(tostring(stmt), "<sql_statement>")
   equal(tostring(stmt:bind_create(t.INT)), "<sql_param>")
   equal(tostring(stmt:execute()), "<sql_result>")
   local numbers = { NONE = 0, TINYINT = 1, SMALLINT = 2, INT = 3, BIGINT = 4, FLOAT = 5, DOUBLE = 6,
      TIME = 7, DATE = 8, DATETIME = 9, TIMESTAMP = 10, CHAR = 11, VARCHAR = 12 }
   for name, number in pairs(numbers) do equal(t[name], number) end
   local errors = sysbench.sql.error
   equal(errors.NONE .. errors.IGNORABLE .. errors.FATAL, "012")
   equal(sysbench.sql.driver("null"):name(), "null")
   fails("failed to initialize the DB driver", sysbench.sql.driver, "oracle")
end

function tests.queries(con)
   no_rows(con:query("CREATE TABLE q (a INT, b TEXT)"))
   equal(select("#", con:query("INSERT INTO q VALUES (1, 'it''s'), (2, NULL), (NULL, '')")), 1)
   local rs = con:query("SELECT a, b FROM q")
   equal(rs.nrows, 3)
   equal(rs.nfields, 2)
   equal(rows(rs), "1,it's;2,~;~,")
   rs = con:query("SELECT a FROM q WHERE a = 99")
   equal(rs.nrows, 0)
   equal(rs:fetch_row(), nil)
   rs:free()
   equal(con:more_results(), false)
   equal(con:next_result(), nil)
   fails("a query must be a string, not nil", con.query, con, nil)
end

function tests.query_row(con)
   local a, b, c = con:query_row("SELECT 1, NULL, 'x'")
   equal(a, "1")
   equal(b, nil)
   equal(c, "x")
   equal(select("#", con:query_row("SELECT NULL, NULL")), 2)
   equal(con:query_row("SELECT 1 WHERE 0"), nil)
   equal(con:query_row("CREATE TABLE r (a INT)"), nil)
   fails("no such table: missing", con.query_row, con, "SELECT * FROM missing")
end

function tests.statements(con)
   con:query("CREATE TABLE s (id INTEGER PRIMARY KEY, n DOUBLE, c TEXT, d TEXT)")
   local stmt = con:prepare("INSERT INTO s VALUES (?, ?, ?, ?)")
   local id, n = stmt:bind_create(t.BIGINT), stmt:bind_create(t.DOUBLE)
   local c, d = stmt:bind_create(t.CHAR, 5), stmt:bind_create(t.DATETIME)
   stmt:bind_param(id, n, c, d)
   id:set(1) n:set(0.5) c:set("it's") d:set("2026-01-31 23:59:59")
   no_rows(stmt:execute())
   id:set("2") n:set("1e3") c:set(12) d:set(nil)
   stmt:execute()
   id:set(-9007199254740993LL) n:set(3ULL) c:set(nil)
   stmt:execute()
   equal(rows(con:query("SELECT * FROM s ORDER BY id")),
      "-9007199254740993,3.0,~,~;1,0.5,it's,2026-01-31 23:59:59;2,1000.0,12,~")

   local read = con:prepare("SELECT c FROM s WHERE id >= ?")
   read:bind_param(id)
   id:set(2.9)
   equal(rows(read:execute()), "12")
   id:set(3)
   equal(read:execute().nrows, 0)
   equal(read:next_result(), nil)
   read:close()
   fails("attempt to execute a closed statement", read.execute, read)
end

function tests.parameter_values(con)
   local stmt = con:prepare("SELECT ?")
   local function refuses(kind, value, allowed)
      local param = stmt:bind_create(kind, 3)
      fails(allowed, param.set, param, value)
   end
   for _, value in ipairs({ "x", "", true, {}, 0 / 0, 1 / 0, 256, -129, 256LL, "256" }) do
      refuses(t.TINYINT, value, "whole numbers from -128 to 255")
   end
   refuses(t.SMALLINT, 65536, "a parameter of type SMALLINT cannot be set to 65536")
   refuses(t.INT, 4294967296, "whole numbers from -2147483648 to 4294967295")
   refuses(t.BIGINT, 2 ^ 63, "whole numbers of 64 bits")
   refuses(t.BIGINT, 0x8000000000000000ULL, "whole numbers of 64 bits")
   refuses(t.BIGINT, "9007199254740993", "cannot be set to '9007199254740993'")
   refuses(t.DOUBLE, "abc", "cannot be set to 'abc'; allowed: numbers")
   refuses(t.VARCHAR, true, "cannot be set to true")
   fails("needs its maximum length", stmt.bind_create, stmt, t.VARCHAR)
   fails("99 is not one of sysbench.sql.type", stmt.bind_create, stmt, 99)
   fails("0 is not one of", stmt.bind_create, stmt, t.NONE)
   fails("argument 1 is no parameter", stmt.bind_param, stmt, 5)

   local function comes_back(kind, value, expected)
      local param = stmt:bind_create(kind, 100)
      stmt:bind_param(param)
      param:set(value)
      equal(rows(stmt:execute()), expected)
   end
   comes_back(t.BIGINT, 0x7fffffffffffffffLL, "9223372036854775807")
   comes_back(t.BIGINT, -2 ^ 63, "-9223372036854775808")
   comes_back(t.INT, 4294967295, "4294967295")
   comes_back(t.TINYINT, -128, "-128")
   comes_back(t.VARCHAR, "'; DROP TABLE x; --", "'; DROP TABLE x; --")
   comes_back(t.VARCHAR, "", "")
   comes_back(t.VARCHAR, nil, "~")
   comes_back(t.VARCHAR, ("x"):rep(105), ("x"):rep(100))
   equal(tostring(stmt:bind_param()), "nil") -- an error if it returned nothing at all
end

function tests.random_strings(con)
   local stmt = con:prepare("SELECT ?")
   local param = stmt:bind_create(t.CHAR, 10)
   stmt:bind_param(param)
   param:set_rand_str("a-##-@@")
   local text = rows(stmt:execute())
   equal(text:match("^a%-%d%d%-%l%l$"), text)
   fails("strings of up to 10 bytes", param.set_rand_str, param, "###########")
   fails("the format must be a string", param.set_rand_str, param, nil)
   local number = stmt:bind_create(t.INT)
   fails("a parameter of type INT", number.set_rand_str, number, "#")
end

function tests.wrong_number_of_parameters(con)
   local stmt = con:prepare("SELECT ?, ?")
   local param = stmt:bind_create(t.INT)
   equal(rows(stmt:execute()), "~,~")
   stmt:bind_param(param)
   param:set(7)
   equal(rows(stmt:execute()), "7,~")
   if sysbench.opt.db_ps_mode == "disable" then
      stmt:bind_param(param, param, param) -- what has no place in the text is left out
   else
      fails("the statement has 2 parameters, 3 are bound", stmt.bind_param, stmt, param, param, param)
   end
   stmt:bind_param(param, param)
   equal(rows(stmt:execute()), "7,7")
   stmt:bind_param()
   equal(rows(stmt:execute()), "7,7")
end

function tests.bulk_insert(con)
   con:query("CREATE TABLE b (id INTEGER PRIMARY KEY, c TEXT)")
   con:bulk_insert_init("INSERT INTO b VALUES")
   local pad = ("x"):rep(90)
   for i = 1, 12000 do
      con:bulk_insert_next("(" .. i .. ", '" .. pad .. "')")
   end
   con:bulk_insert_done()
   equal(rows(con:query("SELECT count(*), sum(id), sum(length(c)) FROM b")), "12000,72006000,1080000")
   fails("db_bulk_insert_next() failed", con.bulk_insert_next, con, "(1)")
   con:bulk_insert_done() -- once more: there is nothing to be done
   con:bulk_insert_init("INSERT INTO b VALUES ")
   con:bulk_insert_next("(1, 'again')")
   fails("UNIQUE constraint failed: b.id", con.bulk_insert_done, con)
end

function tests.errors_name_the_line(con)
   local line = debug.getinfo(1, "l").currentline
   local message = fails("SQL error, errno = 1, state = '': no such table: missing", function()
      con:query("DELETE FROM missing")
   end)
   equal(message:match(":(%d+):"), tostring(line + 2))
   local stmt = con:prepare("DELETE FROM missing") -- prepared when it is first executed
   fails("no such table: missing", stmt.execute, stmt)
end

-- Comments and blanks after a statement are not a second statement; a NUL byte in a text is an error.
function tests.ends_of_texts(con)
   equal(rows(con:query("SELECT 1; -- done")), "1")
   for _, text in ipairs({ "SELECT 2; -- done", "SELECT 2 /* done */;; ", "SELECT 2" }) do
      equal(rows(con:prepare(text):execute()), "2")
   end
   for _, text in ipairs({ "SELECT 1;\0 ", "SELECT 1\0", "\0", "SELECT 1; SELECT \0 2" }) do
      fails("SQL error", con.query, con, text)
      fails("SQL error", function() con:prepare(text):execute() end)
   end
   fails("SQL error", function() con:prepare("SELECT 1; SELECT 2; SELECT missing"):execute() end)
end

function tests.hook_decides(con)
   local seen, before
   sysbench.hooks.sql_error_ignorable = function(e)
      seen = e
      return e.sql_errno == 1
   end
   sysbench.hooks.before_restart_event = function(e) before = e end
   local ok, message = pcall(con.query, con, "DELETE FROM missing")
   equal(ok, false)
   equal(message, sysbench.error.RESTART_EVENT)
   equal(before, seen)
   equal(seen.connection, con)
   equal(seen.query, "DELETE FROM missing")
   equal(seen.sql_state, "")
   equal(seen.sql_errmsg, "no such table: missing")
   sysbench.hooks.sql_error_ignorable = function() return false end
   fails("SQL error, errno = 1", con.query, con, "DELETE FROM missing")
   sysbench.hooks.sql_error_ignorable = nil
   sysbench.hooks.before_restart_event = nil
end

function tests.locks_restart_the_event(con)
   local other = drv:connect()
   con:query("CREATE TABLE l (a INT)")
   con:query("BEGIN IMMEDIATE")
   other:query("BEGIN")
   local ok, message = pcall(other.query, other, "INSERT INTO l VALUES (1)")
   equal(ok, false)
   equal(message, sysbench.error.RESTART_EVENT)
   other:query("BEGIN") -- the transaction that met the lock is gone
   other:query("COMMIT")
   con:query("COMMIT")
   other:query("INSERT INTO l VALUES (1)")
end

function tests.closed_connections(con)
   local other = drv:connect()
   local stmt = other:prepare("SELECT 1")
   other:disconnect()
   other:disconnect()
   local closed = "attempt to use an already closed connection"
   fails(closed, other.query, other, "SELECT 1")
   fails(closed, other.prepare, other, "SELECT 1")
   fails(closed, other.bulk_insert_init, other, "INSERT INTO x VALUES")
   fails(closed, stmt.execute, stmt)
   other:reconnect()
   equal(rows(stmt:execute()), "1")
   equal(rows(other:query("SELECT 2")), "2")
end

function tests.collected_in_any_order(con)
   for _ = 1, 20 do
      local other = drv:connect()
      for i = 1, 5 do
         local stmt = other:prepare("SELECT ? + " .. i)
         local param = stmt:bind_create(t.INT)
         stmt:bind_param(param)
         param:set(i)
         equal(rows(stmt:execute()), tostring(2 * i))
      end
      collectgarbage("step", 10)
   end
   local stmt = drv:connect():prepare("SELECT ?")
   stmt:bind_param(stmt:bind_create(t.INT))
   collectgarbage()
   collectgarbage()
   equal(rows(stmt:execute()), "~") -- holds its connection and its parameter
end

function tests.no_garbage_per_execution(con)
   local read = con:prepare("SELECT ?, ?")
   local write = con:prepare("UPDATE g SET a = ?")
   local number, text = read:bind_create(t.INT), read:bind_create(t.CHAR, 20)
   read:bind_param(number, text)
   write:bind_param(number)
   local function events(n)
      for i = 1, n do
         number:set(i)
         text:set_rand_str("###-@@@")
         read:execute()
         write:execute()
      end
   end
   jit.off() -- compiled code lives on the same heap, and that of earlier tests may leave something behind
   jit.flush()
   events(10)
   collectgarbage()
   collectgarbage("stop")
   local before = collectgarbage("count")
   events(1000)
   local bytes = (collectgarbage("count") - before) * 1024
   collectgarbage("restart")
   jit.on()
   -- The smallest object has 16 bytes, so one object per execution would be 16000 bytes. Some objects are created once.
   if bytes > 1000 then error("1000 executions left " .. bytes .. " bytes of garbage") end
end

local setup = drv:connect()
setup:query("CREATE TABLE g (a INT)")
checks.run(drv)
