#!/usr/bin/env sysrate
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A workload without a database: calls C functions through LuaJIT's FFI. An event appends a record
-- to a file and waits until it is on the disk, as a database does at COMMIT. Each thread has a file
-- in the current folder, which is removed at the end.
--
--    sysrate commit_log.lua --tx-rate=100 --threads=4 --percentile=50,99 --time=10 run

sysbench.cmdline.options = {
   record_size = {"Bytes per record", 512},
}

ffi.cdef([[
   int open(const char *path, int flags, ...);
   ssize_t write(int fd, const void *data, size_t bytes);
   int fdatasync(int fd);
   int close(int fd);
   int unlink(const char *path);
   char *strerror(int number);
]])

local O_WRONLY, O_CREAT, O_TRUNC = 1, 64, 512 -- values for Linux on x86 and ARM
local C = ffi.C
local file, name, record

local function require_success(succeeded, what)
   if not succeeded then
      error(("cannot %s %s: %s"):format(what, name, ffi.string(C.strerror(ffi.errno()))), 0)
   end
end

function thread_init(tid)
   name = "commit_log." .. tid
   record = sysbench.rand.string(("@"):rep(sysbench.opt.record_size))
   file = C.open(name, O_WRONLY + O_CREAT + O_TRUNC, ffi.cast("int", 384)) -- mode 0600
   require_success(file >= 0, "make")
end

function event()
   require_success(C.write(file, record, #record) == #record, "write to")
   require_success(C.fdatasync(file) == 0, "sync")
end

function thread_done()
   C.close(file)
   C.unlink(name)
end
