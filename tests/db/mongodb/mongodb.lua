-- SPDX-License-Identifier: GPL-2.0-or-later
-- Tests statements, values, results and errors of the MongoDB driver. Run without a command by mongodb.sh; prints "all passed" or
-- raises an error.

local t = sysbench.sql.type
local drv = sysbench.sql.driver()

local checks = dofile(sysbench.cmdline.script_path:match("^.*/") .. "../checks.lua")
local equal, fails, rows, tests, no_rows = checks.equal, checks.fails, checks.rows, checks.tests, checks.no_rows

local function bound(con, text, ...)
   local statement, params = con:prepare(text), {}
   for i, kind in ipairs({...}) do
      params[i] = statement:bind_create(kind, 200)
   end
   statement:bind_param(unpack(params))
   return function(...)
      for i, param in ipairs(params) do param:set((select(i, ...))) end
      return statement:execute()
   end
end

local function count(con, name)
   return con:query_row('{"count": "' .. name .. '", "$fields": ["n"]}')
end

function tests.documents_and_fields(con)
   no_rows(con:query('{"create": "q"}'))
   no_rows(con:query([[{"insert": "q", "documents": [{"_id": 1, "a": {"b": [1, "x"]}, "s": "it's \"?\""},
      {"_id": 2, "s": null, "d": 0.5}, {"_id": 3, "s": "", "long": {"$numberLong": "9007199254740993"}}]}]]))
   local rs = con:query('{"find": "q", "filter": {}, "sort": {"_id": 1}}')
   equal(rs.nrows .. " " .. rs.nfields, "3 1")
   equal(rs:fetch_row()[1], '{ "_id" : 1, "a" : { "b" : [ 1, "x" ] }, "s" : "it\'s \\"?\\"" }')
   rs = con:query('{"find": "q", "filter": {}, "sort": {"_id": 1}, "$fields": ["_id", "s", "a.b.1", "a.b", "d", "long"]}')
   equal(rs.nfields, 6)
   equal(rows(rs), "1,it's \"?\",x,[ 1, \"x\" ],~,~;2,~,~,~,0.5,~;3,,~,~,~,9007199254740993")
   equal(con:query('{"find": "q", "filter": {"_id": 99}}').nrows, 0)
   equal(con:query('{"find": "nosuch", "filter": {}}').nrows, 0)
   equal(con:query_row('{"aggregate": "q", "pipeline": [{"$group": {"_id": null, "n": {"$sum": 1}}}], "cursor": {}, ' ..
                       '"$fields": ["n"]}'), "3")
   equal(count(con, "q"), "3")
   equal(con:query_row('{"distinct": "q", "key": "_id", "$fields": ["values"]}'), "[ 1, 2, 3 ]")
   equal(con:query_row('{"findAndModify": "q", "query": {"_id": 1}, "update": {"$set": {"s": "new"}}, "new": true, ' ..
                       '"$fields": ["value.s"]}'), "new")
end

-- All rows of a cursor are read, for any batch size.
function tests.batches(con)
   local insert = bound(con, '{"insert": "many", "documents": [{"_id": ?, "text": ?}]}', t.BIGINT, t.VARCHAR)
   for i = 1, 50 do insert(i, ("x"):rep(i)) end
   for _, size in ipairs({1, 7, 49, 50, 51}) do
      local rs = con:query('{"find": "many", "filter": {}, "batchSize": ' .. size .. ', "$fields": ["text"]}')
      equal(rs.nrows, 50)
      local bytes = 0
      for _ = 1, 50 do bytes = bytes + #rs:fetch_row()[1] end
      equal(bytes, 50 * 51 / 2)
      equal(rs:fetch_row(), nil)
   end
   equal(rows(con:query('{"aggregate": "many", "pipeline": [{"$match": {"_id": {"$lt": 4}}}, {"$sort": {"_id": 1}}], ' ..
                        '"cursor": {"batchSize": 2}, "$fields": ["text"]}')), "x;xx;xxx")
   con:query('{"find": "many", "filter": {}, "batchSize": 3}') -- left unread
   equal(count(con, "many"), "50")
end

function tests.parameters(con)
   local insert = bound(con, '{"insert": "p", "documents": [{"_id": ?, "small": ?, "n": ?, "c": ?, "$json": ?, "d": ?}]}',
                        t.BIGINT, t.SMALLINT, t.DOUBLE, t.VARCHAR, t.VARCHAR, t.DATE)
   no_rows(insert(9223372036854775807LL, -3, 0.5, 'it\'s \\ "100%"', '{"v": {"w": [1]}}', "2026-01-31"))
   insert(-1, nil, nil, nil, "{}", nil)
   insert(0, 7, 1e300, ("y"):rep(200), ' {"v": "ä"}', "x")
   local read = bound(con, '{"find": "p", "filter": {"_id": {"$ne": ?}}, "sort": {"_id": -1}, ' ..
                      '"$fields": ["_id", "small", "n", "c", "v", "d"]}', t.BIGINT)
   equal(rows(read(0)), '9223372036854775807,-3,0.5,it\'s \\ "100%",{ "w" : [ 1 ] },2026-01-31;-1,~,~,~,~,~')
   fails('the value of "$json" is', insert, 5, 0, 0, "", "[1]", "x")
   fails('the value of "$json" is', insert, 5, 0, 0, "", nil, "x")
   equal(count(con, "p"), "3")
