#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures work on JSON documents (orders of a shop) in MySQL, MariaDB, PostgreSQL, SQLite and
-- MongoDB: reads, changes of a path in place, whole documents, ranges over an indexed path. One
-- event is one operation, drawn by weight. --report-sql shows them side by side.
-- docs/tests/json-workload.md tells more, and how to write a workload like this one.

if sysbench.cmdline.command == nil then
   error("Command is required. Supported commands: prepare, warmup, run, cleanup, help", 0)
end

local tables = require("table_schema")
local schema = require("json_schema")
local document = require("json_document")
local format = string.format

-- -------------------------------------------------------------------------------------------------
-- Options and commands
-- -------------------------------------------------------------------------------------------------

-- The operations: name, weight, description. An operation is drawn with the probability weight /
-- sum of all weights.
local OPERATIONS = {
   {"point_reads", 40, "reading a document by its id"},
   {"path_reads", 20, "reading one path of a document"},
   {"path_updates", 12, "changing one path of a document in place"},
   {"index_updates", 5, "changing the path that has an index"},
   {"replaces", 5, "replacing a whole document"},
   {"array_appends", 5, "appending to an array of a document"},
   {"range_reads", 7, "reading a range over the indexed path"},
   {"inserts", 3, "inserting a document"},
   {"deletes", 3, "deleting a document that the worker has inserted; inserting one if there is none"},
}

sysbench.cmdline.options = {
   tables = {"Number of tables", 1},
   table_size = {"Number of documents per table", 10000},
   doc_size = {"Size of a document in bytes, as text", "1K", sysbench.cmdline.ARG_SIZE},
   range_size = {"Number of documents that a range read is limited to", 20},
   prepare_method = {"How prepare loads documents {auto, insert, load}", "auto"},
   force = {"Drop tables that exist before prepare creates them", false},
   mysql_storage_engine = {"Storage engine, if MySQL is used", "innodb"},
   create_table_options = {"Text to append to each CREATE TABLE statement"},
}
for _, operation in ipairs(OPERATIONS) do
   sysbench.cmdline.options[operation[1]] = {"Weight of " .. operation[3], operation[2]}
end

local function require_between(name, minimum, maximum)
   local value = sysbench.opt[name]
   if value < minimum or value > maximum then
      tables.reject(name, value, format("a whole number from %d to %d", minimum, maximum))
   end
end

local function check_options()
   require_between("tables", 1, 10000)
   require_between("table_size", 1, 1e12)
   require_between("range_size", 1, 1e9)
   require_between("doc_size", document.MINIMUM_BYTES, 16 * 1024 * 1024)
   for _, operation in ipairs(OPERATIONS) do
      require_between(operation[1], 0, 1000)
   end
   tables.check_prepare_method()
end

local function checked(command)
   return function()
      check_options()
      command()
   end
end

sysbench.cmdline.commands = {
   prepare = {checked(schema.prepare), sysbench.cmdline.PARALLEL_COMMAND},
   warmup = {checked(schema.warmup), sysbench.cmdline.PARALLEL_COMMAND},
   prewarm = {checked(schema.warmup), sysbench.cmdline.PARALLEL_COMMAND},
   cleanup = {checked(schema.drop)},
}

-- Describes the tables for the check before a run.
function sysbench.hooks.describe_tables()
   return {name = "jsondoc%d", tables = sysbench.opt.tables, rows = sysbench.opt.table_size}
end

-- -------------------------------------------------------------------------------------------------
-- Statements: execute[n].NAME(values...) executes the statement NAME on table n
-- -------------------------------------------------------------------------------------------------

-- Prepares a statement. Returns a function that sets its parameters and executes it.
local function prepare(con, text, types, class)
   local stmt = con:prepare(text, class)
   local first, second = unpack(tables.bind_parameters(stmt, types))
   return function(a, b)
      first:set(a)
      if second then second:set(b) end
      return stmt:execute()
   end
end

-- -------------------------------------------------------------------------------------------------
-- Operations
-- -------------------------------------------------------------------------------------------------

local con
local execute = {}   -- for each table: name -> function
local next_id = {}   -- for each table: the next id that this worker inserts
local inserted = {}  -- for each table: ids that this worker has inserted and not deleted

local function get_id()
   return sysbench.rand.default(1, sysbench.opt.table_size)
end

local function get_total()
   return sysbench.rand.uniform(1, sysbench.opt.table_size)
end

local function get_document()
   return document.new(get_total(), sysbench.opt.doc_size)
end

local operations = {}

function operations.point_reads(n) execute[n].point_reads(get_id()) end

function operations.path_reads(n) execute[n].path_reads(get_id()) end

function operations.path_updates(n) execute[n].path_updates(document.new_status(), get_id()) end

function operations.index_updates(n) execute[n].index_updates(get_total(), get_id()) end

function operations.replaces(n) execute[n].replaces(get_document(), get_id()) end

function operations.array_appends(n) execute[n].array_appends(document.tag(), get_id()) end

-- The range contains about as many documents as the limit of the query, because totals are
-- distributed uniformly and there are as many values as documents.
function operations.range_reads(n)
   local first = get_total()
   execute[n].range_reads(first, first + sysbench.opt.range_size - 1)
end

-- The threads use ids in turn, so that two threads never insert the same id. An id counts as used
-- even if its insert fails.
function operations.inserts(n)
   local id = next_id[n]
   next_id[n] = id + sysbench.opt.threads
   execute[n].inserts(id, get_document())
   table.insert(inserted[n], id)
end

-- Deletes only rows that this worker has inserted. The documents loaded by prepare stay, so that
-- every read and update finds a row.
function operations.deletes(n)
   local ids = inserted[n]
   if #ids == 0 then
      return operations.inserts(n)
   end
   execute[n].deletes(ids[#ids])
   ids[#ids] = nil
end

-- Returns a list of functions in which each function occurs as often as its weight.
local function weighted()
   local list = {}
   for _, operation in ipairs(OPERATIONS) do
      for _ = 1, sysbench.opt[operation[1]] do
         list[#list + 1] = operations[operation[1]]
      end
   end
   if #list == 0 then
      error("the weights of all operations are 0: one at least must be above", 0)
   end
   return list
end

local choices

-- -------------------------------------------------------------------------------------------------
-- Threads
-- -------------------------------------------------------------------------------------------------

function init()
   check_options()
   weighted()
end

function thread_init(tid)
   check_options()
   choices = weighted()
   local driver = sysbench.sql.driver()
   con = driver:connect()
   local dialect = schema.dialect(driver)
   local definitions = dialect.statements()
   for n = 1, sysbench.opt.tables do
      execute[n], inserted[n] = {}, {}
      for _, operation in ipairs(OPERATIONS) do
         local name = operation[1]
         local definition = definitions[name]
         execute[n][name] = prepare(con, format(definition[1], n), {unpack(definition, 2)}, name)
      end
      -- Start after the ids that earlier runs have inserted.
      local highest = con:query_row(format(dialect.highest_id, n), "thread_init")
      next_id[n] = (tonumber(highest) or sysbench.opt.table_size) + 1 + tid
   end
end

function event()
   choices[sysbench.rand.uniform(1, #choices)](sysbench.rand.uniform(1, sysbench.opt.tables))
end

function thread_done()
   con:disconnect()
end
