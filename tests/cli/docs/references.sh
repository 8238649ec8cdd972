# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Documentation and comments refer only to existing parts of the tree, and scripts/check-references.sh finds references
# to missing ones.
. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

inspect() { run "$SRCDIR/scripts/check-references.sh" "$@"; }
# Prints the numbers of the last line: paths, functions and options that were checked, and how many do not exist.
numbers() { tail -n 1 <<<"$out" | tr -cs '0-9\n' ' '; }

inspect
check_equal "all that is named exists: exit code" 0 "$status"
check_equal "all that is named exists" "" "$(head -n -1 <<<"$out")"
read -r paths functions options _ <<<"$(numbers)"
check "it finds paths, functions and options in the tree: $paths, $functions, $options" test "$((paths > 100 && functions > 100 && options > 100))" = 1

# A small tree whose references are all valid.
mkdir -p tree/src/pumps tree/src/pipes/deep tree/docs tree/tests/cli tree/scripts
cd tree || exit 1
cat >Makefile.am <<'END'
src/pumps/made.c: scripts/make.sh
END
cat >configure.ac <<'END'
AC_ARG_ENABLE([noise], [])
END
cat >src/pumps/pump.c <<'END'
/* Of pumps/pump.h and src/pipes/deep/tube.h; pumps/made.c is made by the build (scripts/make.sh).
 * valve_open() opens, strange.lua calls it, https://example.org/pumps/lost.c says no more, and /proc/pumps/lost.c is not of the tree. */
static const char *text = "/* pumps/lost.c", other = '"'; // test.sh, run with --loud, calls it, as tests/cli/test.sh
struct row rows[] = {{"loud", 1}, {"table_size", 2}, {"=off"}};
int valve_open(void) { return 1; }
END
echo '/* pump.c has it. */ int pump_size; struct ops { int (*spin)(void); };' >src/pumps/pump.h
echo '/* pumps/NAME.c */' >src/pipes/deep/tube.h
cat >src/pumps/strange.lua <<'END'
--[[ pumps/pump.c ]] local s = [[ -- pumps/lost.c ]] -- sing(), spin(), sysbench.sing()
local sysbench = {sing = function() return "-- pumps/lost.c" end}
options = {
   local_size = {"of what", 3},
}
END
printf '# %s\n' 'hold() is below; pipes/deep/tube.h, ../../src/pumps/pump.c' >tests/cli/test.sh
echo 'hold() { echo "# pumps/lost.c"; program --quiet; }' >>tests/cli/test.sh
printf 'def ask():\n    """As hold(), with --quiet."""\n    return "pumps/lost.c"\n' >tests/cli/ask.py
cat >docs/architecture.md <<'END'
pumps/pump calls pipes/deep. See [ask](../tests/cli/ask.py), `--enable-noise`, `--table-size`, `--local_size` and `_open()`.

    function example(a) mine.lua end
    build/src/lost.c ~/src/lost.c $HOME/src/lost.c example()
END
cd .. || exit 1
touch tree/scripts/make.sh
inspect tree
check_equal "a tree with valid references: exit code" 0 "$status"
check_equal "a tree with valid references" "" "$(head -n -1 <<<"$out")"

# gone NAME FILE LINE TEXT: appends the line to the file and checks that the invalid reference is found there.
gone() {
    cp -r tree gone
    printf '%s\n' "$4" >>"gone/$2"
    inspect gone
    check_equal "$1: exit code" 1 "$status"
    check_equal "$1: one is found, with its place" "$2:$(wc -l <"gone/$2"): $3" "$(head -n -1 <<<"$out" | sed 's/: no such .*//')"
    rm -r gone
}
gone "a file, in a comment of C" src/pumps/pump.c src/pumps/gone.c '/* src/pumps/gone.c */'
gone "a file of a room" src/pumps/pump.c pumps/gone.h 'int x; // pumps/gone.h'
gone "a file in a folder that is gone" src/pumps/pump.c valves/pump.c '/* valves/pump.c */'
gone "a file without folder" src/pumps/pump.c gone.h '/* As in gone.h. */'
gone "a file without suffix, which was moved" src/pumps/pump.c valves/tube '/* valves/tube */'
gone "a file without suffix, in a room" src/pumps/pump.c pumps/gone '/* pumps/gone. */'
gone "a folder" tests/cli/test.sh src/valves '# src/valves/'
gone "a file, in Lua" src/pumps/strange.lua tests/cli/gone.sh '-- tests/cli/gone.sh'
gone "a file, in a page" docs/architecture.md docs/gone.md 'See `docs/gone.md`.'
gone "a link of a page" docs/architecture.md gone.py '[there](gone.py)'
gone "a room and a file that are both gone" docs/architecture.md valves/flap '| valves/flap | opens |'
gone "a function, in C" src/pumps/pump.c 'pump_gone()' '/* pump_gone() is no more. */'
gone "a function, in Lua" src/pumps/strange.lua 'sysbench.gone()' '-- sysbench.gone()'
gone "a function, in a shell script" tests/cli/test.sh 'gone()' '# gone() is no more.'
gone "a function, in Python" tests/cli/ask.py 'gone()' '    # gone()'
gone "a function, in a page" docs/architecture.md 'gone()' '`gone()` is no more'
gone "the end of functions" docs/architecture.md '_shut()' '`_shut()`'
gone "an option, in a page" docs/architecture.md --gone 'With `--gone=5`.'
gone "an option, in a comment" src/pumps/pump.c --gone-away '/* --gone-away */'

finish
