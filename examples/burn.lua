-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A statement of MySQL or MariaDB that keeps a processor busy, and reads a table. docs/overload/overload.md uses it.
--
--    sysrate burn.lua --db-driver=mysql --mysql-password=secret prepare
--    sysrate burn.lua --db-driver=mysql --mysql-password=secret --loops=15000 --threads=4 --tx-rate=40 run

sysbench.cmdline.options = {
   loops = {"Hashes that a statement computes; 15000 take about 10 ms", 15000},
}

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE burn (id INT PRIMARY KEY)")
   con:query("INSERT INTO burn VALUES (1)")
end

function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   con:query("SELECT BENCHMARK(" .. sysbench.opt.loops .. ", MD5('sysrate')) FROM burn")
end

function cleanup()
   sysbench.sql.driver():connect():query("DROP TABLE IF EXISTS burn")
end
