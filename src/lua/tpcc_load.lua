-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The initial population of TPC-C (4.3.3.1), loaded in pieces: one piece for the items, and four
-- for each warehouse. A piece is one transaction and stores its name in tpcc_info at its end, so
-- that a second prepare continues where an interrupted one has ended. Each piece uses its own
-- random stream: the same --rand-seed creates the same rows with any number of threads.

local tables = require("table_schema")
local random = require("tpcc_random")
local schema = require("tpcc_schema")
local rand = sysbench.rand
local format, floor = string.format, math.floor
local progress = tables.progress
local load = {}

-- -------------------------------------------------------------------------------------------------
-- Sizes
-- -------------------------------------------------------------------------------------------------

load.DISTRICTS = 10

-- Returns the number of rows of each kind with --shrink.
function load.sizes(shrink)
   return {
      items = 100000 / shrink,
      customers = 3000 / shrink, -- per district; each has one order
      delivered = 2100 / shrink, -- number of these orders that are delivered
      names = math.min(1000, 3000 / shrink),
   }
end

local sizes, now

-- -------------------------------------------------------------------------------------------------
-- Fields
-- -------------------------------------------------------------------------------------------------

-- Writes a random amount from first to last, in hundredths.
local function load_cents(con, first, last)
   local cents = rand.uniform(first, last)
   con:load_text(format("%d.%02d", floor(cents / 100), cents % 100))
end

-- Writes a random rate from 0 to last, in ten-thousandths.
local function load_rate(con, last)
   con:load_text(format("0.%04d", rand.uniform(0, last)))
end

local function load_address(con)
   con:load_rand_alnum(10, 20)
   con:load_rand_alnum(10, 20)
   con:load_rand_alnum(10, 20)
   con:load_rand_alnum(2, 2)
   con:load_rand_str("####11111")
end

local function address_columns(letter)
   return (("$_street_1, $_street_2, $_city, $_state, $_zip"):gsub("%$", letter))
end

-- Loads `count` rows into a table; load_row(i) writes the fields of row i.
local function load_rows(con, name, columns, count, load_row)
   con:load_begin(name, columns, sysbench.opt.prepare_method)
   for i = 1, count do
      load_row(i)
      con:load_row()
   end
   con:load_done()
   progress.add(count)
end

-- -------------------------------------------------------------------------------------------------
-- Pieces: each loads some rows of warehouse w
-- -------------------------------------------------------------------------------------------------

local pieces = {}

function pieces.items(con)
   local is_original = random.chooser(sizes.items, sizes.items / 10)
   load_rows(con, "tpcc_item", "i_id, i_im_id, i_name, i_price, i_data", sizes.items, function(i)
      con:load_int(i)
      con:load_int(rand.uniform(1, 10000))
      con:load_rand_alnum(14, 24)
      load_cents(con, 100, 10000)
      con:load_text(random.data(is_original()))
   end)
end

function pieces.warehouse(con, w)
   load_rows(con, "tpcc_warehouse", "w_id, w_name, " .. address_columns("w") .. ", w_tax, w_ytd", 1,
      function()
         con:load_int(w)
         con:load_rand_alnum(6, 10)
         load_address(con)
         load_rate(con, 2000)
         con:load_text(format("%d.00", load.DISTRICTS * 10 * sizes.customers))
      end)
   load_rows(con, "tpcc_district", "d_id, d_w_id, d_name, " .. address_columns("d") ..
      ", d_tax, d_ytd, d_next_o_id", load.DISTRICTS, function(d)
         con:load_int(d)
         con:load_int(w)
         con:load_rand_alnum(6, 10)
         load_address(con)
         load_rate(con, 2000)
         con:load_text(format("%d.00", 10 * sizes.customers))
         con:load_int(sizes.customers + 1)
      end)
end

local DIST_COLUMNS = "s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, " ..
   "s_dist_07, s_dist_08, s_dist_09, s_dist_10"