end

-- Checks the effect of write commands. mongodb.sh checks the counts of matched and changed documents in the report.
function tests.writes(con)
   local update = bound(con, '{"update": "p", "updates": [{"q": {"_id": ?}, "u": {"$set": {"v.w": ?}, "$push": {"l": ?}}}]}',
                        t.BIGINT, t.VARCHAR, t.INT)
   for i = 1, 3 do update(-1, "text " .. i, i) end
   equal(con:query_row('{"find": "p", "filter": {"_id": -1}, "$fields": ["v.w", "l"]}'), "text 3")
   equal(select(2, con:query_row('{"find": "p", "filter": {"_id": -1}, "$fields": ["v.w", "l"]}')), "[ 1, 2, 3 ]")
   local replace = bound(con, '{"update": "p", "updates": [{"q": {"_id": ?}, "u": {"$json": ?}}]}', t.BIGINT, t.VARCHAR)
   replace(-1, '{"only": 1}')
   equal(con:query_row('{"find": "p", "filter": {"_id": -1}}'), '{ "_id" : -1, "only" : 1 }')
   local delete = bound(con, '{"delete": "p", "deletes": [{"q": {"_id": ?}, "limit": 1}]}', t.BIGINT)
   delete(-1)
   equal(count(con, "p"), "2")
end

function tests.errors(con)
   con:query('{"insert": "e", "documents": [{"_id": 1}]}')
   local message = fails("errno = 11000, state = ''", con.query, con, '{"insert": "e", "documents": [{"_id": 1}]}')
   equal(message:find("DuplicateKey: E11000 duplicate key", 1, true) ~= nil, true)
   fails("errno = 59", con.query, con, '{"nosuch": 1}')
   fails("a statement is a command as JSON", con.query, con, "SELECT 1")
   fails("only a prepared statement has parameters", con.query, con, '{"count": ?}')
   equal(count(con, "e"), "1")
end

function tests.bulk(con)
   con:bulk_insert_init('{"insert": "b", "documents": [')
   for i = 1, 5000 do con:bulk_insert_next('{"_id": ' .. i .. ', "c": "' .. ("x"):rep(190) .. '"}') end
   con:bulk_insert_done()
   equal(count(con, "b"), "5000")
end

function tests.load(con)
   con:load_begin("l", "_id, $json, c", "auto")
   for i = 1, 3000 do
      con:load_int(i)
      con:load_text('{"v": "a\\tb\\n\\\\", "i": ' .. i .. "}")
      con:load_text(i == 7 and "tab\tnew\nline\\" or "7")
      con:load_row()
   end
   con:load_done()
   equal(count(con, "l"), "3000")
   equal(rows(con:query('{"find": "l", "filter": {"_id": {"$in": [7, 8]}}, "$fields": ["_id", "v", "i", "c"]}')),
         "7,a\tb\n\\,7,tab\tnew\nline\\;8,a\tb\n\\,8,7")
   equal(con:query('{"find": "l", "filter": {"c": "7"}}').nrows, 2999) -- a text stays one
   con:load_begin("l", "_id, n, $json, t, m", "load")
   con:load_int(4000)
   con:load_null()
   con:load_null() -- no fields
   con:load_text("\\N")
   con:load_null()
   con:load_row()
   con:load_done()
   equal(con:query_row('{"find": "l", "filter": {"_id": 4000}}'), '{ "_id" : 4000, "n" : null, "t" : "\\\\N", "m" : null }')
   con:load_begin("l", "_id, $json", "load")
   con:load_int(5000)
   con:load_text("no document")
   con:load_row()
   fails("a row to load is not a JSON document", con.load_done, con)
end

function tests.databases(con)
   con:query('{"insert": "o", "documents": [{"_id": 1}], "$db": "other"}')
   equal(count(con, "o"), "0")
   equal(con:query_row('{"count": "o", "$db": "other", "$fields": ["n"]}'), "1")
end

function tests.reconnect(con)
   local read = bound(con, '{"find": "q", "filter": {"_id": ?}, "$fields": ["_id"]}', t.INT)
   for i = 1, 3 do
      equal(rows(read(i)), tostring(i))
      read(i) -- with a result open
      con:reconnect()
   end
   con:disconnect()
   fails("closed connection", con.query, con, '{"ping": 1}')
end

function tests.collected_in_any_order()
   for _ = 1, 5 do
      local con = drv:connect()
      con:prepare('{"find": "q", "filter": {}}'):execute()
      collectgarbage()
   end
end

checks.run(drv)
