-- SPDX-License-Identifier: GPL-2.0-or-later
-- Predefined report hooks.
local sysbench = ...

local M = {}

local function figures(stat)
   local seconds = stat.time_interval
   return stat.time_total, stat.threads_running,
      stat.events / seconds,
      (stat.reads + stat.writes + stat.other) / seconds,
      stat.reads / seconds, stat.writes / seconds, stat.other / seconds,
      stat.latency_pct * 1000,
      stat.errors / seconds,
      stat.reconnects / seconds
end

-- A time has decimals only if intervals have.
local function label(seconds)
   if sysbench.opt.report_interval % 1 == 0 then
      return ("%.0f"):format(seconds)
   end
   return ("%.15g"):format(("%.3f"):format(seconds))
end

-- Returns the percentile that stat.latency_pct contains.
local function percentile()
   return tostring(sysbench.opt.percentile):match("[%d.]+")
end

function M.default(stat)
   local time, threads, tps, qps, reads, writes, other, latency, errors, reconnects = figures(stat)
   print(("[ %ss ] thds: %u tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) lat (ms,%s%%): %4.2f err/s %4.2f reconn/s: %4.2f")
      :format(label(time), threads, tps, qps, reads, writes, other, percentile(), latency, errors, reconnects))
end

function M.csv(stat)
   print(("%.0f,%u,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f"):format(figures(stat)))
end

local object = [[
  {
    "time": %4.0f,
    "threads": %u,
    "tps": %4.2f,
    "qps": {
      "total": %4.2f,
      "reads": %4.2f,
      "writes": %4.2f,
      "other": %4.2f
    },
    "latency": %4.2f,
    "errors": %4.2f,
    "reconnects": %4.2f
  }]]

local function to_json(stat)
   return object:format(figures(stat))
end

-- Set while the array of intervals is open. If nothing closes it, the end of the state does.
local open_array

local function close_array()
   if open_array then
      open_array = nil
      io.write("\n]\n")
      io.flush()
   end
end

local function open()
   open_array = newproxy(true)
   getmetatable(open_array).__gc = close_array
end

function M.json(stat, cumulative)
   if cumulative then
      close_array()
   end
   io.write(open_array and ",\n" or "[\n", to_json(stat))
   if cumulative then
      io.write("\n]\n")
   elseif not open_array then
      open()
   end
   io.flush()
end

return M
