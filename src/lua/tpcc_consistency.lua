-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The consistency conditions of TPC-C (3.3.2). Each condition is one statement, and so sees a
-- consistent state of the database. It counts the rows that violate the condition and shows the
-- first of them.

local tables = require("table_schema")
local schema = require("tpcc_schema")
local load = require("tpcc_load")
local format = string.format
local consistency = {}

-- -------------------------------------------------------------------------------------------------
-- Conditions: {description, columns to show, query for the rows to check, SQL expression that is
-- true for a row that violates the condition}. $money{} is a sum of amounts.
-- -------------------------------------------------------------------------------------------------

-- Returns a query for all districts with these columns, such as the number of their orders.
local function districts(figures)
   return "SELECT d_w_id, d_id, " .. figures .. " FROM tpcc_district"
end

local OF_ORDERS = "(SELECT %s FROM tpcc_orders WHERE o_w_id = d_w_id AND o_d_id = d_id)"
local OF_NEW_ORDERS = "(SELECT %s FROM tpcc_new_order WHERE no_w_id = d_w_id AND no_d_id = d_id)"
local OF_LINES = "(SELECT %s FROM tpcc_order_line WHERE ol_w_id = d_w_id AND ol_d_id = d_id)"
local OF_CUSTOMERS = "(SELECT %s FROM tpcc_customer WHERE c_w_id = d_w_id AND c_d_id = d_id)"

local function of(from, expression, name)
   return format(from, expression) .. " AS " .. name
end

-- Sum of the amounts delivered to a customer.
local DELIVERED = "$money{(SELECT SUM(ol_amount) FROM tpcc_orders, tpcc_order_line " ..
   "WHERE o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id AND ol_w_id = o_w_id " ..
   "AND ol_d_id = o_d_id AND ol_o_id = o_id AND ol_delivery_d IS NOT NULL)}"

local ORDER = "o_w_id, o_d_id, o_id"
local CUSTOMER = "c_w_id, c_d_id, c_id"

local CONDITIONS = {
   {"W_YTD is the sum of D_YTD", "w_id, w_ytd, d_ytd",
    "SELECT w_id, w_ytd, $money{(SELECT SUM(d_ytd) FROM tpcc_district WHERE d_w_id = w_id)} " ..
    "AS d_ytd FROM tpcc_warehouse", "w_ytd <> d_ytd"},

   {"D_NEXT_O_ID - 1 is the largest O_ID and the largest NO_O_ID",
    "d_w_id, d_id, d_next_o_id, max_o_id, max_no_o_id",
    districts("d_next_o_id, " .. of(OF_ORDERS, "MAX(o_id)", "max_o_id") .. ", " ..
              of(OF_NEW_ORDERS, "MAX(no_o_id)", "max_no_o_id")),
    "COALESCE(max_o_id, 0) <> d_next_o_id - 1 OR max_no_o_id <> d_next_o_id - 1"},

   {"NO_O_ID has no gaps", "d_w_id, d_id, min_no_o_id, max_no_o_id, new_orders",
    districts(of(OF_NEW_ORDERS, "MIN(no_o_id)", "min_no_o_id") .. ", " ..
              of(OF_NEW_ORDERS, "MAX(no_o_id)", "max_no_o_id") .. ", " ..
              of(OF_NEW_ORDERS, "COUNT(*)", "new_orders")),
    "max_no_o_id - min_no_o_id + 1 <> new_orders"},

   {"the sum of O_OL_CNT is the number of order lines", "d_w_id, d_id, o_ol_cnt, order_lines",
    districts(of(OF_ORDERS, "COALESCE(SUM(o_ol_cnt), 0)", "o_ol_cnt") .. ", " ..
              of(OF_LINES, "COUNT(*)", "order_lines")),
    "o_ol_cnt <> order_lines"},

   {"O_CARRIER_ID is null for new orders, and only for them", ORDER .. ", o_carrier_id, no_o_id",
    "SELECT " .. ORDER .. ", o_carrier_id, no_o_id FROM tpcc_orders LEFT JOIN tpcc_new_order " ..
    "ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id",
    "(o_carrier_id IS NULL AND no_o_id IS NULL) OR " ..
    "(o_carrier_id IS NOT NULL AND no_o_id IS NOT NULL)"},

   {"O_OL_CNT is the number of lines of the order", ORDER .. ", o_ol_cnt, order_lines",
    "SELECT " .. ORDER .. ", o_ol_cnt, (SELECT COUNT(*) FROM tpcc_order_line WHERE " ..
    "ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id) AS order_lines FROM tpcc_orders",
    "o_ol_cnt <> order_lines"},

   {"OL_DELIVERY_D is null where O_CARRIER_ID is, and only there",
    "ol_w_id, ol_d_id, ol_o_id, ol_number, ol_delivery_d, o_carrier_id",
    "SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_delivery_d, o_carrier_id " ..
    "FROM tpcc_order_line LEFT JOIN tpcc_orders " ..
    "ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id",
    "(ol_delivery_d IS NULL AND o_carrier_id IS NOT NULL) OR " ..
    "(ol_delivery_d IS NOT NULL AND o_carrier_id IS NULL)"},

   {"W_YTD is the sum of H_AMOUNT", "w_id, w_ytd, h_amount",
    "SELECT w_id, w_ytd, $money{h_sum} AS h_amount FROM tpcc_warehouse LEFT JOIN " ..
    "(SELECT h_w_id, SUM(h_amount) AS h_sum FROM tpcc_history GROUP BY h_w_id) h " ..
    "ON h_w_id = w_id", "w_ytd <> h_amount"},

   {"D_YTD is the sum of H_AMOUNT", "d_w_id, d_id, d_ytd, h_amount",
    "SELECT d_w_id, d_id, d_ytd, $money{h_sum} AS h_amount FROM tpcc_district LEFT JOIN " ..
    "(SELECT h_w_id, h_d_id, SUM(h_amount) AS h_sum FROM tpcc_history GROUP BY h_w_id, h_d_id) h " ..
    "ON h_w_id = d_w_id AND h_d_id = d_id", "d_ytd <> h_amount"},

   {"C_BALANCE is what was delivered less the sum of H_AMOUNT",
    CUSTOMER .. ", c_balance, delivered, h_amount",
    "SELECT " .. CUSTOMER .. ", c_balance, " .. DELIVERED .. " AS delivered, $money{h_sum} " ..
    "AS h_amount FROM tpcc_customer LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, " ..
    "SUM(h_amount) AS h_sum FROM tpcc_history GROUP BY h_c_w_id, h_c_d_id, h_c_id) h " ..
    "ON h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id",
    "c_balance <> $money{delivered - h_amount}"},

   -- After a load and before a run, the number is 2100, as condition 3.3.2.11 requires. Each
   -- delivery adds one.
   {"orders less new orders are those that were delivered, before the load or since",
    "d_w_id, d_id, orders, new_orders, delivered",
    districts(of(OF_ORDERS, "COUNT(*)", "orders") .. ", " ..
              of(OF_NEW_ORDERS, "COUNT(*)", "new_orders") .. ", " ..
              of(OF_CUSTOMERS, "SUM(c_delivery_cnt)", "delivered")),
    "orders - new_orders <> $loaded + delivered"},

   {"C_BALANCE + C_YTD_PAYMENT is what was delivered",
    CUSTOMER .. ", c_balance, c_ytd_payment, delivered",
    "SELECT " .. CUSTOMER .. ", c_balance, c_ytd_payment, " .. DELIVERED ..
    " AS delivered FROM tpcc_customer",
    "$money{c_balance + c_ytd_payment} <> delivered"},
}

