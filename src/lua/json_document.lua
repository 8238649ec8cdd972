-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The documents of oltp_json.lua: orders of a shop, with nested objects and with arrays of any
-- length.

local rand = sysbench.rand
local format = string.format
local document = {}

-- The fields that every document has need this many bytes.
document.MINIMUM_BYTES = 512

local STATUS = {"new", "paid", "packed", "shipped", "delivered", "returned"}
local TAGS = {"gift", "express", "fragile", "newsletter", "wholesale", "preorder", "insured",
              "phone"}
local CITIES = {"Aachen", "Bergen", "Cork", "Delft", "Evora", "Fulda", "Gent", "Helsinki", "Izmir",
                "Jena", "Kaunas", "Lyon", "Malaga", "Nantes", "Oulu", "Porto"}

local function pick(list)
   return list[rand.uniform(1, #list)]
end

local function word(letters)
   return rand.string(("@"):rep(letters))
end

local function status()
   return pick(STATUS)
end

-- Length of the status written by an update. It includes the number of a receipt: without the
-- number, one update in six would write the status that the document has already, and change
-- nothing.
document.STATUS_BYTES = 16
function document.new_status()
   return status() .. rand.string("-######")
end

function document.tag()
   return pick(TAGS)
end

local function customer()
   local name = word(rand.uniform(4, 12))
   return format('{"name":"%s","email":"%s@%s.example","address":{"street":"%s %d",' ..
                 '"city":"%s","zip":"%s"}}',
                 name, name, word(6), word(9), rand.uniform(1, 200), pick(CITIES),
                 rand.string("#####"))
end

local function item()
   return format('{"sku":"%s","name":"%s","quantity":%d,"price":%d.%02d}', rand.string("@@-####"),
      word(rand.uniform(6, 14)), rand.uniform(1, 9), rand.uniform(1, 500), rand.uniform(0, 99))
end

local LONGEST_ITEM = 80

-- Returns as many items as fit into `room` bytes, but at least one.
local function items(room)
   local list, used = {}, 0
   repeat
      local text = item()
      list[#list + 1] = text
      used = used + #text + 1
   until used + LONGEST_ITEM > room
   return table.concat(list, ",")
end

-- Returns a document of exactly `bytes` bytes as text. The index is on its field `total`.
function document.new(total, bytes)
   local head = format('{"total":%d,"status":"%s","customer":%s,"tags":["%s","%s"],"items":[',
                       total, status(), customer(), document.tag(), document.tag())
   local middle = items(math.floor((bytes - #head) * 0.9))
   local rest = bytes - #head - #middle - #'],"note":""}'
   return format('%s%s],"note":"%s"}', head, middle, word(math.max(rest, 0)))
end

return document
