#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures searches for the nearest vectors, by an index or an exact scan, while rows are inserted
-- and deleted. The recall of a share of the searches is reported as the quality figure "recall".
-- docs/vector.md tells more.

if sysbench.cmdline.command == nil then
   error("Command is required. Supported commands: prepare, warmup, run, cleanup, help", 0)
end

local tables = require("table_schema")
local schema = require("vector_schema")
local format = string.format
local C = ffi.C

-- -------------------------------------------------------------------------------------------------
-- Options and commands
-- -------------------------------------------------------------------------------------------------

-- The operations: name, weight, description. An operation is drawn with the probability weight /
-- sum of all weights.
local OPERATIONS = {
   {"searches", 100, "searching the nearest vectors"},
   {"filtered_searches", 0, "searching the nearest vectors among a part of the rows"},
   {"inserts", 0, "inserting a vector"},
   {"deletes", 0, "deleting a vector that the worker has inserted; inserting one if there is none"},
}

sysbench.cmdline.options = {
   vectors = {"Number of vectors that prepare loads; all but --queries of --vectors-file, if it is given", 10000},
   vectors_file = {"File of vectors (.fvecs, .bvecs or .npy), instead of synthetic ones", ""},
   dimensions = {"Number of dimensions of a vector; those of --vectors-file, if it is given", 128},
   clusters = {"Number of Gaussians that the vectors are drawn from", 100},
   data_seed = {"Seed of the vectors, the same for prepare and run", 1},
   metric = {"Distance {l2, cosine, inner}", "l2"},
   k = {"Number of nearest vectors to search", 10},
   queries = {"Number of queries whose exact answers prepare computes", 100},
   recall_share = {"Share of the searches whose recall is measured, from 0 to 1", 0.1},
   mix = {"Weights of all four operations, such as 90,5,3,2: searches, filtered searches, inserts, deletes", ""},
   filter_share = {"Share of the rows among which a filtered search looks, from 0.01 to 1", 0.1},
   prepare_method = {"How prepare loads vectors {auto, insert, load}", "auto"},
   force = {"Drop tables that exist before prepare creates them", false},
}
for name, option in pairs(schema.options) do
   sysbench.cmdline.options[name] = option
end
for _, operation in ipairs(OPERATIONS) do
   sysbench.cmdline.options[operation[1]] = {"Weight of " .. operation[3], operation[2]}
end

local METRICS = {l2 = 0, cosine = 1, inner = 2}
local BUCKETS = 100 -- a filter keeps the rows of some of these buckets (NEIGHBOURS_BUCKETS)

local function require_between(name, minimum, maximum, kind)
   local value = sysbench.opt[name]
   if not (value >= minimum and value <= maximum) then
      tables.reject(name, value, format("%s from %s to %s", kind or "a whole number", minimum, maximum))
   end
end

