-- SPDX-License-Identifier: GPL-2.0-or-later
-- require() of a new state: reading any field of `ffi` opens it. (package.loaded may hold one that a number such as 1LL
-- has opened: it does not know our functions.)
local ffi, require = ...

function _G.require(name)
   if name == "ffi" then
      return ffi.cdef and ffi
   end
   return require(name)
end
