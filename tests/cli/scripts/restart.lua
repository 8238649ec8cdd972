-- SPDX-License-Identifier: GPL-2.0-or-later
-- Events that start again, without SQL: each succeeds at its third attempt, unless --never is given.
sysbench.cmdline.options = {
   form = {"plain: error(RESTART_EVENT); table: error({errcode = RESTART_EVENT})", "plain"},
   never = {"no attempt succeeds", false},
}

local RESTART = sysbench.error.RESTART_EVENT
local attempt = 0

function event()
   attempt = attempt + 1
   if attempt % 3 == 0 and not sysbench.opt.never then
      return
   end
   error(sysbench.opt.form == "table" and {errcode = RESTART} or RESTART)
end

function thread_done()
   print("attempts " .. attempt)
end
