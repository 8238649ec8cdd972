# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What a machine does not have enough of: stack, files.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

# With any stack size a script may nest as deep as LuaJIT's own limits allow.
test_stack_size() {
    cat >deep.lua <<'END'
local function nested(n, open, close) return "return " .. open:rep(n) .. close:rep(n) end

function event()
   assert(loadstring(nested(190, "{", "}")))
   local f, message = loadstring(nested(1000, "{", "}"))
   assert(f == nil and message:find("too many syntax levels"), message)
   f, message = loadstring(nested(1000, "function() return ", " end "))
   assert(f == nil and message:find("too many syntax levels"), message)
   assert(string.format("%.99f", 1e308):len() > 400)
   return true
end
END
    for size in 16K 64K 1M; do
        run "$SYSRATE" deep.lua run --time=0 --events=1 --thread-stack-size=$size
        check_equal "a stack of $size: the parser ends by its own limit" "0 " "$status $err"
    done
    # The sanitizers need more address space than that.
    [ "$SANITIZER" = no ] || return
    run bash -c 'ulimit -v 4000000; "$SYSRATE" "$TESTS_DIR/cli/scripts/empty_event.lua" run --threads=100 --thread-stack-size=1G'
    check_match "a stack that cannot be had: an error that says so" \
        '^FATAL: cannot start worker thread [0-9]+ of 100, with a stack of 1049600 KiB: ' "$err"
    check_equal "a stack that cannot be had: exit code" 1 "$status"
}

test_stack_size
finish
