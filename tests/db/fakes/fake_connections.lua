-- SPDX-License-Identifier: GPL-2.0-or-later
-- Prints the numbers of the connections that fake_mongodb.py has, but its own; with FAKE_KILL=NUMBER closes that one.

local con = sysbench.sql.driver():connect()
local number = os.getenv("FAKE_KILL")
if number then
   con:query('{"fakeKill": ' .. number .. "}")
else
   local found = con:query('{"listConnections": 1, "$fields": ["number"]}')
   for _ = 1, found.nrows do print(found:fetch_row()[1]) end
end
