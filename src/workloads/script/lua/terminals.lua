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

-- For thread_init(): the run has `count` terminals in total, whose first requests are spread evenly
-- over this number of seconds. Returns false if requests are not paced by terminals.
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

-- For event(): returns the number of the current terminal, from 1, and the value that pause() has
-- passed for this request (0 for a first request). Returns nil if requests are not paced by
-- terminals.
function terminals.current()
   local number = C.worker_terminal()
   if number > 0 then
      return number, C.worker_memo()
   end
end

-- For event(), to be called once: after the event, the terminal thinks for an exponentially
-- distributed time with the mean `think`, then keys in its next request for `keying` seconds, and
-- sends it. `memo` is passed to the next request. Returns the think time. All times are in seconds.
function terminals.pause(keying, think, memo)
   check("pause", keying, 0, 1e6)
   check("pause", think, 0, 1e6)
   return C.worker_pause(keying, think, memo or 0)
end

return terminals
