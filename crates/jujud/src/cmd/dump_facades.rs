//! `jujud dump-facades`: what this build serves, as JSON Schema in the form of Juju's own dumps.

use std::io::Write as _;

use anyhow::Context as _;
use juju_apiserver::{Router, facades};

use super::Failure;

pub(super) fn run() -> Result<(), Failure> {
    let mut router = Router::default();
    facades::register_all(&mut router);
    let facades = router.dump_facades();
    let text = serde_json::to_string_pretty(&facades).context("facades as JSON")?;
    writeln!(std::io::stdout(), "{text}").context("cannot write to standard output")?;
    Ok(())
}
