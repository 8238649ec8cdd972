-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The tables of oltp_json.lua and what differs between databases. Tables are named jsondoc1,
-- jsondoc2 ...; each holds documents with the ids 1 to table_size, and an index on the path
-- $.total.

local tables = require("table_schema")
local document = require("json_document")
local format = string.format
local schema = {}

-- -------------------------------------------------------------------------------------------------
-- Dialects
--
--   session    statement that a loading connection executes first
--   columns    columns of the table; a generated one where the index needs it
--   key        what the index is on, and what WHERE and ORDER BY must say for it to be used
--   city       expression: a path of the document
--   set_status, set_total, append_tag   expressions: the document with a path changed
--   document   a parameter that is a document
--   length     length of a document as text
-- -------------------------------------------------------------------------------------------------

local dialects = {}

-- MySQL and MariaDB, where JSON is another name for LONGTEXT: functions that both have.
dialects.mysql = {
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

dialects.pgsql = {
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

dialects.sqlite = {
   session = "PRAGMA busy_timeout = 86400000", -- one thread writes at a time: the others wait
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

function schema.dialect(driver)
   return tables.dialect(dialects, driver)
end

-- -------------------------------------------------------------------------------------------------
-- Work on one table
-- -------------------------------------------------------------------------------------------------

local function create_table(driver, connection, n)
   local opt = sysbench.opt
   local engine = driver:name() == "mysql" and "ENGINE = " .. opt.mysql_storage_engine or ""
   tables.create(connection, "jsondoc" .. n,
                 format("CREATE TABLE jsondoc%u (\n%s) %s %s", n, schema.dialect(driver).columns,
                        engine, opt.create_table_options or ""))
end

local function write_row(connection, id)
   local total = sysbench.rand.uniform(1, sysbench.opt.table_size)
   connection:load_int(id)
   connection:load_text(document.new(total, sysbench.opt.doc_size))
end

local ROWS_PER_PROGRESS = 100

local function load_rows(connection, n, first, last)
   tables.load(connection, "jsondoc" .. n, "id, doc", first, last, "documents", ROWS_PER_PROGRESS,
               write_row)
end

local function create_index(driver, connection, n)
   tables.create_index(connection, "jsondoc" .. n, "a path index",
                       format("CREATE INDEX jsondoc_total_%u ON jsondoc%u (%s)", n, n,
                              schema.dialect(driver).key))
end

-- -------------------------------------------------------------------------------------------------
-- Commands
-- -------------------------------------------------------------------------------------------------

function schema.prepare()
   local driver = sysbench.sql.driver()
   tables.prepare(driver, {
      session = schema.dialect(driver).session,
      create = create_table,
      load = load_rows,
      create_indexes = create_index,
   })
end

-- Reads all documents, and the index.
function schema.warmup()
   tables.warmup("jsondoc", function(driver, n)
      local dialect = schema.dialect(driver)
      return {
         format("SELECT SUM(%s) FROM jsondoc%u", dialect.length, n),
         format("SELECT COUNT(*) FROM jsondoc%u WHERE %s > 0", n, dialect.key),
      }
   end)
end

function schema.drop()
   tables.drop("jsondoc")
end

return schema
