//! `juju switch`.

use crate::{
    Context,
    api::{Open, refresh_models},
    cli::{About, Command, flags::Positional},
    context::block_on,
    error::{Context as _, Error, Result},
    select,
    store::{Accounts, Controllers, Models, Store},
};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "switch",
        usage: "[<controller>|<model>|<controller>:|:<model>|<controller>:<model>]",
        purpose: "Select or identify the current controller and model.",
        details: "Without an argument the current controller and model are shown. A name without a colon is that of a \
                  controller if there is one, else that of a model of the current controller.",
        examples: &[
            ("juju switch", "Show what is current"),
            ("juju switch mymodel", ""),
            ("juju switch mycontroller:mymodel", ""),
        ],
        see_also: &["controllers", "models", "whoami"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let target = self.positional.at_most_one()?;
        let before = Focus::read(&ctx.store)?;
        let Some(target) = target else {
            let name = before.name(false);
            if name.is_empty() {
                return Err(Error::failed("no currently specified model"));
            }
            return ctx.printer.data(&format!("{name}\n"));
        };
        refuse_override(ctx)?;
        let to = choose(&ctx.store, &before, &target).or_else(|unknown| {
            // The controller may have models that were added elsewhere.
            let (controller, _) = select::split(&target);
            let controller = controller.or(before.controller.as_deref()).map(String::from);
            let Some(controller) = controller.filter(|_| matches!(unknown, Unknown::Model)) else {
                return Err(unknown.into_error(&target));
            };
            block_on(async {
                let session = Open::controller(ctx, &controller)?.connect().await?;
                refresh_models(&ctx.store, &session).await.map_err(|e| e.context("refreshing models cache"))
            })?;
            choose(&ctx.store, &before, &target).map_err(|e| e.into_error(&target))
        })?;
        to.write(&ctx.store)?;
        let (old, new) = (before.name(true), to.name(true));
        ctx.printer.info(if old == new { format!("{old} (no change)") } else { format!("{old} -> {new}") });
        Ok(())
    }
}

fn refuse_override(ctx: &Context) -> Result {
    let overriding =
        [("JUJU_MODEL", "model", &ctx.env.model), ("JUJU_CONTROLLER", "controller", &ctx.env.controller)];
    for (variable, what, value) in overriding {
        if let Some(value) = value {
            return Err(Error::failed(format!(
                "cannot switch when {variable} is overriding the {what} (set to {value:?})"
            )));
        }
    }
    Ok(())
}

/// What is current, or shall be.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Focus {
    controller: Option<String>,
    /// `owner/name`.
    model: Option<String>,
}

enum Unknown {
    /// Neither controller nor model, and there is no controller to ask.
    Target,
    /// Not a model that is known here.
    Model,
    Controller(String),
    Store(Error),
}

impl Unknown {
    fn into_error(self, target: &str) -> Error {
        match self {
            Self::Target | Self::Model => {
                Error::failed(format!("{target:?} is not the name of a model or controller"))
            }
            Self::Controller(name) => Error::failed(format!("controller {name} not found")),
            Self::Store(e) => e,
        }
    }
}

impl Focus {
    fn read(store: &Store) -> Result<Self> {
        let controllers: Controllers = store.read().context("cannot read the client store")?;
        match controllers.current() {
            Some(name) => Self::of(store, name),
            None => Ok(Self { controller: None, model: None }),
        }
    }

    /// A controller with the model that was last used there.
    fn of(store: &Store, controller: &str) -> Result<Self> {
        let models: Models = store.read().context("cannot read the client store")?;
        let model = models.current(controller).map(String::from);
        Ok(Self { controller: Some(controller.to_owned()), model })
    }

    /// `lab:admin/demo`; a controller without a model is marked as one for people.
    fn name(&self, for_people: bool) -> String {
        match (&self.controller, &self.model) {
            (None, _) => String::new(),
            (Some(controller), Some(model)) => format!("{controller}:{model}"),
            (Some(controller), None) if for_people => format!("{controller} (controller)"),
            (Some(controller), None) => controller.clone(),
        }
    }

    fn write(&self, store: &Store) -> Result {
        let Some(controller) = &self.controller else { return Ok(()) };
        let write = || {
            let mut locked = store.lock()?;
            locked.update(|file: &mut Controllers| file.current_controller.clone_from(controller))?;
            if let Some(model) = &self.model {
                locked.update(|file: &mut Models| {
                    if let Some(models) = file.controllers.get_mut(controller) {
                        models.current_model.clone_from(model);
                    }
                })?;
            }
            Ok(())
        };
        write().map_err(|e: crate::store::StoreError| Error::chain(&e))
    }
}

fn choose(store: &Store, before: &Focus, target: &str) -> std::result::Result<Focus, Unknown> {
    let failed = |e: crate::store::StoreError| Unknown::Store(Error::chain(&e));
    let controllers: Controllers = store.read().map_err(failed)?;
    let as_controller = target.strip_suffix(':').unwrap_or(target);
    if controllers.controllers.contains_key(as_controller) {
        return Focus::of(store, as_controller).map_err(Unknown::Store);
    }
    if target.ends_with(':') {
        return Err(Unknown::Controller(as_controller.to_owned()));
    }
    let (controller, model) = select::split(target);
    let controller = match controller {
        Some(name) if !controllers.controllers.contains_key(name) => {
            return Err(Unknown::Controller(name.to_owned()));
        }
        Some(name) => name,
        None => before.controller.as_deref().ok_or(Unknown::Target)?,
    };
    let accounts: Accounts = store.read().map_err(failed)?;
    let user = accounts.controllers.get(controller).map_or("", |it| it.user.as_str());
    let models: Models = store.read().map_err(failed)?;
    let found = match models.of(controller) {
        Some(models) => models.find(model, user).map_err(|e| Unknown::Store(Error::chain(&e)))?,
        None => None,
    };
    let (name, _) = found.ok_or(Unknown::Model)?;
    Ok(Focus { controller: Some(controller.to_owned()), model: Some(name.to_owned()) })
}
