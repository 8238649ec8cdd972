-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What tpcc draws, against what TPC-C says: prints one line per check, "ok" or "wrong" first.

sysbench.cmdline.command = sysbench.cmdline.command or "run"
local random = require("tpcc_random")

local function check(ok, ...)
   print(ok and "ok" or "wrong", string.format(...))
end

-- sums[r]: of all values whose bits are among those of r.
local function over_subsets(sums, a)
   local one = 1
   while one <= a do
      for r = 0, a do
         if bit.band(r, one) ~= 0 then
            sums[r] = sums[r] + sums[r - one]
         end
      end
      one = 2 * one
   end
end

-- x OR y is r in so many pairs of x = 0 ... a and y = above + 0 ... above + a that are in range. Of
-- x, a is all ones: the bits of r that y has not must be there, those that it has are free.
local function pairs_of_block(a, above, first, last)
   local ways = {}
   for low = 0, a do
      local y, free = above + low, 1
      for k = 0, 30 do
         free = bit.band(low, bit.lshift(1, k)) ~= 0 and 2 * free or free
      end
      ways[low] = y >= first and y <= last and free or 0
   end
   over_subsets(ways, a)
   return ways
end

-- How likely each value of NURand(a, c, first, last) is, less first: all pairs, counted.
local function exact(a, c, first, last)
   local p, n = {}, last - first + 1
   for i = 0, n - 1 do p[i] = 0 end
   for above = 0, last, a + 1 do
      local ways = pairs_of_block(a, above, first, last)
      for r = 0, a do
         local v = (above + r + c) % n
         p[v] = p[v] + ways[r] / ((a + 1) * n)
      end
   end
   return p
end

-- The same by trying all pairs.
local function check_exact(a, c, first, last)
   local p, n, tried = exact(a, c, first, last), last - first + 1, {}
   for x = 0, a do
      for y = first, last do
         local v = (bit.bor(x, y) + c) % n
         tried[v] = (tried[v] or 0) + 1
      end
   end
   local equal = true
   for v = 0, n - 1 do
      equal = equal and math.abs(p[v] * (a + 1) * n - (tried[v] or 0)) < 1e-6
   end
   check(equal, "probabilities of NURand(%d, %d, %d) are exact", a, first, last)
end

-- The statistic is below the bound with a probability of 1 - 3e-5 (Wilson and Hilferty, z = 4).
-- Cells that expect fewer than 5 are counted as one.
local function chi_squared(a, c, first, last, draws)
   local p, seen, rest, rest_seen = exact(a, c, first, last), {}, 0, 0
   for _ = 1, draws do
      local v = random.nurand(a, c, first, last) - first
      seen[v] = (seen[v] or 0) + 1
   end
   local sum, cells = 0, 0
   for v = 0, last - first do
      local expected = p[v] * draws
      if expected >= 5 then
         sum, cells = sum + ((seen[v] or 0) - expected) ^ 2 / expected, cells + 1
      else
         rest, rest_seen = rest + expected, rest_seen + (seen[v] or 0)
      end
   end
   if rest > 0 then
      sum, cells = sum + (rest_seen - rest) ^ 2 / rest, cells + 1
   end
   local df = cells - 1
   local bound = df * (1 - 2 / (9 * df) + 4 * math.sqrt(2 / (9 * df))) ^ 3
   check(sum < bound, "NURand(%d, %d, %d): chi squared %.1f with %d degrees of freedom, bound %.1f",
      a, first, last, sum, df, bound)
end

local function check_constants()
   local legal, alike = true, true
   for c_load = 0, 255 do
      local c = random.run_constants(c_load)
      legal = legal and random.is_legal_delta(c.c_last - c_load)
      alike = alike and c.c_id == random.run_constants(c_load).c_id
   end
   check(legal, "C of the last names is at a legal distance from each C of a load")
   check(alike, "constants are the same whenever they are drawn")
   check(not random.is_legal_delta(96) and not random.is_legal_delta(-112) and
         not random.is_legal_delta(64) and not random.is_legal_delta(120) and
         random.is_legal_delta(-65) and random.is_legal_delta(119), "legal distances")
end

local function is_deck(count)
   return count.new_order == 10 and count.payment == 10 and count.order_status == 1 and
      count.delivery == 1 and count.stock_level == 1
end

-- Any 23 draws in a row are the end of one deck and the beginning of the next: of no type more than
-- twice a deck's cards, and where they end with a deck, exactly these.
local function check_windows()
   local deal, drawn, count, most = random.by_deck(), {}, {}, true
   for i = 1, 23 * 200 do
      drawn[i] = deal()
      count[drawn[i]] = (count[drawn[i]] or 0) + 1
      if i > 23 then
         count[drawn[i - 23]] = count[drawn[i - 23]] - 1
      end
      for _, name in ipairs({"order_status", "delivery", "stock_level"}) do
         most = most and (count[name] or 0) <= 2
      end
      most = most and (count.new_order or 0) <= 20 and (count.payment or 0) <= 20 and
         (i % 23 ~= 0 or is_deck(count))
   end
   check(most, "any 23 draws are of two decks at most")
end

local function check_deck()
   local deal, proportions, orders = random.by_deck(), true, {}
   for _ = 1, 200 do
      local count, order = {}, {}
      for i = 1, 23 do
         order[i] = deal()
         count[order[i]] = (count[order[i]] or 0) + 1
      end
      orders[table.concat(order)] = true
      proportions = proportions and is_deck(count)
   end
   local different = 0
   for _ in pairs(orders) do different = different + 1 end
   check(proportions, "each deck has 10 New-Order, 10 Payment and one of each other")
   check(different > 190, "decks are shuffled: %d of 200 orders are different", different)
end

-- 100 000 draws: a share p lies within 4.5 standard deviations but for 7 of 10^6 times.
local function check_weights()
   local weights, count, draws = {45, 43, 4, 0, 8}, {}, 100000
   local draw = random.by_weights(weights)
   for _ = 1, draws do
      local name = draw()
      count[name] = (count[name] or 0) + 1
   end
   for i, name in ipairs(random.TYPES) do
      local p = weights[i] / 100
      local share = (count[name] or 0) / draws
      check(math.abs(share - p) <= 4.5 * math.sqrt(p * (1 - p) / draws),
         "weight %d of %s: share %.4f", weights[i], name, share)
   end
end

local function check_values()
   check(random.last_name(371) == "PRICALLYOUGHT" and random.last_name(40) == "BARPRESBAR",
      "last names")
   local choose, chosen = random.chooser(1000, 100), 0
   for _ = 1, 1000 do
      chosen = chosen + (choose() and 1 or 0)
   end
   check(chosen == 100, "100 of 1000 are chosen: %d", chosen)
   local fits, places = true, {}
   for _ = 1, 2000 do
      local text = random.data(true)
      places[text:find("ORIGINAL", 1, true)] = true
      fits = fits and #text >= 26 and #text <= 50
   end
   check(fits and places[1] and places[43], "ORIGINAL stands anywhere in 26 to 50 letters")
end

chi_squared(255, 173, 0, 999, 200000)
chi_squared(1023, 511, 1, 3000, 300000)
chi_squared(8191, 4711, 1, 100000, 3000000)
check_exact(255, 17, 0, 999)
check_exact(63, 5, 1, 300)
check_constants()
check_deck()
check_windows()
check_weights()
check_values()
