#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion in bash, and the manual page: both list what the program knows.
. "$TESTS_DIR/cli/lib.sh"
. "$SRCDIR/completion/sysrate.bash"

# complete_line TEXT: what may follow, sorted, a name a line.
complete_line() {
    COMP_LINE="sysrate $1" COMP_POINT=$((8 + ${#1}))
    # shellcheck disable=SC2034  # read by the function
    COMP_WORDS=("$SYSRATE")
    COMPREPLY=()
    _sysrate
    printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | sort
}

check_match "tests" '^memory$' "$(complete_line '')"
check_equal "tests by their beginning" fileio "$(complete_line fil)"
check_equal "commands" "cleanup
help
prepare
run" "$(complete_line 'fileio ')"
check_equal "commands behind an option" run "$(complete_line '--time=1 fileio r')"
check_equal "general options" "--events=" "$(complete_line '--ev')"
check_equal "options of a test" "--cpu-max-prime=" "$(complete_line 'cpu --cpu')"
check_equal "options that are on or off" "--file-fsync-all" "$(complete_line 'fileio --file-fsync-a')"
check_equal "options of a script" "--range_selects
--range_size=" "$(complete_line 'oltp_read_only --range_')"
check_equal "values" "rndrd
rndrw
rndwr" "$(complete_line 'fileio --file-test-mode=rnd')"
check_equal "nothing behind the command" "" "$(complete_line 'cpu run ')"
touch some.lua
check_match "scripts in the folder" '^some\.lua$' "$(complete_line 'so')"

run "$SRCDIR/scripts/manpage.sh" "$SYSRATE"
check_equal "the manual page is made" 0 "$status"
for name in threads rate cpu-max-prime file-test-mode sqlite-db; do
    check_match "the manual page has --$name" "^\\.B .*$(printf '%s' "--$name" | sed 's/-/\\\\-/g')" "$out"
done
if command -v man >/dev/null; then
    printf '%s\n' "$out" >sysrate.1
    check_equal "the manual page is well-formed" "" "$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z ./sysrate.1 2>&1 >/dev/null)"
fi
finish
