#!/usr/bin/env bash
# The local suite as a user without privileges. Run as root, it makes such a user and becomes it.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "$(id -u)" != 0 ]; then
    exec tests/local/run.sh
fi
user=juju-tests
id "$user" >/dev/null 2>&1 || useradd --create-home --shell /bin/bash "$user"
target=${CARGO_TARGET_DIR:-target}
home=$(mktemp -d /tmp/juju-unprivileged.XXXXXX)
trap 'rm -rf "$home"' EXIT
# What it needs, readable by it wherever the tree is.
mkdir "$home/bin" "$home/tree"
cp "$target"/debug/juju "$target"/debug/jujud "$target"/debug/jujuc "$home/bin/"
cp -r tests examples "$home/tree/"
chown -R "$user" "$home"
runuser -u "$user" -- env -i HOME="$home" PATH=/usr/local/bin:/usr/bin:/bin USER="$user" TMPDIR=/tmp \
    JUJU_BIN="$home/bin" "$home/tree/tests/local/run.sh"