function pieces.stock(con, w)
   local is_original = random.chooser(sizes.items, sizes.items / 10)
   load_rows(con, "tpcc_stock", "s_i_id, s_w_id, s_quantity, " .. DIST_COLUMNS ..
      ", s_ytd, s_order_cnt, s_remote_cnt, s_data", sizes.items, function(i)
         con:load_int(i)
         con:load_int(w)
         con:load_int(rand.uniform(10, 100))
         for _ = 1, 10 do
            con:load_rand_alnum(24, 24)
         end
         con:load_int(0)
         con:load_int(0)
         con:load_int(0)
         con:load_text(random.data(is_original()))
      end)
end

-- Customers 1 to 1000 of a district have all the names; further customers have random names.
local function name_number(c, c_load)
   if c <= sizes.names then
      return c - 1
   end
   return random.nurand(random.A.c_last, c_load, 0, sizes.names - 1)
end

local function load_customers(con, w, d, c_load)
   local is_bad = random.chooser(sizes.customers, sizes.customers / 10)
   load_rows(con, "tpcc_customer", "c_id, c_d_id, c_w_id, c_first, c_middle, c_last, " ..
      address_columns("c") .. ", c_phone, c_since, c_credit, c_credit_lim, c_discount, " ..
      "c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data", sizes.customers,
      function(c)
         con:load_int(c)
         con:load_int(d)
         con:load_int(w)
         con:load_rand_alnum(8, 16)
         con:load_text("OE")
         con:load_text(random.last_name(name_number(c, c_load)))
         load_address(con)
         con:load_rand_str("################")
         con:load_text(now)
         con:load_text(is_bad() and "BC" or "GC")
         con:load_text("50000.00")
         load_rate(con, 5000)
         con:load_text("-10.00")
         con:load_text("10.00")
         con:load_int(1)
         con:load_int(0)
         con:load_rand_alnum(300, 500)
      end)
end

local function load_history(con, w, d)
   load_rows(con, "tpcc_history", "h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, " ..
      "h_amount, h_data", sizes.customers, function(c)
         con:load_int(c)
         con:load_int(d)
         con:load_int(w)
         con:load_int(d)
         con:load_int(w)
         con:load_text(now)
         con:load_text("10.00")
         con:load_rand_alnum(12, 24)
      end)
end

function pieces.customers(con, w, c_load)
   for d = 1, load.DISTRICTS do
      load_customers(con, w, d, c_load)
      load_history(con, w, d)
   end
end

-- Loads the orders of a district. Returns a list with the number of lines of each order.
local function load_orders(con, w, d)
   local customers, lines = {}, {}
   for c = 1, sizes.customers do
      customers[c] = c
   end
   random.shuffle(customers)
   load_rows(con, "tpcc_orders", "o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, " ..
      "o_ol_cnt, o_all_local", sizes.customers, function(o)
         lines[o] = rand.uniform(5, 15)
         con:load_int(o)
         con:load_int(d)
         con:load_int(w)
         con:load_int(customers[o])
         con:load_text(now)
         if o <= sizes.delivered then
            con:load_int(rand.uniform(1, 10))
         else
            con:load_null()
         end
         con:load_int(lines[o])
         con:load_int(1)
      end)
   return lines
end

local function load_line(con, w, d, o, number)
   con:load_int(o)
   con:load_int(d)
   con:load_int(w)
   con:load_int(number)
   con:load_int(rand.uniform(1, sizes.items))
   con:load_int(w)
   if o <= sizes.delivered then
      con:load_text(now)
      con:load_int(5)
      con:load_text("0.00")
   else
      con:load_null()
      con:load_int(5)
      load_cents(con, 1, 999999)
   end
   con:load_rand_alnum(24, 24)
end

-- Loads the order lines. Progress counts ten lines per order, which is the mean.
local function load_lines(con, w, d, lines)
   con:load_begin("tpcc_order_line", "ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, " ..
      "ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info",
      sysbench.opt.prepare_method)
   for o = 1, sizes.customers do
      for number = 1, lines[o] do
         load_line(con, w, d, o, number)
         con:load_row()
      end
   end
   con:load_done()
   progress.add(10 * sizes.customers)
end

local function load_new_orders(con, w, d)
   load_rows(con, "tpcc_new_order", "no_o_id, no_d_id, no_w_id",
      sizes.customers - sizes.delivered, function(i)
         con:load_int(sizes.delivered + i)
         con:load_int(d)
         con:load_int(w)
      end)
end

