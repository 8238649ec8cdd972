-- SPDX-License-Identifier: GPL-2.0-or-later
-- Checks shared by the tests of sysbench.sql in Lua: drivers.lua, sql_api.lua.

local M = {}

function M.equal(seen, expected)
   if seen ~= expected then
      error("expected: " .. tostring(expected) .. "\nseen: " .. tostring(seen), 2)
   end
end

-- Checks that the call raises an error whose message contains `text`. Returns the message.
function M.fails(text, f, ...)
   local ok, message = pcall(f, ...)
   M.equal(ok, false)
   message = tostring(message)
   if not message:find(text, 1, true) then
      error("expected: " .. text .. "\nseen: " .. message, 2)
   end
   return message
end

-- Returns rows as "a,b;c,d", with ~ for NULL.
function M.rows(rs)
   local lines = {}
   for i = 1, rs.nrows do
      local row = rs:fetch_row()
      for j = 1, rs.nfields do row[j] = row[j] or "~" end
      lines[i] = table.concat(row, ",")
   end
   M.equal(rs:fetch_row(), nil)
   return table.concat(lines, ";")
end

-- Checks the result of a statement that returns no result set.
function M.no_rows(rs)
   M.equal(tostring(rs), "<sql_result>")
   M.equal(rs.nrows, 0)
   M.equal(rs.nfields, 0)
   M.equal(rs:fetch_row(), nil)
   rs:free()
end

-- Tests by name and in the order of definition. Each is a function that gets a new connection.
M.tests = setmetatable({}, {
   __newindex = function(self, name, test)
      rawset(self, name, test)
      rawset(self, #self + 1, name)
   end
})

-- Runs all tests; prints "all passed" or raises an error.
function M.run(driver)
   for _, name in ipairs(M.tests) do
      local ok, message = xpcall(function() M.tests[name](driver:connect()) end, debug.traceback)
      if not ok then error(name .. ": " .. message, 0) end
   end
   print("all passed")
end

return M
