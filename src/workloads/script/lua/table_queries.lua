-- SPDX-License-Identifier: GPL-2.0-or-later
-- Queries of tables.lua for each database driver. The fields are:
--
--   exists(name)          a query that fails if the table does not exist
--   lists_names           used instead of exists(): a query with a row for each table, with its
-- name first
--   ends(name)            a list of queries whose columns are the lowest id, then the highest id;
-- with
--                         lists_names, they return no rows if there are no ids
--   between(name, a, b)   a query that counts the ids from a to b
--   index(name, column)   a query that counts the indexes that begin with the column; nil if not
-- needed
--   increment             a query for the step of automatic ids; nil if it is 1
--   table_of(statement)   the table that a statement accesses; nil if unknown

local format = string.format
local TAG = "/* check-tables */ " -- shows in the server's log where a statement comes from

local function table_of_sql(statement)
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

local function sql(index, increment)
   return {
      exists = function(name) return format(TAG .. "SELECT COUNT(*) FROM %s WHERE 1 = 0", name) end,
      ends = function(name) return {format(TAG .. "SELECT MIN(id), MAX(id) FROM %s", name)} end,
      between = function(name, first, last)
         return format(TAG .. "SELECT COUNT(*) FROM %s WHERE id BETWEEN %d AND %d", name, first,
                       last)
      end,
      index = function(name, column)
         return TAG .. index:gsub("%$(%a+)", {table = name, column = column})
      end,
      increment = increment and TAG .. increment,
      table_of = table_of_sql,
   }
end

local function end_of(name, direction)
   return format('{"find": "%s", "filter": {}, "sort": {"_id": %d}, "limit": 1, "projection": ' ..
                 '{"_id": 1}, "$fields": ["_id"], "comment": "check-tables"}', name, direction)
end

local mongodb = {
   exists = function(name)
      return format('{"listCollections": 1, "filter": {"name": "%s"}, "$fields": ["name"]}', name)
   end,
   lists_names = true, -- some servers ignore the filter
   ends = function(name) return {end_of(name, 1), end_of(name, -1)} end,
   between = function(name, first, last)
      return format('{"count": "%s", "query": {"_id": {"$gte": %d, "$lte": %d}}, "$fields": ["n"]}',
                    name, first, last)
   end,
   index = function() return nil end, -- there is always an index on _id
   table_of = function(statement) return statement:match('^%s*{%s*"%w+"%s*:%s*"([^"]+)"') end,
}

return {
   mysql = sql("SELECT COUNT(*) FROM information_schema.statistics " ..
               "WHERE table_schema = DATABASE() AND table_name = '$table' AND " ..
               "column_name = '$column' AND seq_in_index = 1",
               "SELECT @@auto_increment_increment"),
   pgsql = sql("SELECT COUNT(*) FROM pg_index i JOIN pg_attribute a " ..
               "ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] " ..
               "WHERE i.indrelid = '$table'::regclass AND a.attname = '$column'"),
   sqlite = sql("SELECT COUNT(*) FROM pragma_table_info('$table') t " ..
                "WHERE t.name = '$column' AND (t.pk = 1 OR EXISTS (SELECT 1 " ..
                "FROM pragma_index_list('$table') l JOIN pragma_index_info(l.name) i " ..
                "WHERE i.seqno = 0 AND i.name = t.name))"),
   mongodb = mongodb,
}
