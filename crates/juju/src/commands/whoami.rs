//! `juju whoami`.

use serde::Serialize;

use crate::{
    Context, cells,
    cli::{
        About, Command,
        flags::{OutputFlags, Positional},
    },
    error::{Context as _, Result},
    output::Table,
    store::{Accounts, Controllers, Models},
};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    positional: Positional,
}

#[derive(Serialize)]
struct Who {
    controller: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    user: String,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "whoami",
        purpose: "Print current login details.",
        details: "Shows the current controller, the model in focus and the user logged in there.",
        examples: &[("juju whoami", "")],
        see_also: &["controllers", "models", "switch"],
        formats: &["tabular", "json", "yaml"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.positional.none()?;
        let output = self.output.check(&Self::ABOUT)?;
        let controllers: Controllers = ctx.store.read().context("cannot read the client store")?;
        let current = ctx.env.controller.clone().or_else(|| controllers.current().map(String::from));
        let Some(controller) = current.filter(|it| controllers.controllers.contains_key(it)) else {
            ctx.printer.info(
                "There is no current controller.\nRun juju list-controllers to see available controllers.",
            );
            return Ok(());
        };
        let models: Models = ctx.store.read().context("cannot read the client store")?;
        let accounts: Accounts = ctx.store.read().context("cannot read the client store")?;
        let user = accounts.controllers.get(&controller).map(|it| it.user.clone()).unwrap_or_default();
        if user.is_empty() {
            ctx.printer.info(format!(
                "You are not logged in to controller {controller:?} and model {:?}.\n\nRun juju login if you want to \
                 login.",
                models.current(&controller).unwrap_or_default()
            ));
            return Ok(());
        }
        let model = models.current(&controller).map(|name| unqualified(name, &user).to_owned());
        let who = Who { controller, model, user };
        ctx.printer.value(&output, &who, |who, color| {
            let mut table = Table::bare();
            table.row(cells!["Controller:", who.controller.as_str()]);
            table.row(cells!["Model:", who.model.as_deref().unwrap_or("<no-current-model>")]);
            table.row(cells!["User:", who.user.as_str()]);
            table.render(color)
        })
    }
}

/// A model's name as its owner says it.
pub fn unqualified<'a>(model: &'a str, user: &str) -> &'a str {
    match model.split_once('/') {
        Some((owner, name)) if owner == user => name,
        _ => model,
    }
}
