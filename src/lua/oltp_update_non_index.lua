#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures updates of a column without an index, without a transaction. One event is
-- --non_index_updates updates.

require("oltp_common")
local oltp = require("oltp_events")

function prepare_statements()
   prepare_non_index_updates()
end

function event()
   execute_non_index_updates()
   oltp.check_reconnect()
end
