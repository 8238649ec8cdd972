#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A document store: the carts of a shop in MongoDB. Customers look at their cart, add an item,
-- or buy the content. Statements are MongoDB commands as JSON, with ? for parameters.
--
--    sysrate carts.lua --db-driver=mongodb prepare
--    sysrate carts.lua --db-driver=mongodb --tx-rate=200 --threads=4 --report-sql run
--    sysrate carts.lua --db-driver=mongodb check
--    sysrate carts.lua --db-driver=mongodb cleanup

sysbench.cmdline.options = {
   carts = {"Number of carts", 1000},
   looks = {"Weight of looking into a cart", 6},
   puts = {"Weight of putting an item in", 3},
   buys = {"Weight of buying what is in it", 1},
}

local function connect()
   return sysbench.sql.driver():connect()
end

function prepare()
   local con = connect()
   con:load_begin("carts", "_id, $json")
   for id = 1, sysbench.opt.carts do
      con:load_int(id)
      con:load_text('{"items": [], "total": 0}')
      con:load_row()
   end
   con:load_done()
   con:query('{"createIndexes": "carts", "indexes": [{"name": "total", "key": {"total": -1}}]}')
   con:disconnect()
end

-- Checks that the total of each cart is the sum of its items.
function check()
   local carts = connect():query('{"find": "carts", "filter": {}, "$fields": ["items", "total"]}')
   for _ = 1, carts.nrows do
      local items, total = unpack(carts:fetch_row())
      local sum = 0
      for price in items:gmatch('"price" : (%d+)') do sum = sum + price end
      assert(sum == tonumber(total), "a cart does not add up: " .. items)
   end
   print(("%d carts add up"):format(carts.nrows))
end

function cleanup()
   connect():query('{"drop": "carts"}')
end

local look, put, buy, id, price, sku

function thread_init()
   local con, t = connect(), sysbench.sql.type
   look = con:prepare('{"find": "carts", "filter": {"_id": ?}}', "look")
   put = con:prepare([[{"update": "carts", "updates": [{"q": {"_id": ?}, "u": {
      "$inc": {"total": ?}, "$push": {"items": {"sku": ?, "price": ?}}}}]}]], "put")
   -- A single command that returns the previous document: no other client can change it in between.
   buy = con:prepare([[{"findAndModify": "carts", "query": {"_id": ?},
      "update": {"$set": {"items": [], "total": 0}}, "$fields": ["value.total"]}]], "buy")
   id, price, sku = look:bind_create(t.INT), put:bind_create(t.INT), put:bind_create(t.CHAR, 7)
   look:bind_param(id)
   put:bind_param(id, price, sku, price)
   buy:bind_param(id)
end

function event()
   local opt, rand = sysbench.opt, sysbench.rand
   local draw = rand.uniform(1, opt.looks + opt.puts + opt.buys)
   id:set(rand.default(1, opt.carts))
   if draw <= opt.looks then
      look:execute()
   elseif draw <= opt.looks + opt.puts then
      price:set(rand.uniform(1, 100))
      sku:set_rand_str("@@-####")
      put:execute()
   else
      buy:execute()
   end
end
