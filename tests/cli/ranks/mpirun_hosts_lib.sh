# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Three machines made of network namespaces: each has an address, a name and its own monotonic clock
# (1000 s apart), and a cable that can be cut. Requires root and namespaces; otherwise skips the
# test with a message. Sourced after mpirun_lib.sh. Sets $id and $net: host I is the namespace
# $id-I, named hostI, with the address $net.I; this machine is $net.254 on the bridge $id. $launch
# starts a rank on each host. The test must set a trap that calls close_hosts when it ends.

# not_here REASON: skips the test.
not_here() {
    skip "several machines" "$1"
    pass "nothing to do"
    finish
}

if [ "$(id -u)" -ne 0 ] || ! command -v ip >/dev/null; then
    not_here "it needs root and ip"
fi
if ! unshare --uts --net --time --monotonic 1000 --fork true 2>/dev/null; then
    not_here "namespaces are not allowed here"
fi

hosts=3
id=sr$$
net=10.$((100 + $$ % 100)).$((RANDOM % 250))
close_hosts() {
    local i
    for ((i = 1; i <= hosts; i++)); do
        ip netns pids "$id-$i" 2>/dev/null | xargs -r kill -KILL 2>/dev/null
        ip netns del "$id-$i" 2>/dev/null
    done
    ip link del "$id" 2>/dev/null
}
open_hosts() {
    local i
    ip link add "$id" type bridge && ip addr add "$net.254/24" dev "$id" && ip link set "$id" up || return 1
    for ((i = 1; i <= hosts; i++)); do
        ip netns add "$id-$i" && ip link add "$id-$i" type veth peer name eth0 netns "$id-$i" &&
            ip link set "$id-$i" master "$id" up && ip -n "$id-$i" addr add "$net.$i/24" dev eth0 &&
            ip -n "$id-$i" link set eth0 up && ip -n "$id-$i" link set lo up || return 1
    done
}

# A replacement of ssh for mpirun: agent ADDRESS COMMAND.
cat >agent <<END
#!/bin/bash
i=\${1##*.}
shift
exec ip netns exec $id-\$i unshare --uts --time --monotonic \$((i * 1000)) --fork bash -c "hostname host\$i; \$*"
END
chmod +x agent
launch="mpirun --bind-to none --mca plm_rsh_agent $WORK_DIR/agent --mca plm_rsh_no_tree_spawn 1 --mca pml ob1 --mca btl self,tcp
    --mca oob_tcp_if_include $net.0/24 --mca btl_tcp_if_include $net.0/24 --host $net.1,$net.2,$net.3 -n 3 --wdir $WORK_DIR"
