-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.histogram: counts arbitrary numbers in buckets on a logarithmic scale.
local _, ffi = ...

local C = ffi.C
local methods = {}
local metatable = {__index = methods, __tostring = function() return "<histogram>" end}

-- Returns the C pointer of a histogram, also if a script has called the method without its object.
local function handle_of(self)
   if getmetatable(self) ~= metatable then
      error("a method was called without its histogram: a colon is needed, as in h:print()", 3)
   end
   return self.handle
end

function methods:update(value)
   local number = tonumber(value)
   if not number then
      error(("histogram:update(%s): a number was expected"):format(tostring(value)), 2)
   end
   C.script_histogram_update(handle_of(self), number)
end

function methods:print()
   local handle = handle_of(self)
   io.flush()
   C.script_histogram_print(handle)
end

local histogram = {}

function histogram.new(size, min, max)
   local handle
   if tonumber(size) and tonumber(min) and tonumber(max) then
      handle = C.script_histogram_create(tonumber(size), tonumber(min), tonumber(max))
   end
   if handle == nil then
      error(("sysbench.histogram.new(%s, %s, %s): size >= 2 and 0 < min < max must hold")
               :format(tostring(size), tostring(min), tostring(max)), 2)
   end
   return setmetatable({handle = ffi.gc(handle, C.script_histogram_destroy)}, metatable)
end

return histogram
