#!/usr/bin/env bash
# An etcd cluster for tests, on free ports of the loopback, everything in one directory.
#
#   etcd.sh install            installs etcd from Debian if it is missing
#   etcd.sh start DIR [N]      starts N members (default 1) and waits until they answer
#   etcd.sh restart DIR NAME   starts a member again that has ended or was killed
#   etcd.sh stop DIR           ends all members, by their process ids
#
# start and restart print a line a member: NAME PID CLIENT-URL. With TLS_DIR set, clients must use TLS; the
# directory holds ca.pem, server.pem and server-key.pem. With PARENT set to a process id, the members are ended
# when that process is gone, however it went.
set -euo pipefail

die() { echo "etcd.sh: $*" >&2; exit 1; }

install() {
    command -v etcd >/dev/null && return
    [ "$(id -u)" = 0 ] || die "etcd is not installed, and only root can install it"
    apt-get update -q >&2
    # The package would start a server of its own.
    DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -q -y --no-install-recommends etcd-server >&2
}

# A port that nobody listens on, below those that the kernel hands out.
free_port() {
    local port
    while :; do
        port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
        (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
    done
}

# Starts the member that DIR/NAME.conf describes.
launch() {
    local dir=$1 name=$2 client_url peer_url cluster state scheme=http tls=()
    # shellcheck source=/dev/null
    . "$dir/$name.conf"
    if [ "$scheme" = https ]; then
        tls=(--cert-file "$dir/tls/server.pem" --key-file "$dir/tls/server-key.pem"
            --client-cert-auth --trusted-ca-file "$dir/tls/ca.pem")
    fi
    [ -d "$dir/$name" ] && state=existing || state=new
    ETCD_UNSUPPORTED_ARCH=$(dpkg --print-architecture) setsid etcd --name "$name" --data-dir "$dir/$name" \
        --listen-client-urls "$client_url" --advertise-client-urls "$client_url" \
        --listen-peer-urls "$peer_url" --initial-advertise-peer-urls "$peer_url" \
        --listen-metrics-urls "$health_url" \
        --initial-cluster "$cluster" --initial-cluster-state "$state" --initial-cluster-token "$dir" \
        "${tls[@]}" --logger zap </dev/null >>"$dir/$name.log" 2>&1 &
    echo $! >"$dir/$name.pid"
}

# Whether the member serves and knows a leader.
healthy() {
    local dir=$1 name=$2 port answer
    # shellcheck source=/dev/null
    . "$dir/$name.conf"
    port=${health_url##*:}
    answer=$({
        exec 3<>"/dev/tcp/127.0.0.1/$port"
        printf 'GET /health HTTP/1.0\r\n\r\n' >&3
        timeout 2 cat <&3
    } 2>/dev/null) || return 1
    [[ $answer == *'"health":"true"'* ]]
}

wait_for() {
    local dir=$1 name=$2 i
    for ((i = 0; i < 300; i++)); do
        healthy "$dir" "$name" && return
        kill -0 "$(<"$dir/$name.pid")" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

tell() {
    local dir=$1 name=$2
    # shellcheck source=/dev/null
    . "$dir/$name.conf"
    echo "$name $(<"$dir/$name.pid") $client_url"
}

start() {
    local dir=$1 count=$2 attempt i name peers=() cluster scheme=http
    mkdir -p "$dir"
    if [ -n "${TLS_DIR:-}" ]; then
        scheme=https
        cp -r "$TLS_DIR" "$dir/tls"
    fi
    # Somebody may take a port between our look and etcd's; then all begin anew.
    for attempt in 1 2 3 4 5; do
        peers=()
        for ((i = 1; i <= count; i++)); do peers+=("m$i=http://127.0.0.1:$(free_port)"); done
        cluster=$(IFS=,; echo "${peers[*]}")
        for ((i = 1; i <= count; i++)); do
            cat >"$dir/m$i.conf" <<CONF
client_url=$scheme://127.0.0.1:$(free_port)
health_url=http://127.0.0.1:$(free_port)
peer_url=${peers[i - 1]#*=}
cluster=$cluster
scheme=$scheme
CONF
            launch "$dir" "m$i"
        done
        for ((i = 1; i <= count; i++)); do wait_for "$dir" "m$i" || break; done
        ((i > count)) && break
        stop "$dir"
        for ((i = 1; i <= count; i++)); do rm -rf "${dir:?}/m$i"; done
        [ "$attempt" = 5 ] && { tail -n 5 "$dir"/*.log >&2; die "the members do not answer"; }
    done
    if [ -n "${PARENT:-}" ]; then
        (while kill -0 "$PARENT" 2>/dev/null; do sleep 1; done; stop "$dir") </dev/null >/dev/null 2>&1 &
    fi
    for ((i = 1; i <= count; i++)); do tell "$dir" "m$i"; done
}

stop() {
    local dir=$1 file pid
    for file in "$dir"/*.pid; do
        [ -e "$file" ] || continue
        pid=$(<"$file")
        # Only what is still the member of this directory: ids are used again.
        if { tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -qF -- "--data-dir $dir/"; then
            kill -KILL "$pid" 2>/dev/null || true
        fi
        rm -f "$file"
    done
}

case "${1:-}" in
install) install ;;
start) [ $# -ge 2 ] || die "start needs a directory"; install; start "$(realpath -m "$2")" "${3:-1}" ;;
restart)
    [ $# = 3 ] || die "restart needs a directory and a name"
    dir=$(realpath "$2")
    launch "$dir" "$3"
    wait_for "$dir" "$3" || { tail -n 5 "$dir/$3.log" >&2; die "$3 does not answer"; }
    tell "$dir" "$3"
    ;;
stop) [ $# = 2 ] || die "stop needs a directory"; stop "$(realpath -m "$2")" ;;
*) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
esac
