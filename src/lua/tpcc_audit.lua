-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Audits of a tpcc run. Transactions record their inputs and results; the specification defines the
-- ranges in which these must be (5.2.3, 5.5.1.5).

local random = require("tpcc_random")
local tally = sysbench.tally
local format = string.format
local audit = {}

-- -------------------------------------------------------------------------------------------------
-- Counting
-- -------------------------------------------------------------------------------------------------

local env
local has_legal_c -- 1 if the constant C is legal, otherwise 0

function audit.open(environment)
   env = environment
   has_legal_c = random.is_legal_delta(env.constants.c_last - env.c_load) and 1 or 0
end

-- Before C is added, NURand returns odd numbers in three of four cases, because it ORs two numbers.
-- The number of items is even, so taking the remainder does not change whether the number is odd.
local function count_items(input)
   local odd, valid = 0, 0
   for i = 1, input.count do
      local item = input.items[i]
      if item <= env.sizes.items then
         valid = valid + 1
         odd = odd + (item - 1 - env.constants.ol_i_id) % 2
      end
   end
   tally("NURand", odd, valid)
   tally("lines done", input.taken, valid)
end

local count = {}

function count.new_order(input)
   tally("rollbacks", input.rolled_back and 1 or 0)
   tally("lines", input.count)
   if env.warehouses > 1 then
      tally("remote lines", input.taken_remotely, input.taken)
   end
   count_items(input)
   tally("warehouses", env.warehouses)
   tally("shrink", env.shrink)
end

function count.payment(input)
   if env.warehouses > 1 then
      tally("remote payments", input.c_w ~= input.w and 1 or 0)
   end
   tally("payments by name", input.c_last and 1 or 0)
   tally("legal C", has_legal_c)
end

function count.order_status(input)
   tally("statuses by name", input.c_last and 1 or 0)
end

function count.delivery() end

function count.stock_level() end

-- Records a Delivery that has found `skipped` districts without a new order.
function audit.count_delivery(skipped)
   tally("skipped deliveries", skipped, 10)
end

-- Records that a terminal will think `seconds` after a transaction.
function audit.count_think(name, seconds)
   tally("think " .. name, seconds > random.THINK[name] and 1 or 0)
end

-- Records a completed transaction.
function audit.count(name, input)
   for i = 2, #random.TYPES do
      tally(random.TYPES[i], name == random.TYPES[i] and 1 or 0)
   end
   count[name](input)
end

-- -------------------------------------------------------------------------------------------------
-- Remarks
-- -------------------------------------------------------------------------------------------------

-- {text, tally, lowest valid value, highest valid value, true if it is a share}
local AUDITS = {
   {"Payment in the mix", "payment", 0.43, 1, true},
   {"Order-Status in the mix", "order_status", 0.04, 1, true},
   {"Delivery in the mix", "delivery", 0.04, 1, true},
   {"Stock-Level in the mix", "stock_level", 0.04, 1, true},
   {"New-Order: rolled back", "rollbacks", 0.009, 0.011, true},
   {"New-Order: lines", "lines", 9.5, 10.5},
   {"New-Order: valid lines done", "lines done", 1, 1, true},
   {"New-Order: remote lines", "remote lines", 0.0095, 0.0105, true},
   {"New-Order: items by NURand (odd)", "NURand", 0.745, 0.755, true},
   {"Payment: remote", "remote payments", 0.14, 0.16, true},
   {"Payment: by last name", "payments by name", 0.57, 0.63, true},
   {"Order-Status: by last name", "statuses by name", 0.57, 0.63, true},
   {"Delivery: districts skipped", "skipped deliveries", 0, 0.01, true},
   {"last names: C far enough from load", "legal C", 1, 1, true},
}

-- {name, type, upper limit of the 90th percentile in seconds (5.2.5.3, 2.7.2.2)}
local LIMITS = {
   {"New-Order", "new_order", 5},
   {"Payment", "payment", 5},
   {"Order-Status", "order_status", 5},
   {"Delivery, queued", "delivery", 5},
   {"Delivery, executed", "deferred.delivery", 80},
   {"Stock-Level", "stock_level", 20},
}

