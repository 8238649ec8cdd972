#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the five transactions of TPC-C, revision 5.11: orders of a wholesale supplier. It is
-- derived from the specification: docs/tests/tpcc.md tells what is kept of it and what is not.

if sysbench.cmdline.command == nil then
   error("Command is required. Supported commands: prepare, check, warmup, run, cleanup, help", 0)
end

local tables = require("table_schema")
local random = require("tpcc_random")
local schema = require("tpcc_schema")
local load = require("tpcc_load")
local consistency = require("tpcc_consistency")
local transactions = require("tpcc_transactions")
local audit = require("tpcc_audit")

-- -------------------------------------------------------------------------------------------------
-- Options and commands
-- -------------------------------------------------------------------------------------------------

sysbench.cmdline.options = {
   warehouses = {"Number of warehouses; 0: prepare makes 1, run takes all", 0},
   mix = {"Weights of New-Order, Payment, Order-Status, Delivery and Stock-Level, or 'deck' for " ..
          "decks of 23 cards", "45,43,4,4,4", sysbench.cmdline.ARG_STRING},
   pace = {"Sets the rate to so many times that of the terminals, or makes the terminals of " ..
           "--pacing=terminals so much faster; 0: does not", 0.0},
   isolation = {"Isolation level {default, read-committed, repeatable-read, serializable}; " ..
                "default is the server's", "default"},
   foreign_keys = {"Declare the foreign keys", false},
   partitions = {"Partition the tables by the warehouse, into so many; 0: not at all", 0},
   shrink = {"Divide the numbers of items, customers and orders, for trials {1, 2, 5, 10, 20, " ..
             "50, 100}", 1},
   check = {"Check the consistency conditions around a run {off, before, after, both}", "off"},
   prepare_method = {"How prepare loads rows {auto, insert, load}", "auto"},
   force = {"Drop tables that exist before prepare creates them", false},
   mysql_storage_engine = {"Storage engine, if MySQL is used", "innodb"},
   create_table_options = {"Text to append to each CREATE TABLE statement"},
}

local ISOLATION = {
   default = true,
   ["read-committed"] = "READ COMMITTED",
   ["repeatable-read"] = "REPEATABLE READ",
   serializable = "SERIALIZABLE",
}

local CHECK = {off = {}, before = {before = true}, after = {after = true},
               both = {before = true, after = true}}

local SHRINK = {[1] = true, [2] = true, [5] = true, [10] = true, [20] = true, [50] = true,
                [100] = true}

local function require_between(name, minimum, maximum)
   local value = sysbench.opt[name]
   if value < minimum or value > maximum then
      tables.reject(name, value, ("a whole number from %d to %d"):format(minimum, maximum))
   end
end

local function check_isolation()
   local level, driver = sysbench.opt.isolation, sysbench.opt.db_driver
   if not ISOLATION[level] then
      tables.reject("isolation", level, "default, read-committed, repeatable-read, serializable")
   elseif driver == "sqlite" and level ~= "default" and level ~= "serializable" then
      tables.reject("isolation", level, "default, serializable; SQLite has no other")
   end
end

local function check_partitions()
   require_between("partitions", 0, 8192)
   if sysbench.opt.partitions == 0 then
      return
   elseif sysbench.opt.db_driver == "sqlite" then
      tables.reject("partitions", sysbench.opt.partitions, "0; SQLite has no partitions")
   elseif sysbench.opt.db_driver == "mysql" and sysbench.opt.foreign_keys then
      tables.reject("partitions", sysbench.opt.partitions,
                    "0 with --foreign-keys; MySQL does not have both")
   end
end

