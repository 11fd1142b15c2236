//! `juju remove-application`.

use juju_core::ApplicationName;
use juju_wire::facade::application::{
    DestroyApplicationParams, DestroyApplicationResult, DestroyApplicationsParams, call,
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
    /// Destroy storage attached to the application's units
    #[arg(long)]
    destroy_storage: bool,
    #[command(flatten)]
    removal: RemovalFlags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "remove-application",
        usage: "<application> [...]",
        purpose: "Remove applications from the model.",
        details: "Relations of the application end, its units stop, and machines that have no other unit are removed.",
        examples: &[
            ("juju remove-application hadoop", ""),
            ("juju remove-application hadoop --no-prompt", ""),
        ],
        see_also: &["remove-unit", "destroy-model"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.removal.check()?;
        let names = self.positional.clone().some("no application specified")?;
        if let Some(name) = names.iter().find(|it| !ApplicationName::is_valid(it)) {
            return Err(Error::usage(format!("invalid application name {name:?}")));
        }
        block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            let destroy = async |dry_run| self.destroy(&session, &names, dry_run).await;
            removal::perform(ctx, &session, &self.removal, "application removal", destroy).await?;
            session.close().await;
            Ok(())
        })
    }
}

impl Args {
    async fn destroy(&self, session: &Session, names: &[String], dry_run: bool) -> Result<Vec<Outcome>> {
        let one = |name: &String| DestroyApplicationParams {
            application_tag: format!("application-{name}"),
            destroy_storage: self.destroy_storage,
            dry_run,
            force: self.removal.force,
            max_wait: self.removal.max_wait(),
        };
        let params = DestroyApplicationsParams { applications: names.iter().map(one).collect() };
        let results = session.connection.call::<call::DestroyApplication>(params).await?.results;
        Ok(names.iter().zip(results).map(|(name, result)| outcome(name, result)).collect())
    }
}

fn outcome(name: &str, result: DestroyApplicationResult) -> Outcome {
    if let Some(e) = result.error {
        return Err(format!("removing application {name} failed: {}", e.message));
    }
    let info = result.info.unwrap_or_default();
    let mut lines = vec![format!("will remove application {name}")];
    lines.extend(removal::along("remove unit", &info.destroyed_units));
    lines.extend(removal::along("remove storage", &info.destroyed_storage));
    lines.extend(removal::along("detach storage", &info.detached_storage));
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use juju_wire::{Error, codec::De};

    use super::*;

    #[test]
    fn what_goes_with_an_application_is_listed() {
        let text = r#"{"info":{"destroyed-units":[{"tag":"unit-web-0"},{"tag":"unit-web-1"}]}}"#;
        let De(result) = serde_json::from_str(text).unwrap();
        assert_eq!(
            outcome("web", result).unwrap(),
            ["will remove application web", "- will remove unit web/0", "- will remove unit web/1"]
        );
        let failed =
            DestroyApplicationResult { error: Some(Error::not_found("application \"web\"")), info: None };
        assert_eq!(
            outcome("web", failed).unwrap_err(),
            "removing application web failed: application \"web\" not found"
        );
    }
}
