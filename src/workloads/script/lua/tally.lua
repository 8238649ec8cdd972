-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.tally(name, value [, trials]): records values that are used to audit the workload.
local _, ffi = ...

local C = ffi.C
local numbers = {}

local function number_of(name)
   if type(name) ~= "string" or name == "" then
      error(("tally(%s): the name of a tally was expected"):format(tostring(name)), 3)
   end
   local number = C.worker_tally(name)
   if number >= 0 then
      numbers[name] = number
   end
   return number
end

local LARGEST = 1e9

local function is_count(value)
   return type(value) == "number" and value >= 0 and value <= LARGEST
end

-- Records one value; or, with `trials`, the number of successes in this number of trials.
return function(name, value, trials)
   local number = numbers[name] or number_of(name)
   if not is_count(value) or (trials ~= nil and not is_count(trials)) then
      error(("tally('%s', %s): numbers from 0 to %.0f were expected")
         :format(tostring(name), tostring(value), LARGEST), 2)
   elseif trials then
      C.worker_add_tally(number, trials, value, value)
   else
      C.worker_add_tally(number, 1, value, value * value)
   end
end
