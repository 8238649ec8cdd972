-- SPDX-License-Identifier: GPL-2.0-or-later
-- Counts by hand: of each kind a number of its own per event.
ffi.cdef[[void sb_counter_inc(int, sb_counter_type);]]

local C = ffi.C

local function count(tid, type, times)
   for _ = 1, times do
      C.sb_counter_inc(tid, type)
   end
end

function event(tid)
   count(tid, C.SB_CNT_OTHER, 1)
   count(tid, C.SB_CNT_READ, 2)
   count(tid, C.SB_CNT_WRITE, 3)
   count(tid, C.SB_CNT_ERROR, 4)
   count(tid, C.SB_CNT_RECONNECT, 5)
   count(tid, C.SB_CNT_BYTES_READ, 6)
   count(tid, C.SB_CNT_BYTES_WRITTEN, 7)
end

-- Outside of a run there is nothing to count for; it must do no harm.
function prepare()
   count(0, C.SB_CNT_READ, 1)
   C.sb_counter_inc(99999, 42)
   C.sb_event_start(0)
   C.sb_event_stop(0)
   print("more events: " .. tostring(C.sb_more_events(0)))
end
