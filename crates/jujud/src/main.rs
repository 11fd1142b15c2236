//! The `jujud` program; see the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    jujud::cmd::main(std::env::args_os().collect())
}
