# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# A script may call os.setlocale(). Figures do not depend on the locale.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

mkdir locales
if ! localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 2>/dev/null; then
    skip "locales" "localedef cannot make the locale de_DE.UTF-8"
    exit 77
fi
export LOCPATH=$PWD/locales

cat >german.lua <<'END'
assert(os.setlocale("de_DE.UTF-8") == "de_DE.UTF-8")
assert(os.setlocale("de_DE.UTF-8", "numeric") == "de_DE.UTF-8")
assert(os.setlocale("de_DE.UTF-8", "ctype") == "de_DE.UTF-8")
print("day " .. os.date("%A", 0))

function thread_init() assert(os.setlocale("de_DE.UTF-8")) end

function event()
   os.setlocale("de_DE.UTF-8")
   os.execute("sleep 0.01")
end
END

run "$SYSRATE" german.lua run --time=0.5 --rate=50 --report-interval=0.1 --csv=a.csv --hlog=a.hlog --hgrm=a.hgrm --prom-file=a.prom \
    --json=a.json --request-log=a.log --html=a.html --percentile=99.9
check_equal "exit code" 0 "$status"
check_match "the script has the names of days" '^day Donnerstag$' "$out"
check_no_match "text: no decimal comma" '[0-9],[0-9]' "$out"
for file in a.hlog a.prom a.hgrm; do
    check_no_match "$file: no decimal comma" '(^|[^,])\b[0-9]+,[0-9]+$' "$(cat $file)"
done
check_equal "CSV: all lines have the same number of columns" 1 "$(awk -F, '{ print NF }' a.csv | sort -u | wc -l)"
check_match "hlog: intervals in seconds" '^Tag=response,0\.[0-9]+,0\.[0-9]+,' "$(cat a.hlog)"
check_match "JSON: is JSON" '^[0-9]+$' "$(json_figure .summary.requests.completed)"
check_match "a page" '<html' "$(head -c 1000 a.html)"

# Figures are read as well: options of scripts, traces, reports.
cat >options.lua <<'END'
os.setlocale("de_DE.UTF-8")
sysbench.cmdline.options = { number = {"a number", 0.25} }
function event() assert(sysbench.opt.number * 4 == 6) end
END
printf '0\n0.1\n0.25\n' >trace
run "$SYSRATE" options.lua --number=1.5 run --arrival-trace=trace --time=0.5 --json=a.json
check_equal "figures are read" "0 3" "$status $(json_figure .summary.requests.completed)"
run "$SYSRATE" report a.json
check_match "a report that is read again" '^ +events per second: +[0-9]+\.[0-9]+$|95th percentile: +[0-9]+\.[0-9]+' "$out"

cat >other.lua <<'END'
assert(os.setlocale() == "C" and os.setlocale(nil, "numeric") == "C")
assert(os.setlocale("no_SUCH") == nil)
assert(os.setlocale("de_DE.UTF-8", "time") == "de_DE.UTF-8" and os.setlocale() == "de_DE.UTF-8")
assert(os.setlocale("") ~= nil and os.setlocale("C") == "C")
assert(not pcall(os.setlocale, "C", "none") and not pcall(os.setlocale, {}))
function event() end
END
run "$SYSRATE" other.lua run --events=1 --time=0
check_equal "results of os.setlocale()" "0 " "$status $err"
finish
