#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the deletion of one row by its id, without a transaction. Rows that are gone stay
-- gone: the longer it runs, the more deletions find nothing.

require("oltp_common")
local oltp = require("oltp_events")

function prepare_statements()
   prepare_for_each_table("deletes")
end

function event()
   oltp.execute_by_id("deletes", 1)
   oltp.check_reconnect()
end
