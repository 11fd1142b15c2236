//! `juju config`.

use std::collections::{BTreeMap, BTreeSet};

use juju_core::ApplicationName;
use juju_wire::facade::application::{
    ApplicationConfigUnsetArgs, ApplicationGet, ApplicationGetResults, ApplicationUnset, ConfigSet,
    ConfigSetArgs, call,
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    Context,
    api::{self, Session},
    cli::{
        About, Command, Env, files,
        flags::{ColorFlags, ModelFlags, OutputFlags, Positional},
    },
    context::block_on,
    error::{Error, Result},
    output::{Format, json, yaml},
    printer::Output,
};

/// The only branch there is.
const BRANCH: &str = "master";

#[derive(clap::Args)]
pub struct Args {
    /// Set options from this file of YAML
    #[arg(long, value_name = "FILE", default_value = "")]
    file: String,
    /// Give these options, separated by commas, their default values
    #[arg(long, value_name = "KEYS")]
    reset: Vec<String>,
    #[command(flatten)]
    color: ColorFlags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    positional: Positional,
}

/// What is asked for, checked.
#[derive(Debug, PartialEq)]
enum Request {
    ShowAll,
    Show(String),
    Change { set: BTreeMap<String, String>, file: String, reset: Vec<String> },
}

impl Command for Args {
    const ABOUT: About = About {
        name: "config",
        usage: "<application name> [--reset <key[,key]>] [<attribute-key>][=<value>] ...]",
        purpose: "Get, set, or reset configuration for a deployed application.",
        details: "Without options all of them are shown; with the name of one, its value. \"key=value\" sets an option, \
                  \"key=@file\" from a file. Files of YAML have the options below the application's name; what \
                  \"juju config\" prints is accepted too.",
        examples: &[
            ("juju config mysql", ""),
            ("juju config mysql max-connections", ""),
            ("juju config mysql max-connections=100 tuning=@tuning.cnf", ""),
            ("juju config mysql --file mysql.yaml --reset flavor", ""),
        ],
        see_also: &["deploy", "status"],
        formats: &["yaml", "json"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.color.apply(ctx.printer.settings_mut())?;
        let mut args = self.positional.args.into_iter();
        let name = args
            .next()
            .filter(|it| !it.is_empty())
            .ok_or_else(|| Error::usage("no application name specified"))?;
        if !ApplicationName::is_valid(&name) {
            return Err(Error::usage(format!("invalid application name {name:?}")));
        }
        let output = self.output.check(&Self::ABOUT)?;
        let request = check(args.collect(), &self.reset, self.file, &ctx.env)?;
        block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            match request {
                Request::Change { set, file, reset } => change(&session, &name, set, file, reset).await?,
                show => {
                    let get = ApplicationGet { application: name, branch: BRANCH.to_owned() };
                    let reply = session.connection.call::<call::Get>(get).await?;
                    match show {
                        Request::Show(key) => show_one(ctx, &output, &reply, &key)?,
                        _ => show_all(ctx, &output, &reply)?,
                    }
                }
            }
            session.close().await;
            Ok(())
        })
    }
}

fn check(args: Vec<String>, reset: &[String], file: String, env: &Env) -> Result<Request> {
    let reset: Vec<_> =
        reset.iter().flat_map(|it| it.split(',')).filter(|it| !it.is_empty()).map(String::from).collect();
    if let Some(pair) = reset.iter().find(|it| it.contains('=')) {
        return Err(Error::usage(format!(
            "--reset accepts a comma delimited set of keys \"a,b,c\", received: {pair:?}"
        )));
    }
    let (pairs, keys): (Vec<_>, Vec<_>) = args.into_iter().partition(|it| it.contains('='));
    if !keys.is_empty() {
        if !pairs.is_empty() || !file.is_empty() {
            return Err(Error::usage("cannot set and retrieve values simultaneously"));
        }
        if !reset.is_empty() {
            return Err(Error::usage("cannot reset and retrieve values simultaneously"));
        }
        if keys.len() > 1 {
            return Err(Error::usage("can only retrieve a single value, or all values"));
        }
        return Ok(Request::Show(keys.into_iter().next().unwrap_or_default()));
    }
    if pairs.is_empty() && file.is_empty() && reset.is_empty() {
        return Ok(Request::ShowAll);
    }
    let mut set = BTreeMap::new();
    for pair in &pairs {
        let (key, value) = pair.split_once('=').expect("sorted out above");
        if key.is_empty() {
            return Err(Error::usage(format!("expected \"key=value\", got {pair:?}")));
        }
        if set.insert(key.to_owned(), files::value(key, value, env)?).is_some() {
            return Err(Error::usage(format!("key {key:?} specified more than once")));
        }
    }
    let both: BTreeSet<_> = reset.iter().filter(|it| set.contains_key(*it)).collect();
    if let Some(key) = both.first() {
        return Err(Error::usage(format!("key {key:?} cannot be both set and reset in the same command")));
    }
    let file = match file.as_str() {
        "" => String::new(),
        path => files::read(path.as_ref(), env)?,
    };
    Ok(Request::Change { set, file, reset })
}

