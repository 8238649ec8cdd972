-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- tpcc with something left out, as VARIANT in the environment says: its audit must find that.

local tables = require("table_schema")
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

function variants.local_lines()
   after_draw("new_order", function(input)
      for i = 1, input.count do
         input.supply[i] = input.w
      end
      input.all_local = 1
   end)
end

-- Lines are remote, and all is taken from the stock at home.
function variants.home_stock()
   local AT = {stock = 2, update_stock = 4} -- statement -> which of its parameters is the warehouse
   local home, preparing
   local run, open, bind = transactions.run.new_order, transactions.open, tables.bind_parameters
   transactions.run.new_order = function(input)
      home = input.w
      return run(input)
   end
   tables.bind_parameters = function(statement, types)
      local params = bind(statement, types)
      local at = AT[preparing]
      local param = at and params[at]
      if at then
         params[at] = {set = function() param:set(home) end}
      end
      return params
   end
   transactions.open = function(environment)
      local con = environment.con
      environment.con = {prepare = function(_, text, name)
         preparing = name
         return con:prepare(text, name)
      end}
      open(environment)
   end
end

-- Nothing is done before the rollback.
function variants.early_rollback()
   after_draw("new_order", function(input)
      if input.rolls_back then
         local items, last = input.items, input.count
         items[1], items[last] = items[last], items[1]
      end
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
   after_draw("new_order", function(input)
      local count = math.min(input.count, 8)
      input.items[count], input.count = input.items[input.count], count
   end)
end

function variants.constant()
   random.run_constants = function(c_load) return {c_last = c_load, c_id = 1, ol_i_id = 2} end
end

function variants.none() end

variants[os.getenv("VARIANT")]()
require("tpcc")
