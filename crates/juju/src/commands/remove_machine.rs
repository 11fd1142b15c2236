//! `juju remove-machine`.

use juju_core::{MachineId, Tag};
use juju_wire::facade::machine_manager::{
    DestroyMachineInfo, DestroyMachineResult, DestroyMachinesParams, call,
};

use super::removal::{self, Outcome, RemovalFlags};
use crate::{
    Context,
    api::Session,
    cli::{
        About, Command,
        flags::{ModelFlags, Positional},
    },
    context::block_on,
    error::{Error, Result},
};

#[derive(clap::Args)]
pub struct Args {
    /// Leave the instance running when its machine is removed
    #[arg(long)]
    keep_instance: bool,
    #[command(flatten)]
    removal: RemovalFlags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "remove-machine",
        usage: "<machine number> [...]",
        purpose: "Removes one or more machines from a model.",
        details: "A machine that hosts units or containers is removed with --force only, and takes them along.",
        examples: &[("juju remove-machine 5", ""), ("juju remove-machine 6 --force --no-wait", "")],
        see_also: &["add-machine", "machines"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.removal.check()?;
        let ids = self.positional.clone().some("no machines specified")?;
        let parse = |it: &String| {
            it.parse::<MachineId>().map_err(|_| Error::usage(format!("invalid machine id {it:?}")))
        };
        let machines = ids.iter().map(parse).collect::<Result<Vec<_>>>()?;
        block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            let destroy = async |dry_run| self.destroy(&session, &machines, dry_run).await;
            removal::perform(ctx, &session, &self.removal, "machine removal", destroy).await?;
            session.close().await;
            Ok(())
        })
    }
}

impl Args {
    async fn destroy(
        &self,
        session: &Session,
        machines: &[MachineId],
        dry_run: bool,
    ) -> Result<Vec<Outcome>> {
        let params = DestroyMachinesParams {
            machine_tags: machines.iter().map(|it| Tag::from(it).to_string()).collect(),
            dry_run,
            force: self.removal.force,
            keep: self.keep_instance,
            max_wait: self.removal.max_wait(),
        };
        let results = session.connection.call::<call::DestroyMachineWithParams>(params).await?.results;
        Ok(machines.iter().zip(results).map(|(machine, result)| outcome(machine.as_str(), result)).collect())
    }
}

fn outcome(machine: &str, result: DestroyMachineResult) -> Outcome {
    match (result.error, result.info) {
        (Some(e), _) => Err(format!("removing machine {machine} failed: {}", e.message)),
        (None, info) => Ok(lines(machine, &info.unwrap_or_default())),
    }
}

fn lines(machine: &str, info: &DestroyMachineInfo) -> Vec<String> {
    let mut lines = vec![format!("will remove machine {machine}")];
    lines.extend(removal::along("remove unit", &info.destroyed_units));
    for container in &info.destroyed_containers {
        if let Some(info) = &container.info {
            lines.push(format!("- will remove container {}", info.machine_id));
            lines.extend(removal::along("remove unit", &info.destroyed_units));
        }
    }
    lines.extend(removal::along("remove storage", &info.destroyed_storage));
    lines.extend(removal::along("detach storage", &info.detached_storage));
    lines
}

#[cfg(test)]
mod tests {
    use juju_wire::codec::De;

    use super::*;

    #[test]
    fn what_goes_with_a_machine_is_listed() {
        let text = r#"{"info":{"machine-id":"0","destroyed-units":[{"tag":"unit-web-0"}],
            "destroyed-containers":[{"info":{"machine-id":"0/lxd/1","destroyed-units":[{"tag":"unit-pg-0"}]}}]}}"#;
        let De(result) = serde_json::from_str(text).unwrap();
        assert_eq!(
            outcome("0", result).unwrap(),
            [
                "will remove machine 0",
                "- will remove unit web/0",
                "- will remove container 0/lxd/1",
                "- will remove unit pg/0"
            ]
        );
    }
}
