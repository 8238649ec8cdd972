# SPDX-License-Identifier: GPL-2.0-or-later
#
# fish looks for a file with the name of the command. The function is that of sysrate.
source (status dirname)/sysrate.fish
