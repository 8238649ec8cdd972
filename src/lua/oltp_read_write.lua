#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Measures a transaction as an application would do it: point reads, range reads, updates, and a
-- row that is deleted and inserted again, all between BEGIN and COMMIT.

require("oltp_common")
local oltp = require("oltp_events")

function prepare_statements()
   oltp.prepare_transaction()
   oltp.prepare_reads()
   oltp.prepare_writes()
end

function event()
   oltp.begin()
   oltp.execute_reads()
   oltp.execute_writes()
   oltp.commit()
   oltp.check_reconnect()
end
