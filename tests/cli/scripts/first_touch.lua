-- SPDX-License-Identifier: GPL-2.0-or-later
-- What a state makes when it is first read is whole then, wherever that happens.

local function count(t)
   local n = 0
   for _ in pairs(t) do
      n = n + 1
   end
   return n
end

local function in_coroutine(f)
   local ok, result = coroutine.resume(coroutine.create(f))
   assert(ok, result)
   return result
end

local options = in_coroutine(function() return count(sysbench.opt) end)
local opt = sysbench.opt
assert(options > 50 and count(opt) == options and next(opt) ~= nil and getmetatable(opt) == nil)
assert(rawget(sysbench, "opt") == opt)

in_coroutine(function()
   assert(sysbench.cmdline.argv[0] and sysbench.cmdline.ARG_FILE == 7)
   assert(sysbench.version_string:find(sysbench.version, 1, true))
   assert(type(sysbench.sql.driver) == "function" and type(sysbench.report_json) == "function")
end)
assert(sysbench.nothing == nil and sysbench[1] == nil and sysbench.error.RESTART_EVENT)

-- A number opens the FFI without the functions of the program; a script gets those with it all the same.
local one = loadstring("return 1LL")()
in_coroutine(function() assert(require("ffi").C.sb_rand_uniform(3, 3) == 3 * one) end)
assert(require("ffi") == ffi and package.loaded.ffi == ffi)
assert(not pcall(require, "nosuchmodule"))

-- More objects, in more sizes and for longer than a run makes them; what is kept must stay as it is.
local kept = {}
for i = 1, 20000 do
   local text = ("%d"):format(i):rep(i % 90)
   kept[i % 500] = {text, i, {n = i}, ffi.new("char[?]", i % 300)}
   if i % 5000 == 0 then
      collectgarbage()
   end
end
for _, entry in pairs(kept) do
   assert(entry[1] == ("%d"):format(entry[2]):rep(entry[2] % 90) and entry[3].n == entry[2])
end

function event()
   print("first", nil, true, setmetatable({}, {__tostring = function() return "touch" end}))
   return true
end
