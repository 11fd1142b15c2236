//! `juju expose`.

use std::collections::BTreeMap;

use juju_core::ApplicationName;
use juju_wire::{
    facade::application::{ApplicationExpose, call},
    params::ExposedEndpoint,
};

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
    /// Expose only the ports of these endpoints, separated by commas
    #[arg(long, value_name = "ENDPOINTS", default_value = "")]
    endpoints: String,
    /// Networks that may come in, separated by commas
    #[arg(long, value_name = "CIDRS", default_value = "")]
    to_cidrs: String,
    /// Spaces that may come in, separated by commas
    #[arg(long, value_name = "SPACES", default_value = "")]
    to_spaces: String,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "expose",
        usage: "<application name>",
        purpose: "Makes an application publicly available over the network.",
        details: "The ports that the application's charm opened can be reached from outside then.",
        examples: &[
            ("juju expose apache2", ""),
            ("juju expose apache2 --endpoints www --to-cidrs 10.0.0.0/24", ""),
        ],
        see_also: &["unexpose"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let application = application(self.positional)?;
        let params = ApplicationExpose {
            application,
            exposed_endpoints: exposed(&self.endpoints, &self.to_spaces, &self.to_cidrs),
        };
        block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            session.connection.call::<call::Expose>(params).await?;
            session.close().await;
            Ok(())
        })
    }
}

pub(super) fn application(positional: Positional) -> Result<String> {
    let name = positional.one("no application name specified")?;
    if !ApplicationName::is_valid(&name) {
        return Err(Error::usage(format!("invalid application name {name:?}")));
    }
    Ok(name)
}

pub(super) fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|it| !it.is_empty()).map(String::from).collect()
}

/// Nothing if nothing is said; otherwise the endpoints named, or all of them, which is "".
fn exposed(endpoints: &str, spaces: &str, cidrs: &str) -> BTreeMap<String, ExposedEndpoint> {
    if endpoints.is_empty() && spaces.is_empty() && cidrs.is_empty() {
        return BTreeMap::new();
    }
    let to = ExposedEndpoint { expose_to_cidrs: list(cidrs), expose_to_spaces: list(spaces) };
    let endpoints = match list(endpoints) {
        none if none.is_empty() => vec![String::new()],
        some => some,
    };
    endpoints.into_iter().map(|it| (it, to.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_and_origins() {
        assert!(exposed("", "", "").is_empty());
        let all = exposed("", "", "10.0.0.0/24, 10.0.1.0/24");
        assert_eq!(all[""].expose_to_cidrs, ["10.0.0.0/24", "10.0.1.0/24"]);
        let some = exposed("www,logs", "public", "");
        assert_eq!(some.keys().collect::<Vec<_>>(), ["logs", "www"]);
        assert_eq!(some["www"].expose_to_spaces, ["public"]);
    }
}
