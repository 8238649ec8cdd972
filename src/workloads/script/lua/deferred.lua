-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.defer(type, number, ...): defers work, which an executor does later by calling
-- hooks.deferred(type, number, ...).
local sysbench, ffi = ...

local C = ffi.C
local MOST = 8
local numbers = ffi.new("double[?]", MOST)
local types = {} -- name -> number; false if the event does the work itself

local function type_number(name)
   if type(name) ~= "string" or name == "" then
      error(("defer(%s): the name of a type was expected"):format(tostring(name)), 3)
   elseif type(sysbench.hooks.deferred) ~= "function" then
      error("defer(): the script has no sysbench.hooks.deferred, which does the work", 3)
   end
   local number = C.worker_deferred_type(name)
   types[name] = number >= 0 and number
   return types[name]
end

local function store(name, count, ...)
   if count > MOST then
      error(("defer('%s'): %d values; %d at most"):format(name, count, MOST), 3)
   end
   for i = 1, count do
      local value = select(i, ...)
      if type(value) ~= "number" then
         error(("defer('%s'): a number was expected, not %s"):format(name, tostring(value)), 3)
      end
      numbers[i - 1] = value
   end
end

-- Returns true if the work was deferred, false if it is done already.
local function defer(name, ...)
   local number = types[name]
   if number == nil then
      number = type_number(name)
   end
   local count = select("#", ...)
   store(name, count, ...)
   if not number then
      sysbench.hooks.deferred(name, ...)
      return false
   end
   local put = C.worker_defer(number, count, numbers)
   if put == -2 then
      error(("defer('%s') can only be called in event()"):format(name), 2)
   elseif put < 0 then
      error("the queue of deferred work is full: the executors are unable to keep up (see " ..
            "--deferred-threads, --queue-size, --queue-full)", 0)
   end
   return true
end

-- The loop of an executor calls this instead of event().
local list = {}

local function event()
   local count = C.worker_deferred_numbers(numbers)
   for i = 1, count do
      list[i] = numbers[i - 1]
   end
   sysbench.hooks.deferred(ffi.string(C.worker_deferred_name()), unpack(list, 1, count))
end

return {defer = defer, event = event}
