-- SPDX-License-Identifier: GPL-2.0-or-later
-- Report hooks, ready-made and own.
sysbench.cmdline.options = {
   hook = {"csv, json, default, own, fail or none", "own"},
   fields = {"print each field of stat", false},
}

ffi.cdef[[int usleep(unsigned microseconds);]]

function event()
   ffi.C.usleep(1000)
   ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_READ)
end

local function print_fields(what, stat)
   local names = {}
   for name in pairs(stat) do
      names[#names + 1] = name
   end
   table.sort(names)
   for _, name in ipairs(names) do
      print(("%s %s %s %.9f"):format(what, name, type(stat[name]), stat[name]))
   end
end

local hooks = {
   csv = {sysbench.report_csv, sysbench.report_csv},
   json = {sysbench.report_json, sysbench.report_json},
   default = {sysbench.report_default, sysbench.report_default},
   own = {
      function(stat) print_fields("interval", stat) end,
      function(stat) print_fields("cumulative", stat) end,
   },
   none = {},
   fail = {
      function() error("no interval") end,
      function() error("no summary") end,
   },
}

function init()
   local chosen = hooks[sysbench.opt.hook]
   sysbench.hooks.report_intermediate = chosen[1]
   sysbench.hooks.report_cumulative = chosen[2]
end
