-- SPDX-License-Identifier: GPL-2.0-or-later
-- A request is one statement (of the null driver, which draws its service time), or, with --pareto, a sleep of a heavy-tailed duration.

sysbench.cmdline.options = {
   pareto = {"Each event sleeps for this many milliseconds divided by the cube root of a uniform number", 0}
}

-- One of eight million sleeps would be longer if the shortest one takes 100 ms, and the run would wait for it.
local LONGEST_S = 20

local con

function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   if sysbench.opt.pareto > 0 then
      local seconds = sysbench.opt.pareto / 1000 / (1 - sysbench.rand.uniform_double()) ^ (1 / 3)
      sysbench.sleep(math.min(seconds, LONGEST_S))
   else
      con:query("SELECT 1")
   end
end

function thread_done()
   con:disconnect()
end
