-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The table of oltp_vector on each database: the column of the vectors, their distance, and the
-- index.

local tables = require("table_schema")
local format = string.format
local schema = {}

schema.options = {
   index = {"Index of the vectors {auto, none, hnsw, ivfflat}; auto: hnsw if the database has it", "auto"},
   m = {"Neighbours that each vector has in an HNSW index", 16},
   ef_construction = {"Candidates that are kept when a row is inserted into an HNSW index; pgvector only", 64},
   ef_search = {"Candidates that a search of an HNSW index keeps; at least k", 40},
   lists = {"Lists of an IVFFlat index; pgvector only", 100},
   probes = {"Lists of an IVFFlat index that a search reads; pgvector only", 10},
}

-- Each dialect has: `column`, a type with %d for the dimensions; `distance`, the expression of each
-- metric, with ? for the vector to search for; `value`, the expression that makes a vector of a
-- text; `bytes`, the expression that reads a vector; `indexes`, those that --index may name, of
-- which the first one is that of auto. It may have functions that return statements: finish(opt)
-- makes vectors of the texts that were loaded, index(opt, kind) makes the index, and session(opt,
-- kind) sets how a worker searches. check(connection) raises an error if there are no vectors.
local dialects = {}

dialects.sqlite = {
   column = "BLOB",
   distance = {l2 = "vector_l2(v, ?)", cosine = "vector_cosine(v, ?)", inner = "vector_inner(v, ?)"},
   value = "vector_f32(?)",
   bytes = "LENGTH(v)",
   indexes = {"none"},
   finish = function() return {"UPDATE vectors1 SET v = vector_f32(v)"} end,
}
dialects.null = dialects.sqlite

-- pgvector. The largest inner product is nearest, so <#> is the negative one.
dialects.pgsql = {
   column = "vector(%d)",
   distance = {l2 = "v <-> ?::vector", cosine = "v <=> ?::vector", inner = "v <#> ?::vector"},
   value = "?::vector",
   bytes = "vector_dims(v)",
   indexes = {"hnsw", "ivfflat", "none"},
   index = function(opt, kind)
      local with = kind == "hnsw" and format("m = %d, ef_construction = %d", opt.m, opt.ef_construction) or
         format("lists = %d", opt.lists)
      local operators = {l2 = "vector_l2_ops", cosine = "vector_cosine_ops", inner = "vector_ip_ops"}
      return {format("CREATE INDEX vectors1_v ON vectors1 USING %s (v %s) WITH (%s)", kind, operators[opt.metric], with)}
   end,
   session = function(opt, kind)
      return {kind == "ivfflat" and format("SET ivfflat.probes = %d", opt.probes) or
              format("SET hnsw.ef_search = %d", opt.ef_search)}
   end,
   check = function(connection)
      if connection:query_row("SELECT extname FROM pg_extension WHERE extname = 'vector'") then return end
      local available = connection:query_row("SELECT name FROM pg_available_extensions WHERE name = 'vector'")
      local superuser = connection:query_row("SELECT rolname FROM pg_roles WHERE rolname = current_user AND rolsuper")
      if not available or not superuser then
         error(format("the database has no extension 'vector': %sexecute CREATE EXTENSION vector as superuser",
                      available and "" or "install pgvector (Debian: postgresql-17-pgvector) and "), 0)
      end
      connection:query("CREATE EXTENSION vector")
   end,
}

-- MariaDB. LOAD DATA has no place for VEC_FromText(), so texts are loaded first.
dialects.mysql = {
   column = "TEXT",
   distance = {l2 = "VEC_DISTANCE_EUCLIDEAN(v, VEC_FromText(?))", cosine = "VEC_DISTANCE_COSINE(v, VEC_FromText(?))"},
   value = "VEC_FromText(?)",
   bytes = "LENGTH(v)",
   indexes = {"hnsw", "none"},
   finish = function(opt)
      return {format("ALTER TABLE vectors1 ADD w VECTOR(%d)", opt.dimensions),
              "UPDATE vectors1 SET w = VEC_FromText(v)",
              format("ALTER TABLE vectors1 DROP v, CHANGE w v VECTOR(%d) NOT NULL", opt.dimensions)}
   end,
   index = function(opt)
      return {format("ALTER TABLE vectors1 ADD VECTOR INDEX (v) M=%d DISTANCE=%s", opt.m,
                     opt.metric == "l2" and "euclidean" or "cosine")}
   end,
   session = function(opt) return {format("SET mhnsw_ef_search = %d", opt.ef_search)} end,
   check = function(connection)
      local version = connection:query_row("SELECT VERSION()") or ""
      local major, minor = version:match("^(%d+)%.(%d+)")
      if not version:find("MariaDB") then
         error("MySQL has no function for the distance of vectors: use MariaDB 11.7 or newer, PostgreSQL or SQLite", 0)
      elseif major * 100 + minor < 1107 then
         error(format("this server (%s) has no vectors: MariaDB has them since 11.7", version), 0)
      end
   end,
}

function schema.of(driver)
   return tables.dialect(dialects, driver)
end

-- Returns the kind of the index. Raises an error if the database does not have it, or not for the
-- metric.
function schema.index_kind(driver)
   local dialect, asked = schema.of(driver), sysbench.opt.index
   if not dialect.distance[sysbench.opt.metric] then
      tables.reject("metric", sysbench.opt.metric, "l2, cosine with this database")
   end
   for _, kind in ipairs(dialect.indexes) do
      if asked == kind or asked == "auto" then return kind end
   end
   return tables.reject("index", asked, "auto, " .. table.concat(dialect.indexes, ", ") .. " with --db-driver=" .. driver:name())
end

function schema.execute(connection, statements)
   for _, statement in ipairs(statements) do
      connection:query(statement)
   end
end

-- Makes vectors of the texts that were loaded, and the index. Prints how long the index took.
function schema.finish(driver, connection)
   local dialect, opt, kind = schema.of(driver), sysbench.opt, schema.index_kind(driver)
   if dialect.finish then
      schema.execute(connection, dialect.finish(opt))
   end
   if kind ~= "none" then
      tables.notice("Creating index %s on 'vectors1'...", kind)
      local begin = os.time()
      schema.execute(connection, dialect.index(opt, kind))
      tables.notice("Index %s took %d s", kind, os.time() - begin)
   end
end

return schema