-- -------------------------------------------------------------------------------------------------
-- Checking
-- -------------------------------------------------------------------------------------------------

local SHOWN = 3

local function fill(text, dialect, info)
   local delivered = load.sizes(tonumber(info.shrink)).delivered
   return (text:gsub("%$loaded", delivered):gsub("%$money(%b{})", function(braced)
      return format(dialect.round, "COALESCE(" .. braced:sub(2, -2) .. ", 0)")
   end))
end

local function shown(columns, row)
   local values, i = {}, 0
   for name in columns:gmatch("[%w_]+") do
      i = i + 1
      values[i] = name .. "=" .. (row[i] or "NULL")
   end
   return table.concat(values, " ")
end

-- Returns true if condition n holds; otherwise logs which rows violate it.
local function holds(con, dialect, info, n)
   local title, columns, rows, wrong = unpack(CONDITIONS[n])
   local from = fill(format("FROM (%s) r WHERE %s", rows, wrong), dialect, info)
   local count = tonumber((con:query_row("SELECT COUNT(*) " .. from, "check")))
   if not count or count == 0 then
      tables.notice("condition %d holds: %s", n, title)
      return true
   end
   local result = con:query(format("SELECT %s %s ORDER BY 1, 2, 3 LIMIT %d", columns, from, SHOWN),
                            "check")
   local lines = {format("condition %d does NOT hold: %s; rows that contradict it: %.0f", n, title,
                         count)}
   local row = result:fetch_row()
   while row do
      lines[#lines + 1] = "   " .. shown(columns, row)
      row = result:fetch_row()
   end
   tables.notice("%s", table.concat(lines, "\n"))
   return false
end

-- Checks the conditions with the numbers that next_number() returns, until a condition of this
-- number does not exist.
local function check(next_number)
   local driver = sysbench.sql.driver()
   local con, dialect = driver:connect(), schema.dialect(driver)
   local info = schema.info(con)
   if (tonumber(info.ready) or 0) == 0 and not dialect.absent then
      error("the warehouses are not loaded completely: run prepare", 0)
   end
   info.shrink = info.shrink or 1
   local broken = {}
   local n = next_number()
   while n <= #CONDITIONS do
      if not holds(con, dialect, info, n) then
         broken[#broken + 1] = n
      end
      n = next_number()
   end
   con:disconnect()
   if #broken > 0 then
      error("the data is not consistent: condition " .. table.concat(broken, ", ") ..
            " of the specification (3.3.2)", 0)
   end
end

-- The command check: threads take the conditions in turn.
function consistency.check()
   check(function() return tables.progress.claim() + 1 end)
end

-- Before and after a run: checks all conditions in one thread.
function consistency.check_all()
   local n = 0
   check(function()
      n = n + 1
      return n
   end)
end

return consistency