function pieces.orders(con, w)
   for d = 1, load.DISTRICTS do
      load_lines(con, w, d, load_orders(con, w, d))
      load_new_orders(con, w, d)
   end
end

local PIECES = {"orders", "customers", "stock", "warehouse"} -- longest pieces first

local function rows_of(name)
   local customers = load.DISTRICTS * sizes.customers
   local rows = {
      items = sizes.items,
      warehouse = 1 + load.DISTRICTS,
      stock = sizes.items,
      customers = 2 * customers,
      orders = 11 * customers + load.DISTRICTS * (sizes.customers - sizes.delivered),
   }
   return rows[name]
end

-- -------------------------------------------------------------------------------------------------
-- prepare
-- -------------------------------------------------------------------------------------------------

-- Returns the pieces that tpcc_info does not contain, and their number of rows.
local function missing_pieces(info)
   local list, rows = {}, 0
   local function add(name, w, stream)
      local label = w and format("%s %d", name, w) or name
      if not info[label] then
         list[#list + 1] = {name = name, w = w, label = label, stream = stream}
         rows = rows + rows_of(name)
      end
   end
   add("items", nil, random.STREAM_PIECES)
   for w = 1, math.max(1, sysbench.opt.warehouses) do
      for i, name in ipairs(PIECES) do
         add(name, w, random.STREAM_PIECES + (w - 1) * #PIECES + i)
      end
   end
   return list, rows
end

local function load_piece(con, dialect, piece, c_load)
   if piece.name == "orders" then
      tables.notice("Loading warehouse %d...", piece.w)
   end
   rand.stream(piece.stream)
   con:query(dialect.begin)
   pieces[piece.name](con, piece.w, c_load)
   schema.add_info(con, piece.label, "loaded")
   con:query("COMMIT")
   rand.stream()
end

-- Sets constants that must be the same in all calls of prepare that load one database.
local function set_constants(con, info)
   local shrink = tostring(sysbench.opt.shrink)
   if (info.shrink or shrink) ~= shrink then
      error(format("the tables were loaded with --shrink=%s: run cleanup first, or prepare --force",
                   info.shrink), 0)
   end
   schema.set_info(con, "shrink", shrink)
   if not info.c_load then
      schema.set_info(con, "c_load", random.load_constant())
   end
end

-- Executed by one thread, before the other threads read tpcc_info.
local function begin(driver, con)
   if sysbench.opt.force then
      schema.drop(con)
   end
   schema.create(driver, con)
   local info = schema.info(con)
   local missing, rows = missing_pieces(info)
   if #missing == 0 then
      tables.notice("All %d warehouses are loaded.", math.max(1, sysbench.opt.warehouses))
      return
   end
   set_constants(con, info)
   schema.set_info(con, "ready", 0)
   schema.drop_foreign_keys(driver, con)
   progress.total(rows)
end

local function finish(driver, con)
   if sysbench.opt.foreign_keys then
      schema.create_foreign_keys(driver, con)
   end
   local info, warehouses = schema.info(con), 0
   while info["orders " .. warehouses + 1] do
      warehouses = warehouses + 1
   end
   schema.set_info(con, "ready", warehouses)
end

-- Calls work(list[i]) for each i. The threads share the list.
local function share(list, work)
   local i = progress.claim() + 1
   while i <= #list do
      work(list[i])
      i = progress.claim() + 1
   end
end

function load.prepare()
   local driver = sysbench.sql.driver()
   local con, dialect = driver:connect(), schema.dialect(driver)
   local is_first = tables.my_number() == 0
   sizes, now = load.sizes(sysbench.opt.shrink), os.date("!%Y-%m-%d %H:%M:%S")
   if dialect.loading then
      con:query(dialect.loading)
   end
   if is_first then
      begin(driver, con)
   end
   if not progress.barrier() then return end
   local info = schema.info(con)
   local missing = missing_pieces(info)
   if not progress.barrier() or #missing == 0 and info.ready ~= "0" then return end
   share(missing, function(piece) load_piece(con, dialect, piece, tonumber(info.c_load) or 0) end)
   if not progress.barrier() then return end
   share(schema.TABLES, function(t) schema.create_indexes(driver, con, t) end)
   if not progress.barrier() then return end
   if is_first then
      finish(driver, con)
   end
   con:disconnect()
end

return load
