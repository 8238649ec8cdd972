-- SPDX-License-Identifier: GPL-2.0-or-later
-- The run loop of a worker whose script has no thread_run().
local sysbench, ffi = ...

-- The first events are requested through plain C functions. So a worker with few events needs
-- neither the FFI nor compiled code, which together take more memory than the rest of its state.
-- The number is too small for LuaJIT to compile the loop.
local FEW = 20

-- Executes the current event and the following ones: `count` events (and returns true with the next
-- event taken) or all (and returns false). The function is small, so that it is compiled together
-- with event().
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

-- Returns true for RESTART_EVENT, and for an error that has it as `errcode`. Legacy scripts use a
-- number.
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
