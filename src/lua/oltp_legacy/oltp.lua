-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures transactions of point reads, range reads and, without --oltp-read-only, of writes, on
-- one table each. With --oltp-test-mode=simple: single point reads.

pathtest = string.match(test, "(.*/)") or ""
dofile(pathtest .. "common.lua")

local function ranges(count, statement)
   for _ = 1, count do
      local first = get_id()
      db_query(statement:format(first, first + oltp_range_size - 1))
   end
end

local function point_select(name)
   db_query(("SELECT c FROM %s WHERE id=%d"):format(name, get_id()))
end

local function reads(name)
   for _ = 1, oltp_point_selects do
      point_select(name)
   end
   if oltp_range_selects then
      local where = " FROM " .. name .. " WHERE id BETWEEN %d AND %d"
      ranges(oltp_simple_ranges, "SELECT c" .. where)
      ranges(oltp_sum_ranges, "SELECT SUM(k)" .. where)
      ranges(oltp_order_ranges, "SELECT c" .. where .. " ORDER BY c")
      ranges(oltp_distinct_ranges, "SELECT DISTINCT c" .. where .. " ORDER BY c")
   end
end

local function delete_insert(name)
   local id = get_id()
   db_query(("DELETE FROM %s WHERE id=%d"):format(name, id))
   db_query(("INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%s', '%s')")
               :format(name, id, get_id(), get_c_value(), get_pad_value()))
end

local function writes(name)
   for _ = 1, oltp_index_updates do
      db_query(("UPDATE %s SET k=k+1 WHERE id=%d"):format(name, get_id()))
   end
   for _ = 1, oltp_non_index_updates do
      db_query(("UPDATE %s SET c='%s' WHERE id=%d"):format(name, get_c_value(), get_id()))
   end
   for _ = 1, oltp_delete_inserts do
      delete_insert(name)
   end
end

local begin, commit

function thread_init()
   set_vars()
   begin, commit = "BEGIN", "COMMIT"
   if db_driver == "mysql" and mysql_table_engine:lower() == "myisam" then
      begin, commit = "LOCK TABLES %s " .. (oltp_read_only and "READ" or "WRITE"), "UNLOCK TABLES"
   elseif db_driver == "sqlite" and not oltp_read_only then
      begin = "BEGIN IMMEDIATE" -- after a read, a transaction may no longer get the write lock
   end
end

function event()
   local name = get_table_name()
   if oltp_test_mode == "simple" then
      point_select(name)
      return
   end
   if not oltp_skip_trx then
      db_query(begin:format(name))
   end
   reads(name)
   if not oltp_read_only then
      writes(name)
   end
   if not oltp_skip_trx then
      db_query(commit)
   end
end
