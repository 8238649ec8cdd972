-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Creates and loads the tables of the other scripts in parallel with --num-threads threads. It is
-- started with `run`; `prepare` does the same with one thread.

pathtest = string.match(test, "(.*/)") or ""
dofile(pathtest .. "common.lua")

-- Replaces the loop that calls event(). --max-time and --max-requests do not interrupt it.
function thread_run(thread_id)
   for n = thread_id + 1, oltp_tables_count, num_threads do
      create_insert(n)
   end
end
