-- SPDX-License-Identifier: GPL-2.0-or-later
-- Tests statements, values, results and errors of the drivers of database servers. Run without a command by drivers.sh; prints
-- "all passed" or raises an error.

local t = sysbench.sql.type
local drv = sysbench.sql.driver()
local mysql = drv:name() == "mysql"

local checks = dofile(sysbench.cmdline.script_path:match("^.*/") .. "checks.lua")
local equal, fails, rows, tests = checks.equal, checks.fails, checks.rows, checks.tests
local no_rows = checks.no_rows

function tests.texts(con)
   con:query("CREATE TABLE q (a INT, b VARCHAR(100))")
   no_rows(con:query("INSERT INTO q VALUES (1, 'it''s'), (2, NULL), (NULL, '')"))
   local rs = con:query("SELECT a, b FROM q ORDER BY a IS NULL, a")
   equal(rs.nrows .. " " .. rs.nfields, "3 2")
   equal(rows(rs), "1,it's;2,~;~,")
   equal(con:query("SELECT a FROM q WHERE a = 99").nrows, 0)
   equal(select("#", con:query_row("SELECT NULL, NULL")), 2)
   equal(con:query_row("SELECT 9223372036854775807"), "9223372036854775807")
   local big = ("x"):rep(100000)
   equal(con:query_row("SELECT '" .. big .. "'"), big)
end

function tests.several_results(con)
   local rs = con:query("INSERT INTO q VALUES (9, 'n'); SELECT 1; SELECT 2, 3; DELETE FROM q WHERE a = 9")
   equal(rows(rs), "1")
   equal(con:more_results(), true)
   equal(rows(con:next_result()), "2,3")
   equal(con:next_result(), nil)
   equal(con:more_results(), false)
   equal(rows(con:query("SELECT 4; SELECT 5")), "4") -- the second is left unread
   equal(rows(con:query("SELECT 6")), "6")
   equal(rows(con:query("SELECT count(*) FROM q WHERE a = 9")), "0")
   fails("nosuch", function()
      con:query("SELECT 1; SELECT * FROM nosuch")
      con:query("SELECT 1")
   end)
   equal(rows(con:query("SELECT 7")), "7")
end

-- Closing a statement while further results of another one are pending does not affect these results.
function tests.closed_between_results(con)
   for _, again in ipairs({ "SELECT 3", "SELECT 3; SELECT 4" }) do
      local stmt = con:prepare("SELECT 1")
      equal(rows(stmt:execute()), "1")
      equal(rows(con:query("SELECT 2; " .. again)), "2")
      stmt:close()
      equal(rows(con:next_result()), "3")
      equal(rows(con:query("SELECT 5")), "5")
   end
end

function tests.parameters(con)
   con:query("CREATE TABLE p (id BIGINT PRIMARY KEY, small SMALLINT, n DOUBLE PRECISION, c VARCHAR(200), d DATE, " ..
      (mysql and "at DATETIME)" or "at TIMESTAMP)"))
   local stmt = con:prepare("INSERT INTO p /* ? */ VALUES (?, ?, ?, ?, ?, ?) -- ?")
   local id, small, n = stmt:bind_create(t.BIGINT), stmt:bind_create(t.SMALLINT), stmt:bind_create(t.DOUBLE)
   local c, d, at = stmt:bind_create(t.VARCHAR, 200), stmt:bind_create(t.DATE), stmt:bind_create(t.DATETIME)
   stmt:bind_param(id, small, n, c, d, at)
   id:set(9223372036854775807LL) small:set(-3) n:set(0.5) c:set("it's \\ 100%") d:set("2026-01-31")
   at:set("2026-01-31 23:59:59")
   no_rows(stmt:execute())
   id:set(-1) small:set(nil) n:set(nil) c:set(nil) d:set(nil) at:set(nil)
   stmt:execute()
   id:set(0) c:set(("y"):rep(200))
   stmt:execute()
   local read = con:prepare("SELECT id, small, n, c, d, at FROM p WHERE id <> ? ORDER BY id DESC")
   read:bind_param(id)
   equal(rows(read:execute()),
      "9223372036854775807,-3,0.5,it's \\ 100%,2026-01-31,2026-01-31 23:59:59;-1,~,~,~,~,~")
   id:set(-1)
   local rs = read:execute()
   equal(rs.nrows, 2)
   rs:fetch_row()
   equal(rs:fetch_row()[4], ("y"):rep(200)) -- longer than the first row's
   local again = con:prepare("SELECT '?', \"?\" FROM (SELECT 1 AS \"?\") x WHERE ? = 5")
   if mysql then again = con:prepare("SELECT '?', \"\\\"?\", `?` FROM (SELECT 1 AS `?`) x WHERE ? = 5") end
   local five = again:bind_create(t.INT)
   again:bind_param(five)
   five:set(5)
   equal(rows(again:execute()), mysql and "?,\"?,1" or "?,1")
