-- SPDX-License-Identifier: GPL-2.0-or-later
-- Builds the global table `sysbench` of a new Lua state. What is not always needed is loaded when first touched.
local facts, load_module, print_test_options = ...

-- The FFI takes almost as much memory as the rest of a new state. It is opened when it is first touched, and the
-- functions of api.h are declared then. (A number such as 1LL opens it as well, behind our back, without these.)
local ffi, is_open = {}, false
local require, loaded = require, package.loaded

local function open_ffi()
   if not is_open then
      is_open = true
      setmetatable(ffi, nil)
      for name, value in pairs(require("ffi")) do
         ffi[name] = value
      end
      loaded.ffi = ffi
      ffi.cdef(facts.declarations())
   end
   return ffi
end

setmetatable(ffi, {__index = function(_, name) return open_ffi()[name] end})

function _G.require(name)
   if name == "ffi" then
      return open_ffi()
   end
   return require(name)
end

_G.ffi = ffi

local restart_event = setmetatable({}, {__tostring = function() return "restart of the event" end})

sysbench = {
   tid = facts.tid,
   version = facts.tool_version,
   version_string = facts.tool_name .. " " .. facts.tool_version,
   opt = {},
   hooks = {},
   error = {NONE = 0, RESTART_EVENT = restart_event},
   cmdline = {
      ARG_NULL = 0, ARG_BOOL = 1, ARG_INT = 2, ARG_SIZE = 3,
      ARG_DOUBLE = 4, ARG_STRING = 5, ARG_LIST = 6, ARG_FILE = 7,
      PARALLEL_COMMAND = true,
      argv = facts.argv,
      command = facts.command,
      script_path = facts.script_path,
      print_test_options = print_test_options,
   },
}

local function load(name)
   return load_module(name)(sysbench, ffi)
end

local lazy = {
   rand = function() return load("rand") end,
   histogram = function() return load("histogram") end,
   legacy = function() return load("legacy") end,
   sql = function() return load("sql") end,
   report_default = function() return load("report").default end,
   report_csv = function() return load("report").csv end,
   report_json = function() return load("report").json end,
}

setmetatable(sysbench, {
   __index = function(self, key)
      local maker = lazy[key]
      if maker then
         rawset(self, key, maker())
         return rawget(self, key)
      end
   end
})

-- One write for a line, so that lines of several threads do not run into each other.
function print(...)
   local words = {...}
   for i = 1, select("#", ...) do
      words[i] = tostring(words[i])
   end
   io.stdout:write(table.concat(words, "\t") .. "\n")
end

-- `luajit -j` takes: on, off, flush, or a module of jit.* with arguments behind "=".
local function luajit_command(text)
   local name, arguments = text:match("^([^=]*)=?(.*)$")
   if type(jit[name]) == "function" then
      return jit[name]()
   end
   local words = {}
   for word in arguments:gmatch("[^,]+") do
      words[#words + 1] = word
   end
   require("jit." .. name).start(unpack(words))
end

if facts.luajit_cmd then
   luajit_command(facts.luajit_cmd)
end
