#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes the manual page sysrate(1) to standard output: scripts/manpage.sh PROGRAM. Options, tests and drivers are what the
# program itself lists, so that the page cannot differ from it.
set -eu

program=${1:?usage: scripts/manpage.sh PROGRAM}
version=$("$program" --version | sed -n '1s/.* //p')

# Text as it is, line by line.
escape() {
    sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\&&/"
}

# Lines "  --name=TYPE  text" to tagged paragraphs, lines "  name - text" too, lines "Heading:" to subsections.
paragraphs() {
    escape | awk '
        /^  \\-\\-/ { name = $1; sub(/^ +[^ ]+ +/, ""); print ".TP\n.B " name "\n" $0; next }
        /^  [^ ].* \\- / {
            at = index($0, " \\- ")
            print ".TP\n.B " substr($0, 3, at - 3) "\n" substr($0, at + 4); next
        }
        /:$/ { sub(/:$/, ""); print ".SS " $0 }'
}

cat <<END
.\" Made by scripts/manpage.sh.
.TH SYSRATE 1 "" "sysrate $version" "User Commands"
.SH NAME
sysrate \\- database and system benchmark with a fixed arrival rate
.SH SYNOPSIS
.B sysrate
.RI [ options ]...
.RI [ test ]
.RI [ command ]
.SH DESCRIPTION
Runs a test with a number of threads and reports throughput and latency. With
.B \\-\\-rate
requests arrive by a Poisson process at that rate, wait in a queue, and the response time of each is counted from its
arrival. Without it, each thread starts the next event as soon as the last one has ended.
.PP
.I test
is a built-in test, the name of a bundled script (oltp_read_write), the path of a Lua script, or \\- for standard input.
Command lines, scripts and reports are those of sysbench.
.SH COMMANDS
.TP
.B prepare
makes what the test needs: tables, files.
.TP
.B run
runs the test.
.TP
.B cleanup
removes what prepare has made.
.TP
.B help
lists the options of the test.
.PP
A script may define others.
.SH OPTIONS
Options may stand anywhere. In names, \\- and _ are the same. Sizes take K, M, G and T.
END
"$program" --help | sed -e '1,/^Commands implemented/d' -e '/^See /d' | paragraphs
for test in $("$program" --help | sed -n '/^Compiled-in tests:/,/^$/s/^  \([a-z]*\) - .*/\1/p'); do
    "$program" "$test" help | sed 1d | paragraphs
done
cat <<'END'
.SH EXIT STATUS
.TP
.B 0
the command did what it should.
.TP
.B 1
something failed; a message says what.
.TP
.B 3
with \-\-slo: the run took place, but missed an objective.
.TP
.B 4
with \-\-strict: the run took place, but its verdict is not VALID.
.TP
.B 128 + N
the run was ended by signal N, with its report.
.SH EXAMPLES
.EX
sysrate oltp_read_only \-\-db\-driver=sqlite \-\-sqlite\-db=test.db prepare
sysrate oltp_read_only \-\-db\-driver=sqlite \-\-sqlite\-db=test.db \-\-rate=500 \-\-threads=16 run
sysrate fileio \-\-file\-test\-mode=rndrw \-\-time=60 run
.EE
.SH SEE ALSO
.BR sysbench (1)
END
