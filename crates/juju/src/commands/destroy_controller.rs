//! `juju destroy-controller`.

use std::time::Duration;

use juju_wire::{
    code,
    facade::controller::{DestroyControllerArgs, call},
    params::{Entities, Entity, ModelStatus},
};

use crate::{
    Context,
    api::{Open, Session},
    bootstrap::local::{self, Host},
    cli::{About, Command, confirm, duration, flags::Positional, quote},
    context::block_on,
    error::{Context as _, Error, Result},
    store::Controllers,
};

/// How often the models are looked at until they are gone.
const POLL: Duration = Duration::from_secs(2);
const FIRST_POLL: Duration = Duration::from_millis(100);

#[derive(clap::Args)]
pub struct Args {
    /// Destroy all models of the controller too
    #[arg(long)]
    destroy_all_models: bool,
    /// Destroy all storage of the models
    #[arg(long)]
    destroy_storage: bool,
    /// Go on whatever goes wrong
    #[arg(long)]
    force: bool,
    /// How long each model may take
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    model_timeout: Option<Duration>,
    /// Do not ask for confirmation
    #[arg(long)]
    no_prompt: bool,
    /// With --force, do not wait for one step to end before the next
    #[arg(long)]
    no_wait: bool,
    /// Give up all storage of the models without destroying it
    #[arg(long)]
    release_storage: bool,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "destroy-controller",
        usage: "<controller name>",
        purpose: "Destroys a controller.",
        details: "All models have to be destroyed first, or along with it by --destroy-all-models. Of a local controller \
                  no process and no file is left.",
        examples: &[("juju destroy-controller --destroy-all-models mycontroller", "")],
        see_also: &["kill-controller"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        if self.destroy_storage && self.release_storage {
            return Err(Error::usage("--destroy-storage and --release-storage cannot both be specified"));
        }
        if self.no_wait && !self.force {
            return Err(Error::usage("--no-wait without --force not valid"));
        }
        let name = self.positional.clone().one("no controller specified")?;
        known(ctx, &name)?;
        if !self.no_prompt {
            ctx.printer.warning(format!(
                "This command will destroy the {name:?} controller and all its resources.\n"
            ));
            confirm::by_name(ctx, &name, "controller", "controller destruction")?;
        }
        block_on(async {
            let session = Open::controller(ctx, &name)?.connect().await.map_err(|e| unreachable(e, &name))?;
            self.destroy_models(ctx, &session, &name).await?;
            session.close().await;
            ctx.printer.info("All models reclaimed, cleaning up controller machines");
            clean_up(ctx, &name).await
        })
    }
}

/// That there is a controller of this name.
pub(super) fn known(ctx: &Context, name: &str) -> Result {
    let controllers: Controllers = ctx.store.read().context("cannot read the client store")?;
    if controllers.controllers.contains_key(name) {
        return Ok(());
    }
    Err(Error::failed(format!("controller {name} not found")))
}

/// Removes what is left of a controller: its machine, its files, and what the store knows of it.
pub(super) async fn clean_up(ctx: &Context, name: &str) -> Result {
    let Some(dir) = local::dir_of(&ctx.store, name)? else {
        return Err(Error::failed(format!(
            "controller {name:?} was not made by this client; destroy it with the client that made it"
        )));
    };
    local::destroy_dir(&dir, &Host::of(&ctx.env)).await?;
    local::unregister(&ctx.store, name)
}

fn unreachable(error: Error, name: &str) -> Error {
    match error {
        Error::Failed(text) => Error::failed(format!(
            "cannot connect to API: {text}\n\nIf the controller is unusable, then you may run\n\n    juju kill-controller \
             {name}\n\nto forcibly destroy the controller."
        )),
        other => other,
    }
}

