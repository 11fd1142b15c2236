#!/usr/bin/env bash
# Packs a charm directory to CHARM.charm, with the packages of its requirements.txt in venv/, as charmcraft would.
#
#     pack.sh CHARM [OUTPUT]
set -euo pipefail
charm=${1:?usage: pack.sh CHARM [OUTPUT]}
cd "$(dirname "$0")"
name=$(basename "$charm")
output=$(realpath -m "${2:-$name.charm}")
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cp -r "$name/." "$build/"
if [ -f "$name/requirements.txt" ]; then
    python3 -m pip install -q --target "$build/venv" -r "$name/requirements.txt"
    find "$build/venv" -name __pycache__ -prune -exec rm -rf {} +
fi
python3 - "$build" "$output" <<'PYTHON'
import os, sys, zipfile

root, output = sys.argv[1:]
with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
    for folder, _, files in sorted(os.walk(root)):
        for name in sorted(files):
            path = os.path.join(folder, name)
            entry = zipfile.ZipInfo(os.path.relpath(path, root))
            entry.external_attr = os.stat(path).st_mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            with open(path, "rb") as source:
                archive.writestr(entry, source.read())
PYTHON
echo "$output"
