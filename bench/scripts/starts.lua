-- SPDX-License-Identifier: GPL-2.0-or-later
-- Records the start time of each event with a clock of its own. Each worker writes its times, in nanoseconds as text, to the file
-- $BENCH_STARTS.TID. Also runs under sysbench.

local ffi = require("ffi")

ffi.cdef [[
struct bench_timespec { long seconds, nanoseconds; };
int clock_gettime(int clock, struct bench_timespec *now);
]]

local CLOCK_MONOTONIC = 1
local ROOM = 2000000

local C = ffi.C
local now = ffi.new("struct bench_timespec")
local starts, count

function thread_init()
   -- Write to all pages of the buffer now, so that page faults do not delay events.
   starts, count = ffi.new("double[?]", ROOM), 0
   ffi.fill(starts, ffi.sizeof(starts))
end

function event()
   C.clock_gettime(CLOCK_MONOTONIC, now)
   if count < ROOM then
      starts[count] = tonumber(now.seconds) * 1e9 + tonumber(now.nanoseconds)
      count = count + 1
   end
end

function thread_done()
   local file = assert(io.open(os.getenv("BENCH_STARTS") .. "." .. sysbench.tid, "w"))
   for i = 0, count - 1 do
      file:write(string.format("%.0f\n", starts[i]))
   end
   file:close()
end
