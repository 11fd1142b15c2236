//! `juju clouds`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    Context, cells,
    cli::{
        About, Command,
        flags::{ControllerFlags, OutputFlags, Positional},
    },
    error::{Context as _, Result},
    output::Table,
    store::{Cloud, Clouds, Credentials},
};

#[derive(clap::Args)]
pub struct Args {
    /// Show clouds that have no credentials too; all are shown anyway
    #[arg(long)]
    all: bool,
    /// Look at this client only; that is all it does
    #[arg(long)]
    client: bool,
    #[command(flatten)]
    controller: ControllerFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    positional: Positional,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Shown {
    /// `built-in` or `local`, which is Juju's word for a cloud that the user added.
    defined: &'static str,
    #[serde(rename = "type")]
    cloud_type: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    auth_types: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    endpoint: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    regions: BTreeMap<String, BTreeMap<String, serde_json::Value>>,
    #[serde(skip)]
    credentials: usize,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "clouds",
        aliases: &["list-clouds"],
        purpose: "List all clouds available to Juju.",
        details: "The cloud \"local\" is built in: its machines are processes on this host. Clouds that were added to \
                  clouds.yaml in the client store are listed too.",
        examples: &[("juju clouds", ""), ("juju clouds --format yaml", "")],
        see_also: &["bootstrap"],
        formats: &["tabular", "json", "yaml"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.positional.none()?;
        let output = self.output.check(&Self::ABOUT)?;
        let read = "cannot read the client store";
        let clouds = all(&ctx.store.read().context(read)?, &ctx.store.read().context(read)?);
        ctx.printer.value(&output, &clouds, |clouds, color| {
            let mut table =
                Table::new(&["Cloud", "Regions", "Default", "Type", "Credentials", "Source", "Description"])
                    .align_right(&[1]);
            for (name, it) in clouds {
                table.row(cells![
                    name.as_str(),
                    it.regions.len().to_string(),
                    it.regions.keys().next().map_or("", String::as_str),
                    it.cloud_type.as_str(),
                    it.credentials.to_string(),
                    it.defined,
                    it.description.as_str(),
                ]);
            }
            format!("Clouds available on the client:\n{}", table.render(color))
        })
    }
}

fn all(clouds: &Clouds, credentials: &Credentials) -> BTreeMap<String, Shown> {
    let added = clouds.clouds.iter().map(|(name, it)| (name.clone(), "local", it.clone()));
    let built_in = std::iter::once(("local".to_owned(), "built-in", Cloud::local()));
    let number = |cloud: &str| {
        let of_cloud = credentials.credentials.get(cloud).into_iter().flatten();
        of_cloud.filter(|it| it.1.is_object()).count()
    };
    let shown = built_in.chain(added).map(|(name, defined, it)| {
        let shown = Shown {
            defined,
            cloud_type: it.cloud_type,
            description: it.description,
            auth_types: it.auth_types,
            endpoint: it.endpoint,
            regions: it.regions,
            credentials: number(&name),
        };
        (name, shown)
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::yaml;

    #[test]
    fn the_local_cloud_is_always_there() {
        let clouds: Clouds = yaml::from_str("clouds: {metal: {type: manual, endpoint: host}}").unwrap();
        let credentials: Credentials =
            yaml::from_str("credentials: {metal: {default-credential: ops, ops: {auth-type: empty}}}")
                .unwrap();
        let all = all(&clouds, &credentials);
        assert_eq!(all.keys().collect::<Vec<_>>(), ["local", "metal"]);
        assert_eq!((all["local"].defined, all["metal"].credentials), ("built-in", 1));
    }
}
