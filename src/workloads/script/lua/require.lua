-- SPDX-License-Identifier: GPL-2.0-or-later
-- require() of a new state. Reading any field of `ffi` loads the FFI with our functions.
-- (package.loaded may contain an FFI that was loaded by a literal such as 1LL, without our
-- functions.)
local ffi, require = ...

function _G.require(name)
   if name == "ffi" then
      return ffi.cdef and ffi
   end
   return require(name)
end
