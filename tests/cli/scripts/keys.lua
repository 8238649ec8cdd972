-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each worker writes down what it draws first: numbers of each kind, and a string.
local rand = sysbench.rand
local drawn = {}

ffi.cdef[[int usleep(unsigned microseconds);]]

local function write_down()
   local file = assert(io.open(("keys.%d"):format(sysbench.tid), "w"))
   file:write(table.concat(drawn, "\n"), "\n")
   file:close()
end

local function all_have_written()
   for tid = 0, sysbench.opt.threads - 1 do
      local file = io.open(("keys.%d"):format(tid))
      if not file then
         return false
      end
      file:close()
   end
   return true
end

-- The run is over when each worker has had its share.
function event()
   ffi.C.usleep(1000)
   if #drawn < 150 then
      drawn[#drawn + 1] = ("%d %d %d %d %d %d %d %.17g %s"):format(
         rand.default(1, 1000000), rand.uniform(1, 1000000), rand.gaussian(1, 1000000), rand.special(1, 1000000),
         rand.pareto(1, 1000000), rand.zipfian(1, 1000000), rand.unique(), rand.uniform_double(),
         rand.string("##@@"))
      if #drawn == 150 then
         write_down()
      end
   end
   return #drawn == 150 and all_have_written()
end
