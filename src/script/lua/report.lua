-- SPDX-License-Identifier: GPL-2.0-or-later
-- Ready-made report hooks.
local _, ffi = ...

local M = {}

function M.default(_, cumulative)
   io.flush()
   ffi.C.script_report_default(cumulative == true)
end

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

-- Set while an array of intervals is open; the end of the state closes one that nobody else did.
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