impl Args {
    async fn destroy_models(&self, ctx: &mut Context, session: &Session, name: &str) -> Result {
        let nanoseconds = |it: Duration| i64::try_from(it.as_nanos()).unwrap_or(i64::MAX);
        let args = || DestroyControllerArgs {
            destroy_models: self.destroy_all_models,
            destroy_storage: (self.destroy_storage || self.release_storage).then_some(self.destroy_storage),
            force: self.force.then_some(true),
            max_wait: (self.force && self.no_wait).then_some(0),
            model_timeout: self.model_timeout.map(nanoseconds),
        };
        let mut pause = FIRST_POLL;
        let mut said = String::new();
        ctx.printer.info("Destroying controller");
        loop {
            let refused = match session.connection.call::<call::DestroyController>(args()).await {
                Ok(()) => None,
                Err(e) if e.code() == code::HAS_HOSTED_MODELS => Some(Error::from(e)),
                Err(e) if e.code() == code::HAS_PERSISTENT_STORAGE => {
                    return Err(Error::failed(format!(
                        "cannot destroy controller {name:?}: it contains persistent storage. Run the command again with \
                         --destroy-storage to destroy it, or with --release-storage to keep it without Juju."
                    )));
                }
                Err(e) => return Err(Error::from(e).context("cannot destroy controller")),
            };
            let models = models(session).await?;
            if !self.destroy_all_models && models.iter().any(|it| it.1.life == "alive") {
                return Err(Error::failed(still_there(name, &models)));
            }
            if refused.is_none() && models.iter().all(|it| it.1.life == "dead") {
                return Ok(());
            }
            let message = waiting(&models);
            if message != said {
                ctx.printer.info(&message);
                said = message;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(POLL);
        }
    }
}

/// The models of a controller but its own, with what is left in them. One that is gone meanwhile is left out.
async fn models(session: &Session) -> Result<Vec<(String, ModelStatus)>> {
    let all = session.connection.call::<call::AllModels>(()).await?.user_models;
    let hosted: Vec<_> = all.into_iter().map(|it| it.model).filter(|it| it.name != "controller").collect();
    let entities = hosted.iter().map(|it| Entity { tag: format!("model-{}", it.uuid) }).collect();
    let status = session.connection.call::<call::ModelStatus>(Entities { entities }).await?.models;
    let name = |it: &juju_wire::params::Model| {
        format!("{}/{}", it.owner_tag.strip_prefix("user-").unwrap_or(&it.owner_tag), it.name)
    };
    Ok(hosted.iter().map(name).zip(status).filter(|it| it.1.error.is_none()).collect())
}

fn waiting(models: &[(String, ModelStatus)]) -> String {
    let sum = |f: fn(&ModelStatus) -> i64| models.iter().map(|it| f(&it.1)).sum::<i64>();
    let mut parts = vec![];
    for (n, what) in [
        (i64::try_from(models.len()).unwrap_or(i64::MAX), "model"),
        (sum(|it| it.hosted_machine_count), "machine"),
        (sum(|it| it.application_count), "application"),
    ] {
        if n > 0 {
            parts.push(quote::count(n.unsigned_abs(), what));
        }
    }
    match parts.as_slice() {
        [] => "Waiting for model resources to be reclaimed".to_owned(),
        parts => format!("Waiting for model resources to be reclaimed\nWaiting for {}", parts.join(", ")),
    }
}

fn still_there(name: &str, models: &[(String, ModelStatus)]) -> String {
    let lines: Vec<_> = models
        .iter()
        .filter(|it| it.1.life == "alive")
        .map(|(name, it)| {
            let mut line = format!("\t{name} (alive)");
            for (n, what) in [(it.hosted_machine_count, "machine"), (it.application_count, "application")] {
                if n > 0 {
                    line.push_str(&format!(", {}", quote::count(n.unsigned_abs(), what)));
                }
            }
            line
        })
        .collect();
    format!(
        "cannot destroy controller {name:?}\n\nThe controller has live models. If you want\nto destroy all models in the \
         controller,\nrun this command again with the --destroy-all-models\noption.\n\nModels:\n{}",
        lines.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_live_are_listed() {
        let status = |life: &str, machines| ModelStatus {
            life: life.into(),
            hosted_machine_count: machines,
            ..ModelStatus::default()
        };
        let models =
            [("admin/demo".to_owned(), status("alive", 2)), ("bob/x".to_owned(), status("dying", 1))];
        let text = still_there("lab", &models);
        assert!(text.starts_with("cannot destroy controller \"lab\"\n"), "{text}");
        assert!(text.ends_with("Models:\n\tadmin/demo (alive), 2 machines"), "{text}");
        assert!(waiting(&models).ends_with("Waiting for 2 models, 3 machines"), "{}", waiting(&models));
    }
}
