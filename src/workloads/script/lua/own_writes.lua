-- SPDX-License-Identifier: GPL-2.0-or-later
-- Checks after a share of the events whether a replica returns the worker's own write. The module
-- is loaded only with --read-your-writes. The check is not part of the event.
local _, ffi = ...
local C = ffi.C

-- Returns a function that takes the place of the script's event().
return function(event)
   return function(tid)
      local last = event(tid)
      if not last and C.own_writes_due() then
         C.sb_event_stop(tid)
         C.own_writes_check()
      end
      return last
   end
end
