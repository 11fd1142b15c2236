//! `juju destroy-model`.

use std::time::Duration;

use juju_wire::{
    code,
    facade::model_manager::{DestroyModelParams, DestroyModelsParams, call},
    params::{Entities, Entity, ModelStatus},
};

use crate::{
    Context,
    api::{self, Open, Session},
    cli::duration,
    cli::{
        About, Command, confirm,
        flags::{LoginFlags, Positional},
        quote,
    },
    context::block_on,
    error::{Context as _, Error, Result},
    store::Models,
};

/// How often the model is looked at until it is gone.
const POLL: Duration = Duration::from_secs(2);
/// The first looks come sooner: a model of this host is gone in a moment.
const FIRST_POLLS: Duration = Duration::from_millis(100);
const DOTS_A_LINE: usize = 80;

#[derive(clap::Args)]
pub struct Args {
    /// Destroy all storage of the model
    #[arg(long)]
    destroy_storage: bool,
    /// Go on whatever goes wrong
    #[arg(long)]
    force: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    no_prompt: bool,
    /// With --force, do not wait for one step to end before the next
    #[arg(long)]
    no_wait: bool,
    /// Give up all storage of the model without destroying it
    #[arg(long)]
    release_storage: bool,
    /// With --force, how long each step may take
    #[arg(long, short, value_name = "DURATION", value_parser = duration::parse)]
    timeout: Option<Duration>,
    #[command(flatten)]
    login: LoginFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "destroy-model",
        usage: "[<controller name>:]<model name>",
        purpose: "Terminate all machines and resources for a non-controller model.",
        details: "Everything in the model is removed and cannot be brought back, so the model's name has to be typed in \
                  unless --no-prompt is given.",
        examples: &[
            ("juju destroy-model --no-prompt mymodel", ""),
            ("juju destroy-model --no-prompt mymodel --force --no-wait", ""),
        ],
        see_also: &["destroy-controller"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        if self.destroy_storage && self.release_storage {
            return Err(Error::usage("--destroy-storage and --release-storage cannot both be specified"));
        }
        if self.timeout.is_some() && !self.force {
            return Err(Error::usage("--timeout can only be used with --force (dangerous)"));
        }
        if self.no_wait && !self.force {
            return Err(Error::usage("--no-wait without --force not valid"));
        }
        let name = self.positional.clone().one("no model specified")?;
        block_on(async {
            let target = Session::target(ctx, Some(&name))?;
            let session = Open::controller(ctx, &target.controller)?.connect().await?;
            let (name, uuid) = find(ctx, &session, &target.model).await?;
            let tag = format!("model-{uuid}");
            if !self.no_prompt {
                let status = status(&session, &tag).await.map_err(|e| e.context("getting model status"))?;
                warn(ctx, &name, &status);
                confirm::by_name(ctx, &name, "model", "model destruction")?;
            }
            destroy(ctx, &session, &tag, &self).await?;
            forget(ctx, &session.controller, &name)?;
            session.close().await;
            Ok(())
        })
    }
}

/// The model's `owner/name` and UUID; a controller's own model is refused.
async fn find(ctx: &Context, session: &Session, wanted: &str) -> Result<(String, String)> {
    let look = || -> Result<Option<(String, String)>> {
        let models: Models = ctx.store.read().context("cannot read the client store")?;
        let Some(models) = models.of(&session.controller) else { return Ok(None) };
        let found = models.find(wanted, &session.user).map_err(|e| Error::chain(&e))?;
        Ok(found.map(|(name, it)| (name.to_owned(), it.uuid.clone())))
    };
    let found = match look()? {
        Some(found) => found,
        None => {
            api::refresh_models(&ctx.store, session).await?;
            let name = crate::store::qualify(wanted, &session.user);
            look()?.ok_or_else(|| Error::failed(format!("model {}:{name} not found", session.controller)))?
        }
    };
    if found.0.ends_with("/controller") {
        return Err(Error::failed(format!(
            "{:?} is a controller; use 'juju destroy-controller' to destroy it",
            found.0
        )));
    }
    Ok(found)
}

async fn status(session: &Session, tag: &str) -> Result<ModelStatus> {
    let entities = Entities { entities: vec![Entity { tag: tag.to_owned() }] };
    let reply = session.connection.call::<call::ModelStatus>(entities).await.map_err(Error::from)?;
    let status = api::only(reply.models)?;
    match &status.error {
        Some(e) => Err(Error::Api(e.clone())),
        None => Ok(status),
    }
}

