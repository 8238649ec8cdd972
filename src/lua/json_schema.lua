-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The tables of oltp_json.lua (collections in MongoDB), and the differences between databases.
-- Tables are named jsondoc1, jsondoc2 ...; each holds documents with the ids 1 to table_size, and
-- has an index on the path $.total.

local tables = require("table_schema")
local document = require("json_document")
local format = string.format
local t = sysbench.sql.type
local schema = {}

-- -------------------------------------------------------------------------------------------------
-- Dialects
--
--   session       first statement of a connection that loads rows
--   statements()  for each operation: a statement, with %u for the number of the table, and
--                 the types of its parameters
--   highest_id    statement that returns the highest id
--   create()      statement that creates a table
--   columns       columns that prepare loads: the id and the document
--   index         statement that creates the index on a path
--   warmup        statements that read all documents, and the index
-- -------------------------------------------------------------------------------------------------

local dialects = {}

local TAG_BYTES = 16

-- Parameter types of each operation. They are the same in all databases.
local function types()
   local text, doc = {t.VARCHAR, TAG_BYTES}, {t.VARCHAR, sysbench.opt.doc_size}
   local total = sysbench.opt.table_size < 2^31 and t.INT or t.BIGINT -- range in documents
   return {
      point_reads = {t.BIGINT},
      path_reads = {t.BIGINT},
      path_updates = {{t.VARCHAR, document.STATUS_BYTES}, t.BIGINT},
      index_updates = {total, t.BIGINT},
      replaces = {doc, t.BIGINT},
      array_appends = {text, t.BIGINT},
      range_reads = {t.BIGINT, t.BIGINT},
      inserts = {t.BIGINT, doc},
      deletes = {t.BIGINT},
   }
end

-- Combines each statement with the types of its parameters.
local function typed(texts)
   local all = {}
   for name, kinds in pairs(types()) do
      all[name] = {texts[name], unpack(kinds)}
   end
   return all
end

-- -------------------------------------------------------------------------------------------------
-- SQL. Each SQL dialect has these fields:
--
--   columns    columns of the table, including a generated one if the index needs it
--   key        indexed expression; WHERE and ORDER BY must use it so that the index is used
--   city       expression for a path of the document
--   set_status, set_total, append_tag   expressions for the document with one path changed
--   document   placeholder for a parameter that is a document
--   length     expression for the length of a document as text
-- -------------------------------------------------------------------------------------------------

local function sql_statements(language)
   local function updated(expression)
      return "UPDATE jsondoc%u SET doc = " .. expression .. " WHERE id = ?"
   end
   return typed({
      point_reads = "SELECT doc FROM jsondoc%u WHERE id = ?",
      path_reads = "SELECT " .. language.city .. " FROM jsondoc%u WHERE id = ?",
      path_updates = updated(language.set_status),
      index_updates = updated(language.set_total),
      replaces = updated(language.document),
      array_appends = updated(language.append_tag),
      range_reads = "SELECT id, " .. language.city .. " FROM jsondoc%u WHERE " .. language.key ..
                    " BETWEEN ? AND ? ORDER BY " .. language.key ..
                    " LIMIT " .. sysbench.opt.range_size,
      inserts = "INSERT INTO jsondoc%u (id, doc) VALUES (?, " .. language.document .. ")",
      deletes = "DELETE FROM jsondoc%u WHERE id = ?",
   })
end

local function sql(language)
   return {
      session = language.session,
      statements = function() return sql_statements(language) end,
      highest_id = "SELECT MAX(id) FROM jsondoc%u",
      create = function(driver)
         local opt = sysbench.opt
         local engine = driver:name() == "mysql" and "ENGINE = " .. opt.mysql_storage_engine or ""
         return "CREATE TABLE jsondoc%u (\n" .. language.columns .. ") " .. engine .. " " ..
                (opt.create_table_options or ""):gsub("%%", "%%%%")
      end,
      columns = "id, doc",
      index = "CREATE INDEX jsondoc_total_%u ON jsondoc%u (" .. language.key .. ")",
      warmup = {
         "SELECT SUM(" .. language.length .. ") FROM jsondoc%u",
         "SELECT COUNT(*) FROM jsondoc%u WHERE " .. language.key .. " > 0",
      },
   }
end

-- For MySQL and MariaDB: functions that both databases have. In MariaDB, JSON is another name for
-- LONGTEXT.
dialects.mysql = sql {
   columns = [[
  id BIGINT NOT NULL,
  doc JSON NOT NULL,
  total BIGINT AS (CAST(JSON_EXTRACT(doc, '$.total') AS SIGNED)) VIRTUAL,
  PRIMARY KEY (id)]],
   key = "total",
   city = "JSON_UNQUOTE(JSON_EXTRACT(doc, '$.customer.address.city'))",
   set_status = "JSON_SET(doc, '$.status', ?)",
   set_total = "JSON_SET(doc, '$.total', ?)",
   append_tag = "JSON_ARRAY_APPEND(doc, '$.tags', ?)",
   document = "?",
   length = "LENGTH(doc)",
}

