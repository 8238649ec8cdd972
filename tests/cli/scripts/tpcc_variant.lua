-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- tpcc with something left out, as VARIANT in the environment says: its audit must find that.

local random = require("tpcc_random")
local transactions = require("tpcc_transactions")

local variants = {}

function variants.uniform()
   random.nurand = function(_, _, first, last) return sysbench.rand.uniform(first, last) end
end

local function after_draw(name, change)
   local draw = transactions.draw[name]
   transactions.draw[name] = function(input, ...)
      draw(input, ...)
      change(input)
   end
end

function variants.home_stock()
   after_draw("new_order", function(input)
      for i = 1, input.count do
         input.supply[i] = input.w
      end
      input.all_local = 1
   end)
end

function variants.no_rollback()
   after_draw("new_order", function(input)
      if input.rolls_back then
         input.rolls_back, input.items[input.count] = false, 1
      end
   end)
end

function variants.home_customers()
   after_draw("payment", function(input) input.c_w, input.c_d = input.w, input.d end)
end

function variants.by_number()
   after_draw("payment", function(input) input.c_last, input.c_id = nil, 1 end)
end

function variants.ten_lines()
   after_draw("new_order", function(input) input.count = math.min(input.count, 8) end)
end

function variants.constant()
   random.run_constants = function(c_load) return {c_last = c_load, c_id = 1, ol_i_id = 2} end
end

function variants.none() end

variants[os.getenv("VARIANT")]()
require("tpcc")
