-- SPDX-License-Identifier: GPL-2.0-or-later
-- sysbench.session: the session of the request in service, with --session-rate.
local _, ffi = ...

local C = ffi.C
local session = {}

local function known(number)
   if number > 0 then
      return number
   end
end

-- For event(): returns the number of the session in the whole run, from 1; nil without sessions.
function session.number()
   return known(C.worker_session())
end

-- For event(): returns the number of the current request within its session, from 1; nil without
-- sessions.
function session.event_index()
   return known(C.worker_session_index())
end

-- For event(): returns true if the session ends with the current request.
function session.is_last()
   return C.worker_session_ends()
end

return session
