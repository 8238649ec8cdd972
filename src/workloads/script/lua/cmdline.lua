-- SPDX-License-Identifier: GPL-2.0-or-later
-- Converts the declarations of a script in sysbench.cmdline to the form that the C code reads.
local sysbench = ...

local cmdline = sysbench.cmdline
local M = {}

-- Values of enum script_command.
local NONE, SERIAL, PARALLEL = 0, 1, 2

local function declared(command)
   return type(cmdline.commands) == "table" and cmdline.commands[command] or nil
end

function M.find(command)
   local entry = declared(command)
   if entry then
      return type(entry) == "table" and entry[2] == cmdline.PARALLEL_COMMAND and PARALLEL or SERIAL
   end
   return type(rawget(_G, command)) == "function" and SERIAL or NONE
end

function M.call(command)
   local entry = declared(command)
   local handler = rawget(_G, command)
   if entry then
      handler = type(entry) == "table" and entry[1] or nil
   end
   if type(handler) ~= "function" then
      error(("sysbench.cmdline.commands.%s: {function} was expected"):format(command), 0)
   end
   handler()
end

local function inferred_type(default)
   if type(default) == "boolean" then
      return cmdline.ARG_BOOL
   elseif type(default) == "number" then
      return default == math.floor(default) and cmdline.ARG_INT or cmdline.ARG_DOUBLE
   elseif type(default) == "table" then
      return cmdline.ARG_LIST
   end
   return cmdline.ARG_STRING
end

local function as_text(default)
   if type(default) == "boolean" then
      return default and "on" or "off"
   elseif type(default) == "table" then
      return table.concat(default, ",")
   elseif type(default) == "number" then
      return default == math.floor(default) and ("%.0f"):format(default) or tostring(default)
   end
   return default
end

local function row(name, entry)
   if type(name) ~= "string" then
      error(("sysbench.cmdline.options: a name was expected, not the %s %s")
               :format(type(name), tostring(name)), 0)
   elseif type(entry) ~= "table" or type(entry[1]) ~= "string" then
      error(("sysbench.cmdline.options.%s: {\"description\", default, type} was expected"):format(name), 0)
   end
   local kind = entry[3] or inferred_type(entry[2])
   if type(kind) ~= "number" or kind < cmdline.ARG_NULL or kind > cmdline.ARG_FILE then
      error(("sysbench.cmdline.options.%s: unknown type '%s'"):format(name, tostring(kind)), 0)
   end
   local default, tacit = entry[2], false
   if kind == cmdline.ARG_BOOL and default == nil then
      default, tacit = true, true
   end
   return {name = name, help = entry[1], default = as_text(default), kind = kind, tacit = tacit}
end

-- Returns the script's options, sorted by name.
function M.options()
   local rows = {}
   for name, entry in pairs(cmdline.options or {}) do
      rows[#rows + 1] = row(name, entry)
   end
   table.sort(rows, function(a, b) return a.name < b.name end)
   return rows
end

return M
