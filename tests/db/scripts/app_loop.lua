#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A typical workload for sysbench 1.0, with its own options, commands, loop, bulk insert, counters and report.

ffi.cdef[[
void sb_event_start(int thread_id);
void sb_event_stop(int thread_id);
bool sb_more_events(int thread_id);
]]

sysbench.cmdline.options = {
   rows = {"Number of rows", 500},
   name = {"Name of the table", "app"},
   check = {"Check rows", false},
   ratio = {"A ratio", 1.5},
   kinds = {"Kinds of rows", {"a", "b"}},
   chunk = {"A size", "4K", sysbench.cmdline.ARG_SIZE},
   extra = {"Nothing by default", nil, sysbench.cmdline.ARG_STRING},
}

local function show_options()
   local names = {}
   for name in pairs(sysbench.cmdline.options) do names[#names + 1] = name end
   table.sort(names)
   for _, name in ipairs(names) do
      local value = sysbench.opt[name]
      print(name, type(value), type(value) == "table" and table.concat(value, "/") or value)
   end
   print(sysbench.cmdline.command, sysbench.opt.threads, sysbench.tid)
end

local function share()
   -- Writes a line with one call, so that lines of different threads are not mixed.
   io.write(("share %s %d\n"):format(sysbench.cmdline.command, sysbench.opt.threads))
end

sysbench.cmdline.commands = {
   options = {show_options},
   share = {share, sysbench.cmdline.PARALLEL_COMMAND},
}

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE " .. sysbench.opt.name .. " (id INT PRIMARY KEY, s VARCHAR(40))")
   con:bulk_insert_init("INSERT INTO " .. sysbench.opt.name .. " (id, s) VALUES")
   for i = 1, sysbench.opt.rows do
      con:bulk_insert_next(("(%d, '%s')"):format(i, sysbench.rand.string("##-@@-##")))
   end
   con:bulk_insert_done()
   con:disconnect()
end

function cleanup()
   sysbench.sql.driver():connect():query("DROP TABLE " .. sysbench.opt.name)
end

function sysbench.hooks.report_cumulative(stat)
   print("events", tonumber(stat.events), "reads", tonumber(stat.reads), "other", tonumber(stat.other), stat.latency_avg > 0,
         stat.latency_min <= stat.latency_max, stat.time_total > 0)
end

function init() print("init") end

function thread_init()
   con = sysbench.sql.driver():connect()
end

function event() error("not called") end

function thread_run(tid)
   while ffi.C.sb_more_events(tid) do
      ffi.C.sb_event_start(tid)
      local id = sysbench.rand.uniform(1, sysbench.opt.rows)
      local rs = con:query(("SELECT id, s, NULL FROM %s WHERE id = %d"):format(sysbench.opt.name, id))
      local row = rs:fetch_row()
      assert(rs.nrows == 1 and rs.nfields == 3 and tonumber(row[1]) == id and row[3] == nil)
      rs:free()
      con:query_row("SELECT COUNT(*) FROM " .. sysbench.opt.name)
      ffi.C.sb_event_stop(tid)
   end
end

function thread_done() con:disconnect() end
function done() print("done") end
