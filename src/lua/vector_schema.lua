-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What oltp_vector needs to know about each database with vectors: the types, functions, indexes and
-- session variables.

local tables = require("table_schema")
local format = string.format
local schema = {}

-- -------------------------------------------------------------------------------------------------
-- Databases
-- -------------------------------------------------------------------------------------------------

-- Each database has:
--   create        the CREATE TABLE statement for a number of dimensions and a metric
--   load          the column of the vectors as load_begin() needs it
--   insert        the expression of a vector that is given as text
--   distance      for each metric, the expression whose smallest values are searched
--   search        the end of a search, if it is not ORDER BY distance LIMIT k
--   indexes       for each kind of index, the statement that creates it
--   index_kind    a query that returns the kind of the index
--   exact, from   the distance, and the table, of a search that must not use the index
--   session       for each option, the statement that sets a value for the session
--   length        the expression of warmup, which reads all vectors
--   analyze       statements that update the statistics of the optimizer

local COLUMNS = "CREATE TABLE vectors1 (id BIGINT NOT NULL PRIMARY KEY, bucket INTEGER NOT NULL, v VECTOR(%d) NOT NULL)"

-- Returns " WITH (m = 8, lists = 10)", without the options that are 0.
local function with(...)
   local settings = {}
   for _, name in ipairs({...}) do
      if sysbench.opt[name] > 0 then
         settings[#settings + 1] = format("%s = %d", name, sysbench.opt[name])
      end
   end
   return #settings > 0 and format(" WITH (%s)", table.concat(settings, ", ")) or ""
end

local pgvector = {
   name = "PostgreSQL with pgvector",
   create = function(dimensions) return COLUMNS:format(dimensions) end,
   load = "v",
   insert = "?::vector",
   distance = {l2 = "v <-> ?::vector", cosine = "v <=> ?::vector", inner = "v <#> ?::vector"},
   exact = "(%s) + 0",
   indexes = {
      hnsw = function(metric)
         return format("CREATE INDEX vectors1_v ON vectors1 USING hnsw (v vector_%s_ops)%s",
                       metric == "inner" and "ip" or metric, with("m", "ef_construction"))
      end,
      ivfflat = function(metric)
         return format("CREATE INDEX vectors1_v ON vectors1 USING ivfflat (v vector_%s_ops)%s",
                       metric == "inner" and "ip" or metric, with("lists"))
      end,
   },
   index_kind = "SELECT a.amname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid " ..
      "JOIN pg_am a ON a.oid = c.relam WHERE i.indrelid = to_regclass('vectors1') AND c.relname = 'vectors1_v'",
   session = {ef_search = "SET hnsw.ef_search = %d", probes = "SET ivfflat.probes = %d"},
   effective = {hnsw = {"m", "ef_construction", "ef_search"}, ivfflat = {"lists", "probes"}},
   length = "SUM(vector_dims(v))",
   -- The statistics of evenly distributed numbers need few rows. The default reads 30 000, which took a seventh of the time of prepare.
   analyze = {"SET default_statistics_target = 10", "ANALYZE vectors1 (id, bucket)", "RESET default_statistics_target"},
}

local mariadb = {
   name = "MariaDB",
   create = function(dimensions) return COLUMNS:format(dimensions) end,
   load = "VEC_FromText(v)",
   insert = "VEC_FromText(?)",
   distance = {l2 = "VEC_DISTANCE_EUCLIDEAN(v, VEC_FromText(?))", cosine = "VEC_DISTANCE_COSINE(v, VEC_FromText(?))"},
   from = "vectors1 IGNORE INDEX (vectors1_v)",
   indexes = {
      hnsw = function(metric)
         return format("CREATE VECTOR INDEX vectors1_v ON vectors1 (v)%s DISTANCE=%s",
                       sysbench.opt.m > 0 and format(" M=%d", sysbench.opt.m) or "",
                       metric == "l2" and "euclidean" or metric)
      end,
   },
   index_kind = "SELECT 'hnsw' FROM information_schema.statistics " ..
      "WHERE table_schema = DATABASE() AND table_name = 'vectors1' AND index_name = 'vectors1_v'",
   session = {ef_search = "SET SESSION mhnsw_ef_search = %d"},
   effective = {hnsw = {"m", "ef_search"}},
}

local mysql = {
   name = "MySQL",
   create = function(dimensions) return COLUMNS:format(dimensions) end,
   load = "STRING_TO_VECTOR(v)",
   insert = "STRING_TO_VECTOR(?)",
   distance = {l2 = "DISTANCE(v, STRING_TO_VECTOR(?), 'EUCLIDEAN')", cosine = "DISTANCE(v, STRING_TO_VECTOR(?), 'COSINE')"},
}

-- The functions vector_... are those of our driver.
local sqlite = {
   name = "SQLite without an extension",
   create = function()
      return "CREATE TABLE vectors1 (id INTEGER NOT NULL PRIMARY KEY, bucket INTEGER NOT NULL, v BLOB NOT NULL)"
   end,
   load = "vector_f32(v)",
   insert = "vector_f32(?)",
   distance = {l2 = "vector_l2(v, ?)", cosine = "vector_cosine(v, ?)", inner = "vector_inner(v, ?)"},
}

local sqlite_vec = {
   name = "SQLite with sqlite-vec",
   create = function(dimensions, metric)
      return format("CREATE VIRTUAL TABLE vectors1 USING vec0(id INTEGER PRIMARY KEY, bucket INTEGER, " ..
                    "v FLOAT[%d] distance_metric=%s)", dimensions, metric)
   end,
   load = "v",
   insert = "?",
   distance = {l2 = "v MATCH ?", cosine = "v MATCH ?"},
   search = "%s %s AND k = %d",
}

-- -------------------------------------------------------------------------------------------------
-- Which database it is
-- -------------------------------------------------------------------------------------------------

-- Errors of MySQL for a function that does not exist. The second one is for users who may not execute stored functions.
local NO_FUNCTION = {[1305] = true, [1370] = true}

-- Returns the first value of a query, or nil if the server lacks a function of the query. The hook
-- keeps this error of the server out of the log. Any other error is raised.
local function try(connection, query)
   local hook, lacks_function = sysbench.hooks.sql_error_ignorable, false
   sysbench.hooks.sql_error_ignorable = function(e)
      lacks_function = NO_FUNCTION[e.sql_errno] == true
      return lacks_function
   end
   local done, value = pcall(connection.query_row, connection, query)
   sysbench.hooks.sql_error_ignorable = hook
   if not done and not lacks_function then error(value, 0) end
   return done and value or nil
end

local function refuse(...)
   error(format("oltp_vector: " .. select(1, ...), select(2, ...)), 0)
end

local find = {}

-- Reads the catalogue first: a statement that fails would be reported as an error of its own.
function find.pgsql(connection, create)
   if connection:query_row("SELECT extname FROM pg_extension WHERE extname = 'vector'") then
      return pgvector
   end
   if not connection:query_row("SELECT name FROM pg_available_extensions WHERE name = 'vector'") then
      refuse("this PostgreSQL has no vectors: install pgvector (Debian: postgresql-NN-pgvector)")
   end
   local superuser = connection:query_row("SELECT CASE WHEN usesuper THEN 1 END FROM pg_user WHERE usename = current_user")
   local trusted = connection:query_row("SELECT name FROM pg_available_extension_versions " ..
                                        "WHERE name = 'vector' AND trusted LIMIT 1")
   if create and (superuser or trusted) then
      connection:query("CREATE EXTENSION IF NOT EXISTS vector")
      return pgvector
   end
   refuse("the extension vector is not in this database; a superuser must execute: CREATE EXTENSION vector")
end

function find.mysql(connection)
   local version = connection:query_row("SELECT VERSION()")
   local major, minor = version:match("(%d+)%.(%d+)")
   local number = major * 100 + minor
   if version:find("MariaDB", 1, true) then
      if number < 1107 then refuse("MariaDB %s has no vectors: version 11.7 or later is needed", version) end
      return mariadb
   end
   if number < 900 then refuse("MySQL %s has no vectors: version 9 or later is needed", version) end
   if not try(connection, "SELECT DISTANCE(STRING_TO_VECTOR('[1]'), STRING_TO_VECTOR('[2]'), 'EUCLIDEAN')") then
      refuse("MySQL %s has no function for the distance of vectors, so it cannot search", version)
   end
   return mysql
end

function find.sqlite(connection)
   if sysbench.opt.sqlite_extension == "" then return sqlite end
   if connection:query_row("SELECT name FROM pragma_function_list WHERE name = 'vec_version' LIMIT 1") then
      return sqlite_vec
   end
   refuse("the library of --sqlite-extension is not sqlite-vec: it has no function vec_version")
end

function find.null() return sqlite end

-- -------------------------------------------------------------------------------------------------
-- Functions for oltp_vector
-- -------------------------------------------------------------------------------------------------

local INDEXES = {auto = true, hnsw = true, ivfflat = true, none = true}
-- Options of indexes: 0 means the default of the database.
local TUNING = {"m", "ef_construction", "ef_search", "lists", "probes"}

schema.options = {
   index = {"Index {auto, hnsw, ivfflat, none}; auto: hnsw if the database has it", "auto"},
   m = {"HNSW: number of neighbours of a vector in the graph, 0: default of the database", 0},
   ef_construction = {"HNSW: number of candidates while the graph is built, 0: default of the database", 0},
   ef_search = {"HNSW: number of candidates of a search, 0: default of the database", 0},
   lists = {"IVFFlat: number of lists, 0: default of the database", 0},
   probes = {"IVFFlat: number of lists that a search reads, 0: default of the database", 0},
}

function schema.check_options()
   if not INDEXES[sysbench.opt.index] then
      tables.reject("index", sysbench.opt.index, "auto, hnsw, ivfflat, none")
   end
   for _, name in ipairs(TUNING) do
      local value = sysbench.opt[name]
      if not (value >= 0 and value <= 100000) then
         tables.reject(name, value, "a whole number from 0 to 100000")
      end
   end
end

-- The kind of index that the options ask for.
local function wanted_index(database)
   local kind = sysbench.opt.index
   if kind == "auto" then
      kind = database.indexes and database.indexes.hnsw and "hnsw" or "none"
   elseif kind ~= "none" and not (database.indexes and database.indexes[kind]) then
      refuse("%s has no index of the kind %s", database.name, kind)
   end
   return kind
end

-- Refuses an option that has no effect on this kind of index.
local function check_tuning(database, kind)
   local effective = {}
   for _, name in ipairs((database.effective or {})[kind] or {}) do effective[name] = true end
   for _, name in ipairs(TUNING) do
      if sysbench.opt[name] > 0 and not effective[name] then
         refuse("--%s has no effect on %s with --index=%s", name:gsub("_", "-"), database.name, kind)
      end
   end
end

-- Returns the database of a connection, or raises an error of one line. `create` says whether an
-- extension may be created. The result has `kind`, the kind of the index.
function schema.find(connection, create)
   local name = sysbench.sql.driver():name()
   if not find[name] then refuse("--db-driver=%s has no vectors: use pgsql, mysql or sqlite", name) end
   local database = find[name](connection, create)
   if not database.distance[sysbench.opt.metric] then
      refuse("%s has no distance of the kind --metric=%s", database.name, sysbench.opt.metric)
   end
   database.kind = wanted_index(database)
   check_tuning(database, database.kind)
   return database
end

function schema.create_index(database, connection)
   if database.kind ~= "none" then
      local began = sysbench.clock()
      tables.create_index(connection, "vectors1", "index " .. database.kind,
                          database.indexes[database.kind](sysbench.opt.metric))
      tables.notice("Created index %s in %.1f s", database.kind, sysbench.clock() - began)
   end
   for _, statement in ipairs(database.analyze or {}) do connection:query(statement) end
end

-- Sets up a session for searches. To be called after each reconnect, too.
function schema.begin_session(database, connection)
   for _, name in ipairs(TUNING) do
      local statement = database.session and database.session[name]
      if statement and sysbench.opt[name] > 0 then
         connection:query(statement:format(sysbench.opt[name]))
      end
   end
end

-- Raises an error if the table does not have the index that the options ask for. Returns true if the
-- table has an index that searches must not use.
local function must_avoid_index(database, connection)
   local kind = database.index_kind and connection:query_row(database.index_kind) or "none"
   if database.kind ~= "none" and database.kind ~= kind then
      refuse("table vectors1 has the index %s: run prepare with --index=%s, or use --index=%s", kind, database.kind, kind)
   end
   return database.kind ~= kind
end

-- Returns the statements of a search and a filtered search, whose parameters are the vector, and the
-- first bucket, the last bucket and the vector.
function schema.searches(database, connection)
   local distance, from = database.distance[sysbench.opt.metric], "vectors1"
   if must_avoid_index(database, connection) then
      distance = database.exact and database.exact:format(distance) or distance
      from = database.from or from
   end
   local function search(filter)
      if database.search then
         return "SELECT id FROM vectors1 WHERE " ..
            database.search:format(filter and "bucket BETWEEN ? AND ? AND" or "", distance, sysbench.opt.k)
      end
      return format("SELECT id FROM %s%s ORDER BY %s LIMIT %d", from,
                    filter and " WHERE bucket BETWEEN ? AND ?" or "", distance, sysbench.opt.k)
   end
   return search(false), search(true)
end

return schema