-- Sets the weights of all operations to those of --mix.
local function use_mix()
   local fields, allowed = {}, "four whole numbers from 0 to 1000, such as 90,5,3,2"
   if sysbench.opt.mix == "" then return end
   for field in (sysbench.opt.mix .. ","):gmatch("([^,]*),") do
      fields[#fields + 1] = field:match("^%d+$") and tonumber(field) or -1
   end
   if #fields ~= #OPERATIONS then tables.reject("mix", sysbench.opt.mix, allowed) end
   for i, operation in ipairs(OPERATIONS) do
      if fields[i] < 0 or fields[i] > 1000 then tables.reject("mix", sysbench.opt.mix, allowed) end
      if sysbench.typed[operation[1]] then
         tables.reject("mix", sysbench.opt.mix, format("either --mix or --%s", operation[1]:gsub("_", "-")))
      end
      sysbench.opt[operation[1]] = fields[i]
   end
end

-- Opens the file of vectors, if there is one, and sets the options that depend on the file.
local function open_file()
   local opt = sysbench.opt
   if opt.vectors_file == "" then return end
   local problem = C.script_vectors_open(opt.vectors_file)
   if problem ~= nil then
      error(format("--vectors-file: '%s' cannot be used: %s", opt.vectors_file, ffi.string(problem)), 0)
   end
   local count, dimensions = C.script_vectors_count(), C.script_vectors_dimensions()
   for _, name in ipairs({"clusters", "data_seed"}) do
      if sysbench.typed[name] then tables.reject(name, opt[name], "not with --vectors-file") end
   end
   if sysbench.typed.dimensions and opt.dimensions ~= dimensions then
      tables.reject("dimensions", opt.dimensions, format("%d, as in the file of --vectors-file", dimensions))
   end
   if opt.queries >= count then
      tables.reject("queries", opt.queries, format("fewer than the %d vectors of the file, whose last ones are the queries", count))
   end
   if not sysbench.typed.vectors then
      opt.vectors = count - opt.queries
   elseif opt.vectors > count - opt.queries then
      tables.reject("vectors", opt.vectors, format("1 to %d, as the file has %d and %d are queries", count - opt.queries, count, opt.queries))
   end
   opt.dimensions = dimensions
end

local function check_options()
   use_mix()
   require_between("vectors", 1, 1e9)
   require_between("dimensions", 1, 16000)
   require_between("clusters", 1, 1e6)
   require_between("data_seed", 0, 2 ^ 53)
   require_between("k", 1, 1000)
   require_between("queries", 1, 100000)
   require_between("recall_share", 0, 1, "a number")
   require_between("filter_share", 0.01, 1, "a number")
   for _, operation in ipairs(OPERATIONS) do
      require_between(operation[1], 0, 1000)
   end
   if not METRICS[sysbench.opt.metric] then
      tables.reject("metric", sysbench.opt.metric, "l2, cosine, inner")
   end
   schema.check_options()
   tables.check_prepare_method()
   sysbench.opt.tables = 1
end

-- The same, and opens the file of vectors.
local function check_options_and_file()
   check_options()
   open_file()
   sysbench.opt.table_size = sysbench.opt.vectors
end

local function kept_buckets()
   return math.max(1, math.floor(BUCKETS * sysbench.opt.filter_share + 0.5))
end

-- Returns true for the first thread of the process.
local function begin_vectors()
   local opt = sysbench.opt
   return C.script_vectors_begin(opt.data_seed, opt.dimensions, opt.clusters, METRICS[opt.metric],
                                 opt.vectors, opt.queries, opt.k, kept_buckets())
end

-- -------------------------------------------------------------------------------------------------
-- Tables: vectors1 has the vectors; neighbours1 has the exact answers of the queries
-- -------------------------------------------------------------------------------------------------

local buffer

-- Returns the text of a vector that `write`, a C function, makes for a number.
local function text_of(write, number)
   buffer = buffer or ffi.new("char[?]", C.script_vector_bytes())
   return ffi.string(buffer, write(buffer, number))
end

local function bucket_of(id)
   return id % BUCKETS
end

-- What the exact answers depend on. Each of the values is a row of neighbours1 with the query -1.
local function data_options()
   local opt = sysbench.opt
   return {{"vectors", opt.vectors}, {"dimensions", opt.dimensions}, {"clusters", opt.clusters},
           {"data-seed", opt.data_seed}, {"metric", METRICS[opt.metric]}, {"queries", opt.queries},
           {"filter-share", kept_buckets()}, {"vectors-file", opt.vectors_file == "" and -1 or C.script_vectors_checksum()}}
end

local function create_tables(database)
   return function(_, connection)
      tables.create(connection, "vectors1", database.create(sysbench.opt.dimensions, sysbench.opt.metric))
      if sysbench.opt.force then
         connection:query("DROP TABLE IF EXISTS neighbours1")
      end
      connection:query("CREATE TABLE neighbours1 (query INTEGER NOT NULL, position INTEGER NOT NULL, id BIGINT NOT NULL, " ..
                       "PRIMARY KEY (query, position))")
   end
end

local function load_rows(database)
   return function(connection, _, first, last)
      C.script_neighbours_begin()
      tables.load(connection, "vectors1", "id, bucket, " .. database.load, first, last, "vectors", 100, function(con, id)
         con:load_int(id)
         con:load_int(bucket_of(id))
         con:load_text(text_of(C.script_vector_text, id))
      end)
      C.script_neighbours_done()
   end
end

local function load_answer(connection, query, position, id)
   connection:load_int(query)
   connection:load_int(position)
   connection:load_int(id)
   connection:load_row()
end

-- Each thread stores the answers of every threads-th query.
local function load_neighbours(connection, place)
   local queries, first, step = sysbench.opt.queries, place.thread, place.threads
   if not C.script_neighbours_complete() then
      C.script_neighbours_find(first, step)
   end
   local rows = ffi.new("double[?]", sysbench.opt.k)
   connection:load_begin("neighbours1", "query, position, id", sysbench.opt.prepare_method)
   for query = first, queries - 1, step do
      for _, number in ipairs({query, queries + query}) do
         for position = 1, C.script_neighbours_answer(number, rows) do
            load_answer(connection, number, position, rows[position - 1])
         end
      end
   end
   for i, option in ipairs(first == 0 and data_options() or {}) do
      load_answer(connection, -1, i, option[2])
   end
   connection:load_done()
end

local function prepare()
   check_options_and_file()
   local driver, place = sysbench.sql.driver(), tables.find_place()
   local session = driver:name() == "sqlite" and "PRAGMA busy_timeout = 86400000" or nil
   local connection = driver:connect()
   if session then connection:query(session) end
   -- One thread creates the extension, then the others find it.
   local database = place.thread == 0 and schema.find(connection, true)
   if not tables.progress.barrier() then return end
   database = database or schema.find(connection)
   begin_vectors()
   if tables.prepare(driver, {
      prefix = "vectors",
      session = session,
      create = create_tables(database),
      load = load_rows(database),
      create_indexes = function(_, con) schema.create_index(database, con) end,
   }) then
      load_neighbours(connection, place)
   end
   connection:disconnect()
end

local function warmup()
   check_options()
   tables.warmup("vectors", function(driver)
      return {driver:name() == "pgsql" and "SELECT SUM(vector_dims(v)) FROM vectors1" or
              "SELECT SUM(LENGTH(v)) FROM vectors1"}
   end)
end

local function cleanup()
   check_options()
   tables.drop("vectors")
   tables.drop("neighbours")
end

sysbench.cmdline.commands = {
   prepare = {prepare, sysbench.cmdline.PARALLEL_COMMAND},
   warmup = {warmup, sysbench.cmdline.PARALLEL_COMMAND},
   prewarm = {warmup, sysbench.cmdline.PARALLEL_COMMAND},
   cleanup = {cleanup},
}

-- Describes the tables for the check before a run.
function sysbench.hooks.describe_tables()
   open_file()
   return {name = "vectors%d", tables = 1, rows = sysbench.opt.vectors}
end

-- -------------------------------------------------------------------------------------------------
-- Operations
-- -------------------------------------------------------------------------------------------------

local con
local statements = {}
local next_id         -- the next id that this worker inserts
local inserted = {}   -- ids that this worker has inserted and not deleted
local query_text = {} -- text of each query, made when it is first needed
local found           -- rows of a search
local database        -- of vector_schema.lua
local session_is_lost = false

local function get_query()
   local query = sysbench.rand.uniform(0, sysbench.opt.queries - 1)
   query_text[query] = query_text[query] or text_of(C.script_query_text, query)
   return query, query_text[query]
end

-- Reads the ids of a result into `found` and returns their number.
local function fetch_ids(result)
   local count = math.min(tonumber(result.nrows), sysbench.opt.k)
   for i = 0, count - 1 do
      found[i] = tonumber(result:fetch_row()[1])
   end
   return count
end

local operations = {}

-- Executes a search, whose parameters are set except for the vector, and measures the recall of a
-- share of the searches as `figure`. `query` is the number for the exact answers.
local function search(statement, text, query, figure)
   local checked = sysbench.rand.uniform_double() < sysbench.opt.recall_share
   local mark = checked and C.script_neighbours_mark()
   statement.v:set(text)
   local result = statement:execute()
   if checked and result then
      local recall = C.script_neighbours_recall(query, mark, found, fetch_ids(result))
      if recall >= 0 then sysbench.quality(figure, recall) end
   end
end

function operations.searches()
   local query, text = get_query()
   search(statements.searches, text, query, "recall")
end

function operations.filtered_searches()
   local query, text = get_query()
   local statement, first = statements.filtered_searches, C.script_neighbours_bucket(query)
   statement.first:set(first)
   statement.last:set(first + kept_buckets() - 1)
   search(statement, text, sysbench.opt.queries + query, "recall_filtered")
end

-- The threads use ids in turn, so that two threads never insert the same id. An id counts as used
-- even if its insert fails.
function operations.inserts()
   local id = next_id
   next_id = id + sysbench.opt.threads
   local statement = statements.inserts
   statement.id:set(id)
   statement.bucket:set(bucket_of(id))
   statement.v:set(text_of(C.script_vector_text, id))
   C.script_neighbours_change(id, true, false)
   statement:execute()
   C.script_neighbours_change(id, true, true)
   table.insert(inserted, id)
end

-- Deletes only rows that this worker has inserted, so that the exact answers of prepare stay valid.
function operations.deletes()
   local id = table.remove(inserted)
   if not id then
      return operations.inserts()
   end
   statements.deletes.id:set(id)
   C.script_neighbours_change(id, false, false)
   statements.deletes:execute()
   C.script_neighbours_change(id, false, true)
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

-- Prepares a statement. Each parameter is {name, type}; it becomes a field of the result, which has
-- execute(), too.
local function prepared(name, text, ...)
   local stmt = con:prepare(text, name)
   local kinds, statement = {}, {execute = function() return stmt:execute() end}
   for i, parameter in ipairs({...}) do kinds[i] = parameter[2] end
   for i, param in ipairs(tables.bind_parameters(stmt, kinds)) do
      statement[({...})[i][1]] = param
   end
   return statement
end

local function prepare_statements()
   local t = sysbench.sql.type
   local vector = {"v", {t.VARCHAR, C.script_vector_bytes()}}
   local search_text, filtered_text = schema.searches(database, con)
   statements = {
      searches = prepared("searches", search_text, vector),
      filtered_searches = prepared("filtered_searches", filtered_text, {"first", t.INT}, {"last", t.INT}, vector),
      inserts = prepared("inserts", format("INSERT INTO vectors1 (id, bucket, v) VALUES (?, ?, %s)", database.insert),
                         {"id", t.BIGINT}, {"bucket", t.INT}, vector),
      deletes = prepared("deletes", "DELETE FROM vectors1 WHERE id = ?", {"id", t.BIGINT}),
   }
end

-- Calls work(row) for each row of a query.
local function each_row(text, work)
   local result = con:query(text)
   for _ = 1, result and result.nrows or 0 do work(result:fetch_row()) end
end

-- Raises an error unless the run has the options of prepare that the exact answers depend on.
local function check_data_options()
   local known, options = 0, data_options()
   each_row("SELECT position, id FROM neighbours1 WHERE query = -1", function(row)
      local option = options[tonumber(row[1])]
      known = known + 1
      if option and tonumber(row[2]) ~= option[2] then
         error(format("table neighbours1 was prepared with another --%s: use the same, or run prepare", option[1]), 0)
      end
   end)
   if known ~= #options then
      error("table neighbours1 has no exact answers: run prepare to its end", 0)
   end
end

-- Reads the exact answers, and the rows that earlier runs have left.
local function read_neighbours()
   local opt, deepest = sysbench.opt, 0
   check_data_options()
   each_row(format("SELECT query, id, position FROM neighbours1 WHERE query >= 0 AND position <= %d " ..
                   "ORDER BY query, position", opt.k), function(row)
      C.script_neighbours_add(tonumber(row[1]), tonumber(row[2]))
      deepest = math.max(deepest, tonumber(row[3]))
   end)
   if deepest < math.min(opt.k, opt.vectors) then
      error(format("table neighbours1 has the nearest %d rows of each query: run prepare with --k=%d", deepest, opt.k), 0)
   end
   each_row(format("SELECT id FROM vectors1 WHERE id > %d", opt.vectors), function(row)
      C.script_neighbours_change(tonumber(row[1]), true, false)
      C.script_neighbours_change(tonumber(row[1]), true, true)
   end)
end

function sysbench.hooks.before_restart_event()
   session_is_lost = database ~= nil -- prepare has no session
end

sysbench.hooks.after_reconnect = sysbench.hooks.before_restart_event

function init()
   check_options_and_file()
   weighted()
end

function thread_init(tid)
   check_options_and_file()
   choices = weighted()
   con = sysbench.sql.driver():connect()
   database = schema.find(con)
   schema.begin_session(database, con)
   if begin_vectors() and sysbench.sql.driver():name() ~= "null" then
      read_neighbours()
   end
   sysbench.quality("recall")
   if sysbench.opt.filtered_searches > 0 then
      sysbench.quality("recall_filtered")
   end
   found = ffi.new("double[?]", sysbench.opt.k)
   prepare_statements()
   -- Start after the ids that earlier runs have inserted.
   local highest = con:query_row("SELECT MAX(id) FROM vectors1", "thread_init")
   next_id = (tonumber(highest) or sysbench.opt.vectors) + 1 + tid
end

function event()
   if session_is_lost then
      schema.begin_session(database, con)
      session_is_lost = false
   end
   choices[sysbench.rand.uniform(1, #choices)]()
end

function thread_done()
   con:disconnect()
end
