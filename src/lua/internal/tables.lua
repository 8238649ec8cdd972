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
local SECONDS = 3                 -- the check takes no longer
local SAMPLED = 3                 -- tables of which more than the range of ids is looked at
local WINDOWS, WINDOW_IDS = 16, 200
local EXACT_IDS = 10000           -- up to so many are counted one by one
local MISSING_SHARE = 0.01        -- of the ids, that is worth a warning

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

-- Calls look(con) for each server that can be reached now, until it returns something.
local function for_each_server(look)
   local driver = C.sql_driver_open(nil)
   if driver == nil or not INDEXES[ffi.string(C.sql_driver_name(driver))] then
      return nil
   end
   for server = 0, C.sql_servers(driver) - 1 do
      local con = C.sql_connect_aside(driver, server)
      if con ~= nil then
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

-- Tables are many: of each kind of finding the first is told, and how many more there are.
local function find(kind, text, ...)
   local finding = findings[kind]
   if not finding then
      finding = {text = format(text, ...), count = 0}
      findings[kind] = finding
      findings[#findings + 1] = finding
   end
   finding.count = finding.count + 1
end

local function find_missing(name)
   find("missing", "table %s does not exist: the command prepare makes it", name)
end

local function check_range(name, range, rows)
   if range.missing then
      find_missing(name)
   elseif range.empty then
      find("empty", "table %s is empty, the options claim %.0f rows", name, rows)
   elseif range.last < rows * (1 - MISSING_SHARE) or range.first > 1 + rows * MISSING_SHARE then
      find("range", "table %s holds the ids %.0f to %.0f, the options claim 1 to %.0f: " ..
         "statements will find no rows for the others", name, range.first, range.last, rows)
   else
      return true
   end
   return false
end

local function check_ids(con, name, range, rows)
   local share = share_of_ids(con, name, 1, rows) or 1
   if 1 - share > MISSING_SHARE then
      find("gaps", "gaps in id: about %.1f%% of the ids 1 to %.0f that the run draws from are " ..
         "missing in table %s (%s), and statements by these ids will find no row",
         100 * (1 - share), rows, name, (describe_ids(con, name, range)))
   elseif range.last >= 2 * rows and (share_of_ids(con, name, rows + 1, 2 * rows) or 0) > 0.5 then
      find("more", "table %s holds more rows than the %.0f that the options claim (%s): " ..
         "the others are not used", name, rows, (describe_ids(con, name, range)))
   end
end

-- False: there is no index on id, by which all else would be looked up.
local function check_table(con, claim, n, sampled)
   local name = format(claim.name, n)
   if sampled and is_missing_table(con, name) then
      find_missing(name)
      return true
   elseif sampled and not has_index(con, name, "id") then
      find("id", "table %s has no index on id: each statement by id will read the whole table",
         name)
      return false
   elseif sampled and claim.index and not has_index(con, name, claim.index) then
      find("index", "table %s has no index on %s, the options claim one", name, claim.index)
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
   local began = os.time()
   local order, sampled = in_order(claim.tables)
   for _, n in ipairs(order) do
      if not check_table(con, claim, n, sampled[n]) or os.time() - began > SECONDS then
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

-- Why the statement, which is an "update", "insert", "delete" or "other", or its like, changed
-- nothing; nil: no idea.
function M.explain(statement, kind, unchanged)
   if unchanged then
      return "the rows were found, but held already what was written"
   end
   local name = table_of(statement)
   return name and for_each_server(function(con)
      local range = range_of_ids(con, name)
      if not range or range.missing then
         return nil
      elseif range.empty then
         return format("table %s is empty", name)
      end
      local text, has_gaps = describe_ids(con, name, range)
      return format("%s: table %s holds %s", what_is_wrong(kind, has_gaps), name, text)
   end)
end

return M
