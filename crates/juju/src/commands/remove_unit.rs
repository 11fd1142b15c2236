//! `juju remove-unit`.

use juju_core::{Tag, UnitName};
use juju_wire::facade::application::{DestroyUnitParams, DestroyUnitResult, DestroyUnitsParams, call};

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
    /// Destroy storage attached to the units
    #[arg(long)]
    destroy_storage: bool,
    /// How many units of an application to remove, in models of Kubernetes
    #[arg(long, value_name = "N")]
    num_units: Option<i64>,
    #[command(flatten)]
    removal: RemovalFlags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "remove-unit",
        usage: "<unit> [...]",
        purpose: "Remove application units from the model.",
        details: "A machine that has no other unit is removed with its last one. Storage is detached unless \
                  --destroy-storage is given.",
        examples: &[
            ("juju remove-unit wordpress/2 wordpress/3", ""),
            ("juju remove-unit wordpress/2 --no-prompt", ""),
        ],
        see_also: &["add-unit", "remove-application"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.removal.check()?;
        if self.num_units.is_some() {
            return Err(Error::usage("--num-units is for models of Kubernetes; name the units to remove"));
        }
        let names = self.positional.clone().some("no units specified")?;
        let parse = |it: &String| {
            it.parse::<UnitName>().map_err(|_| Error::usage(format!("invalid unit name {it:?}")))
        };
        let units = names.iter().map(parse).collect::<Result<Vec<_>>>()?;
        block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            let destroy = async |dry_run| self.destroy(&session, &units, dry_run).await;
            removal::perform(ctx, &session, &self.removal, "unit removal", destroy).await?;
            session.close().await;
            Ok(())
        })
    }
}

impl Args {
    async fn destroy(&self, session: &Session, units: &[UnitName], dry_run: bool) -> Result<Vec<Outcome>> {
        let one = |unit: &UnitName| DestroyUnitParams {
            unit_tag: Tag::from(unit).to_string(),
            destroy_storage: self.destroy_storage,
            dry_run,
            force: self.removal.force,
            max_wait: self.removal.max_wait(),
        };
        let params = DestroyUnitsParams { units: units.iter().map(one).collect() };
        let results = session.connection.call::<call::DestroyUnit>(params).await?.results;
        Ok(units.iter().zip(results).map(|(unit, result)| outcome(unit, result)).collect())
    }
}

fn outcome(unit: &UnitName, result: DestroyUnitResult) -> Outcome {
    if let Some(e) = result.error {
        return Err(format!("removing unit {unit} failed: {}", e.message));
    }
    let info = result.info.unwrap_or_default();
    let mut lines = vec![format!("will remove unit {unit}")];
    lines.extend(removal::along("remove storage", &info.destroyed_storage));
    lines.extend(removal::along("detach storage", &info.detached_storage));
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use juju_wire::{Error, codec::De};

    use super::*;

    #[test]
    fn what_goes_with_a_unit_is_listed() {
        let unit: UnitName = "my-web/0".parse().unwrap();
        let text = r#"{"info":{"destroyed-storage":[{"tag":"storage-data-0"}],"detached-storage":[{"tag":"storage-logs-1"}]}}"#;
        let De(result) = serde_json::from_str(text).unwrap();
        assert_eq!(
            outcome(&unit, result).unwrap(),
            ["will remove unit my-web/0", "- will remove storage data/0", "- will detach storage logs/1"]
        );
        let failed = DestroyUnitResult { error: Some(Error::not_found("unit \"my-web/0\"")), info: None };
        assert_eq!(
            outcome(&unit, failed).unwrap_err(),
            "removing unit my-web/0 failed: unit \"my-web/0\" not found"
        );
    }
}
