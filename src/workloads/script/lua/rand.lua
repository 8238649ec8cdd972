-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.rand: random numbers and strings from the stream of the calling thread.
local _, ffi = ...

local C = ffi.C
local rand = {}

function rand.default(a, b) return C.script_rand_default(a, b) end
function rand.uniform(a, b) return C.script_rand_uniform(a, b) end
function rand.gaussian(a, b) return C.script_rand_gaussian(a, b) end
function rand.pareto(a, b) return C.script_rand_pareto(a, b) end
function rand.zipfian(a, b) return C.script_rand_zipfian(a, b) end
function rand.unique() return C.sb_rand_unique() end
function rand.uniform_uint64() return C.sb_rand_uniform_uint64() end
function rand.uniform_double() return C.sb_rand_uniform_double() end

local function special(a, b) return C.script_rand_special(a, b) end

-- One buffer for all strings of the state. It grows to the longest string.
local LONGEST = 2 ^ 30
local buffer, room = ffi.new("char[?]", 256), 256

local function reserve(bytes)
   if bytes > room then
      buffer, room = ffi.new("char[?]", bytes), bytes
   end
   return buffer
end

function rand.string(fmt)
   if type(fmt) ~= "string" then
      error(("rand.string(%s): a string was expected"):format(tostring(fmt)), 2)
   end
   local buf = reserve(#fmt + 1)
   C.sb_rand_str(fmt, buf)
   return ffi.string(buf)
end

local function check_lengths(name, min, max)
   if not (min and max and min >= 0 and min <= max and max <= LONGEST) then
      error(("rand.%s(%s, %s): 0 <= min <= max <= %d must hold")
               :format(name, tostring(min), tostring(max), LONGEST), 3)
   end
end

function rand.varstring(min, max)
   min, max = tonumber(min), tonumber(max)
   check_lengths("varstring", min, max)
   local buf = reserve(max + 1)
   return ffi.string(buf, C.sb_rand_varstr(buf, min, max))
end

local function alnum(min, max)
   min, max = tonumber(min), tonumber(max)
   check_lengths("alnum", min, max)
   local buf = reserve(max + 1)
   return ffi.string(buf, C.script_rand_alnum(buf, min, max))
end

-- From now on the thread draws from stream n of the seed, which has the same numbers in every
-- thread. Without n, it continues with its own stream.
local function stream(n)
   n = n == nil and -1 or tonumber(n)
   if not n or (n < 0 and n ~= -1) then
      error("rand.stream(n): a whole number from 0 was expected", 2)
   end
   C.script_rand_stream(n)
end

-- These fields work, but pairs() does not show them: some scripts iterate over the fields of
-- sysbench 1.1.
setmetatable(rand, {__index = {special = special, alnum = alnum, stream = stream}})

return rand
