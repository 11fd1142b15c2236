#!/usr/bin/env bash
# Bootstraps a local controller and drives it with python-libjuju from PyPI.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/local/lib.sh

venv=${JUJU_TEST_VENV:-$work/venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install -q "juju==3.6.*"

# python-libjuju puts the client's ssh key into each model that it makes; Juju's own client makes the pair when it first
# needs one.
mkdir -p "$JUJU_DATA/ssh"
ssh-keygen -q -t rsa -N '' -C juju-client-key -f "$JUJU_DATA/ssh/juju_id_rsa"

bootstrap libjuju
CONTROLLER=libjuju timeout 300 "$venv/bin/python" tests/libjuju/test_local.py
finish libjuju
echo "python-libjuju: 1 passed, 0 failed"
