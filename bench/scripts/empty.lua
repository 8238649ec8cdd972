-- SPDX-License-Identifier: GPL-2.0-or-later
-- An empty event, to measure the overhead of the tool.

function event()
end
