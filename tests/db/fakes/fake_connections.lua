-- SPDX-License-Identifier: GPL-2.0-or-later
-- Prints the numbers of the connections of fake_mongodb.py, except its own. With FAKE_KILL=NUMBER, closes this connection.

local con = sysbench.sql.driver():connect()
local number = os.getenv("FAKE_KILL")
if number then
   con:query('{"fakeKill": ' .. number .. "}")
else
   local found = con:query('{"listConnections": 1, "$fields": ["number"]}')
   for _ = 1, found.nrows do print(found:fetch_row()[1]) end
end
