-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tells scripts that were written for sysbench 0.4.12 and 0.5: they read globals that nobody else has. What a script
-- reads is found in its bytecode before it runs, because its options must be known before its functions are called.
local util = require("jit.util")
local band, rshift = bit.band, bit.rshift

local function opcode(fn, pc)
   return band(util.funcbc(fn, pc), 0xff)
end

-- The numbers of opcodes change between versions of LuaJIT, so they are read from what it makes of two statements.
local READ_GLOBAL = opcode(loadstring("return x"), 1)
local WRITE_GLOBAL = opcode(loadstring("x = nil"), 2)

-- Collects which of `names` a function or one inside it reads and writes.
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

-- A script may have a global of its own under one of the names.
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
