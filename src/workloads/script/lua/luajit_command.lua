-- SPDX-License-Identifier: GPL-2.0-or-later
-- --luajit-cmd has the arguments of `luajit -j`: on, off, flush, or a module of jit.* with
-- arguments after "=".
local text = ...

local name, arguments = text:match("^([^=]*)=?(.*)$")
if type(jit[name]) == "function" then
   return jit[name]()
end
local words = {}
for word in arguments:gmatch("[^,]+") do
   words[#words + 1] = word
end
require("jit." .. name).start(unpack(words))