end

-- A statement that has been executed gets new parameters, also of other types.
function tests.bound_anew(con)
   local stmt = con:prepare("SELECT c FROM p WHERE id = ?")
   for _, kind in ipairs({ t.BIGINT, t.INT, t.DOUBLE, t.VARCHAR }) do
      local param = stmt:bind_create(kind, 20)
      stmt:bind_param(param)
      for _ = 1, 3 do
         param:set(0)
         equal(stmt:execute().nrows, 1)
      end
   end
end

-- con:execute(): small whole numbers have the type of an INT, as the arguments of functions must have in PostgreSQL.
function tests.executed_with_arguments(con)
   local text = "SELECT REPEAT('x', ?)"
   equal(rows(con:execute(text, 10)), "xxxxxxxxxx")
   equal(rows(con:execute(text, 3)), "xxx")
end

-- con:execute(): values of all types, parameters of which the type or the length changes, and a reconnect.
function tests.executed_with_values(con)
   con:query("CREATE TABLE e (id BIGINT PRIMARY KEY, n DOUBLE PRECISION, c VARCHAR(1000))")
   local insert = "INSERT INTO e VALUES (?, ?, ?)"
   no_rows(con:execute(insert, 1, 0.5, "it's \\ 100%"))
   con:execute(insert, 2, nil, nil)
   con:execute(insert, 9007199254740993LL, 3, ("y"):rep(1000))
   con:reconnect()
   con:execute(insert, 4, 1e300, "")
   equal(rows(con:execute("SELECT id, n, c FROM e WHERE id < ? ORDER BY id", 4)), "1,0.5,it's \\ 100%;2,~,~")
   equal(rows(con:execute("SELECT id, n, LENGTH(c) FROM e WHERE c = ?", ("y"):rep(1000))), "9007199254740993,3,1000")
   for _, n in ipairs({ 1, 0.5, 1, 3 }) do
      equal(con:execute("SELECT id FROM e WHERE n = ?", n).nrows, n == 1 and 0 or 1)
   end
   equal(con:execute("DELETE FROM e").nrows, 0)
   local state = mysql and "42S02" or "42P01"
   fails("state = '" .. state .. "'", con.execute, con, "SELECT * FROM nosuch WHERE a = ?", 1)
   if not mysql then con:query("ROLLBACK") end
   for i = 1, 300 do -- more than stay prepared
      equal(rows(con:execute("SELECT " .. i .. " FROM (SELECT 1) x WHERE 1 = ?", 1)), tostring(i))
   end
end

function tests.large_result(con)
   local series = mysql and "SELECT seq, repeat('z', 100) FROM " ..
      "JSON_TABLE(CONCAT('[', REPEAT('0,', 4999), '0]'), '$[*]' COLUMNS (seq FOR ORDINALITY)) numbers"
      or "SELECT g, repeat('z', 100) FROM generate_series(1, 5000) g"
   for _, prepared in ipairs({ false, true }) do
      local rs = prepared and con:prepare(series):execute() or con:query(series)
      equal(rs.nrows, 5000)
      local sum = 0
      for _ = 1, 5000 do sum = sum + rs:fetch_row()[1] end
      equal(sum, 12502500)
   end
end

function tests.procedures(con)
   if not mysql then return end
   con:query("CREATE PROCEDURE two(IN n INT) BEGIN SELECT n; SELECT n + 1, n + 2; END")
   for _ = 1, 2 do
      equal(rows(con:query("CALL two(1)")), "1")
      equal(rows(con:next_result()), "2,3")
      equal(con:next_result(), nil)
   end
   local call = con:prepare("CALL two(?)")
   local n = call:bind_create(t.INT)
   call:bind_param(n)
   for i = 5, 7 do
      n:set(i)
      equal(rows(call:execute()), tostring(i))
      if i > 5 then
         equal(rows(call:next_result()), (i + 1) .. "," .. (i + 2))
         equal(call:next_result(), nil)
      end
   end
   equal(rows(con:query("SELECT 8")), "8")
end

