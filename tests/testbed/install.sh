#!/usr/bin/env bash
# Installs what the test suites need on a Debian machine: etcd, protoc (which builds the etcd client), Python's venv.
# Run as root. Each part that is there already is left alone.
set -euo pipefail

packages=()
need() { command -v "$1" >/dev/null 2>&1 || packages+=("${@:2}"); }
need etcd etcd-server
need protoc protobuf-compiler
need cc gcc libc6-dev
need python3 python3 python3-venv
python3 -c 'import ensurepip' >/dev/null 2>&1 || packages+=(python3-venv)
need ssh-keygen openssh-client
need runuser util-linux
[ -e /usr/include/google/protobuf/descriptor.proto ] || packages+=(libprotobuf-dev)
if [ ${#packages[@]} -gt 0 ]; then
    if [ "$(id -u)" != 0 ]; then
        echo "install.sh: run as root to install: ${packages[*]}" >&2
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q
    apt-get install -q -y --no-install-recommends "${packages[@]}"
    # Debian starts a member of its own; the suites start theirs.
    systemctl disable --now etcd >/dev/null 2>&1 || true
fi
