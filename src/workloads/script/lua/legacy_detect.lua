-- SPDX-License-Identifier: GPL-2.0-or-later
-- Detects scripts that were written for sysbench 0.4.12 and 0.5 by the globals they read. These are
-- found in the bytecode of a script before it runs, because the options of the script must be known
-- before its functions are called.
local util = require("jit.util")
local band, rshift = bit.band, bit.rshift

local function opcode(fn, pc)
   return band(util.funcbc(fn, pc), 0xff)
end

-- The numbers of opcodes differ between versions of LuaJIT. They are taken from the bytecode of two
-- statements.
local READ_GLOBAL = opcode(loadstring("return x"), 1)
local WRITE_GLOBAL = opcode(loadstring("x = nil"), 2)

-- Collects which of `names` are read and written by a function and the functions inside it.
local function collect(fn, names, reads, writes)
   local pc = 1
   local instruction = util.funcbc(fn, pc)
   while instruction do
      local op = band(instruction, 0xff)
      if op == READ_GLOBAL or op == WRITE_GLOBAL then
         local name = util.funck(fn, -rshift(instruction, 16) - 1)
         if names[name] then
            (op == READ_GLOBAL and reads or writes)[name] = true
         end
      end
      pc = pc + 1
      instruction = util.funcbc(fn, pc)
   end
   local i = -1
   local constant = util.funck(fn, i)
   while constant ~= nil do
      if type(constant) == "proto" then
         collect(constant, names, reads, writes)
      end
      i = i - 1
      constant = util.funck(fn, i)
   end
end

-- A script that defines a global with such a name itself does not count as legacy.
local function is_legacy(chunk, list)
   local names, reads, writes = {}, {}, {}
   for name in list:gmatch("%S+") do
      names[name] = true
   end
   collect(chunk, names, reads, writes)
   for name in pairs(reads) do
      if not writes[name] then
         return true
      end
   end
   return false
end

return is_legacy
