-- SPDX-License-Identifier: GPL-2.0-or-later
-- The smallest workload: requests that need no time.
function event()
end
