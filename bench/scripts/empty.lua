-- SPDX-License-Identifier: GPL-2.0-or-later
-- The least that a script can do: what is measured is the tool.

function event()
end
