# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# bash-completion looks for a file with the name of the command. The function is that of sysrate.
# shellcheck source=/dev/null
. "${BASH_SOURCE[0]%/*}/sysrate.bash"
