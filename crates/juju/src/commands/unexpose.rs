//! `juju unexpose`.

use juju_wire::facade::application::{ApplicationUnexpose, call};

use super::expose;
use crate::{
    Context,
    api::Session,
    cli::{
        About, Command,
        flags::{ModelFlags, Positional},
    },
    context::block_on,
    error::Result,
};

#[derive(clap::Args)]
pub struct Args {
    /// Unexpose only the ports of these endpoints, separated by commas
    #[arg(long, value_name = "ENDPOINTS", default_value = "")]
    endpoints: String,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "unexpose",
        usage: "<application name>",
        purpose: "Removes public availability over the network for an application.",
        details: "The application's ports stay open to the model.",
        examples: &[("juju unexpose apache2", "")],
        see_also: &["expose"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let params = ApplicationUnexpose {
            application: expose::application(self.positional)?,
            exposed_endpoints: expose::list(&self.endpoints),
        };
        block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            session.connection.call::<call::Unexpose>(params).await?;
            session.close().await;
            Ok(())
        })
    }
}
