#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several machines, made of network namespaces: each has an address, a name and a monotonic clock of its own, 1000 s apart, and a
# cable that can be cut. Root only, and only where namespaces are allowed.
. "$TESTS_DIR/cli/lib.sh"

# not_here REASON
not_here() {
    skip "several machines" "$1"
    pass "nothing to do"
    finish
}

if ! command -v mpirun >/dev/null || [ ! -e "$(dirname "$SYSRATE")/sysrate_mpi.so" ]; then
    not_here "there is no mpirun, or the program was built without Open MPI"
fi
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
trap 'close_hosts; cd / && rm -rf "$WORK_DIR"' EXIT
open_hosts() {
    local i
    ip link add "$id" type bridge && ip addr add "$net.254/24" dev "$id" && ip link set "$id" up || return 1
    for ((i = 1; i <= hosts; i++)); do
        ip netns add "$id-$i" && ip link add "$id-$i" type veth peer name eth0 netns "$id-$i" &&
            ip link set "$id-$i" master "$id" up && ip -n "$id-$i" addr add "$net.$i/24" dev eth0 &&
            ip -n "$id-$i" link set eth0 up && ip -n "$id-$i" link set lo up || return 1
    done
}
open_hosts 2>open.err || not_here "$(tail -n 1 open.err)"

# What mpirun takes for ssh: agent ADDRESS COMMAND.
cat >agent <<END
#!/bin/bash
i=\${1##*.}
shift
exec ip netns exec $id-\$i unshare --uts --time --monotonic \$((i * 1000)) --fork bash -c "hostname host\$i; \$*"
END
chmod +x agent
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 NO_COLOR=1
launch="mpirun --bind-to none --mca plm_rsh_agent $WORK_DIR/agent --mca plm_rsh_no_tree_spawn 1 --mca pml ob1 --mca btl self,tcp
    --mca oob_tcp_if_include $net.0/24 --mca btl_tcp_if_include $net.0/24 --host $net.1,$net.2,$net.3 -n 3 --wdir $WORK_DIR"
echo 'function event() end' >empty.lua
schedule=(--threads=6 --tx-rate=1000 --rand-seed=7 --time=1 --drain=5 --report-interval=0.2)

# shellcheck disable=SC2086  # several words
run $launch "$SYSRATE" "${schedule[@]}" --request-log=log --json=a.json empty.lua run
check_equal "three hosts: exit code" 0 "$status"
run "$SYSRATE" "${schedule[@]}" --request-log=single empty.lua run
arrivals() {
    sort -n "$@" | grep -v '^#' | cut -d' ' -f1
}
check "the arrivals are those of one machine" cmp -s <(arrivals single) <(arrivals log.rank*)
check_equal "each host has its row" "host1 host2 host3" "$(json_figure '.ranks | map(.host) | join(" ")')"
check_equal "intervals add up" "$(json_figure .summary.requests.completed)" "$(json_figure '[.intervals[].completed] | add')"

# Host I's clock is 1000·I s ahead: without that, all have begun at one moment, to within the bound that is reported.
apart=$(for i in 0 1 2; do
    awk -v i=$i '/^# started_ns/ { printf "%d\n", $3 - (i + 1) * 1000 * 1e9 }' log.rank$i
done | sort -n | sed -n '1p;$p' | xargs | awk '{ print ($2 - $1) / 1e6 }')
bound=$(json_figure .alignment.bound_ms)
check_between "the ranks began at one moment (ms)" 0 "$apart" "$(awk -v b="$bound" 'BEGIN { print 2 * b + 0.001 }')"
check_between "and that is known (ms)" 0 "$bound" 20

# A cut cable: the report of the others comes, whatever mpirun does after that.
# shellcheck disable=SC2086  # several words
timeout --kill-after=5 60 $launch "$SYSRATE" --threads=6 --tx-rate=300 --time=40 --report-interval=1 --json=cut.json empty.lua run \
    >cut.out 2>cut.err &
wait_for 20 grep -qs '^\[ 2s' cut.out
ip link set "$id-3" down
began=$SECONDS
check "a cut cable: there is a report" wait_for 25 test -s cut.json
check "in time" test $((SECONDS - began)) -le 14
check_match "the rank is named" 'rank 2 \(host3\) was lost' "$(cat cut.err)"
check_equal "requests add up" true "$(jq '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished' cut.json)"
check_equal "the end is an error" error "$(jq -r .summary.end cut.json)"
# mpirun would wait longer, and does not always end well then.
{
    kill $!
    wait
} 2>/dev/null

finish
