-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Prepared statements with parameters of several types, NULL and random strings.

local t = sysbench.sql.type

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE types (id INT, a SMALLINT, b BIGINT, d CHAR(10), e VARCHAR(20))")
end

function cleanup() sysbench.sql.driver():connect():query("DROP TABLE types") end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   insert = con:prepare("INSERT INTO types (id, a, b, d, e) VALUES (?, ?, ?, ?, ?)")
   p = {insert:bind_create(t.INT), insert:bind_create(t.SMALLINT), insert:bind_create(t.BIGINT),
        insert:bind_create(t.CHAR, 10), insert:bind_create(t.VARCHAR, 20)}
   insert:bind_param(unpack(p))
   update = con:prepare("UPDATE types SET a = ? WHERE id = ?")
   q = {update:bind_create(t.INT), update:bind_create(t.INT)}
   update:bind_param(q[1], q[2])
   n = 0
end

function event()
   n = n + 1
   p[1]:set(n)
   p[2]:set(-n)
   p[3]:set(n * 1e12)
   p[4]:set("text " .. n)
   if n == 3 and drv:name() == "mysql" then p[5]:set(nil) else p[5]:set_rand_str("##-@@") end
   insert:execute()
   q[1]:set(n + 7)
   q[2]:set(n)
   update:execute()
   print(tostring(insert), tostring(p[1]), tostring(con), tostring(drv), drv:name())
   print(con:query_row("SELECT id, a, b, d, LENGTH(e) FROM types WHERE id = " .. n))
end

function thread_done()
   insert:close()
   update:close()
   con:disconnect()
end
