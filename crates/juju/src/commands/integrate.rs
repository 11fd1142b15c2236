//! `juju integrate`.

use juju_core::{ApplicationName, EndpointName};
use juju_wire::{
    code,
    facade::application::{AddRelation, call},
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
    /// For offers of other models, the networks that traffic comes from
    #[arg(long, value_name = "CIDRS", default_value = "")]
    via: String,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "integrate",
        aliases: &["relate"],
        usage: "<application>[:<endpoint>] <application>[:<endpoint>]",
        purpose: "Integrate two applications.",
        details: "Endpoints need to be named only if more than one pair of them fits.",
        examples: &[("juju integrate wordpress mysql", ""), ("juju integrate wordpress:db mysql:server", "")],
        see_also: &["remove-relation", "status"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let endpoints = endpoints(self.positional.args)?;
        let via_cidrs =
            self.via.split(',').map(str::trim).filter(|it| !it.is_empty()).map(String::from).collect();
        block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            let reply =
                session.connection.call::<call::AddRelation>(AddRelation { endpoints, via_cidrs }).await;
            reply.map_err(|e| explain(e.into()))?;
            session.close().await;
            Ok(())
        })
    }
}

/// Two endpoints, `application` or `application:endpoint` each.
pub(super) fn endpoints(args: Vec<String>) -> Result<Vec<String>> {
    if args.len() != 2 {
        return Err(Error::usage("a relation must involve two applications"));
    }
    for endpoint in &args {
        let is_valid = match endpoint.split_once(':') {
            None => ApplicationName::is_valid(endpoint),
            Some((application, name)) => {
                ApplicationName::is_valid(application) && EndpointName::is_valid(name)
            }
        };
        if !is_valid {
            return Err(Error::usage(format!("endpoint {endpoint:?} not valid")));
        }
    }
    Ok(args)
}

/// A relation that is there already is said in short lines, with where to look.
fn explain(error: Error) -> Error {
    if error.code() != code::ALREADY_EXISTS {
        return error;
    }
    Error::failed(format!(
        "{}\n\nUse 'juju status --relations' to view the current relations.",
        error.to_string().replace(": ", "\n")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_endpoints_are_wanted() {
        let check = |args: &[&str]| {
            endpoints(args.iter().map(|it| (*it).to_owned()).collect()).map_err(|e| e.to_string())
        };
        assert_eq!(check(&["web:db", "pg"]), Ok(vec!["web:db".into(), "pg".into()]));
        for (args, want) in [
            (&["web"][..], "a relation must involve two applications"),
            (&["a", "b", "c"], "a relation must involve two applications"),
            (&["", "b"], "endpoint \"\" not valid"),
            (&["a:", "b"], "endpoint \"a:\" not valid"),
            (&[":x", "b"], "endpoint \":x\" not valid"),
            (&["x:y:z", "b"], "endpoint \"x:y:z\" not valid"),
            (&["a/0", "b"], "endpoint \"a/0\" not valid"),
        ] {
            assert_eq!(check(args), Err(want.to_owned()));
        }
    }

    #[test]
    fn a_relation_that_exists_is_explained() {
        let text = "cannot add relation \"web:db pg:db\": relation web:db pg:db";
        let error = explain(Error::Api(juju_wire::Error::new(code::ALREADY_EXISTS, text)));
        assert_eq!(
            error.to_string(),
            "cannot add relation \"web:db pg:db\"\nrelation web:db pg:db\n\nUse 'juju status --relations' to view the \
             current relations."
        );
    }
}
