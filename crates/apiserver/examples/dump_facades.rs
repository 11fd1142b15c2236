//! Prints what the API server serves, as JSON Schema: held against Juju's own, it says how much of Juju is there.

use std::io::{Write as _, stdout};

use juju_apiserver::{Router, facades};

fn main() -> std::io::Result<()> {
    let mut router = Router::new();
    facades::register_all(&mut router);
    writeln!(stdout(), "{:#}", router.dump_facades())
}
