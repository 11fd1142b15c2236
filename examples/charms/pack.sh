#!/usr/bin/env bash
# Packs a charm directory to CHARM.charm, with the packages of its requirements.txt in venv/, as charmcraft would.
#
#     pack.sh CHARM [OUTPUT]
#
# CHARM is a directory, or the name of one beside this script; it stays as it is. Needs python3 with pip. The same
# files give the same archive, whoever packs them and when.
set -euo pipefail
charm=${1:?usage: pack.sh CHARM [OUTPUT]}
if [ ! -d "$charm" ] && [ -d "$(dirname "$0")/$charm" ]; then
    charm=$(dirname "$0")/$charm
fi
if [ ! -f "$charm/metadata.yaml" ]; then
    echo "$0: $charm is no charm: it has no metadata.yaml" >&2
    exit 1
fi
charm=$(realpath "$charm")
output=$(realpath -m "${2:-$(basename "$charm").charm}")
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cp -a "$charm/." "$build/"
if [ -f "$build/requirements.txt" ]; then
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-compile \
        --target "$build/venv" --requirement "$build/requirements.txt"
    # Programs that no charm runs, with paths of this machine in them.
    rm -rf "$build/venv/bin"
fi
rm -rf "$build/.git" "$build/.tox" "$build/build"
find "$build" -name __pycache__ -prune -exec rm -rf {} +

python3 - "$build" "$output" <<'PYTHON'
import os
import pathlib
import stat
import sys
import zipfile

root, output = map(pathlib.Path, sys.argv[1:])
partial = output.with_name(output.name + ".partial")
with zipfile.ZipFile(partial, "w") as archive:
    for path in sorted(root.rglob("*")):
        name, mode = path.relative_to(root).as_posix(), path.lstat().st_mode
        if stat.S_ISLNK(mode):
            content, kind, permissions = os.readlink(path).encode(), stat.S_IFLNK, 0o777
        elif stat.S_ISDIR(mode):
            name, content, kind, permissions = name + "/", b"", stat.S_IFDIR, 0o755
        elif stat.S_ISREG(mode):
            content, kind = path.read_bytes(), stat.S_IFREG
            permissions = 0o755 if mode & stat.S_IXUSR else 0o644
        else:
            sys.exit(f"{name} is no file, folder or link")
        entry = zipfile.ZipInfo(name)  # its time is fixed
        entry.create_system = 3  # Unix, whose modes follow
        entry.external_attr = (kind | permissions) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED if kind == stat.S_IFREG else zipfile.ZIP_STORED
        archive.writestr(entry, content)
partial.replace(output)
PYTHON
echo "$output"
