-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.clock() and sysbench.sleep(seconds).
local _, ffi = ...

local C = ffi.C
local LONGEST_S = 3600

local function sleep(seconds)
   if type(seconds) ~= "number" or not (seconds >= 0 and seconds <= LONGEST_S) then
      error(("sleep(%s): seconds from 0 to %d were expected"):format(tostring(seconds), LONGEST_S), 2)
   end
   C.script_sleep(seconds)
end

return {
   clock = function() return C.script_clock() end,
   sleep = sleep,
}
