-- SPDX-License-Identifier: GPL-2.0-or-later
-- Finds a document of oltp_json by its id, on MongoDB.

sysbench.cmdline.options = {table_size = {"Number of documents", 1000}}

local find, id

function thread_init()
   find = sysbench.sql.driver():connect():prepare('{"find": "jsondoc1", "filter": {"_id": ?}}')
   id = find:bind_create(sysbench.sql.type.BIGINT)
   find:bind_param(id)
end

function event()
   id:set(sysbench.rand.uniform(1, sysbench.opt.table_size))
   find:execute()
end
