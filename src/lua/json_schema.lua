-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The tables of oltp_json.lua and what differs between databases. Tables are named jsondoc1,
-- jsondoc2 ...; each holds documents with the ids 1 to table_size, and an index on the path
-- $.total.

local oltp = require("oltp_schema")
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
   local dialect = dialects[driver:name()]
   if dialect == nil then
      error(format("invalid value for --db-driver: '%s' (allowed: mysql, pgsql, sqlite, null)",
                   driver:name()), 0)
   end
   return dialect
end

-- -------------------------------------------------------------------------------------------------
-- Work on one table
-- -------------------------------------------------------------------------------------------------

local function create_table(driver, connection, n)
   local opt = sysbench.opt
   local engine = driver:name() == "mysql" and "ENGINE = " .. opt.mysql_storage_engine or ""
   if opt.force then
      connection:query(format("DROP TABLE IF EXISTS jsondoc%u", n))
   end
   oltp.notice("Creating table 'jsondoc%u'...", n)
   connection:query(format("CREATE TABLE jsondoc%u (\n%s) %s %s", n,
                           schema.dialect(driver).columns, engine, opt.create_table_options or ""))
end

local ROWS_PER_PROGRESS = 100

local function load_rows(connection, n, first, last)
   local size, bytes = sysbench.opt.table_size, sysbench.opt.doc_size
   if first == 1 then
      oltp.notice("Inserting %d documents into 'jsondoc%u'", size, n)
   end
   connection:load_begin("jsondoc" .. n, "id, doc", sysbench.opt.prepare_method)
   for id = first, last do
      connection:load_int(id)
      connection:load_text(document.new(sysbench.rand.uniform(1, size), bytes))
      connection:load_row()
      if (id - first + 1) % ROWS_PER_PROGRESS == 0 then
         oltp.progress.add(ROWS_PER_PROGRESS)
      end
   end
   connection:load_done()
   oltp.progress.add((last - first + 1) % ROWS_PER_PROGRESS)
end

local function create_index(driver, connection, n)
   oltp.notice("Creating an index on a path of 'jsondoc%u'...", n)
   connection:query(format("CREATE INDEX jsondoc_total_%u ON jsondoc%u (%s)", n, n,
                           schema.dialect(driver).key))
end

-- -------------------------------------------------------------------------------------------------
-- Commands
-- -------------------------------------------------------------------------------------------------

-- All threads create tables, then all load documents, then all create indexes.
function schema.prepare()
   local driver = sysbench.sql.driver()
   local connection = driver:connect()
   local session = schema.dialect(driver).session
   if session then
      connection:query(session)
   end
   if oltp.my_number() == 0 then
      oltp.progress.total(sysbench.opt.tables * sysbench.opt.table_size)
   end
   oltp.for_my_tables(function(n) create_table(driver, connection, n) end)
   if not oltp.progress.barrier() then return end
   oltp.for_my_rows(function(n, first, last) load_rows(connection, n, first, last) end)
   if not oltp.progress.barrier() then return end
   oltp.for_my_tables(function(n) create_index(driver, connection, n) end)
   connection:disconnect()
end

-- Reads all documents, and the index.
function schema.warmup()
   local driver = sysbench.sql.driver()
   local connection = driver:connect()
   local dialect = schema.dialect(driver)
   oltp.for_my_tables(function(n)
      oltp.notice("Prewarming table 'jsondoc%u'", n)
      connection:query(format("SELECT SUM(%s) FROM jsondoc%u", dialect.length, n))
      connection:query(format("SELECT COUNT(*) FROM jsondoc%u WHERE %s > 0", n, dialect.key))
   end)
   connection:disconnect()
end

function schema.drop()
   local connection = sysbench.sql.driver():connect()
   for n = 1, sysbench.opt.tables do
      oltp.notice("Dropping table 'jsondoc%u'...", n)
      connection:query(format("DROP TABLE IF EXISTS jsondoc%u", n))
   end
   connection:disconnect()
end

return schema
