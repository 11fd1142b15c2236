# Shared by the local suites; sourced. Gives $work (a temporary directory of its own), `bootstrap NAME` and
# `finish NAME`, and checks at exit that nothing of the controllers stays behind.

# Binaries of this tree, built as the caller chose (JUJU_BIN names their directory).
target=${CARGO_TARGET_DIR:-target}
bin=${JUJU_BIN:-$target/debug}
[ -x "$bin/juju" ] && [ -x "$bin/jujud" ] && [ -x "$bin/jujuc" ] || cargo build -q --workspace --bins
PATH=$(cd "$bin" && pwd):$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/juju-local.XXXXXX")
export JUJU_DATA=$work/data
controllers=()

bootstrap() {
    controllers+=("$1")
    juju bootstrap local "$1"
}

# Destroys the controller and fails if a process or a file of it is left.
finish() {
    juju destroy-controller "$1" --destroy-all-models --destroy-storage --no-prompt
    local left
    left=$(processes)
    if [ -n "$left" ]; then
        echo "left behind after destroy-controller $1:" >&2
        echo "$left" >&2
        return 1
    fi
}

# This suite's processes: those that name its directory.
processes() {
    local pid
    for pid in $(pgrep -f "$work" || true); do
        [ "$pid" = $$ ] || [ "$pid" = "$BASHPID" ] || ps -o pid=,args= -p "$pid" || true
    done
}

step() { printf -- '--- %s\n' "$1"; }

fail() {
    echo "$1" >&2
    return 1
}

# Whether what a command prints has a line that matches.
shows() {
    local pattern=$1 said
    shift
    said=$("$@")
    grep -q -- "$pattern" <<<"$said" || fail "$*: no line matches $pattern in: $said"
}

# Whether a Python expression of `d`, the JSON on standard input, holds.
query() {
    python3 -c '
import json, sys
d = json.load(sys.stdin)
try:
    good = eval(sys.argv[1])
except (KeyError, IndexError, TypeError):
    good = False
sys.exit(0 if good else 1)' "$1"
}

# Waits until the expression holds of the status of the current model.
eventually() {
    local deadline=$((SECONDS + $1))
    until juju status --format json 2>/dev/null | query "$2"; do
        if [ $SECONDS -ge $deadline ]; then
            echo "not so within $1 s: $2" >&2
            juju status >&2 || true
            return 1
        fi
        sleep 0.2
    done
}

# Whether a command fails and says so.
expect_error() {
    local text=$1 said
    shift
    if said=$("$@" 2>&1); then
        fail "should have failed: $*"
    fi
    grep -qF -- "$text" <<<"$said" || fail "$*: said $said instead of $text"
}

# A charm without code.
bad_charm() {
    mkdir -p "$work/bad"
    printf 'name: bad\nsummary: s\ndescription: d\n' >"$work/bad/metadata.yaml"
    printf 'bases: [{name: ubuntu, channel: "24.04"}]\n' >"$work/bad/manifest.yaml"
    echo "$work/bad"
}

clean_up() {
    local status=$?
    local name
    for name in "${controllers[@]}"; do
        juju kill-controller "$name" --no-prompt >/dev/null 2>&1 || true
    done
    if [ $status = 0 ]; then
        rm -rf "$work"
    else
        echo "failed; logs and data stay in $work" >&2
        find "$work" -name '*.log' -exec tail -n 40 {} + >&2 || true
    fi
}
trap clean_up EXIT
