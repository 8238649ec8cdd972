#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures a transaction that only reads: point reads and range reads between BEGIN and COMMIT.

require("oltp_common")
local oltp = require("oltp_events")
oltp.reads_only = true

function prepare_statements()
   oltp.prepare_transaction(true)
   oltp.prepare_reads()
end

function event()
   oltp.begin()
   oltp.execute_reads()
   oltp.commit()
   oltp.check_reconnect()
end