-- Returns the weights of the transactions, or nil if decks of cards are used.
local function weights()
   local text = sysbench.opt.mix
   if text == "deck" then
      return nil
   end
   local list, sum = {}, 0
   for field in (text .. ","):gmatch("([^,]*),") do
      local weight = tonumber(field)
      if not weight or weight < 0 or weight > 1e9 then
         tables.reject("mix", text, "deck, or five weights such as 45,43,4,4,4")
      end
      list[#list + 1], sum = weight, sum + weight
   end
   if #list ~= #random.TYPES or sum <= 0 then
      tables.reject("mix", text, "deck, or five weights such as 45,43,4,4,4")
   end
   return list
end

local function check_options()
   require_between("warehouses", 0, 100000)
   if not SHRINK[sysbench.opt.shrink] then
      tables.reject("shrink", sysbench.opt.shrink, "1, 2, 5, 10, 20, 50, 100")
   end
   if not CHECK[sysbench.opt.check] then
      tables.reject("check", sysbench.opt.check, "off, before, after, both")
   end
   local pace = sysbench.opt.pace
   if not (pace == 0 or pace >= 1e-6 and pace <= 1e6) then
      tables.reject("pace", pace, "0, or a number from 0.000001 to 1000000")
   end
   check_isolation()
   check_partitions()
   weights()
   tables.check_prepare_method()
end

local function check_data(moment)
   if CHECK[sysbench.opt.check][moment] then
      tables.notice("Consistency conditions %s the run:", moment)
      consistency.check_all()
   end
end

local function checked(command)
   return function()
      check_options()
      command()
   end
end

local function drop()
   local driver = sysbench.sql.driver()
   local con = driver:connect()
   schema.drop(con)
   con:disconnect()
end

-- Reads every row once, to load the cache.
local function warmup()
   local con = sysbench.sql.driver():connect()
   for i = 1 + tables.my_number(), #schema.TABLES, sysbench.opt.threads do
      local name = schema.TABLES[i].name
      tables.notice("Prewarming table %s", name)
      con:query("SELECT COUNT(*) FROM " .. name)
   end
   con:disconnect()
end

-- Raises an error with --node: these commands divide their work between all threads, which
-- processes that do not exchange messages cannot do.
local function in_one_process(command)
   return checked(function()
      if tables.find_place().nodes > 1 then
         error("this command is for one process: without --node", 0)
      end
      command()
   end)
end

local PARALLEL = sysbench.cmdline.PARALLEL_COMMAND

sysbench.cmdline.commands = {
   prepare = {in_one_process(load.prepare), PARALLEL},
   check = {in_one_process(consistency.check), PARALLEL},
   warmup = {checked(warmup), PARALLEL},
   prewarm = {checked(warmup), PARALLEL},
   cleanup = {checked(drop)},
}

-- Describes the tables for the check before a run.
function sysbench.hooks.describe_tables()
   return {name = "tpcc_info", tables = 1}
end

-- -------------------------------------------------------------------------------------------------
-- Threads
-- -------------------------------------------------------------------------------------------------

local TERMINALS = 10    -- number of terminals of a warehouse

local con, session
local reader           -- connection of the transactions that only read; may be `con`
local next_type
local homes             -- warehouses of this thread
local home_district     -- district of the terminal that the thread represents
local pace              -- factor by which terminals are faster than specified
local inputs = {}       -- type -> input of the transaction, reused
local pending           -- type of a transaction that was drawn and is not completed
local session_is_lost

local function warehouses_of(info)
   local loaded = tonumber(info.ready) or 0
   local wanted = sysbench.opt.warehouses
   if loaded == 0 or wanted > loaded then
      error(("%d warehouses are loaded, and --warehouses=%d: run prepare, which goes on where one " ..
             "before was interrupted"):format(loaded, wanted), 0)
   end
   return wanted > 0 and wanted or loaded
end

-- Returns the properties of the loaded data, which prepare has stored.
local function find_info(connection, dialect)
   if dialect.absent then
      return {ready = "100000", shrink = sysbench.opt.shrink, c_load = 0}
   end
   return schema.info(connection)
end

-- Called before a run in the main state. Returns the arrival rate for --pace.
function sysbench.hooks.rate()
   if sysbench.opt.pace == 0 or sysbench.opt.pacing == "terminals" then
      return nil
   elseif sysbench.opt.rate ~= 0 or sysbench.opt.arrival_trace then
      tables.reject("pace", sysbench.opt.pace, "0 with an arrival rate of another option")
   end
   local driver = sysbench.sql.driver()
   local connection = driver:connect()
   local warehouses = warehouses_of(find_info(connection, schema.dialect(driver)))
   connection:disconnect()
   return sysbench.opt.pace * TERMINALS * warehouses / random.cycle_seconds(weights())
end

-- Threads take warehouses in turn. If there are more warehouses than threads, a thread has several,
-- and an event is a request of one of their terminals.
local function choose_homes(tid, warehouses)
   homes = {}
   local threads = sysbench.opt.threads
   for w = tid % warehouses + 1, warehouses, threads do
      homes[#homes + 1] = w
   end
   home_district = math.floor(tid / warehouses) % load.DISTRICTS + 1
end

-- Returns the statements that set up a session. They are executed again after a reconnect.
local function session_statements(driver, dialect)
   local list = {}
   local level = ISOLATION[sysbench.opt.isolation]
   if dialect.isolation and level ~= true then
      list[#list + 1] = dialect.isolation:format(level)
   end
   if dialect.session and sysbench.opt.foreign_keys then
      list[#list + 1] = dialect.session
   end
   return list
end

local function begin_session()
   for _, statement in ipairs(session) do
      con:query(statement, "session")
      if reader ~= con then
         reader:query(statement, "session")
      end
   end
   session_is_lost = false
end

function sysbench.hooks.before_restart_event()
   session_is_lost = session ~= nil and #session > 0 -- prepare has no session
end

sysbench.hooks.after_reconnect = sysbench.hooks.before_restart_event

-- Adds figures and audits to the report, and deviations from the specification.
sysbench.hooks.remarks = audit.remarks

function init()
   check_options()
   check_data("before")
end

function done()
   check_data("after")
end

function thread_init(tid)
   check_options()
   local driver = sysbench.sql.driver()
   con = driver:connect()
   reader = sysbench.sql.reader(con)
   local dialect = schema.dialect(driver)
   session = session_statements(driver, dialect)
   begin_session()
   local info = find_info(con, dialect)
   local warehouses = warehouses_of(info)
   choose_homes(tid, warehouses)
   local mix = weights()
   pace = sysbench.opt.pace > 0 and sysbench.opt.pace or 1
   sysbench.terminals.populate(TERMINALS * warehouses, random.cycle_seconds(mix) / pace)
   next_type = mix and random.by_weights(mix) or random.by_deck()
   for _, name in ipairs(random.TYPES) do
      inputs[name] = {}
      sysbench.event_type(name) -- defines the order of the types in reports
   end
   local c_load, shrink = tonumber(info.c_load), tonumber(info.shrink)
   local environment = {
      con = con,
      reader = reader,
      dialect = dialect,
      shrink = shrink,
      sizes = load.sizes(shrink),
      c_load = c_load,
      constants = random.run_constants(c_load),
      warehouses = warehouses,
   }
   transactions.open(environment)
   audit.open(environment)
end

-- A terminal chooses the type of a transaction when it ends the transaction before, because the
-- keying time depends on the type. So `memo` is the current type, and the next type is drawn here.
local function draw_at(terminal, memo)
   local name = random.TYPES[memo] or next_type()
   local following = next_type()
   local thinks = sysbench.terminals.pause(random.KEYING[following] / pace,
                                           random.THINK[name] / pace, random.NUMBER[following])
   audit.count_think(name, thinks * pace)
   local home = math.floor((terminal - 1) / TERMINALS) + 1
   transactions.draw[name](inputs[name], home, (terminal - 1) % TERMINALS % load.DISTRICTS + 1)
   return name
end

local function draw()
   local terminal, memo = sysbench.terminals.current()
   if terminal then
      return draw_at(terminal, memo)
   end
   local name = next_type()
   local district = #homes == 1 and home_district or sysbench.rand.uniform(1, load.DISTRICTS)
   transactions.draw[name](inputs[name], homes[sysbench.rand.uniform(1, #homes)], district)
   return name
end

-- An event that is restarted after a deadlock has the same input.
function event()
   if session_is_lost then
      begin_session()
   end
   pending = pending or draw()
   sysbench.event_type(pending)
   local input = inputs[pending]
   transactions.run[pending](input)
   audit.count(pending, input)
   pending = nil
end

-- A Delivery, executed some time after the event that has deferred it (2.7.2).
local delivery = {}

function sysbench.hooks.deferred(_, warehouse, carrier)
   if session_is_lost then
      begin_session()
   end
   delivery.w, delivery.carrier = warehouse, carrier
   audit.count_delivery(transactions.deliver(delivery))
end

function thread_done()
   con:disconnect()
   if reader ~= con then
      reader:disconnect()
   end
end
