//! `juju kill-controller`.

use std::time::Duration;

use juju_wire::facade::controller::{DestroyControllerArgs, call};

use super::destroy_controller::{clean_up, known};
use crate::{
    Context,
    api::Open,
    cli::{About, Command, confirm, duration, flags::Positional},
    context::block_on,
    error::{Error, Result},
};

#[derive(clap::Args)]
pub struct Args {
    /// Do not ask for confirmation
    #[arg(long)]
    no_prompt: bool,
    /// How long the controller may take to destroy its models itself
    #[arg(long, short, value_name = "DURATION", default_value = "5m", value_parser = duration::parse)]
    timeout: Duration,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "kill-controller",
        usage: "<controller name>",
        purpose: "Forcibly terminate all machines and other associated resources for a Juju controller.",
        details: "For a controller that does not answer any more. All its processes are ended and all its files removed, \
                  also those of its models.",
        examples: &[
            ("juju kill-controller mycontroller", ""),
            ("juju kill-controller mycontroller --no-prompt -t 0", ""),
        ],
        see_also: &["destroy-controller"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let name = self.positional.clone().one("no controller specified")?;
        known(ctx, &name)?;
        if !self.no_prompt {
            ctx.printer.warning(format!(
                "This command will destroy the {name:?} controller and all its resources.\n"
            ));
            confirm::by_name(ctx, &name, "controller", "controller destruction")?;
        }
        block_on(async {
            if !self.timeout.is_zero() {
                // The agents of a local controller's machines die with it, whatever it still wants to do: what it
                // does itself is only a courtesy to hooks, so a refusal is no reason to stop.
                let asked = tokio::time::timeout(self.timeout, ask(ctx, &name)).await;
                match asked {
                    Ok(Ok(())) => {}
                    Ok(Err(e)) => {
                        ctx.printer.info(format!("Unable to destroy controller through the API: {e}"))
                    }
                    Err(_) => {
                        ctx.printer.info("Unable to destroy controller through the API: it takes too long")
                    }
                }
            }
            ctx.printer.info("Destroying by provider directly.");
            clean_up(ctx, &name).await
        })
    }
}

async fn ask(ctx: &Context, name: &str) -> Result {
    let session = Open::controller(ctx, name)?.connect_as_it_is().await?;
    let args =
        DestroyControllerArgs { destroy_models: true, destroy_storage: Some(true), ..Default::default() };
    session.connection.call::<call::DestroyController>(args).await.map_err(Error::from)?;
    session.close().await;
    Ok(())
}
