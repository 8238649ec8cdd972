-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.event_type(name): sets the type of the current event.
local _, ffi = ...

local C = ffi.C
local numbers = {}

local function number_of(name)
   if type(name) ~= "string" or name == "" then
      error(("event_type(%s): the name of a type was expected"):format(tostring(name)), 3)
   end
   local number = C.worker_event_type(name)
   if number >= 0 then
      numbers[name] = number
   end
   return number
end

return function(name)
   C.worker_set_event_type(numbers[name] or number_of(name))
end
