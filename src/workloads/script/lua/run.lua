-- SPDX-License-Identifier: GPL-2.0-or-later
-- The run loop of a worker whose script has no thread_run of its own.
local sysbench, ffi = ...

-- So many events are asked for through plain C functions: a worker that has few needs neither the FFI nor compiled
-- code, which together take more memory than the rest of its state. Fewer than make LuaJIT compile a loop.
local FEW = 20

-- Executes the event in hand and those that follow: `count` of them (true: the next is in hand) or all (false). Small, so
-- that it is compiled together with event().
local function serve(event, tid, C, count)
   repeat
      if event(tid) then
         C.worker_leave()
         return false
      elseif not C.worker_next() then
         return false
      end
      count = count - 1
   until count == 0
   return true
end

-- RESTART_EVENT itself, or an error with it as `errcode`; legacy scripts know it by a number.
local function is_restart(err)
   if type(err) ~= "table" then
      return false
   end
   local restart, code = sysbench.error.RESTART_EVENT, err.errcode
   return err == restart or (code ~= nil and (code == restart or code == restart.errcode))
end

return function(plain, event, tid)
   local C, count = plain, FEW
   local go_on = C.worker_next()
   while go_on do
      local ok, result = pcall(serve, event, tid, C, count)
      if ok then
         if not result then return end
         C, count = ffi.C, math.huge
      elseif is_restart(result) then
         go_on = C.worker_restart() or C.worker_next()
      else
         error(result, 0)
      end
   end
end
