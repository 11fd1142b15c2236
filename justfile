# What CI does, by name. `just --list` shows it.

# Everything that must pass before a change lands.
ci:
    .ci/run

# Unit and in-process tests; needs nothing but cargo and a C compiler.
test:
    cargo test --workspace

lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# The store's contract on real etcd as well.
test-etcd:
    tests/testbed/install.sh
    JUJU_TESTBED=1 cargo test -p juju-store --all-features

# How much of the Juju 3.6 API is served, as JSON Schema.
facades:
    cargo run -q --bin jujud -- dump-facades

bench:
    cargo build --release
    target/release/jujud bench
