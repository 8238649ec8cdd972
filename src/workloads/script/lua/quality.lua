-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.quality(name, value): records a value of a quality figure, such as the recall of a
-- search. Without a value, only declares the figure.
local _, ffi = ...

local C = ffi.C
local numbers = {}

local LARGEST = 1e15

local function number_of(name)
   local number = type(name) == "string" and C.worker_quality(name) or -2
   if number == -2 then
      error(("quality(%s): the name of a figure was expected: a letter a to z, then up to 30 of a to z, 0 to 9 and _, "
         .. "but not mean, max, errors, throughput, tpcc or p99"):format(tostring(name)), 3)
   elseif number >= 0 then
      numbers[name] = number
   end
   return number
end

return function(name, value)
   local number = numbers[name] or number_of(name)
   if value == nil then
      return
   elseif type(value) ~= "number" or not (value >= -LARGEST and value <= LARGEST) then
      error(("quality('%s', %s): a number from -1e15 to 1e15 was expected"):format(name, tostring(value)), 2)
   end
   C.worker_add_quality(number, value)
end
