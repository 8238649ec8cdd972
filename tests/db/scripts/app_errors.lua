-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Causes an error and handles it with hooks; --mode selects which.

sysbench.cmdline.options = {mode = {"What to do", "missing"}}

local restarts = 0

function sysbench.hooks.sql_error_ignorable(e)
   print("error", e.sql_state, e.query, tostring(e.connection))
   return sysbench.opt.mode == "ignore"
end

function sysbench.hooks.before_restart_event()
   restarts = restarts + 1
   print("restart", restarts)
end

function thread_init()
   con = sysbench.sql.driver():connect()
   n = 0
end

local modes = {
   syntax = function() con:query("SELEKT 1") end,
   missing = function() con:query("SELECT * FROM nosuch") end,
   caught = function() print(pcall(con.query, con, "SELECT * FROM nosuch")) end,
   ignore = function() con:query(n < 4 and "SELECT * FROM nosuch" or "SELECT 1") end,
   restart = function() if n < 3 then error(sysbench.error.RESTART_EVENT) end end,
   lua = function() local x = nil; x.y = 1 end,
   ends = function() return n == 3 end,
   no = function() return false end,
   duplicate = function()
      if n == 1 then con:query("CREATE TEMPORARY TABLE once (id INT PRIMARY KEY)") end
      con:query("INSERT INTO once VALUES (1)")
   end,
}

function event()
   n = n + 1
   return modes[sysbench.opt.mode]()
end
