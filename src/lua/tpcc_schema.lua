-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The nine tables of TPC-C (1.3), the differences between databases, and a tenth table, tpcc_info,
-- which describes what was loaded. All names start with tpcc_, so that cleanup removes nothing
-- else.

local tables = require("table_schema")
local format = string.format
local schema = {}

-- -------------------------------------------------------------------------------------------------
-- Dialects
--
--   isolation  statement that sets the isolation level of a session
--   session    first statement of each connection of a run, with --foreign-keys
--   loading    first statement of each connection of prepare
--   begin, begin_read   start a transaction: one that may write, one that only reads
--   lock       text after a SELECT whose rows are written next
--   round      rounds a sum of money; needed because numbers of SQLite are binary
--   lasting_lock        a SELECT that waited for a row which was then deleted finds the next
--   text       text after the type of a column that is compared by bytes
--   inline_keys         primary keys are part of CREATE TABLE, not created after the load
--   options, partitions   text after CREATE TABLE
--   has_index, has_constraint   queries that return a row if the table has one of this name
--   analyze    updates the statistics of the optimizer
--   absent     value that represents a missing row
-- -------------------------------------------------------------------------------------------------

local dialects = {}

dialects.mysql = {
   isolation = "SET SESSION TRANSACTION ISOLATION LEVEL %s",
   loading = "SET foreign_key_checks = 0",
   begin = "BEGIN",
   begin_read = "BEGIN",
   lock = " FOR UPDATE",
   round = "%s",
   lasting_lock = true,
   text = " CHARACTER SET ascii COLLATE ascii_bin",
   inline_keys = true,
   options = function() return " ENGINE = " .. sysbench.opt.mysql_storage_engine end,
   partitions = " PARTITION BY HASH (%s) PARTITIONS %d",
   has_index = "SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() " ..
      "AND table_name = '%s' AND index_name = '%s'",
   has_constraint = "SELECT 1 FROM information_schema.table_constraints " ..
      "WHERE table_schema = DATABASE() AND table_name = '%s' AND constraint_name = '%s'",
   drop_constraint = "ALTER TABLE %s DROP FOREIGN KEY %s",
   analyze = "ANALYZE TABLE %s",
}

dialects.pgsql = {
   isolation = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL %s",
   begin = "BEGIN",
   begin_read = "BEGIN",
   lock = " FOR UPDATE",
   round = "%s",
   text = ' COLLATE "C"',
   partitions = " PARTITION BY HASH (%s)",
   has_index = "SELECT 1 FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid " ..
      "WHERE i.indrelid = to_regclass('%s') AND c.relname = '%s'",
   has_constraint = "SELECT 1 FROM pg_constraint WHERE conrelid = to_regclass('%s') " ..
      "AND conname = '%s'",
   drop_constraint = "ALTER TABLE %s DROP CONSTRAINT %s",
   analyze = "ANALYZE %s",
}

-- Only one thread can write at a time. While loading, the other threads wait without a time limit.
dialects.sqlite = {
   session = "PRAGMA foreign_keys = ON",
   loading = "PRAGMA busy_timeout = 86400000",
   begin = "BEGIN IMMEDIATE",
   begin_read = "BEGIN",
   lock = "",
   round = "ROUND(%s, 2)",
   lasting_lock = true,
   text = "",
   inline_keys = true,
   options = function() return " WITHOUT ROWID" end,
   has_index = "SELECT 1 FROM sqlite_master WHERE type = 'index' AND tbl_name = '%s' " ..
      "AND name = '%s'",
   analyze = "ANALYZE %s",
}

dialects.null = setmetatable({
   absent = setmetatable({}, {__index = function() return "1" end}),
}, {__index = dialects.sqlite})

function schema.dialect(driver)
   return tables.dialect(dialects, driver)
end

-- -------------------------------------------------------------------------------------------------
-- Tables
--
-- In columns, $text is replaced by the dialect. `partition` is the column with the warehouse.
-- -------------------------------------------------------------------------------------------------

local ADDRESS = [[
  $_street_1 VARCHAR(20) NOT NULL,
  $_street_2 VARCHAR(20) NOT NULL,
  $_city VARCHAR(20) NOT NULL,
  $_state CHAR(2) NOT NULL,
  $_zip CHAR(9) NOT NULL,
]]

