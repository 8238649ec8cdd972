-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.error: the error that event() may raise to be restarted.
local restart_event = {}

-- `cause` is the SQL error that was raised last. It is shown if there is no event to restart.
local function describe(self)
   local e = self.cause
   if not e then return "restart of the event" end
   return string.format("restart of the event: SQL error, errno = %d, state = '%s': %s", e.sql_errno,
      e.sql_state, e.sql_errmsg)
end

setmetatable(restart_event, {__tostring = describe})

return {NONE = 0, RESTART_EVENT = restart_event}
