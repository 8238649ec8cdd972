# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The documentation: its examples work as described (see docs_lib.sh for their form), its links are valid, and its
# index has every page. db/docs_servers.sh executes the examples that need a server.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"
. "$TESTS_DIR/cli/docs/docs_lib.sh"

# shellcheck disable=SC2034  # for docs_lib.sh
without_servers=yes
connect_options() { false; }

# Links to files and headings of this tree must be valid, and docs/README.md must lead to every page.
check_equal "links lead somewhere" "" "$(perl "$TESTS_DIR/cli/docs/links.pl" "$SRCDIR"/*.md "$SRCDIR"/docs/*.md "$SRCDIR"/docs/tests/*.md)"
for path in "$SRCDIR"/docs/*.md "$SRCDIR"/docs/tests/*.md; do
    check "docs/README.md names ${path##*/}" grep -Eq "\((\.\./)?(tests/)?${path##*/}\)" "$SRCDIR/docs/README.md"
done

# series FILE: prints name and short form of each series of a table of probes; "-" if the series is in no text line.
series() {
    perl -0777 -ne 'while (/\{"(\w+)",\s*"([^"]+)",\s*"[^"]+",\s*PROBE_\w+,.*?\.line = \{([\d, ]+)\}/gs) {
        my ($name, $label, $line) = ($1, $2, $3);
        print "$name ", $line =~ /[1-9]/ ? $label : "-", "\n"
    }' "$SRCDIR/src/$1" | sort
}

# documented COLUMNS N: prints the same from the rows of docs/server.md with this number of columns. Column N is the
# source of the series.
documented() {
    awk -F ' *[|] *' -v columns="$1" -v source="$2" '/^\| `[a-z0-9_]+` \|/ && NF == columns + 2 && $(source + 1) != "-" {
        gsub(/`/, "")
        print $2, $3
    }' "$SRCDIR/docs/server.md" | sort
}
check_equal "docs/server.md: the series of MySQL" "$(series drivers/mysql/mysql_watch.c)" "$(documented 6 4)"
check_equal "docs/server.md: the series of PostgreSQL" "$(series drivers/pgsql/pgsql_watch.c)" "$(documented 6 5)"
check_equal "docs/server.md: the series of MongoDB" "$(series drivers/mongodb/mongodb_watch.c)" "$(documented 6 6)"
check_equal "docs/server.md: the series of the machine" "$(series stats/host.c)" "$(documented 4 4)"
check_equal "docs/server.md: each series once" "" "$(sed -nE 's/^\| `([a-z0-9_]+)` \|.*/\1/p' "$SRCDIR/docs/server.md" | sort | uniq -d)"
check_equal "docs/server.md: there are series" 18 "$(documented 6 4 | wc -l)"
for unit in per_s percent kib; do
    check_equal "docs/server.md: the unit of those that end in $unit" "" "$(awk -F ' *[|] *' -v unit="$unit" '
        $2 ~ "_" unit "`$" && !(unit == "per_s" && $4 ~ "/s$" || unit == "percent" && $4 ~ "^%" || unit == "kib" && $4 == "KiB")' "$SRCDIR/docs/server.md")"
    check "docs/server.md: some end in $unit" grep -q "^| \`[a-z_]*_$unit\`" "$SRCDIR/docs/server.md"
done

for path in "$SRCDIR"/README.md "$SRCDIR"/docs/*.md "$SRCDIR"/docs/tests/*.md; do
    document=${path#"$SRCDIR"/}
    mkdir -p "$WORK_DIR/$document/build/quickstart"
    cd "$WORK_DIR/$document" || exit 1
    # The examples of the README run on the database of scripts/quickstart.sh.
    if [ "$document" = README.md ]; then
        run "$SYSRATE" oltp_read_only --db-driver=sqlite --sqlite-db=build/quickstart/quickstart.db --tables=2 --table-size=50000 prepare
        check_equal "$document: a database as that of the quickstart" 0 "$status"
    fi
    read_document "$path"
done

finish
