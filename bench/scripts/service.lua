-- SPDX-License-Identifier: GPL-2.0-or-later
-- A request is one statement (of the null driver, which draws its service time), or, with --pareto, a sleep of a heavy-tailed duration.

sysbench.cmdline.options = {
   pareto = {"Each event sleeps for this many milliseconds divided by the cube root of a uniform number", 0}
}

local con

function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   if sysbench.opt.pareto > 0 then
      sysbench.sleep(sysbench.opt.pareto / 1000 / (1 - sysbench.rand.uniform_double()) ^ (1 / 3))
   else
      con:query("SELECT 1")
   end
end

function thread_done()
   con:disconnect()
end
