-- SPDX-License-Identifier: GPL-2.0-or-later
-- Says which function is called, where and with what; --fail names one that raises an error, --stop what event returns.
sysbench.cmdline.options = {
   fail = {"function that fails", ""},
   stop = {"what the third event returns: nil, false, true, 0, empty, table", "nil"},
}

local function enter(name, ...)
   print(("%s tid %d args %s"):format(name, sysbench.tid, table.concat({select("#", ...), ...}, " ")))
   if sysbench.opt.fail == name then
      error(name .. " fails as asked")
   end
end

print("body tid " .. sysbench.tid)

function init(...) enter("init", ...) end
function thread_init(...) enter("thread_init", ...) end
function thread_done(...) enter("thread_done", ...) end
function done(...) enter("done", ...) end

local answers = {["false"] = false, ["true"] = true, ["0"] = 0, empty = "", table = {}}
local n = 0

function event(...)
   n = n + 1
   if n == 1 then
      enter("event", ...)
   elseif n == 3 then
      return answers[sysbench.opt.stop]
   end
end