dialects.pgsql = sql {
   columns = [[
  id BIGINT NOT NULL,
  doc JSONB NOT NULL,
  PRIMARY KEY (id)]],
   key = "((doc->>'total')::bigint)",
   city = "doc #>> '{customer,address,city}'",
   set_status = "jsonb_set(doc, '{status}', to_jsonb(CAST(? AS TEXT)))",
   set_total = "jsonb_set(doc, '{total}', to_jsonb(CAST(? AS BIGINT)))",
   append_tag = "jsonb_insert(doc, '{tags,-1}', to_jsonb(CAST(? AS TEXT)), true)",
   document = "CAST(? AS JSONB)",
   length = "LENGTH(doc::text)",
}

dialects.sqlite = sql {
   session = "PRAGMA busy_timeout = 86400000", -- one thread can write, others wait
   columns = [[
  id INTEGER NOT NULL PRIMARY KEY,
  doc TEXT NOT NULL]],
   key = "json_extract(doc, '$.total')",
   city = "json_extract(doc, '$.customer.address.city')",
   set_status = "json_set(doc, '$.status', ?)",
   set_total = "json_set(doc, '$.total', ?)",
   append_tag = "json_insert(doc, '$.tags[#]', ?)",
   document = "?",
   length = "LENGTH(doc)",
}

dialects.null = dialects.sqlite

-- -------------------------------------------------------------------------------------------------
-- MongoDB: the id is the _id of the document. The document is not in a column: it is the row.
-- -------------------------------------------------------------------------------------------------

local CITY = "customer.address.city"

local function update(change)
   return '{"update": "jsondoc%u", "updates": [{"u": ' .. change .. ', "q": {"_id": ?}}]}'
end

local function aggregate(match)
   return '{"aggregate": "jsondoc%u", "pipeline": [{"$match": ' .. match .. '}, ' ..
          '{"$group": {"_id": null, "n": {"$sum": 1}}}], "cursor": {}}'
end

dialects.mongodb = {
   statements = function()
      return typed({
         point_reads = '{"find": "jsondoc%u", "filter": {"_id": ?}}',
         path_reads = '{"find": "jsondoc%u", "filter": {"_id": ?}, "projection": {"_id": 0, "' ..
                      CITY .. '": 1}, "$fields": ["' .. CITY .. '"]}',
         path_updates = update('{"$set": {"status": ?}}'),
         index_updates = update('{"$set": {"total": ?}}'),
         replaces = update('{"$json": ?}'),
         array_appends = update('{"$push": {"tags": ?}}'),
         range_reads = '{"find": "jsondoc%u", "filter": {"total": {"$gte": ?, "$lte": ?}}, ' ..
                       '"sort": {"total": 1}, "limit": ' .. sysbench.opt.range_size ..
                       ', "projection": {"_id": 1, "' .. CITY .. '": 1}, "$fields": ["_id", "' ..
                       CITY .. '"]}',
         inserts = '{"insert": "jsondoc%u", "documents": [{"_id": ?, "$json": ?}]}',
         deletes = '{"delete": "jsondoc%u", "deletes": [{"q": {"_id": ?}, "limit": 1}]}',
      })
   end,
   highest_id = '{"find": "jsondoc%u", "filter": {}, "sort": {"_id": -1}, "limit": 1, ' ..
                '"projection": {"_id": 1}, "$fields": ["_id"]}',
   create = function() return '{"create": "jsondoc%u"}' end,
   columns = "_id, $json",
   index = '{"createIndexes": "jsondoc%u", "indexes": [{"name": "jsondoc_total_%u", ' ..
           '"key": {"total": 1}}]}',
   warmup = {aggregate('{"note": {"$exists": true}}'), aggregate('{"total": {"$gt": 0}}')},
}

function schema.dialect(driver)
   return tables.dialect(dialects, driver)
end

-- -------------------------------------------------------------------------------------------------
-- Work on one table
-- -------------------------------------------------------------------------------------------------

local function create_table(driver, connection, n)
   tables.create(connection, "jsondoc" .. n, format(schema.dialect(driver).create(driver), n))
end

local function write_row(connection, id)
   local total = sysbench.rand.uniform(1, sysbench.opt.table_size)
   connection:load_int(id)
   connection:load_text(document.new(total, sysbench.opt.doc_size))
end

local ROWS_PER_PROGRESS = 100

local function load_rows(connection, n, first, last)
   local columns = schema.dialect(sysbench.sql.driver()).columns
   tables.load(connection, "jsondoc" .. n, columns, first, last, "documents", ROWS_PER_PROGRESS,
               write_row)
end

local function create_index(driver, connection, n)
   tables.create_index(connection, "jsondoc" .. n, "a path index",
                       (schema.dialect(driver).index:gsub("%%u", tostring(n))))
end

-- -------------------------------------------------------------------------------------------------
-- Commands
-- -------------------------------------------------------------------------------------------------

function schema.prepare()
   local driver = sysbench.sql.driver()
   tables.prepare(driver, {
      prefix = "jsondoc",
      session = schema.dialect(driver).session,
      create = create_table,
      load = load_rows,
      create_indexes = create_index,
   })
end

-- Reads all documents and the index, to load them into the cache.
function schema.warmup()
   tables.warmup("jsondoc", function(driver, n)
      local texts = {}
      for i, text in ipairs(schema.dialect(driver).warmup) do texts[i] = format(text, n) end
      return texts
   end)
end

function schema.drop()
   tables.drop("jsondoc")
end

return schema
