#!/usr/bin/env bash
# Bootstraps a local controller and drives it with python-libjuju from PyPI.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/local/lib.sh

venv=${JUJU_TEST_VENV:-$work/venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install -q "juju==3.6.*"

bootstrap libjuju
CONTROLLER=libjuju timeout 300 "$venv/bin/python" tests/libjuju/test_local.py
finish libjuju
echo "python-libjuju: 1 passed, 0 failed"
