-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.terminals: users that think between their requests, with --pacing=terminals.
local _, ffi = ...

local C = ffi.C
local MOST = 10000000
local terminals = {}

local function check(name, value, low, high)
   if type(value) ~= "number" or not (value >= low and value <= high) then
      error(("terminals.%s(): a number from %.0f to %.0f was expected, not %s")
               :format(name, low, high, tostring(value)), 3)
   end
end

-- In thread_init: there are `count` of them in the whole run, whose first requests come evenly spread over so many
-- seconds. False: requests are paced otherwise.
function terminals.populate(count, seconds)
   check("populate", count, 1, MOST)
   check("populate", seconds, 0, 1e6)
   if not C.worker_has_terminals() then
      return false
   elseif C.worker_populate(count, seconds) < 0 then
      error("terminals.populate(): threads do not agree on the terminals", 2)
   end
   return true
end

-- In event: the number, from 1, of the terminal whose request it is, and what pause() has told of the request (0 of a
-- first one). Nil: requests are paced otherwise.
function terminals.current()
   local number = C.worker_terminal()
   if number > 0 then
      return number, C.worker_memo()
   end
end

-- In event, once: behind it the terminal thinks, exponentially distributed with that mean, then takes so long to key in its
-- next request, and sends that. Returns how long it is going to think. All in seconds.
function terminals.pause(keying, think, memo)
   check("pause", keying, 0, 1e6)
   check("pause", think, 0, 1e6)
   return C.worker_pause(keying, think, memo or 0)
end

return terminals
