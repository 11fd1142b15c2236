//! `juju machines`.

use super::status;
use crate::{
    Context,
    api::Session,
    cli::{
        About, Command,
        flags::{ColorFlags, ModelFlags, OutputFlags, Positional},
    },
    context::block_on,
    error::Result,
    status::{Machines, convert, tabular},
};

#[derive(clap::Args)]
pub struct Args {
    /// Show times in UTC
    #[arg(long)]
    utc: bool,
    #[command(flatten)]
    color: ColorFlags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "machines",
        aliases: &["list-machines"],
        purpose: "List machines in a model.",
        details: "Containers follow the machine that hosts them.",
        examples: &[("juju machines", ""), ("juju machines --format json", "")],
        see_also: &["add-machine", "remove-machine", "status"],
        formats: &["tabular", "json", "yaml"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.positional.none()?;
        self.color.apply(ctx.printer.settings_mut())?;
        let output = self.output.check(&Self::ABOUT)?;
        let zone = ctx.zone(self.utc)?;
        let machines = block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            let reply = status::fetch(&session, vec![]).await?;
            let status = convert(&reply, &status::options(&session, zone));
            session.close().await;
            Ok(Machines { model: status.model.name, machines: status.machines })
        })?;
        ctx.printer.value(&output, &machines, |it, color| tabular::render_machines(&it.machines, color))
    }
}
