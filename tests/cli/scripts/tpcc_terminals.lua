-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- tpcc, which stops when a terminal is not what TPC-C 5.11 says: at home in one warehouse, with the
-- keying and think times of clause 5.2.5.7, ten terminals in each warehouse, and back no sooner than
-- it has thought and keyed in.

local ffi = require("ffi")
local transactions = require("tpcc_transactions")
local terminals = sysbench.terminals

local KEYING = {new_order = 18, payment = 3, order_status = 2, delivery = 2, stock_level = 2}
local THINK = {new_order = 12, payment = 12, order_status = 10, delivery = 5, stock_level = 5}
local NAMES = {"new_order", "payment", "order_status", "delivery", "stock_level"}

local current, pause, populate = terminals.current, terminals.pause, terminals.populate
local number, keyed, thinks, following
local due = {} -- terminal -> when it comes back at the earliest

ffi.cdef("typedef struct { long s, ns; } moment; int clock_gettime(int clock, moment *now);")

local moment = ffi.new("moment")

local function now()
   ffi.C.clock_gettime(1, moment) -- CLOCK_MONOTONIC
   return tonumber(moment.s) + tonumber(moment.ns) * 1e-9
end

function terminals.populate(count, seconds)
   assert(count == 10 * sysbench.opt.warehouses)
   return populate(count, seconds)
end

function terminals.current()
   number, keyed = current()
   assert(now() >= (due[number] or 0))
   return number, keyed
end

function terminals.pause(keying, think, memo)
   thinks, following = think * sysbench.opt.pace, NAMES[memo]
   assert(math.abs(keying * sysbench.opt.pace - KEYING[following]) < 1e-9)
   local drawn = pause(keying, think, memo)
   assert(drawn > 0 and drawn <= 10 * think)
   due[number] = now() + keying + drawn - 1e-6
   return drawn
end

for name, draw in pairs(transactions.draw) do
   transactions.draw[name] = function(input, w, d)
      assert(w == math.floor((number - 1) / 10) + 1 and d == (number - 1) % 10 + 1)
      assert(keyed == 0 or NAMES[keyed] == name)
      assert(math.abs(thinks - THINK[name]) < 1e-9)
      draw(input, w, d)
   end
end

require("tpcc")
