-- SPDX-License-Identifier: GPL-2.0-or-later
-- Opens connections again after --reconnect events or --connection-lifetime. The module is loaded
-- only with one of these options, before the script.
local sysbench, ffi = ...
local C = ffi.C

local function open_again()
   if not C.sql_recycle_now() then
      error("reconnection failed", 0)
   end
   local hook = sysbench.hooks.after_reconnect
   if hook then
      hook()
   end
end

-- Between events: the event that has ended is recorded first.
local function end_event(tid)
   C.sql_recycle_count()
   if C.sql_recycle_due() then
      C.sb_event_stop(tid)
      open_again()
   end
end

local function begin_event()
   if C.sql_recycle_due() then
      open_again()
   end
end

-- Returns a function that takes the place of the script's event().
local function wrap(event)
   if C.sql_recycle_in_response() then
      return function(tid)
         begin_event()
         local last = event(tid)
         C.sql_recycle_count()
         return last
      end
   end
   return function(tid)
      local last = event(tid)
      if not last then
         end_event(tid)
      end
      return last
   end
end

-- Functions that take the place of those that a script with a run loop of its own calls.
local own = {}

function own.sb_event_start(tid)
   C.sb_event_start(tid)
   if C.sql_recycle_in_response() then
      begin_event()
   end
end

function own.sb_event_stop(tid)
   C.sb_event_stop(tid)
   C.sql_recycle_count()
   if not C.sql_recycle_in_response() and C.sql_recycle_due() then
      open_again()
   end
end

ffi.C = setmetatable(own, {
   __index = C,
   __newindex = C,
})

return wrap
