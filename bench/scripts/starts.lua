-- SPDX-License-Identifier: GPL-2.0-or-later
-- Notes when each event starts, on a clock of its own, and writes the times, nanoseconds as text, to the file
-- $BENCH_STARTS.TID of each worker. Runs under sysbench as well.

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
   -- Touched here, so that no event pays for a page fault.
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
