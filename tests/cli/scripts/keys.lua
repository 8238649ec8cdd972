-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each worker writes down what it draws: numbers of each kind, and a string.
local rand = sysbench.rand
local drawn = {}

ffi.cdef[[int usleep(unsigned microseconds);]]

function event()
   ffi.C.usleep(1000) -- so that each worker gets its share
   if #drawn < 200 then
      drawn[#drawn + 1] = ("%d %d %d %d %d %d %d %.17g %s"):format(
         rand.default(1, 1000000), rand.uniform(1, 1000000), rand.gaussian(1, 1000000), rand.special(1, 1000000),
         rand.pareto(1, 1000000), rand.zipfian(1, 1000000), rand.unique(), rand.uniform_double(),
         rand.string("##@@"))
   end
end

function thread_done(tid)
   local file = assert(io.open(("keys.%d"):format(tid), "w"))
   file:write(table.concat(drawn, "\n"), "\n")
   file:close()
end
