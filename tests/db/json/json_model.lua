-- SPDX-License-Identifier: GPL-2.0-or-later
-- Runs oltp_json without a database: writes each operation to model.log, as a line with operation, table and values, for
-- json_model.py. The same seed and options give the same operations.

local log = assert(io.open("model.log", "a"))

local function note(...)
   log:write(table.concat({...}, "\t"), "\n")
end

local statement = {}
statement.__index = statement

function statement:bind_create()
   local param = {}
   function param:set(value) self.value = value end
   return param
end

function statement:bind_param(...)
   self.params = {...}
end

function statement:execute()
   local values = {}
   for i, param in ipairs(self.params) do values[i] = tostring(param.value) end
   note(self.class, self.table, unpack(values))
end

local connection = {}

function connection.query() return {nrows = 0} end
function connection.query_row() return tostring(sysbench.opt.table_size) end
function connection.disconnect() log:flush() end

function connection.prepare(_, text, class)
   return setmetatable({class = class, table = text:match("jsondoc(%d+)"), params = {}}, statement)
end

local row = {}
function connection.load_begin(_, name) row.table = name:match("jsondoc(%d+)") end
function connection.load_int(_, id) row.id = ("%d"):format(id) end
function connection.load_text(_, text) row.text = text end
function connection.load_row() note("inserts", row.table, row.id, row.text) end
function connection.load_done() log:flush() end

local driver = {}
function driver.name() return "sqlite" end
function driver.connect() return connection end
function sysbench.sql.driver() return driver end

require("oltp_json")
