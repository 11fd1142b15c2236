//! `juju version`.

use juju_core::{Arch, Binary, version};
use serde::Serialize;

use crate::{
    Context,
    cli::{
        About, Command,
        flags::{OutputFlags, Positional},
    },
    error::Result,
    output::yaml,
};

#[derive(clap::Args)]
pub struct Args {
    /// Print everything about this client, not just its version
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    positional: Positional,
}

#[derive(Serialize)]
struct Details {
    version: String,
    compiler: &'static str,
    official: bool,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "version",
        purpose: "Print the Juju CLI client version.",
        details: "The controller's version, and that of a model's agents, are in the output of \"juju controllers\" \
                  and \"juju status\".",
        examples: &[("juju version", ""), ("juju version --all --format json", "")],
        see_also: &["controllers", "status"],
        formats: &["smart", "json", "yaml"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.positional.none()?;
        let output = self.output.check(&Self::ABOUT)?;
        if !self.all {
            return ctx.printer.value(&output, &client(), |version, _| format!("{version}\n"));
        }
        let details = Details { version: client(), compiler: "rustc", official: false };
        ctx.printer.value(&output, &details, |it, _| yaml::to_string(it))
    }
}

/// `juju --version`.
pub fn print(ctx: &mut Context) -> Result {
    ctx.printer.data(&format!("{}\n", client()))
}

/// `3.6.28-ubuntu-amd64`.
fn client() -> String {
    let arch = Arch::of_this_build().unwrap_or_default();
    Binary::new(version::CURRENT, "ubuntu", arch).to_string()
}
