-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The five transactions of TPC-C (2.4 to 2.8): their random inputs and their statements. All inputs
-- are drawn before the first statement, so that a restarted transaction has the same input.

local tables = require("table_schema")
local random = require("tpcc_random")
local rand = sysbench.rand
local format, floor = string.format, math.floor
local t = sysbench.sql.type
local INT, AMOUNT, TEXT = t.INT, t.DOUBLE, {t.VARCHAR, 500}

local transactions = {}

-- Set by thread_init(): connection, dialect, sizes, constants, warehouses.
local env
local sql -- name of a statement -> function that executes it and returns its result

-- -------------------------------------------------------------------------------------------------
-- Statements: {text, types of parameters}. $lock and $round{} are defined by the dialect.
-- -------------------------------------------------------------------------------------------------

local READ_CUSTOMER = "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, " ..
   "c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance "
local OF_CUSTOMER = "WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"
local OF_DISTRICT = "WHERE d_w_id = ? AND d_id = ?"
local OF_ORDER = "WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?"
local OF_LINES = "WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?"

local STATEMENTS = {
   customers_by_name = {"SELECT c_id FROM tpcc_customer WHERE c_w_id = ? AND c_d_id = ? " ..
      "AND c_last = ? ORDER BY c_first, c_id", INT, INT, TEXT},

   -- New-Order (2.4.2.2)
   warehouse_tax = {"SELECT w_tax FROM tpcc_warehouse WHERE w_id = ?", INT},
   district_next = {"SELECT d_tax, d_next_o_id FROM tpcc_district " .. OF_DISTRICT .. "$lock",
      INT, INT},
   district_advance = {"UPDATE tpcc_district SET d_next_o_id = d_next_o_id + 1 " .. OF_DISTRICT,
      INT, INT},
   customer_discount = {"SELECT c_discount, c_last, c_credit FROM tpcc_customer " .. OF_CUSTOMER,
      INT, INT, INT},
   insert_order = {"INSERT INTO tpcc_orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, " ..
      "o_carrier_id, o_ol_cnt, o_all_local) VALUES (?, ?, ?, ?, ?, NULL, ?, ?)",
      INT, INT, INT, INT, TEXT, INT, INT},
   insert_new_order = {"INSERT INTO tpcc_new_order (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)",
      INT, INT, INT},
   item = {"SELECT i_price, i_name, i_data FROM tpcc_item WHERE i_id = ?", INT},
   stock = {"SELECT s_quantity, s_data, CASE ? WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 " ..
      "WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 " ..
      "WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END, s_w_id " ..
      "FROM tpcc_stock WHERE s_w_id = ? AND s_i_id = ?$lock", INT, INT, INT},
   update_stock = {"UPDATE tpcc_stock SET s_quantity = ?, s_ytd = s_ytd + ?, " ..
      "s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ? " ..
      "WHERE s_w_id = ? AND s_i_id = ?", INT, INT, INT, INT, INT},
   insert_line = {"INSERT INTO tpcc_order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, " ..
      "ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) " ..
      "VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)", INT, INT, INT, INT, INT, INT, INT, AMOUNT, TEXT},

   -- Payment (2.5.2.2)
   pay_warehouse = {"UPDATE tpcc_warehouse SET w_ytd = $round{w_ytd + ?} WHERE w_id = ?",
      AMOUNT, INT},
   read_warehouse = {"SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip " ..
      "FROM tpcc_warehouse WHERE w_id = ?", INT},
   pay_district = {"UPDATE tpcc_district SET d_ytd = $round{d_ytd + ?} " .. OF_DISTRICT,
      AMOUNT, INT, INT},
   read_district = {"SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip " ..
      "FROM tpcc_district " .. OF_DISTRICT, INT, INT},
   paying_customer = {READ_CUSTOMER .. "FROM tpcc_customer " .. OF_CUSTOMER .. "$lock",
      INT, INT, INT},
   pay_customer = {"UPDATE tpcc_customer SET c_balance = $round{c_balance - ?}, " ..
      "c_ytd_payment = $round{c_ytd_payment + ?}, c_payment_cnt = c_payment_cnt + 1 " ..
      OF_CUSTOMER, AMOUNT, AMOUNT, INT, INT, INT},
   customer_data = {"SELECT c_data FROM tpcc_customer " .. OF_CUSTOMER, INT, INT, INT},
   pay_bad_customer = {"UPDATE tpcc_customer SET c_balance = $round{c_balance - ?}, " ..
      "c_ytd_payment = $round{c_ytd_payment + ?}, c_payment_cnt = c_payment_cnt + 1, " ..
      "c_data = ? " .. OF_CUSTOMER, AMOUNT, AMOUNT, TEXT, INT, INT, INT},
   insert_history = {"INSERT INTO tpcc_history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, " ..
      "h_date, h_amount, h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      INT, INT, INT, INT, INT, TEXT, AMOUNT, TEXT},

   -- Order-Status (2.6.2.2)
   customer_status = {"SELECT c_balance, c_first, c_middle, c_last FROM tpcc_customer " ..
      OF_CUSTOMER, INT, INT, INT},
   last_order = {"SELECT o_id, o_entry_d, o_carrier_id FROM tpcc_orders WHERE o_w_id = ? " ..
      "AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1", INT, INT, INT},
   order_lines = {"SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d " ..
      "FROM tpcc_order_line " .. OF_LINES, INT, INT, INT},

   -- Delivery (2.7.4.2)
   oldest_new_order = {"SELECT no_o_id FROM tpcc_new_order WHERE no_w_id = ? AND no_d_id = ? " ..
      "ORDER BY no_o_id LIMIT 1$lock", INT, INT},
   any_new_order = {"SELECT no_o_id FROM tpcc_new_order WHERE no_w_id = ? AND no_d_id = ? " ..
      "LIMIT 1", INT, INT},
   delete_new_order = {"DELETE FROM tpcc_new_order WHERE no_w_id = ? AND no_d_id = ? " ..
      "AND no_o_id = ?", INT, INT, INT},
   order_customer = {"SELECT o_c_id FROM tpcc_orders " .. OF_ORDER, INT, INT, INT},
   set_carrier = {"UPDATE tpcc_orders SET o_carrier_id = ? " .. OF_ORDER, INT, INT, INT, INT},
   deliver_lines = {"UPDATE tpcc_order_line SET ol_delivery_d = ? " .. OF_LINES,
      TEXT, INT, INT, INT},
   sum_lines = {"SELECT SUM(ol_amount) FROM tpcc_order_line " .. OF_LINES, INT, INT, INT},
   credit_customer = {"UPDATE tpcc_customer SET c_balance = $round{c_balance + ?}, " ..
      "c_delivery_cnt = c_delivery_cnt + 1 " .. OF_CUSTOMER, AMOUNT, INT, INT, INT},

   -- Stock-Level (2.8.2.2)
   next_order = {"SELECT d_next_o_id FROM tpcc_district " .. OF_DISTRICT, INT, INT},
   low_stock = {"SELECT COUNT(DISTINCT s_i_id) FROM tpcc_order_line, tpcc_stock " ..
      "WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id >= ? AND ol_o_id < ? " ..
      "AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?", INT, INT, INT, INT, INT, INT},
}

-- Returns a function with as many arguments as the statement has parameters. It is created from
-- text, because LuaJIT would not compile a loop over variable arguments.
local function setter(stmt, params)
   local names, lines = {}, {"local stmt, p = ...\n"}
   for i = 1, #params do
      names[i] = "v" .. i
      lines[#lines + 1] = format("local p%d = p[%d]\n", i, i)
   end
   lines[#lines + 1] = format("return function(%s)\n", table.concat(names, ", "))
   for i = 1, #params do
      lines[#lines + 1] = format("p%d:set(v%d)\n", i, i)
   end
   lines[#lines + 1] = "return stmt:execute()\nend"
   return assert(loadstring(table.concat(lines), "=setter"))(stmt, params)
end

local function prepare(con, name, text, types)
   text = text:gsub("%$lock", env.dialect.lock):gsub("%$round(%b{})", function(braced)
      return (format(env.dialect.round, braced:sub(2, -2)))
   end)
   local stmt = con:prepare(text, name)
   return setter(stmt, tables.bind_parameters(stmt, types))
end

-- Returns the functions that execute the statements on a connection. A statement is prepared on the
-- server when it is executed for the first time.
local function prepare_all(con)
   local all = {}
   for name, definition in pairs(STATEMENTS) do
      all[name] = prepare(con, name, definition[1], {unpack(definition, 2)})
   end
   all.begin = prepare(con, "begin", env.dialect.begin, {})
   all.begin_read = prepare(con, "begin", env.dialect.begin_read, {})
   all.commit = prepare(con, "commit", "COMMIT", {})
   all.rollback = prepare(con, "rollback", "ROLLBACK", {})
   return all
end

-- Makes a transaction that only reads use the statements of the connection for reads.
local function read_from(reader, transaction)
   local statements = prepare_all(reader)
   return function(input)
      local own = sql
      sql = statements
      local ok, result = pcall(transaction, input)
      sql = own
      if not ok then
         error(result, 0)
      end
      return result
   end
end

function transactions.open(environment)
   env = environment
   sql = prepare_all(env.con)
   if env.reader ~= env.con then
      for _, name in ipairs({"order_status", "stock_level"}) do
         transactions.run[name] = read_from(env.reader, transactions.run[name])
      end
   end
end

-- Returns the first row of a result, which must exist.
local function row(result)
   local found = result:fetch_row() or env.dialect.absent
   if not found then
      error("a row is missing that prepare has loaded: run check, or prepare again", 0)
   end
   return found
end

-- -------------------------------------------------------------------------------------------------
-- Values
-- -------------------------------------------------------------------------------------------------

-- Amounts are added in hundredths, which are integers.
local function cents(text)
   return floor(tonumber(text) * 100 + 0.5)
end

local told_second, told

local function now()
   local second = os.time()
   if second ~= told_second then
      told_second, told = second, os.date("!%Y-%m-%d %H:%M:%S", second)
   end
   return told
end

local function draw_district()
   return rand.uniform(1, 10)
end

local function draw_customer()
   return random.nurand(random.A.c_id, env.constants.c_id, 1, env.sizes.customers)
end

local function draw_item()
   return random.nurand(random.A.ol_i_id, env.constants.ol_i_id, 1, env.sizes.items)
end

-- Selects a customer by last name in 60 of 100 cases, otherwise by number (2.5.1.2, 2.6.1.2).
local function draw_selection(input)
   if rand.uniform(1, 100) <= 60 then
      input.c_last = random.last_name(random.nurand(random.A.c_last, env.constants.c_last, 0,
                                                    env.sizes.names - 1))
      input.c_id = nil
   else
      input.c_last, input.c_id = nil, draw_customer()
   end
end

-- Returns a warehouse other than w, if there is another one.
local function other_warehouse(w)
   if env.warehouses == 1 then
      return w
   end
   local other = rand.uniform(1, env.warehouses - 1)
   return other < w and other or other + 1
end

-- Returns the customer in the middle of those with the last name, ordered by first name (2.5.2.2).
local function selected_customer(input, w, d)
   if input.c_id then
      return input.c_id
   end
   local result = sql.customers_by_name(w, d, input.c_last)
   local middle = math.ceil(result.nrows / 2)
   for _ = 2, middle do
      result:fetch_row()
   end
   return tonumber(row(result)[1])
end

-- -------------------------------------------------------------------------------------------------
-- Transactions: draw.NAME(input, w, d) fills the input for home warehouse w, and for
-- district d if the type needs it; run.NAME(input) executes the transaction
-- -------------------------------------------------------------------------------------------------

local draw, run = {}, {}

function draw.new_order(input, w)
   input.w, input.d, input.c = w, draw_district(), draw_customer()
   input.count = rand.uniform(5, 15)
   input.rolls_back = rand.uniform(1, 100) == 1
   input.all_local = 1
   input.items = input.items or {}
   input.supply = input.supply or {}
   input.quantity = input.quantity or {}
   for i = 1, input.count do
      input.items[i] = draw_item()
      input.supply[i] = rand.uniform(1, 100) == 1 and other_warehouse(w) or w
      input.quantity[i] = rand.uniform(1, 10)
      if input.supply[i] ~= w then
         input.all_local = 0
      end
   end
   if input.rolls_back then
      input.items[input.count] = env.sizes.items + 1 -- a number that no item has
   end
end

-- Records for the audit how much was taken from stock, and from which warehouse, as reported by the
-- server.
local function count_line(input, stock, supply)
   local from = stock == env.dialect.absent and supply or tonumber(stock[4])
   input.taken = input.taken + 1
   input.taken_remotely = input.taken_remotely + (from ~= input.w and 1 or 0)
end

-- Returns the amount in hundredths, or nil if there is no such item.
local function order_line(input, i, o_id)
   local item, supply, quantity = input.items[i], input.supply[i], input.quantity[i]
   local found = sql.item(item):fetch_row() or item <= env.sizes.items and env.dialect.absent
   if not found then
      return nil
   end
   local amount = quantity * cents(found[1])
   local stock = row(sql.stock(input.d, supply, item))
   local left = tonumber(stock[1])
   left = left >= quantity + 10 and left - quantity or left - quantity + 91
   sql.update_stock(left, quantity, supply ~= input.w and 1 or 0, supply, item)
   sql.insert_line(o_id, input.d, input.w, i, item, supply, quantity, amount / 100, stock[3])
   count_line(input, stock, supply)
   local is_brand = found[3]:find("ORIGINAL", 1, true) and stock[2]:find("ORIGINAL", 1, true)
   return amount, is_brand and "B" or "G"
end

function run.new_order(input)
   local w, d = input.w, input.d
   input.taken, input.taken_remotely, input.rolled_back = 0, 0, false
   sql.begin()
   local w_tax = tonumber(row(sql.warehouse_tax(w))[1])
   local district = row(sql.district_next(w, d))
   local d_tax, o_id = tonumber(district[1]), tonumber(district[2])
   sql.district_advance(w, d)
   local discount = tonumber(row(sql.customer_discount(w, d, input.c))[1])
   sql.insert_order(o_id, d, w, input.c, now(), input.count, input.all_local)
   sql.insert_new_order(o_id, d, w)
   local total = 0
   for i = 1, input.count do
      local amount = order_line(input, i, o_id)
      if not amount then
         sql.rollback()
         input.rolled_back = true
         return nil
      end
      total = total + amount
   end
   sql.commit()
   return total * (1 - discount) * (1 + w_tax + d_tax)
end

function draw.payment(input, w)
   input.w, input.d = w, draw_district()
   if rand.uniform(1, 100) <= 85 then
      input.c_w, input.c_d = w, input.d
   else
      input.c_w, input.c_d = other_warehouse(w), draw_district()
   end
   draw_selection(input)
   input.amount = rand.uniform(100, 500000)
end

local function pay_by_bad_customer(input, c_id)
   local w, d, amount = input.c_w, input.c_d, input.amount / 100
   local data = row(sql.customer_data(w, d, c_id))[1]
   data = format("%d %d %d %d %d %.2f | %s", c_id, d, w, input.d, input.w, amount, data)
   sql.pay_bad_customer(amount, amount, data:sub(1, 500), w, d, c_id)
end

function run.payment(input)
   local w, d, amount = input.w, input.d, input.amount / 100
   sql.begin()
   sql.pay_warehouse(amount, w)
   local w_name = row(sql.read_warehouse(w))[1]
   sql.pay_district(amount, w, d)
   local d_name = row(sql.read_district(w, d))[1]
   local c_id = selected_customer(input, input.c_w, input.c_d)
   local customer = row(sql.paying_customer(input.c_w, input.c_d, c_id))
   if customer[11] == "BC" then
      pay_by_bad_customer(input, c_id)
   else
      sql.pay_customer(amount, amount, input.c_w, input.c_d, c_id)
   end
   sql.insert_history(c_id, input.c_d, input.c_w, d, w, now(), amount,
                      w_name .. "    " .. d_name)
   sql.commit()
end

function draw.order_status(input, w)
   input.w, input.d = w, draw_district()
   draw_selection(input)
end

function run.order_status(input)
   local w, d = input.w, input.d
   sql.begin_read()
   local c_id = selected_customer(input, w, d)
   row(sql.customer_status(w, d, c_id))
   local o_id = tonumber(row(sql.last_order(w, d, c_id))[1])
   local lines = sql.order_lines(w, d, o_id)
   while lines:fetch_row() do end
   sql.commit()
end

function draw.delivery(input, w)
   input.w, input.carrier = w, rand.uniform(1, 10)
end

-- Returns nil if the district has no new orders.
local function oldest_new_order(w, d)
   while true do
      local found = sql.oldest_new_order(w, d):fetch_row()
      if found then
         return tonumber(found[1])
      elseif env.dialect.lasting_lock or not sql.any_new_order(w, d):fetch_row() then
         return nil
      end
   end
end

-- Rows are written before they are read: in MySQL, a transaction then also reads an order that was
-- committed after the first read of the transaction.
local function deliver(input, d, o_id)
   local w = input.w
   sql.delete_new_order(w, d, o_id)
   sql.set_carrier(input.carrier, w, d, o_id)
   local c_id = tonumber(row(sql.order_customer(w, d, o_id))[1])
   sql.deliver_lines(now(), w, d, o_id)
   local total = cents(row(sql.sum_lines(w, d, o_id))[1])
   sql.credit_customer(total / 100, w, d, c_id)
end

-- Defers the delivery: the terminal only waits until it is queued (2.7.2.1).
function run.delivery(input)
   sysbench.defer("delivery", input.w, input.carrier)
end

-- Delivers in all districts in one transaction, as 2.7.4.1 allows. Returns the number of districts
-- without a new order.
function transactions.deliver(input)
   local skipped = 0
   sql.begin()
   for d = 1, 10 do
      local o_id = oldest_new_order(input.w, d)
      if o_id then
         deliver(input, d, o_id)
      else
         skipped = skipped + 1
      end
   end
   sql.commit()
   return skipped
end

function draw.stock_level(input, w, d)
   input.w, input.d, input.threshold = w, d, rand.uniform(10, 20)
end

function run.stock_level(input)
   local w, d = input.w, input.d
   sql.begin_read()
   local next_id = tonumber(row(sql.next_order(w, d))[1])
   row(sql.low_stock(w, d, next_id - 20, next_id, w, input.threshold))
   sql.commit()
end

transactions.draw, transactions.run = draw, run

return transactions