local function figures(stat, orders_per_minute, loop)
   local list = {
      {format("New-Orders/min (TPC-C derived, %s)", loop), orders_per_minute},
      {"New-Orders rolled back", (stat.tallies.rollbacks or 0) * (stat.types.new_order or 0)},
      {"Transactions started again after an error", stat.errors},
   }
   for _, limit in ipairs(LIMITS) do
      local seconds = stat.p90[limit[2]]
      if seconds then
         local name = format("%s, p90 in ms (%d000 at most)", limit[1], limit[3])
         list[#list + 1] = {name, seconds * 1000}
      end
   end
   return list
end

-- 36.8 % of exponentially distributed times are longer than their mean.
local function add_think_audits(list)
   for _, name in ipairs(random.TYPES) do
      list[#list + 1] = {format("think time over %d s: %s", random.THINK[name], name),
                         "think " .. name, 0.367, 0.369, true}
   end
end

local function has_terminals()
   return sysbench.opt.pacing == "terminals"
end

-- A rate that changes is a string.
local function has_rate()
   return sysbench.opt.rate ~= 0 or sysbench.opt.arrival_trace ~= nil
end

local function loop_name()
   return has_rate() and "open loop" or has_terminals() and "terminals" or "closed loop"
end

local function deviations(stat, orders_per_minute)
   local warehouses, shrink = stat.tallies.warehouses or 0, stat.tallies.shrink or 1
   local list = {}
   local function deviates(condition, ...)
      if condition then
         list[#list + 1] = format(...)
      end
   end
   deviates(has_rate(), "open loop: transactions arrive whatever the answers, not from " ..
            "terminals that wait for them (5.2.2, 5.2.5)")
   deviates(not has_rate() and not has_terminals(), "closed loop without keying and think times " ..
            "(5.2.5)")
   deviates(has_terminals() and sysbench.opt.pace > 0 and sysbench.opt.pace ~= 1,
            "keying and think times divided by %g (5.2.5)", sysbench.opt.pace)
   deviates(sysbench.opt.deferred_threads == 0, "Delivery is executed at once, not deferred through " ..
            "a queue (2.7.2)")
   deviates(sysbench.opt.isolation ~= "serializable" and sysbench.opt.db_driver ~= "sqlite",
            "isolation level: %s; all but Stock-Level must be serializable (3.4.1)",
            sysbench.opt.isolation == "default" and "the server's default" or sysbench.opt.isolation)
   deviates(stat.time_total < 7200, "measured for %.0f s; 7200 s are asked for (5.5.2)",
            stat.time_total)
   deviates(warehouses > 0 and orders_per_minute / warehouses > 12.86, "%.2f New-Orders per " ..
            "minute and warehouse; ten terminals make 12.86 at most (4.2)",
            orders_per_minute / warehouses)
   for _, limit in ipairs(LIMITS) do
      local seconds = stat.p90[limit[2]] or 0
      deviates(seconds > limit[3], "%s: 90 %% took up to %.2f s; %d s are the limit (5.2.5.3, " ..
               "2.7.2.2)", limit[1], seconds, limit[3])
   end
   deviates(warehouses == 1, "one warehouse: nothing is remote (2.4.1.5, 2.5.1.2)")
   deviates(shrink > 1, "items, customers and orders divided by %.0f (4.3)", shrink)
   deviates(true, "durability, price and disclosure are not tested, and nobody has audited it " ..
            "(3.5, 6 to 9)")
   return list
end

function audit.remarks(stat)
   local audits = {unpack(AUDITS)}
   if has_terminals() then
      add_think_audits(audits)
   end
   local orders = (stat.types.new_order or 0) / stat.time_total * 60
   return {
      figures = figures(stat, orders, loop_name()),
      audits = audits,
      deviations = deviations(stat, orders),
   }
end

return audit