local function address(letter)
   return (ADDRESS:gsub("%$", letter))
end

local function dist_columns()
   local columns = {}
   for d = 1, 10 do
      columns[d] = format("  s_dist_%02d CHAR(24) NOT NULL,\n", d)
   end
   return table.concat(columns)
end

schema.TABLES = {
   {name = "tpcc_item", key = "i_id", columns = [[
  i_id INTEGER NOT NULL,
  i_im_id INTEGER NOT NULL,
  i_name VARCHAR(24) NOT NULL,
  i_price DECIMAL(5,2) NOT NULL,
  i_data VARCHAR(50) NOT NULL]]},

   {name = "tpcc_warehouse", key = "w_id", partition = "w_id", columns = [[
  w_id INTEGER NOT NULL,
  w_name VARCHAR(10) NOT NULL,
]] .. address("w") .. [[
  w_tax DECIMAL(4,4) NOT NULL,
  w_ytd DECIMAL(12,2) NOT NULL]]},

   {name = "tpcc_district", key = "d_w_id, d_id", partition = "d_w_id", columns = [[
  d_id SMALLINT NOT NULL,
  d_w_id INTEGER NOT NULL,
  d_name VARCHAR(10) NOT NULL,
]] .. address("d") .. [[
  d_tax DECIMAL(4,4) NOT NULL,
  d_ytd DECIMAL(12,2) NOT NULL,
  d_next_o_id INTEGER NOT NULL]],
    references = {{"d_w_id", "tpcc_warehouse", "w_id"}}},

   {name = "tpcc_customer", key = "c_w_id, c_d_id, c_id", partition = "c_w_id", columns = [[
  c_id INTEGER NOT NULL,
  c_d_id SMALLINT NOT NULL,
  c_w_id INTEGER NOT NULL,
  c_first VARCHAR(16)$text NOT NULL,
  c_middle CHAR(2) NOT NULL,
  c_last VARCHAR(16)$text NOT NULL,
]] .. address("c") .. [[
  c_phone CHAR(16) NOT NULL,
  c_since TIMESTAMP NOT NULL,
  c_credit CHAR(2) NOT NULL,
  c_credit_lim DECIMAL(12,2) NOT NULL,
  c_discount DECIMAL(4,4) NOT NULL,
  c_balance DECIMAL(12,2) NOT NULL,
  c_ytd_payment DECIMAL(12,2) NOT NULL,
  c_payment_cnt INTEGER NOT NULL,
  c_delivery_cnt INTEGER NOT NULL,
  c_data VARCHAR(500) NOT NULL]],
    index = {"tpcc_customer_name", "c_w_id, c_d_id, c_last, c_first"},
    references = {{"c_w_id, c_d_id", "tpcc_district", "d_w_id, d_id"}}},

   {name = "tpcc_history", partition = "h_w_id", columns = [[
  h_c_id INTEGER NOT NULL,
  h_c_d_id SMALLINT NOT NULL,
  h_c_w_id INTEGER NOT NULL,
  h_d_id SMALLINT NOT NULL,
  h_w_id INTEGER NOT NULL,
  h_date TIMESTAMP NOT NULL,
  h_amount DECIMAL(6,2) NOT NULL,
  h_data VARCHAR(24) NOT NULL]],
    references = {{"h_c_w_id, h_c_d_id, h_c_id", "tpcc_customer", "c_w_id, c_d_id, c_id"},
                  {"h_w_id, h_d_id", "tpcc_district", "d_w_id, d_id"}}},

   {name = "tpcc_orders", key = "o_w_id, o_d_id, o_id", partition = "o_w_id", columns = [[
  o_id INTEGER NOT NULL,
  o_d_id SMALLINT NOT NULL,
  o_w_id INTEGER NOT NULL,
  o_c_id INTEGER NOT NULL,
  o_entry_d TIMESTAMP NOT NULL,
  o_carrier_id SMALLINT,
  o_ol_cnt SMALLINT NOT NULL,
  o_all_local SMALLINT NOT NULL]],
    index = {"tpcc_orders_customer", "o_w_id, o_d_id, o_c_id, o_id"},
    references = {{"o_w_id, o_d_id, o_c_id", "tpcc_customer", "c_w_id, c_d_id, c_id"}}},

   {name = "tpcc_new_order", key = "no_w_id, no_d_id, no_o_id", partition = "no_w_id", columns = [[
  no_o_id INTEGER NOT NULL,
  no_d_id SMALLINT NOT NULL,
  no_w_id INTEGER NOT NULL]],
    references = {{"no_w_id, no_d_id, no_o_id", "tpcc_orders", "o_w_id, o_d_id, o_id"}}},

   {name = "tpcc_stock", key = "s_w_id, s_i_id", partition = "s_w_id", columns = [[
  s_i_id INTEGER NOT NULL,
  s_w_id INTEGER NOT NULL,
  s_quantity SMALLINT NOT NULL,
]] .. dist_columns() .. [[
  s_ytd INTEGER NOT NULL,
  s_order_cnt INTEGER NOT NULL,
  s_remote_cnt INTEGER NOT NULL,
  s_data VARCHAR(50) NOT NULL]],
    references = {{"s_w_id", "tpcc_warehouse", "w_id"}, {"s_i_id", "tpcc_item", "i_id"}}},

   {name = "tpcc_order_line", key = "ol_w_id, ol_d_id, ol_o_id, ol_number", partition = "ol_w_id",
    columns = [[
  ol_o_id INTEGER NOT NULL,
  ol_d_id SMALLINT NOT NULL,
  ol_w_id INTEGER NOT NULL,
  ol_number SMALLINT NOT NULL,
  ol_i_id INTEGER NOT NULL,
  ol_supply_w_id INTEGER NOT NULL,
  ol_delivery_d TIMESTAMP$null,
  ol_quantity SMALLINT NOT NULL,
  ol_amount DECIMAL(6,2) NOT NULL,
  ol_dist_info CHAR(24) NOT NULL]],
    references = {{"ol_w_id, ol_d_id, ol_o_id", "tpcc_orders", "o_w_id, o_d_id, o_id"},
                  {"ol_supply_w_id, ol_i_id", "tpcc_stock", "s_w_id, s_i_id"}}},
}