async fn change(
    session: &Session,
    name: &str,
    set: BTreeMap<String, String>,
    file: String,
    reset: Vec<String>,
) -> Result {
    if !reset.is_empty() {
        let args = vec![ApplicationUnset {
            application: name.to_owned(),
            branch: BRANCH.to_owned(),
            options: reset,
        }];
        let reply = session
            .connection
            .call::<call::UnsetApplicationsConfig>(ApplicationConfigUnsetArgs { args })
            .await?;
        api::item(reply)?;
    }
    if !set.is_empty() || !file.is_empty() {
        let one = ConfigSet {
            application: name.to_owned(),
            config: set,
            config_yaml: file,
            generation: BRANCH.to_owned(),
        };
        api::item(session.connection.call::<call::SetConfigs>(ConfigSetArgs { args: vec![one] }).await?)?;
    }
    Ok(())
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct All<'a> {
    application: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    application_config: &'a BTreeMap<String, Value>,
    charm: &'a str,
    settings: &'a BTreeMap<String, Value>,
}

fn show_all(ctx: &mut Context, output: &Output, reply: &ApplicationGetResults) -> Result {
    let all = All {
        application: &reply.application,
        application_config: &reply.application_config,
        charm: &reply.charm,
        settings: &reply.config,
    };
    ctx.printer.yaml_or_json(output, &all)
}

/// Prints a value: a text as it is, anything else as YAML, and whatever it is as JSON if JSON is asked for.
fn show_one(ctx: &mut Context, output: &Output, reply: &ApplicationGetResults, key: &str) -> Result {
    let option = reply.config.get(key).or_else(|| reply.application_config.get(key)).ok_or_else(|| {
        Error::failed(format!(
            "key {key:?} not found in {:?} application config or charm settings.",
            reply.application
        ))
    })?;
    let text = match option.get("value") {
        None | Some(Value::Null) => return Ok(()),
        Some(value) if output.format == Format::Json => json::to_string(value) + "\n",
        Some(Value::String(text)) => format!("{text}\n"),
        Some(other) => yaml::to_string(other),
    };
    ctx.printer.text(output, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(args: &[&str], reset: &[&str]) -> std::result::Result<Request, String> {
        let own = |texts: &[&str]| texts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        check(own(args), &own(reset), String::new(), &Env::default()).map_err(|e| e.to_string())
    }

    #[test]
    fn what_is_asked_for() {
        assert_eq!(ask(&[], &[]), Ok(Request::ShowAll));
        assert_eq!(ask(&["port"], &[]), Ok(Request::Show("port".into())));
        assert_eq!(
            ask(&["port=8080", "text=a=b", "empty="], &["x,y", "z"]),
            Ok(Request::Change {
                set: [("port", "8080"), ("text", "a=b"), ("empty", "")]
                    .map(|(k, v)| (k.to_owned(), v.to_owned()))
                    .into(),
                file: String::new(),
                reset: ["x", "y", "z"].map(String::from).into(),
            })
        );
        for (args, reset, want) in [
            (&["a", "b"][..], &[][..], "can only retrieve a single value, or all values"),
            (&["a", "b=1"], &[], "cannot set and retrieve values simultaneously"),
            (&["a"], &["b"], "cannot reset and retrieve values simultaneously"),
            (&["a=1"], &["a"], "key \"a\" cannot be both set and reset in the same command"),
            (&["a=1", "a=2"], &[], "key \"a\" specified more than once"),
            (&["=1"], &[], "expected \"key=value\", got \"=1\""),
            (&[], &["a=1"], "--reset accepts a comma delimited set of keys \"a,b,c\", received: \"a=1\""),
        ] {
            assert_eq!(ask(args, reset), Err(want.to_owned()));
        }
    }
}
