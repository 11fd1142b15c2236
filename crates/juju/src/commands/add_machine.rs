//! `juju add-machine`.

use juju_core::{Base, Placement};
use juju_wire::{
    facade::machine_manager::{AddMachineParams, AddMachines, call},
    params,
};

use crate::{
    Context,
    api::{self, Session},
    cli::{
        About, Command,
        flags::{ModelFlags, Positional},
    },
    context::block_on,
    deploy::{constraints, placement},
    error::{Error, Result},
};

#[derive(clap::Args)]
pub struct Args {
    /// Operating system of the machine, such as ubuntu@24.04
    #[arg(long, value_name = "BASE", default_value = "")]
    base: String,
    /// What the machine must have
    #[arg(long, value_name = "CONSTRAINTS")]
    constraints: Vec<String>,
    /// How many machines to add
    #[arg(short = 'n', value_name = "N", default_value_t = 1)]
    number: i64,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "add-machine",
        usage: "[<container-type>[:<machine-id>] | <placement>]",
        purpose: "Provision a new machine or assign one to the model.",
        details: "Without arguments one machine is added; -n adds more of them.",
        examples: &[("juju add-machine", ""), ("juju add-machine -n 2 --constraints mem=8G", "")],
        see_also: &["machines", "remove-machine"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let directive = self.positional.at_most_one()?;
        if self.number < 1 {
            return Err(Error::usage("-n must be a positive integer"));
        }
        let base = match self.base.as_str() {
            "" => None,
            base => {
                let base: Base =
                    base.parse().map_err(|e| Error::usage(format!("base {base:?} not valid: {e}")))?;
                Some(params::Base { name: base.os, channel: base.channel.to_string() })
            }
        };
        let constraints = constraints::parse(&self.constraints)?;
        if directive.as_deref().is_some_and(|it| it.starts_with("ssh:") || it.starts_with("winrm:")) {
            return Err(Error::failed("machines cannot be added over ssh yet"));
        }
        block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            let mut machine = AddMachineParams {
                base,
                constraints: constraints::to_wire(&constraints),
                jobs: vec!["JobHostUnits".to_owned()],
                ..AddMachineParams::default()
            };
            place(&mut machine, directive.as_deref(), &session.open_model()?.uuid)?;
            let number = usize::try_from(self.number).unwrap_or(1);
            let params = AddMachines { params: vec![machine; number] };
            let machines = session.connection.call::<call::AddMachines>(params).await?.machines;
            session.close().await;
            let mut errors = vec![];
            for it in machines {
                match it.error {
                    Some(e) => errors.push(e),
                    None if it.machine.contains('/') => {
                        ctx.printer.info(format!("created container {}", it.machine))
                    }
                    None => ctx.printer.info(format!("created machine {}", it.machine)),
                }
            }
            api::items(&mut ctx.printer, errors)
        })
    }
}

fn place(machine: &mut AddMachineParams, directive: Option<&str>, model: &str) -> Result {
    let Some(directive) = directive else { return Ok(()) };
    match placement::one(directive, model)? {
        Placement::Machine(_) => {
            return Err(Error::usage(format!(
                "machine-id cannot be specified when adding machines: {directive:?}"
            )));
        }
        Placement::Container { kind, host } => {
            machine.container_type = kind.to_string();
            machine.parent_id = host.map(|it| it.to_string()).unwrap_or_default();
        }
        provider => machine.placement = Some(placement::to_wire(&provider)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_machine_goes() {
        let model = "5d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f";
        let placed = |directive| {
            let mut machine = AddMachineParams::default();
            place(&mut machine, Some(directive), model).map(|()| machine).map_err(|e| e.to_string())
        };
        let container = placed("lxd:3").unwrap();
        assert_eq!((container.container_type.as_str(), container.parent_id.as_str()), ("lxd", "3"));
        let container = placed("lxd").unwrap();
        assert_eq!((container.container_type.as_str(), container.parent_id.as_str()), ("lxd", ""));
        let provider = placed("zone=a").unwrap().placement.unwrap();
        assert_eq!((provider.scope.as_str(), provider.directive.as_str()), (model, "zone=a"));
        assert!(placed("3").unwrap_err().contains("machine-id cannot be specified"));
    }
}