-- Properties of the loaded data as names and values: see tpcc_load.lua.
local INFO = "CREATE TABLE IF NOT EXISTS tpcc_info (name VARCHAR(40) NOT NULL PRIMARY KEY, " ..
   "value VARCHAR(40) NOT NULL)"

-- -------------------------------------------------------------------------------------------------
-- Creating and dropping
-- -------------------------------------------------------------------------------------------------

local function reference_text(reference)
   return format("FOREIGN KEY (%s) REFERENCES %s (%s)", unpack(reference))
end

local function is_sqlite(driver)
   return driver:name() == "sqlite"
end

-- SQLite accepts foreign keys only in CREATE TABLE.
local function constraints(driver, dialect, t)
   local list = {""}
   if t.key and dialect.inline_keys then
      list[#list + 1] = format("PRIMARY KEY (%s)", t.key)
   end
   if sysbench.opt.foreign_keys and is_sqlite(driver) then
      for _, reference in ipairs(t.references or {}) do
         list[#list + 1] = reference_text(reference)
      end
   end
   return table.concat(list, ",\n  ")
end

local function table_options(dialect, t)
   local text = ""
   if dialect.options and (t.key or dialect ~= dialects.sqlite) then
      text = dialect.options()
   end
   if sysbench.opt.partitions > 0 and t.partition then
      text = text .. format(dialect.partitions, t.partition, sysbench.opt.partitions)
   end
   return text .. " " .. (sysbench.opt.create_table_options or "")
end

-- Columns of the table. MySQL's TIMESTAMP is avoided: it ends in 2038, and the first column of this
-- type changes automatically.
local function columns_of(driver, dialect, t)
   local text = t.columns:gsub("%$text", dialect.text):gsub("%$null", " NULL")
   if driver:name() == "mysql" then
      text = text:gsub("TIMESTAMP", "DATETIME")
   end
   return text
end

local function create_partitions(connection, t)
   for i = 0, sysbench.opt.partitions - 1 do
      connection:query(format("CREATE TABLE IF NOT EXISTS %s_p%d PARTITION OF %s " ..
         "FOR VALUES WITH (MODULUS %d, REMAINDER %d)", t.name, i, t.name,
         sysbench.opt.partitions, i))
   end
end

-- Creates the tables that do not exist.
function schema.create(driver, connection)
   local dialect = schema.dialect(driver)
   for _, t in ipairs(schema.TABLES) do
      connection:query(format("CREATE TABLE IF NOT EXISTS %s (\n%s%s\n)%s", t.name,
         columns_of(driver, dialect, t), constraints(driver, dialect, t),
         table_options(dialect, t)))
      if driver:name() == "pgsql" and t.partition and sysbench.opt.partitions > 0 then
         create_partitions(connection, t)
      end
   end
   connection:query(INFO)
end

-- Drops the tables, first those that refer to others.
function schema.drop(connection)
   connection:query("DROP TABLE IF EXISTS tpcc_info")
   for i = #schema.TABLES, 1, -1 do
      tables.notice("Dropping table '%s'...", schema.TABLES[i].name)
      connection:query("DROP TABLE IF EXISTS " .. schema.TABLES[i].name)
   end
end

-- -------------------------------------------------------------------------------------------------
-- After the load
-- -------------------------------------------------------------------------------------------------

local function is_there(connection, query, t, name)
   return query and connection:query(format(query, t.name, name)).nrows > 0
end

-- Creates missing keys and indexes of a table.
function schema.create_indexes(driver, connection, t)
   local dialect = schema.dialect(driver)
   local key = t.name .. "_key"
   if t.key and not dialect.inline_keys and
      not is_there(connection, dialect.has_index, t, key) then
      connection:query(format("ALTER TABLE %s ADD CONSTRAINT %s PRIMARY KEY (%s)", t.name, key,
                              t.key))
   end
   if t.index and not is_there(connection, dialect.has_index, t, t.index[1]) then
      tables.create_index(connection, t.name, "a secondary index",
         format("CREATE INDEX %s ON %s (%s)", t.index[1], t.name, t.index[2]))
   end
   connection:query(format(dialect.analyze, t.name))
end

local function for_each_foreign_key(driver, work)
   local dialect = schema.dialect(driver)
   if not dialect.has_constraint then
      return
   end
   for _, t in ipairs(schema.TABLES) do
      for i, reference in ipairs(t.references or {}) do
         work(dialect, t, t.name .. "_ref_" .. i, reference)
      end
   end
end

-- Foreign keys would require that tables are loaded in a certain order.
function schema.drop_foreign_keys(driver, connection)
   for_each_foreign_key(driver, function(dialect, t, name)
      if is_there(connection, dialect.has_constraint, t, name) then
         connection:query(format(dialect.drop_constraint, t.name, name))
      end
   end)
end

function schema.create_foreign_keys(driver, connection)
   for_each_foreign_key(driver, function(_, t, name, reference)
      tables.notice("Creating foreign key '%s'...", name)
      connection:query(format("ALTER TABLE %s ADD CONSTRAINT %s %s", t.name, name,
                              reference_text(reference)))
   end)
end

-- -------------------------------------------------------------------------------------------------
-- tpcc_info
-- -------------------------------------------------------------------------------------------------

-- Returns the content of tpcc_info: names and values.
function schema.info(connection)
   local info = {}
   local result = connection:query("SELECT name, value FROM tpcc_info", "tpcc_info")
   local row = result:fetch_row()
   while row and row[2] do
      info[row[1]] = row[2]
      row = result:fetch_row()
   end
   return info
end

-- Adds a name that tpcc_info does not contain. Several threads may do so at once. A DELETE of a
-- missing row, as in set_info(), locks the gap between rows in MySQL, and the INSERT statements of
-- two threads that hold such a lock would be a deadlock.
function schema.add_info(connection, name, value)
   connection:query(format("INSERT INTO tpcc_info (name, value) VALUES ('%s', '%s')", name, value))
end

function schema.set_info(connection, name, value)
   connection:query(format("DELETE FROM tpcc_info WHERE name = '%s'", name))
   schema.add_info(connection, name, value)
end

return schema
