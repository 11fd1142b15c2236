//! `juju add-unit`.

use juju_core::{ApplicationName, StorageId};
use juju_wire::facade::application::{AddApplicationUnits, call};

use crate::{
    Context,
    api::Session,
    cli::{
        About, Command,
        flags::{ModelFlags, Positional},
    },
    context::block_on,
    deploy::placement,
    error::{Error, Result},
};

#[derive(clap::Args)]
pub struct Args {
    /// Storage to attach to the new unit, separated by commas
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    attach_storage: Vec<String>,
    /// How many units to add
    #[arg(long, short, value_name = "N", default_value_t = 1)]
    num_units: i64,
    /// Machines or containers for the units, separated by commas
    #[arg(long, value_name = "PLACES", default_value = "")]
    to: String,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "add-unit",
        usage: "<application name>",
        purpose: "Adds one or more units to a deployed application.",
        details: "Each unit gets a machine of its own unless --to names one for it.",
        examples: &[("juju add-unit mysql -n 5", ""), ("juju add-unit mysql --to 23,24", "")],
        see_also: &["remove-unit"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let application = self.positional.one("no application specified")?;
        if !ApplicationName::is_valid(&application) {
            return Err(Error::usage(format!("invalid application name {application:?}")));
        }
        if self.num_units < 1 {
            return Err(Error::usage("--num-units must be a positive integer"));
        }
        if !self.attach_storage.is_empty() && self.num_units != 1 {
            return Err(Error::usage("--attach-storage cannot be used with -n"));
        }
        let storage = self.attach_storage.iter().map(|it| storage_tag(it)).collect::<Result<_>>()?;
        block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            let placement = placement::parse(&self.to, &session.open_model()?.uuid)?;
            let params = AddApplicationUnits {
                application,
                num_units: self.num_units,
                placement,
                attach_storage: storage,
                policy: String::new(),
            };
            session.connection.call::<call::AddUnits>(params).await?;
            session.close().await;
            Ok(())
        })
    }
}

fn storage_tag(id: &str) -> Result<String> {
    let id: StorageId = id.parse().map_err(|_| Error::usage(format!("storage ID {id:?} not valid")))?;
    Ok(juju_core::Tag::from(id).to_string())
}
