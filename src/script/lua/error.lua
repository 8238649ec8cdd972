-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.error: what event() may raise to be started again.
local restart_event = setmetatable({}, {__tostring = function() return "restart of the event" end})

return {NONE = 0, RESTART_EVENT = restart_event}