function tests.errors(con)
   local state = mysql and "42S02" or "42P01"
   fails("state = '" .. state .. "'", con.query, con, "SELECT * FROM nosuch")
   local stmt = con:prepare("SELECT * FROM nosuch WHERE a = ?")
   stmt:bind_param(stmt:bind_create(t.INT))
   fails("state = '" .. state .. "'", stmt.execute, stmt)
   if not mysql then
      -- The server does not accept the message, but the connection can still be used.
      local three = con:prepare("SELECT $1::int + $2::int")
      fails(sysbench.opt.db_ps_mode == "disable" and "state = '42P02'" or "state = '08P01'", three.execute, three)
      equal(rows(con:query("SELECT 5")), "5")
   end
   -- A duplicate key is an error on MySQL, and restarts the event on PostgreSQL, as in sysbench.
   fails("uplicate", con.query, con, "INSERT INTO p (id) VALUES (0)")
   fails(mysql and "errno = 1062" or "state = '23505'", con.query, con, "INSERT INTO p (id) VALUES (0)")
   con:query("INSERT INTO p (id) VALUES (77)")
   equal(rows(con:query("SELECT count(*) FROM p WHERE id = 77")), "1")
end

-- Executing a statement is an error if the columns of its table have changed since it was prepared. The connection can still be
-- used afterwards.
function tests.changed_columns(con)
   con:query("CREATE TABLE changed (a INT)")
   con:query("INSERT INTO changed VALUES (1), (2)")
   local stmt = con:prepare("SELECT * FROM changed ORDER BY a")
   equal(rows(stmt:execute()), "1;2")
   con:query("ALTER TABLE changed ADD b INT")
   for _ = 1, 3 do
      if sysbench.opt.db_ps_mode == "disable" then
         equal(rows(stmt:execute()), "1,~;2,~")
      else
         fails(mysql and "errno = 2057" or "state = '0A000'", stmt.execute, stmt)
         equal(rows(con:query("SELECT 5")), "5")
      end
   end
   equal(rows(con:prepare("SELECT * FROM changed"):execute()), "1,~;2,~")
end

-- Two transactions change the same row: the error of the second restarts its event, and its transaction is rolled back.
function tests.ignored_errors(con)
   local ok, message
   if mysql then
      con:query("BEGIN") -- a lock that is not to be had: 1205
      con:query("SELECT * FROM p WHERE id = 77 FOR UPDATE")
      local other = drv:connect()
      other:query("SET innodb_lock_wait_timeout = 1")
      other:query("BEGIN")
      other:query("UPDATE p SET n = 1 WHERE id = 0")
      ok, message = pcall(other.query, other, "UPDATE p SET n = 1 WHERE id = 77")
      con:query("COMMIT")
   else
      local other = drv:connect()
      other:query("BEGIN ISOLATION LEVEL REPEATABLE READ")
      other:query("SELECT * FROM p")
      con:query("UPDATE p SET n = 2 WHERE id = 77")
      ok, message = pcall(other.query, other, "UPDATE p SET n = 1 WHERE id = 77")
      other:query("UPDATE p SET n = 1 WHERE id = 77") -- outside of any transaction
   end
   equal(ok, false)
   equal(message, sysbench.error.RESTART_EVENT)
   equal(rows(con:query("SELECT coalesce(n, 5) FROM p WHERE id = 0")), "5")
end

function tests.bulk(con)
   con:query("CREATE TABLE b (id INT PRIMARY KEY, c VARCHAR(100))")
   con:bulk_insert_init("INSERT INTO b VALUES")
   for i = 1, 20000 do con:bulk_insert_next("(" .. i .. ", '" .. ("x"):rep(90) .. "')") end
   con:bulk_insert_done()
   equal(rows(con:query("SELECT count(*), sum(id) FROM b")), "20000,200010000")
end

function tests.reconnect(con)
   local stmt = con:prepare("SELECT ?")
   local param = stmt:bind_create(t.INT)
   stmt:bind_param(param)
   for i = 1, 3 do
      param:set(i)
      equal(rows(stmt:execute()), tostring(i))
      stmt:execute() -- with a result set open
      con:reconnect()
   end
   stmt:close()
   con:disconnect()
   fails("closed connection", con.query, con, "SELECT 1")
end

function tests.collected_in_any_order()
   for _ = 1, 5 do
      local stmt = drv:connect():prepare("SELECT ?")
      stmt:bind_param(stmt:bind_create(t.INT))
      equal(rows(stmt:execute()), "~")
      collectgarbage()
   end
end

checks.run(drv)
