-- SPDX-License-Identifier: GPL-2.0-or-later
-- Checks tables: before a run, whether they are as the options of the run say; after a run whose
-- writes changed nothing, why. Uses separate connections, which are not part of the load, and
-- queries that are cheap for tables of any size: the ends of an index, and the rows in a few ranges
-- of ids.
local sysbench, ffi = ...
local C, format = ffi.C, string.format
local queries -- the module table_queries.lua
local asks

local M = {}

local SECONDS = 3                 -- no further query is started after this time, on all servers together
local SAMPLED = 3                 -- time limit for all servers together; then no further query starts
local WINDOWS, WINDOW_IDS = 16, 200
local EXACT_IDS = 10000           -- up to this number of ids, all are counted
local MISSING_SHARE = 0.01        -- share of missing ids above which a warning is logged
local NAME_BYTES = 160            -- length of the name of a server

-- Queries -----------------------------------------------------------------------------------------

-- Returns the columns of the next row, or nil at the end.
local function next_row(con)
   if not C.sql_fetch(con) then return nil end
   local row = {}
   for i = 1, C.sql_fields(con) do
      local field = C.sql_field(con, i - 1)
      row[i] = field ~= nil and ffi.string(field, C.sql_field_length(con, i - 1)) or nil
   end
   return row
end