fn warn(ctx: &mut Context, name: &str, status: &ModelStatus) {
    ctx.printer.warning(format!(
        "This command will destroy the {name:?} model and all its resources. It cannot be stopped."
    ));
    let machines = status.machines.as_deref().unwrap_or_default();
    if status.hosted_machine_count > 0 {
        let n = u64::try_from(status.hosted_machine_count).unwrap_or_default();
        let list: Vec<_> =
            machines.iter().map(|it| format!("{:?}", format!("{} ({})", it.id, it.instance_id))).collect();
        ctx.printer.info(format!(
            " - {} will be destroyed\n  - machine list: {}",
            quote::count(n, "machine"),
            list.join(" ")
        ));
    }
    let applications = status.applications.as_deref().unwrap_or_default();
    if status.application_count > 0 {
        let n = u64::try_from(status.application_count).unwrap_or_default();
        let list: Vec<_> = applications.iter().map(|it| format!("{:?}", it.name)).collect();
        ctx.printer.info(format!(
            " - {} will be removed\n  - application list: {}",
            quote::count(n, "application"),
            list.join(" ")
        ));
    }
}

async fn destroy(ctx: &mut Context, session: &Session, tag: &str, args: &Args) -> Result {
    let nanoseconds = |it: Duration| i64::try_from(it.as_nanos()).unwrap_or(i64::MAX);
    let params = DestroyModelParams {
        model_tag: tag.to_owned(),
        destroy_storage: (args.destroy_storage || args.release_storage).then_some(args.destroy_storage),
        force: args.force.then_some(true),
        max_wait: (args.force && args.no_wait).then_some(0),
        timeout: args.timeout.map(nanoseconds),
    };
    if !ctx.printer.settings().quiet {
        ctx.printer.raw("Destroying model");
    }
    let reply =
        session.connection.call::<call::DestroyModels>(DestroyModelsParams { models: vec![params] }).await;
    let result = reply.map_err(Error::from).and_then(api::item);
    if let Err(e) = result {
        ctx.printer.info("");
        if e.code() == code::HAS_PERSISTENT_STORAGE {
            return Err(Error::failed(
                "cannot destroy model: the model contains persistent storage. Run the command again with \
                 --destroy-storage to destroy it, or with --release-storage to keep it without Juju.",
            ));
        }
        return Err(e.context("cannot destroy model"));
    }
    wait(ctx, session, tag).await
}

/// Shows what is left until nothing is.
async fn wait(ctx: &mut Context, session: &Session, tag: &str) -> Result {
    let (mut said, mut column, mut pause) = (String::new(), 0, FIRST_POLLS);
    loop {
        match status(session, tag).await {
            Ok(status) => {
                let message = left(&status);
                if ctx.printer.settings().quiet {
                } else if message != said {
                    ctx.printer.raw(&format!("\n{message}..."));
                    column = message.len() + 3;
                    said = message;
                } else if pause == POLL {
                    if column >= DOTS_A_LINE {
                        ctx.printer.raw("\n");
                        column = 0;
                    }
                    ctx.printer.raw(".");
                    column += 1;
                }
            }
            Err(e) if e.code() == code::NOT_FOUND => {
                ctx.printer.info("\nModel destroyed.");
                return Ok(());
            }
            Err(e) => return Err(e.context("cannot get the model's status")),
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(POLL);
    }
}

fn left(status: &ModelStatus) -> String {
    let mut text = "Waiting for model to be removed".to_owned();
    let len = |n: Option<usize>| i64::try_from(n.unwrap_or_default()).unwrap_or(i64::MAX);
    let failed = |status: &str| status == "error";
    let errors = status.machines.iter().flatten().filter(|it| failed(&it.status)).count();
    for (n, what) in [
        (i64::try_from(errors).unwrap_or(i64::MAX), "error(s)"),
        (status.hosted_machine_count, "machine(s)"),
        (status.application_count, "application(s)"),
        (len(status.volumes.as_ref().map(Vec::len)), "volume(s)"),
        (len(status.filesystems.as_ref().map(Vec::len)), "filesystems(s)"),
    ] {
        if n > 0 {
            text.push_str(&format!(", {n} {what}"));
        }
    }
    text
}

fn forget(ctx: &Context, controller: &str, name: &str) -> Result {
    ctx.store
        .update(|file: &mut Models| {
            if let Some(models) = file.controllers.get_mut(controller) {
                models.remove(name);
            }
        })
        .context("cannot remove the model from the client store")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_counted() {
        let status = |machines, applications| ModelStatus {
            hosted_machine_count: machines,
            application_count: applications,
            ..ModelStatus::default()
        };
        assert_eq!(left(&status(1, 1)), "Waiting for model to be removed, 1 machine(s), 1 application(s)");
        assert_eq!(left(&status(0, 0)), "Waiting for model to be removed");
    }
}
