-- SPDX-License-Identifier: GPL-2.0-or-later
-- SQL errors and the hooks for them: every second event violates a primary key.
sysbench.cmdline.options = {
   ignore = {"sql_error_ignorable says that the error may be ignored", true},
}

local restarts, asked, n = 0, 0, 0

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE t(id INTEGER PRIMARY KEY, worker INTEGER)")
   con:query("INSERT INTO t VALUES(0, -1)")
end

function thread_init()
   con = sysbench.sql.driver():connect()
end

function event(tid)
   n = n + 1
   if n % 2 == 0 then
      con:query("INSERT INTO t VALUES(0, " .. tid .. ")")
   end
   con:query("SELECT COUNT(*) FROM t"):free()
end

function thread_done()
   print(("restarts %d asked %d attempts %d"):format(restarts, asked, n))
end

local function check(e)
   assert(e.connection == con and tostring(e.connection) == "<sql_connection>")
   assert(e.query:match("^INSERT INTO t VALUES"), e.query)
   assert(e.sql_errno == 1555 or e.sql_errno == 19, e.sql_errno)
   assert(type(e.sql_state) == "string")
   assert(e.sql_errmsg:match("UNIQUE constraint failed: t.id"), e.sql_errmsg)
end

function sysbench.hooks.sql_error_ignorable(e)
   asked = asked + 1
   check(e)
   return sysbench.opt.ignore
end

function sysbench.hooks.before_restart_event(e)
   restarts = restarts + 1
   check(e)
end
