-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Looks at tables: before a run, whether they are those that the run's options claim; after one
-- whose writes changed nothing, why. On connections aside, which are no part of the load, by
-- queries that cost little whatever the size of a table: the ends of an index, and the rows of a
-- few ranges of ids.
local sysbench, ffi = ...
local C, format = ffi.C, string.format

local M = {}

local TAG = "/* check-tables */ " -- says in the server's log where a statement comes from
local SECONDS = 3                 -- after so many nothing more is begun, on any server
local SAMPLED = 3                 -- tables of which more than the range of ids is looked at
local WINDOWS, WINDOW_IDS = 16, 200
local EXACT_IDS = 10000           -- up to so many are counted one by one
local MISSING_SHARE = 0.01        -- of the ids, that is worth a warning
local NAME_BYTES = 160            -- of a server's name

-- Queries -----------------------------------------------------------------------------------------

-- The columns of the first row; nil when there is none, or when the query failed.
local function row_of(con, text)
   text = TAG .. text
   if C.sql_query(con, text, #text) <= 0 or not C.sql_fetch(con) then
      return nil
   end
   local row = {}
   for i = 1, C.sql_fields(con) do
      local field = C.sql_field(con, i - 1)
      row[i] = field ~= nil and ffi.string(field, C.sql_field_length(con, i - 1)) or nil
   end
   C.sql_free_result(con)
   return row
end

local function number_of(con, text)
   local row = row_of(con, text)
   return row and tonumber(row[1])
end

local function says_missing(con)
   local state = ffi.string(C.sql_error_state(con))
   return state == "42S02" or state == "42P01" or
          ffi.string(C.sql_error_message(con)):find("^no such table") ~= nil
end

local function is_missing_table(con, name)
   return not row_of(con, format("SELECT COUNT(*) FROM %s WHERE 1 = 0", name)) and says_missing(con)
end

-- How many indexes of a table begin with a column.
local INDEXES = {
   mysql = "SELECT COUNT(*) FROM information_schema.statistics " ..
           "WHERE table_schema = DATABASE() AND table_name = '$table' AND " ..
           "column_name = '$column' AND seq_in_index = 1",
   pgsql = "SELECT COUNT(*) FROM pg_index i JOIN pg_attribute a " ..
           "ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] " ..
           "WHERE i.indrelid = '$table'::regclass AND a.attname = '$column'",
   sqlite = "SELECT COUNT(*) FROM pragma_table_info('$table') t " ..
            "WHERE t.name = '$column' AND (t.pk = 1 OR EXISTS (SELECT 1 " ..
            "FROM pragma_index_list('$table') l JOIN pragma_index_info(l.name) i " ..
            "WHERE i.seqno = 0 AND i.name = t.name))",
}

local function has_index(con, name, column)
   local text = INDEXES[ffi.string(C.sql_connection_driver(con))]
   return number_of(con, (text:gsub("%$(%a+)", {table = name, column = column}))) ~= 0
end

local function count_between(con, name, first, last)
   return number_of(con, format("SELECT COUNT(*) FROM %s WHERE id BETWEEN %d AND %d",
                                name, first, last))
end

-- The share of the ids from first to last that exist, and whether they were all counted; nil: the
-- server does not tell.
local function share_of_ids(con, name, first, last)
   local ids = last - first + 1
   if ids <= EXACT_IDS then
      local found = count_between(con, name, first, last)
      return found and found / ids, true
   end
   local found = 0
   for i = 0, WINDOWS - 1 do
      local start = first + math.floor((ids - WINDOW_IDS) * i / (WINDOWS - 1))
      local here = count_between(con, name, start, start + WINDOW_IDS - 1)
      if not here then return nil end
      found = found + here
   end
   return found / (WINDOWS * WINDOW_IDS), false
end

-- {missing}, {empty} or {first, last}; nil: it cannot be told.
local function range_of_ids(con, name)
   local row = row_of(con, format("SELECT MIN(id), MAX(id) FROM %s", name))
   if not row then
      return says_missing(con) and {missing = true} or nil
   end
   local first, last = tonumber(row[1]), tonumber(row[2])
   return first and {first = first, last = last} or {empty = true}
end

local function increment_of(con)
   return ffi.string(C.sql_connection_driver(con)) == "mysql" and
          number_of(con, "SELECT @@auto_increment_increment") or 1
end

-- "ids 1 to 1999 in 1000 rows, 50.0% of the ids in between are missing; auto_increment_increment is
-- 2 on this server", and whether ids are missing.
local function describe_ids(con, name, range)
   local text = format("ids %.0f to %.0f", range.first, range.last)
   local share, exact = share_of_ids(con, name, range.first, range.last)
   local has_gaps = share ~= nil and 1 - share > MISSING_SHARE
   if share then
      text = text .. format(exact and " in %.0f rows" or " in about %.0f rows",
                            share * (range.last - range.first + 1))
   end
   if has_gaps then
      text = text .. format(", %.1f%% of the ids in between are missing", 100 * (1 - share))
   end
   local increment = increment_of(con)
   if increment > 1 then
      text = text .. format("; auto_increment_increment is %d on this server", increment)
   end
   return text, has_gaps
end

local deadline
local where = "" -- " on db2" while one of several servers is looked at

local function is_late()
   return os.time() > deadline
end

local function titled(name)
   return "table " .. name .. where
end

local function place_of(driver, server)
   local name = ffi.new("char[?]", NAME_BYTES)
   C.sql_server_name(driver, server, name, NAME_BYTES)
   return " on " .. ffi.string(name)
end

-- Calls look(con) for each server that can be reached now, until it returns something.
local function for_each_server(look)
   deadline = os.time() + SECONDS
   local driver = C.sql_driver_open(nil)
   if driver == nil or not INDEXES[ffi.string(C.sql_driver_name(driver))] then
      return nil
   end
   local servers = C.sql_servers(driver)
   for server = 0, servers - 1 do
      local con = not is_late() and C.sql_connect_aside(driver, server) or nil
      if con ~= nil then
         where = servers > 1 and place_of(driver, server) or ""
         local result = look(con)
         C.sql_connection_free(con)
         if result then return result end
      end
   end
   return nil
end

-- Before a run ------------------------------------------------------------------------------------

-- What a script claims: {name = "sbtest%d", tables, rows, index = "k" or nil}. Scripts for sysbench
-- 0.5 that bring their own common.lua say it by the options that they all have.
local function claimed()
   local hook = sysbench.hooks.describe_tables
   if hook then
      return hook()
   elseif rawget(sysbench, "legacy") and rawget(_G, "oltp_table_size") and
          rawget(_G, "set_vars") then
      local rows = tonumber(oltp_table_size)
      return rows and {name = "sbtest%d", tables = tonumber(oltp_tables_count) or 1, rows = rows}
   end
   return nil
end

local findings

-- Tables are many: of each kind of finding the first is told, and how many of them there are; one
-- that several servers have is one.
local function find(kind, name, text, ...)
   local finding = findings[kind]
   if not finding then
      finding = {text = format(text, ...), count = 0, names = {}}
      findings[kind] = finding
      findings[#findings + 1] = finding
   end
   if not finding.names[name] then
      finding.names[name] = true
      finding.count = finding.count + 1
   end
end

local function find_missing(name)
   find("missing", name, "%s does not exist: the command prepare makes it", titled(name))
end

local function check_range(name, range, rows)
   if range.missing then
      find_missing(name)
   elseif range.empty then
      find("empty", name, "%s is empty, the options claim %.0f rows", titled(name), rows)
   elseif range.last < rows * (1 - MISSING_SHARE) or range.first > 1 + rows * MISSING_SHARE then
      find("range", name, "%s holds the ids %.0f to %.0f, the options claim 1 to %.0f: " ..
         "statements will find no rows for the others",
         titled(name), range.first, range.last, rows)
   else
      return true
   end
   return false
end

local function check_ids(con, name, range, rows)
   local share = share_of_ids(con, name, 1, rows) or 1
   if 1 - share > MISSING_SHARE then
      find("gaps", name, "gaps in id: about %.1f%% of the ids 1 to %.0f that the run draws from " ..
         "are missing in %s (%s), and statements by these ids will find no row",
         100 * (1 - share), rows, titled(name), (describe_ids(con, name, range)))
   elseif range.last >= 2 * rows and (share_of_ids(con, name, rows + 1, 2 * rows) or 0) > 0.5 then
      find("more", name, "%s holds more rows than the %.0f that the options claim (%s): " ..
         "the others are not used", titled(name), rows, (describe_ids(con, name, range)))
   end
end

-- False: there is no index on id, by which all else would be looked up.
local function check_table(con, claim, n, sampled)
   local name = format(claim.name, n)
   if sampled and is_missing_table(con, name) then
      find_missing(name)
      return true
   elseif sampled and not has_index(con, name, "id") then
      find("id", name, "%s has no index on id: each statement by id will read the whole table",
         titled(name))
      return false
   elseif sampled and claim.index and not has_index(con, name, claim.index) then
      find("index", name, "%s has no index on %s, the options claim one",
         titled(name), claim.index)
   end
   local range = range_of_ids(con, name)
   if range and check_range(name, range, claim.rows) and sampled then
      check_ids(con, name, range, claim.rows)
   end
   return true
end

-- The first, the last and those between that are looked at closely, then all others.
local function in_order(tables)
   local order, sampled = {}, {}
   for i = 1, math.min(SAMPLED, tables) do
      order[i] = 1 + math.floor((tables - 1) * (i - 1) / math.max(1, math.min(SAMPLED, tables) - 1))
      sampled[order[i]] = true
   end
   for n = 1, tables do
      if not sampled[n] then order[#order + 1] = n end
   end
   return order, sampled
end

local function check_server(con, claim)
   local order, sampled = in_order(claim.tables)
   for _, n in ipairs(order) do
      if not check_table(con, claim, n, sampled[n]) or is_late() then
         return
      end
   end
end

-- The warnings, one per kind of finding.
function M.check()
   local claim = claimed()
   findings = {}
   if claim then
      for_each_server(function(con) check_server(con, claim) end)
   end
   local warnings = {}
   for i, finding in ipairs(findings) do
      local others = finding.count > 1 and format(" (%d tables are like this)", finding.count)
      warnings[i] = finding.text .. (others or "")
   end
   return warnings
end

-- After a run -------------------------------------------------------------------------------------

local function table_of(statement)
   local text = statement:gsub("/%*.-%*/", " ")
   local lower = text:lower()
   for _, word in ipairs({"^%s*update%s+()", "%f[%w]into%s+()", "%f[%w]from%s+()"}) do
      local at = lower:match(word)
      if at then
         return text:match('^[%w_$.`"]+', at)
      end
   end
   return nil
end

local function what_is_wrong(kind, has_gaps)
   if kind == "delete" then
      return "rows that were deleted before"
   end
   return has_gaps and "gaps in id" or "rows that are not there"
end

-- Of the ids in a table that is there, and whether that explains it by itself.
local function judge_ids(con, name, range, kind)
   if range.empty then
      return titled(name) .. " is empty", true
   end
   local text, has_gaps = describe_ids(con, name, range)
   return format("%s: %s holds %s", what_is_wrong(kind, has_gaps), titled(name), text), has_gaps
end

-- Of the first server where something is wrong with the table. That it is missing says something
-- only where another server has it: or the script has dropped it since.
local function explain_by_table(name, kind)
   local healthy, missing
   local wrong = for_each_server(function(con)
      local range = range_of_ids(con, name)
      if range and range.missing then
         missing = missing or titled(name) .. " does not exist"
      elseif range then
         local text, explains = judge_ids(con, name, range, kind)
         healthy = healthy or text
         return explains and text
      end
   end)
   return wrong or healthy and missing or healthy
end

-- Why the statement, which is an "update", "insert", "delete" or "other", or its like, changed
-- nothing; nil: no idea.
function M.explain(statement, kind, unchanged)
   if unchanged then
      return "the rows were found, but held already what was written"
   end
   local name = table_of(statement)
   return name and explain_by_table(name, kind)
end

return M
