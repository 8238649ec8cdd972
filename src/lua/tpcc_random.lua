-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Random values of TPC-C: non-uniform numbers and their constants, last names, and the type of the
-- next transaction. Clauses are those of the specification, revision 5.11.

local rand = sysbench.rand
local floor = math.floor
local random = {}

-- Random streams of --rand-seed that are the same in all threads: constants of the load, constants
-- of the run, and from STREAM_PIECES on one stream for each piece of the population.
random.STREAM_LOAD, random.STREAM_RUN, random.STREAM_PIECES = 0, 1, 2

-- -------------------------------------------------------------------------------------------------
-- Non-uniform numbers (2.1.6)
-- -------------------------------------------------------------------------------------------------

-- The constant A of each field. The constant C of the field is in [0, A].
random.A = {c_last = 255, c_id = 1023, ol_i_id = 8191}

function random.nurand(a, c, first, last)
   local both = bit.bor(rand.uniform(0, a), rand.uniform(first, last))
   return (both + c) % (last - first + 1) + first
end

-- Returns true if C of the last names differs from that of the load as specified (2.1.6.1).
function random.is_legal_delta(delta)
   delta = math.abs(delta)
   return delta >= 65 and delta <= 119 and delta ~= 96 and delta ~= 112
end

-- Returns the constant C of each field for a run on a database that was loaded with c_load. All
-- threads get the same constants.
function random.run_constants(c_load)
   local legal = {}
   for c = 0, random.A.c_last do
      if random.is_legal_delta(c - c_load) then
         legal[#legal + 1] = c
      end
   end
   rand.stream(random.STREAM_RUN)
   local constants = {
      c_last = legal[rand.uniform(1, #legal)],
      c_id = rand.uniform(0, random.A.c_id),
      ol_i_id = rand.uniform(0, random.A.ol_i_id),
   }
   rand.stream()
   return constants
end

function random.load_constant()
   rand.stream(random.STREAM_LOAD)
   local c = rand.uniform(0, random.A.c_last)
   rand.stream()
   return c
end

-- -------------------------------------------------------------------------------------------------
-- Values (4.3.2)
-- -------------------------------------------------------------------------------------------------

local SYLLABLES = {[0] = "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION",
                   "EING"}

-- Returns the last name for a number from 0 to 999.
function random.last_name(number)
   return SYLLABLES[floor(number / 100)] .. SYLLABLES[floor(number / 10) % 10] ..
      SYLLABLES[number % 10]
end

-- Returns 26 to 50 letters. If `original`, they contain the word ORIGINAL.
function random.data(original)
   local text = rand.alnum(26, 50)
   if not original then
      return text
   end
   local at = rand.uniform(0, #text - 8)
   return text:sub(1, at) .. "ORIGINAL" .. text:sub(at + 9)
end

-- Returns a function for `total` calls. It returns true in exactly `wanted` of them, at random.
function random.chooser(total, wanted)
   return function()
      local chosen = rand.uniform(1, total) <= wanted
      total = total - 1
      if chosen then
         wanted = wanted - 1
      end
      return chosen
   end
end

-- Shuffles a list.
function random.shuffle(list)
   for i = #list, 2, -1 do
      local j = rand.uniform(1, i)
      list[i], list[j] = list[j], list[i]
   end
   return list
end

-- -------------------------------------------------------------------------------------------------
-- The type of the next transaction (5.2.3)
-- -------------------------------------------------------------------------------------------------

random.TYPES = {"new_order", "payment", "order_status", "delivery", "stock_level"}
random.NUMBER = {}
for i, name in ipairs(random.TYPES) do
   random.NUMBER[name] = i
end

-- Returns a function that draws one of TYPES with these weights.
function random.by_weights(weights)
   local total = 0
   for _, weight in ipairs(weights) do
      total = total + weight
   end
   return function()
      local left = rand.uniform_double() * total
      local i = 1
      while i < #weights and left >= weights[i] do
         left = left - weights[i]
         i = i + 1
      end
      while weights[i] == 0 do -- because of rounding, the index is after the last weight
         i = i - 1
      end
      return random.TYPES[i]
   end
end

-- Seconds that a terminal needs to key in a transaction, and the mean of its think time after the
-- transaction (5.2.5.7).
random.KEYING = {new_order = 18, payment = 3, order_status = 2, delivery = 2, stock_level = 2}
random.THINK = {new_order = 12, payment = 12, order_status = 10, delivery = 5, stock_level = 5}

local DECK = {new_order = 10, payment = 10, order_status = 1, delivery = 1, stock_level = 1}

-- Returns the mean time between two transactions of a terminal in seconds, if responses take no
-- time. `weights` is nil if decks of cards are used.
function random.cycle_seconds(weights)
   local seconds, total = 0, 0
   for i, name in ipairs(random.TYPES) do
      local weight = weights and weights[i] or not weights and DECK[name]
      seconds = seconds + weight * (random.KEYING[name] + random.THINK[name])
      total = total + weight
   end
   return seconds / total
end

-- Returns a function that deals the 23 cards of 5.2.4.2 in random order, again and again.
function random.by_deck()
   local cards, dealt = {}, 0
   for _, name in ipairs(random.TYPES) do
      for _ = 1, DECK[name] do
         cards[#cards + 1] = name
      end
   end
   return function()
      if dealt % #cards == 0 then
         random.shuffle(cards)
         dealt = 0
      end
      dealt = dealt + 1
      return cards[dealt]
   end
end

return random
