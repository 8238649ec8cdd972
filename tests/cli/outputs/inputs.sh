# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# An output never replaces a file that the program reads, by whatever path either of them is named.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

# refused FILE WHAT COMMAND...: the command must refuse to write FILE and leave it as it was.
refused() {
    local file=$1 what=$2 before
    before=$(cksum <"$file")
    shift 2
    run "$@"
    check_match "${*:2}: refused" "^1 FATAL: cannot write '.*': it is also $what \(allowed: another file\)$" "$status $err"
    check_equal "${*:2}: the file is unchanged" "$before" "$(cksum <"$file")"
}

echo 'function event() end' >a.lua
ln -s a.lua link.lua
ln a.lua hard.lua
printf '0.1\n0.2\n' >trace
printf 'threads=1\n' >options
run=(run --time=0 --events=1)

for option in json html csv hlog hgrm prom-file request-log; do
    refused a.lua 'the script' "$SYSRATE" a.lua "${run[@]}" --report-interval=1 --$option=a.lua
done
refused a.lua 'the script' "$SYSRATE" a.lua "${run[@]}" --json=link.lua
refused a.lua 'the script' "$SYSRATE" link.lua "${run[@]}" --json="$PWD/hard.lua"
refused a.lua 'the script' "$SYSRATE" ./a "${run[@]}" --json=a.lua
refused options 'the file of --config-file' "$SYSRATE" a.lua "${run[@]}" --config-file=options --json=options
refused options 'the file of --config-file' "$SYSRATE" cpu "${run[@]}" --config-file=options --config-file=/dev/null --csv=options \
    --report-interval=1
refused trace 'the file of --arrival-trace' "$SYSRATE" a.lua run --arrival-trace=trace --csv=./trace --report-interval=1

"$SYSRATE" oltp_point_select --db-driver=sqlite --sqlite-db=a.db --table-size=10 prepare >/dev/null
refused a.db 'the file of --sqlite-db' "$SYSRATE" oltp_point_select --db-driver=sqlite --sqlite-db=a.db --table-size=10 "${run[@]}" --json=a.db

cat >general.log <<'END'
2026-01-01T00:00:00.000000Z	    8 Connect	a@localhost on  using Socket
2026-01-01T00:00:00.100000Z	    8 Query	SELECT 1
2026-01-01T00:00:00.200000Z	    8 Query	SELECT 2
2026-01-01T00:00:00.300000Z	    8 Quit	
END
cp general.log second.log
refused second.log 'a log that is replayed' "$SYSRATE" replay general.log,second.log run --db-driver=mysql --json=second.log

for name in a b; do
    "$SYSRATE" cpu run --time=1 --report-interval=0.1 --events=0 --json=$name.json --archive=runs >/dev/null 2>&1
done
refused a.json 'a report that is read' "$SYSRATE" report --html=a.json a.json
refused b.json 'a report that is read' "$SYSRATE" report --html=b.json a.json b.json
mkdir folder
cp a.json folder
refused folder/a.json 'a report that is read' "$SYSRATE" report --csv=folder/a.json folder
refused b.json 'a report that is merged' "$SYSRATE" merge --json=b.json a.json b.json
refused runs/archive.sqlite 'the archive' "$SYSRATE" cpu "${run[@]}" --archive=runs --json=runs/archive.sqlite
refused runs/archive.sqlite 'the archive' "$SYSRATE" trend --html=runs/archive.sqlite runs

# A sweep continues in a folder that has its files.
"$SYSRATE" sweep --out=swept --repeat=2 -- a.lua --time=0 --events=1 >/dev/null 2>&1
ln -f a.lua swept/table.csv
refused a.lua 'the script' "$SYSRATE" sweep --out=swept --repeat=2 -- a.lua --time=0 --events=1

# Other files are replaced as before, also if the script writes to its own folder.
run "$SYSRATE" a.lua "${run[@]}" --json=a.json --html=new.html --arrival-trace=trace
check_equal "outputs next to the script" 0 "$status"
finish