-- Returns the columns of the first row, or of the first row that begins with `name`. If there is no
-- such row, returns nil and whether the query failed.
local function row_of(con, text, name)
   local status = C.sql_query(con, text, #text)
   if status <= 0 then return nil, status < 0 end
   local row = next_row(con)
   while row and name and row[1] ~= name do row = next_row(con) end
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
   local row, failed = row_of(con, asks.exists(name), asks.lists_names and name)
   if failed then return says_missing(con) end
   return not row and asks.lists_names or false
end

local function has_index(con, name, column)
   local text = asks.index(name, column)
   return not text or number_of(con, text) ~= 0
end

local function count_between(con, name, first, last)
   return number_of(con, asks.between(name, first, last))
end

-- Returns the share of the ids from first to last that exist, and whether all ids were counted.
-- Returns nil if the query failed.
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

-- Returns {missing}, {empty} or {first, last}, or nil if unknown.
local function range_of_ids(con, name)
   local ends = {}
   for _, text in ipairs(asks.ends(name)) do
      local row, failed = row_of(con, text)
      if not row and (failed or not asks.lists_names) then
         return failed and says_missing(con) and {missing = true} or nil
      end
      for i = 1, row and 2 or 0 do ends[#ends + 1] = tonumber(row[i]) end
   end
   if #ends == 2 then
      return {first = ends[1], last = ends[2]}
   end
   return is_missing_table(con, name) and {missing = true} or {empty = true}
end

local function increment_of(con)
   return asks.increment and number_of(con, asks.increment) or 1
end

-- Returns a text like "ids 1 to 1999 in 1000 rows, 50.0% of the ids in between are missing;
-- auto_increment_increment is 2 on this server", and whether ids are missing.
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
local where = ""  -- " on db2" while one of several servers is checked
local used = true -- true if a worker's connection uses the server that is being checked

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

-- Calls look(con) for each server that can be reached, until it returns a value.
local function for_each_server(look)
   deadline = os.time() + SECONDS
   local driver = C.sql_driver_open(nil)
   asks = driver ~= nil and queries[ffi.string(C.sql_driver_name(driver))] or nil
   if not asks then
      return nil
   end
   local servers = C.sql_servers(driver)
   for server = 0, servers - 1 do
      local con = not is_late() and C.sql_connect_aside(driver, server) or nil
      if con ~= nil then
         where = servers > 1 and place_of(driver, server) or ""
         used = server < sysbench.opt.threads
         local result = look(con)
         C.sql_connection_free(con)
         if result then return result end
      end
   end
   return nil
end

-- Before a run ------------------------------------------------------------------------------------

-- Returns the tables that the script describes: {name = "sbtest%d", tables, rows, index = "k" or
-- nil}. Without `rows`, only the existence of the tables is known. Scripts for sysbench 0.5 with
-- their own common.lua describe their tables by the options that all of them have.
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
local cause        -- the finding that explains why statements by id find nothing, or nil
local missing_ends -- true if a table is missing that the run needs, and the error is not to be ignored

-- As there may be many tables, only the first finding of each kind is logged, with the number of
-- findings. The same finding on several servers counts once.
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

local function note_cause(text, ...)
   cause = cause or format(text, ...)
end

local function find_missing(con, name)
   missing_ends = missing_ends or used and not C.sql_error_ignorable(con)
   find("missing", name, "%s does not exist: the command prepare makes it", titled(name))
end

local function check_range(con, name, range, rows)
   if range.missing then
      find_missing(con, name)
   elseif range.empty then
      find("empty", name, "%s is empty, the options claim %.0f rows", titled(name), rows)
      note_cause("%s was empty before the run", titled(name))
   elseif range.last < rows * (1 - MISSING_SHARE) or range.first > 1 + rows * MISSING_SHARE then
      find("range", name, "%s holds the ids %.0f to %.0f, the options claim 1 to %.0f: " ..
         "statements will find no rows for the others",
         titled(name), range.first, range.last, rows)
      note_cause("before the run %s held the ids %.0f to %.0f, the options claim 1 to %.0f",
         titled(name), range.first, range.last, rows)
   else
      return true
   end
   return false
end

local function check_ids(con, name, range, rows)
   local share = share_of_ids(con, name, 1, rows) or 1
   if 1 - share > MISSING_SHARE then
      local ids = describe_ids(con, name, range)
      find("gaps", name, "gaps in id: about %.1f%% of the ids 1 to %.0f that the run draws from " ..
         "are missing in %s (%s), and statements by these ids will find no row",
         100 * (1 - share), rows, titled(name), ids)
      note_cause("gaps in id: before the run %s held %s", titled(name), ids)
   elseif range.last >= 2 * rows and (share_of_ids(con, name, rows + 1, 2 * rows) or 0) > 0.5 then
      find("more", name, "%s holds more rows than the %.0f that the options claim (%s): " ..
         "the others are not used", titled(name), rows, (describe_ids(con, name, range)))
   end
end

-- Returns false if there is no index on id, without which other checks would be slow.
local function check_table(con, claim, n, sampled)
   local name = format(claim.name, n)
   if not claim.rows then
      if is_missing_table(con, name) then find_missing(con, name) end
      return true
   elseif sampled and is_missing_table(con, name) then
      find_missing(con, name)
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
   if range and check_range(con, name, range, claim.rows) and sampled then
      check_ids(con, name, range, claim.rows)
   end
   return true
end

-- Returns the table numbers: first those to be checked closely (the first, the last and some in
-- between), then all others.
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

-- Returns false if not all tables were checked.
local function check_server(con, claim)
   local order, sampled = in_order(claim.tables)
   for _, n in ipairs(order) do
      if not check_table(con, claim, n, sampled[n]) or is_late() then
         return false
      end
   end
   return true
end

local function text_of(finding)
   local others = finding.count > 1 and format(" (%d tables are like this)", finding.count)
   return finding.text .. (others or "")
end

-- Returns a warning for each kind of finding; a text if a table is missing that the run needs; and
-- the finding that explains why statements by id find nothing ("" if all tables were checked and
-- are as described).
function M.check(all_queries)
   queries = all_queries
   local claim = claimed()
   local whole = claim ~= nil and claim.rows ~= nil
   findings, missing_ends, cause = {}, false, nil
   if claim then
      for_each_server(function(con) whole = check_server(con, claim) and whole end)
   end
   local warnings = {}
   for i, finding in ipairs(findings) do
      warnings[i] = text_of(finding)
   end
   local missing = missing_ends and
      text_of(findings.missing):gsub(": the command prepare makes it", "")
   return warnings, missing or nil, cause or whole and #findings == 0 and "" or nil
end

-- After a run -------------------------------------------------------------------------------------

-- Returns whether the script describes a table of this name, and whether the table was checked
-- closely.
local function is_claimed(name)
   local claim = claimed()
   local bare = name:gsub('[`"]', ""):match("[^.]*$")
   if not claim then return false, false end
   local _, sampled = in_order(claim.tables)
   for n = 1, claim.tables do
      if format(claim.name, n) == bare then
         return true, sampled[n] or false
      end
   end
   return false, false
end

local function what_is_wrong(kind, has_gaps, was_whole)
   if kind == "delete" then
      return "rows that were deleted before"
   elseif was_whole then
      return "rows that went during the run"
   end
   return has_gaps and "gaps in id" or "rows that are not there"
end

-- Describes the ids of an existing table. Returns the text, and whether it explains the statements
-- that changed nothing.
local function judge_ids(con, name, range, kind, was_whole)
   if range.empty then
      return titled(name) .. " is empty", true
   end
   local text, has_gaps = describe_ids(con, name, range)
   local what = what_is_wrong(kind, has_gaps, was_whole)
   return format("%s: %s holds %s", what, titled(name), text), has_gaps
end

-- Reports the first server on which something is wrong with the table. A missing table is only
-- reported if it exists on another server; otherwise the script has dropped it after the run.
local function explain_by_table(name, kind, was_whole)
   local healthy, missing
   local wrong = for_each_server(function(con)
      local range = range_of_ids(con, name)
      if range and range.missing then
         missing = missing or titled(name) .. " does not exist"
      elseif range then
         local text, explains = judge_ids(con, name, range, kind, was_whole)
         healthy = healthy or text
         return explains and text
      end
   end)
   return wrong or healthy and missing or healthy
end

-- Returns why a statement (or similar ones) changed nothing, or nil if unknown. `kind` is "update",
-- "insert", "delete" or "other". A cause found before the run by M.check() is kept, because the run
-- may have changed the tables since.
function M.explain(all_queries, statement, kind, unchanged, before)
   queries = all_queries
   if unchanged then
      return "the rows were found, but held already what was written"
   end
   local driver = C.sql_driver_open(nil)
   local known = driver ~= nil and queries[ffi.string(C.sql_driver_name(driver))]
   local name = known and known.table_of(statement)
   if not name then return nil end
   local is_ours, closely = is_claimed(name)
   if before and before ~= "" and is_ours and kind ~= "insert" then
      return before
   end
   return explain_by_table(name, kind, before == "" and closely)
end

return M
