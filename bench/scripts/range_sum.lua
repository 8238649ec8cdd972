-- SPDX-License-Identifier: GPL-2.0-or-later
-- Sums of ranges whose lengths are drawn from an exponential distribution. The work of a request is in proportion to its length, so that
-- --percent=105 makes all response times nearly 5 % longer.
sysbench.cmdline.options = {
   percent = {"length of the ranges, in percent of --rows", 100},
   rows = {"mean length of the ranges", 4000},
   table_size = {"number of rows of the table", 120000}
}

function thread_init()
   con = sysbench.sql.driver():connect()
   stmt = con:prepare("SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?")
   first = stmt:bind_create(sysbench.sql.type.INT)
   last = stmt:bind_create(sysbench.sql.type.INT)
   stmt:bind_param(first, last)
end

function event()
   local length = -math.log(1 - sysbench.rand.uniform_double()) * sysbench.opt.rows * sysbench.opt.percent / 100
   local id = sysbench.rand.uniform(1, math.floor(sysbench.opt.table_size / 2))
   first:set(id)
   last:set(math.floor(id + length))
   stmt:execute()
end
