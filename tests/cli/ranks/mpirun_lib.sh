# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Shared code of tests that start ranks with mpirun. Sourced after lib.sh. Skips the test with a
# message if Open MPI is not installed.

if ! command -v mpirun >/dev/null || [ ! -e "$(dirname "$SYSRATE")/sysrate_mpi.so" ]; then
    skip "several ranks" "there is no mpirun, or the program was built without Open MPI"
    pass "nothing to do"
    finish
fi

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 NO_COLOR=1
openmpi=$(mpirun --version | sed -nE 's/.*\(Open MPI\) ([0-9]+)\..*/\1/p')
# mpirun fails if another mpirun creates or removes the same folder below TMPDIR at that moment, so
# each one gets a TMPDIR of its own.
cat >"$WORK_DIR/mpirun" <<'END'
#!/bin/sh
TMPDIR=$(mktemp -d "${0%/*}/mpirun.XXXXXX")
export TMPDIR
exec mpirun "$@"
END
chmod +x "$WORK_DIR/mpirun"
# Ranks on one machine need no network. There may be more ranks than processors.
launch="$WORK_DIR/mpirun --oversubscribe --bind-to none --mca btl self,sm"
[ "${openmpi:-4}" -ge 5 ] || launch="$WORK_DIR/mpirun --oversubscribe --bind-to none --mca btl self,vader"

# ranks N COMMAND...
ranks() {
    local n=$1
    shift
    # shellcheck disable=SC2086  # several words
    run $launch -n "$n" "$@" </dev/null
}

# lua_tell FILE: prints the beginning of a script that knows its rank; tell(WORD...) adds a line to
# the file.
lua_tell() {
    cat <<END
local rank = os.getenv("OMPI_COMM_WORLD_RANK")
local function tell(...)
   local file = io.open("$1", "a")
   file:write(table.concat({...}, " "), "\\n")
   file:close()
end
END
}

# part RANK SCRIPT: prints the process id of this rank in the run of the script (a path), not of its
# keeper.
part() {
    local pid
    for pid in $(pgrep -f "^$SYSRATE .*$2 run"); do
        [ "$(cat "/proc/$pid/comm")" != rank-keeper ] || continue
        if tr '\0' '\n' <"/proc/$pid/environ" | grep -q "^OMPI_COMM_WORLD_RANK=$1\$"; then
            echo "$pid"
        fi
    done
}

# Returns true if all ranks have ended. With Open MPI 5, ranks may live longer than mpirun.
has_ended() {
    ! pgrep -f "^$SYSRATE .*$1 run" >/dev/null
}
