-- SPDX-License-Identifier: GPL-2.0-or-later
-- Options of all types, with and without a default, and commands: one shows what arrived.
local cmdline = sysbench.cmdline

cmdline.options = {
   flag = {"inferred boolean", false},
   count = {"inferred number", 7},
   ratio = {"inferred decimal", 0.5},
   word = {"inferred string", "abc"},
   names = {"inferred list", {"x", "y"}},
   nothing = {"neither default nor type"},
   ["with-dash"] = {"dashes become underscores", 3},
   t_null = {"ARG_NULL", nil, cmdline.ARG_NULL},
   t_bool = {"ARG_BOOL", true, cmdline.ARG_BOOL},
   t_int = {"ARG_INT", 5, cmdline.ARG_INT},
   t_size = {"ARG_SIZE", "4K", cmdline.ARG_SIZE},
   t_double = {"ARG_DOUBLE", 2, cmdline.ARG_DOUBLE},
   t_string = {"ARG_STRING", "s", cmdline.ARG_STRING},
   t_list = {"ARG_LIST", "p,q", cmdline.ARG_LIST},
   t_file = {"ARG_FILE", nil, cmdline.ARG_FILE},
   u_bool = {"no default", nil, cmdline.ARG_BOOL},
   u_int = {"no default", nil, cmdline.ARG_INT},
   u_string = {"no default", nil, cmdline.ARG_STRING},
   u_list = {"no default", nil, cmdline.ARG_LIST},
}

local function shown(value)
   if type(value) == "table" then
      return "{" .. table.concat(value, ",") .. "}"
   elseif type(value) == "string" then
      return "'" .. value .. "'"
   end
   return tostring(value)
end

local function print_value(name)
   io.write(("opt %s = %s\n"):format(name, shown(sysbench.opt[name])))
end

local function show()
   local names = {}
   for name in pairs(cmdline.options) do
      names[#names + 1] = name:gsub("-", "_")
   end
   for name in pairs(sysbench.opt) do
      if not cmdline.options[name] and not cmdline.options[name:gsub("_", "-")] then
         names[#names + 1] = name
      end
   end
   table.sort(names)
   for _, name in ipairs(names) do
      print_value(name)
   end
   print("command " .. cmdline.command .. " script " .. cmdline.script_path)
   print("argv[0] " .. type(cmdline.argv[0]) .. " argv[1] " .. cmdline.argv[1] .. " count " .. #cmdline.argv)
   cmdline.print_test_options()
end

local function in_parallel()
   print(("thread %d of %d draws %d"):format(sysbench.tid, sysbench.opt.threads, sysbench.rand.uniform(1, 1e9)))
   if sysbench.opt.flag and sysbench.tid == 1 then
      error("thread 1 has had enough")
   end
end

cmdline.commands = {
   show = {show},
   everywhere = {in_parallel, cmdline.PARALLEL_COMMAND},
   broken = {"no function"},
   failing = {function() error("as asked") end},
   prepare = {function() print("prepare of the table") end},
}

function cleanup()
   print("cleanup as a global function")
end

function prewarm()
   print("prewarm as a global function")
end

function event()
end
