-- SPDX-License-Identifier: GPL-2.0-or-later
-- A run loop of the script's own, as scripts in the field write it. --style chooses what is odd about it.
sysbench.cmdline.options = {
   style = {"one of the loops below", "plain"},
}

ffi.cdef[[
bool sb_more_events(int thread_id);
void sb_event_start(int thread_id);
void sb_event_stop(int thread_id);
int usleep(unsigned microseconds);
]]

local C = ffi.C
local loops = {}

function loops.plain(tid)
   while C.sb_more_events(tid) do
      C.sb_event_start(tid)
      C.sb_event_stop(tid)
   end
end

function loops.twice(tid)
   while C.sb_more_events(tid) and C.sb_more_events(tid) do
      C.sb_event_start(tid)
      C.sb_event_stop(tid)
   end
end

-- An event that is never stopped counts as given up.
function loops.unstopped(tid)
   local n = 0
   while C.sb_more_events(tid) do
      C.sb_event_start(tid)
      n = n + 1
      if n % 2 == 0 then
         C.sb_event_stop(tid)
      end
   end
end

-- Each takes 50 ms, and every second one of them is never stopped.
function loops.slow(tid)
   local n = 0
   while C.sb_more_events(tid) do
      C.sb_event_start(tid)
      C.usleep(50000)
      n = n + 1
      if n % 2 == 0 then
         C.sb_event_stop(tid)
      end
   end
end

function loops.unasked(tid)
   for _ = 1, 10 do
      C.sb_event_start(tid)
      C.sb_event_stop(tid)
   end
end

function loops.early(tid)
   for _ = 1, 5 do
      if not C.sb_more_events(tid) then
         return
      end
      C.sb_event_start(tid)
      C.sb_event_stop(tid)
   end
end

function loops.idle()
end

-- Fails in the middle of the tenth event.
function loops.fail(tid)
   local n = 0
   while C.sb_more_events(tid) do
      C.sb_event_start(tid)
      n = n + 1
      if n == 10 then
         error("loop has failed")
      end
      C.sb_event_stop(tid)
   end
end

function thread_run(tid)
   assert(tid == sysbench.tid)
   loops[sysbench.opt.style](tid)
end
