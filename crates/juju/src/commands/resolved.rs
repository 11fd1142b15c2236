//! `juju resolved`.

use juju_core::{Tag, UnitName};
use juju_wire::{
    facade::application::{UnitsResolved, call},
    params::{Entities, Entity},
};

use crate::{
    Context,
    api::{self, Session},
    cli::{
        About, Command,
        flags::{ModelFlags, Positional},
    },
    context::block_on,
    error::{Error, Result},
};

#[derive(clap::Args)]
pub struct Args {
    /// Mark all units in error
    #[arg(long)]
    all: bool,
    /// Do not run the failed hook again
    #[arg(long)]
    no_retry: bool,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "resolved",
        aliases: &["resolve"],
        usage: "[<unit> ...]",
        purpose: "Marks unit errors resolved and re-executes failed hooks.",
        details: "With --no-retry the failed hook counts as done.",
        examples: &[("juju resolved mysql/0", ""), ("juju resolved --all", "")],
        see_also: &["debug-log", "status"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let names = self.positional.args;
        if names.is_empty() && !self.all {
            return Err(Error::usage("no unit specified"));
        }
        if !names.is_empty() && self.all {
            return Err(Error::usage("specifying unit names(s) with --all not supported"));
        }
        let tag = |name: &String| {
            let unit: UnitName =
                name.parse().map_err(|_| Error::usage(format!("unit name {name:?} not valid")))?;
            Ok(Entity { tag: Tag::from(unit).to_string() })
        };
        let entities = names.iter().map(tag).collect::<Result<Vec<_>>>()?;
        let params =
            UnitsResolved { all: self.all, retry: !self.no_retry, tags: Some(Entities { entities }) };
        block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            let results = session.connection.call::<call::ResolveUnitErrors>(params).await?.results;
            session.close().await;
            api::items(&mut ctx.printer, results.into_iter().filter_map(|it| it.error).collect())
        })
    }
}
