-- SPDX-License-Identifier: GPL-2.0-or-later
-- The picture of the distribution that --rand-type chooses, as in the article on distributions.
function init()
   h = sysbench.histogram.new(1000, 1, 100)
   for _ = 1, 100000 do
      h:update(sysbench.rand.default(1, 100))
   end
end

function event()
   return true
end

function done()
   h:print()
end
