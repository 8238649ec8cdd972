-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Makes bytecode reproducible, so that the same source gives the same bytes. LuaJIT dumps the tables among a function's constants in the
-- order of hashes, whose seed differs in each process. This module sorts the pairs of each table by their bytes; LuaJIT's loader accepts
-- any order. It reads version 2 of LuaJIT's bytecode format.

local STRIPPED = 2
local CHILD, TABLE, I64, U64, COMPLEX, STRING = 0, 1, 2, 3, 4, 5 -- constants
local INT, NUMBER, TEXT = 3, 4, 5 -- types of keys and values in a table

-- Returns the number in base 128 at the position `at`, and the position after it.
local function number(code, at)
   local value, factor = 0, 1
   while true do
      local byte = code:byte(at)
      at = at + 1
      value = value + byte % 128 * factor
      if byte < 128 then
         return value, at
      end
      factor = factor * 128
   end
end

local function skip_numbers(code, at, count)
   for _ = 1, count do
      at = select(2, number(code, at))
   end
   return at
end

-- Returns the position after the key or value of a table at `at`.
local function skip_element(code, at)
   local kind
   kind, at = number(code, at)
   if kind >= TEXT then
      return at + kind - TEXT
   end
   return skip_numbers(code, at, kind == INT and 1 or kind == NUMBER and 2 or 0)
end

-- Returns the table at `at` with its pairs sorted, and the position after the table.
local function sort_table(code, at)
   local first, array, hash, pairs_at = at
   array, at = number(code, at)
   hash, at = number(code, at)
   for _ = 1, array do
      at = skip_element(code, at)
   end
   pairs_at = at
   local found = {}
   for i = 1, hash do
      local behind = skip_element(code, skip_element(code, at))
      found[i] = code:sub(at, behind - 1)
      at = behind
   end
   table.sort(found)
   return code:sub(first, pairs_at - 1) .. table.concat(found), at
end

-- Returns the constant at `at`, sorted if it is a table, and the position after it.
local function sort_constant(code, at)
   local first, kind = at
   kind, at = number(code, at)
   if kind == TABLE then
      local sorted, behind = sort_table(code, at)
      return code:sub(first, at - 1) .. sorted, behind
   end
   local numbers = { [CHILD] = 0, [I64] = 2, [U64] = 2, [COMPLEX] = 4 }
   at = kind >= STRING and at + kind - STRING or skip_numbers(code, at, numbers[kind])
   return code:sub(first, at - 1), at
end

-- Returns the code of one function, without its length, with sorted constants.
local function sort_function(code, stripped)
   local upvalues, constants, instructions, debug_bytes = code:byte(4)
   local at
   constants, at = number(code, 5)
   at = skip_numbers(code, at, 1)
   instructions, at = number(code, at)
   if not stripped then
      debug_bytes, at = number(code, at)
      at = skip_numbers(code, at, debug_bytes > 0 and 2 or 0)
   end
   at = at + 4 * instructions + 2 * upvalues
   local parts = { code:sub(1, at - 1) }
   for _ = 1, constants do
      parts[#parts + 1], at = sort_constant(code, at)
   end
   parts[#parts + 1] = code:sub(at)
   return table.concat(parts)
end

-- Returns the result of string.dump() in an order that depends on the source only.
return function(dump)
   assert(dump:sub(1, 4) == "\27LJ\2", "bytecode of another version")
   local flags, at = number(dump, 5)
   local stripped = math.floor(flags / STRIPPED) % 2 == 1
   if not stripped then
      local length
      length, at = number(dump, at)
      at = at + length
   end
   local parts = { dump:sub(1, at - 1) }
   while dump:byte(at) ~= 0 do
      local length, first = number(dump, at)
      parts[#parts + 1] = dump:sub(at, first - 1)
      parts[#parts + 1] = sort_function(dump:sub(first, first + length - 1), stripped)
      at = first + length
   end
   local sorted = table.concat(parts) .. dump:sub(at)
   assert(#sorted == #dump and loadstring(sorted), "bytecode is not as expected")
   return sorted
end
