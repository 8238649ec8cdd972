#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A script that has only a command: prints a histogram of the numbers that --rand-type draws.
--
--    sysrate distribution.lua --rand-type=zipfian draw
--    sysrate distribution.lua --rand-type=special --highest=1000 draw

sysbench.cmdline.options = {
   highest = {"Numbers are from 1 to this", 100},
   numbers = {"How many are drawn", 100000},
}

-- Each global function is a command.
function draw()
   local histogram = sysbench.histogram.new(1000, 1, sysbench.opt.highest)
   for _ = 1, sysbench.opt.numbers do
      histogram:update(sysbench.rand.default(1, sysbench.opt.highest))
   end
   histogram:print()
end
