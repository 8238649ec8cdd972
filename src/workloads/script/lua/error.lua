-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.error: what event() may raise to be started again.
local restart_event = {}

-- `cause` is the SQL error raised so last; where there is no event to start again, it says what went wrong.
local function describe(self)
   local e = self.cause
   if not e then return "restart of the event" end
   return string.format("restart of the event: SQL error, errno = %d, state = '%s': %s", e.sql_errno,
      e.sql_state, e.sql_errmsg)
end

setmetatable(restart_event, {__tostring = describe})

return {NONE = 0, RESTART_EVENT = restart_event}
