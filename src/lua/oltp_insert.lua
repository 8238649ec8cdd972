#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures the insertion of one row, without a transaction. With --auto_inc=off the client makes
-- the ids.

require("oltp_common")
local oltp = require("oltp_events")

function prepare_statements()
   oltp.prepare_new_rows()
end

function event()
   oltp.insert_row()
   oltp.check_reconnect()
end
