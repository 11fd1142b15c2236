//! `relation-get`: what a unit or an application has written for a relation.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{
    Call, Context, Definition, Failure, Here, Io,
    args::{Args, Flag, UsageError, quote},
    output::{FORMAT, OUTPUT, Output},
    relation_id::{self, RELATION},
};
use crate::names;

const APP: Flag = Flag::bool(&["app"], "Get the relation data for the overall application, not just a unit");

pub(super) const DEFINITION: Definition = Definition {
    name: "relation-get",
    args: "<key> <unit id>",
    summary: "Get relation settings.",
    details: "Prints the value of a key, or with \"-\" or no key all settings, as text. The default unit is the\n\
              remote unit of the hook; where it has none, the data of the remote application is read. A unit's own\n\
              data include what the hook has written so far.",
    flags: &[&APP, &FORMAT, &OUTPUT, &RELATION],
    parse: |args, here| {
        let output = Output::parse(args)?;
        let relation = relation_id::require(args, here)?;
        let key = args.next().filter(|it| it != "-" && !it.is_empty());
        let whose = whose(args, here)?;
        args.finish()?;
        Ok(Box::new(RelationGet { relation, key, whose, output }))
    },
};

/// Whose data.
#[derive(Debug, PartialEq, Eq)]
enum Whose {
    Unit(String),
    Application(String),
}

struct RelationGet {
    relation: i64,
    key: Option<String>,
    whose: Whose,
    output: Output,
}

fn whose(args: &mut Args, here: &Here) -> Result<Whose, UsageError> {
    let app = args.is_set("app");
    if let Some(name) = args.next().filter(|it| !it.is_empty()) {
        return match (names::application_of(&name), names::is_application(&name)) {
            (Some(application), _) if app => Ok(Whose::Application(application.to_owned())),
            (Some(_), _) => Ok(Whose::Unit(name)),
            (None, true) if app => Ok(Whose::Application(name)),
            (None, true) => {
                Err(UsageError::new(format!("expected unit name, got application name {}", quote(&name))))
            }
            (None, false) => Err(UsageError::new(format!("invalid unit name {}", quote(&name)))),
        };
    }
    match (&here.remote_unit, &here.remote_application) {
        (Some(unit), _) if !app => Ok(Whose::Unit(unit.clone())),
        (_, Some(application)) => Ok(Whose::Application(application.clone())),
        (Some(unit), None) if app => {
            Ok(Whose::Application(names::application_of(unit).unwrap_or_default().to_owned()))
        }
        _ => Err(UsageError::new("no unit or application specified")),
    }
}

#[async_trait]
impl Call for RelationGet {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let settings = match &self.whose {
            Whose::Unit(unit) if unit == context.unit() => context.own_settings(self.relation).await?.clone(),
            Whose::Unit(unit) => context.unit_settings(self.relation, unit).await?,
            Whose::Application(name) if name == context.application() => {
                context.own_application_settings(self.relation).await?
            }
            Whose::Application(name) => context.application_settings(self.relation, name).await?,
        };
        let value = match &self.key {
            Some(key) => settings.get(key).map_or(Value::Null, |it| json!(it)),
            None => json!(settings),
        };
        self.output.write(io, &value).await
    }
}

#[cfg(test)]
mod tests {
    use super::{super::args::Asked, *};

    #[test]
    fn the_default_is_the_hooks_remote() {
        let joined = Here {
            relation: Some(4),
            remote_unit: Some("db/1".into()),
            remote_application: Some("db".into()),
            ..Here::default()
        };
        let created = Here { remote_unit: None, ..joined.clone() };
        let outside = Here::default();
        let unit = |it: &str| Ok(Whose::Unit(it.into()));
        let application = |it: &str| Ok(Whose::Application(it.into()));
        for (here, line, want) in [
            (&joined, vec![], unit("db/1")),
            (&joined, vec!["--app"], application("db")),
            (&created, vec![], application("db")),
            (&outside, vec![], Err("no unit or application specified")),
            (&outside, vec!["web/3"], unit("web/3")),
            (&outside, vec!["--app", "web/3"], application("web")),
            (&outside, vec!["--app", "web"], application("web")),
            (&joined, vec!["web"], Err("expected unit name, got application name \"web\"")),
            (&joined, vec!["9!"], Err("invalid unit name \"9!\"")),
        ] {
            let words = line.iter().map(|it| it.to_string()).collect();
            let Ok(Asked::Run(mut args)) = Args::parse(&[&APP], words) else { panic!() };
            let got = whose(&mut args, here).map_err(|it| it.to_string());
            assert_eq!(got, want.map_err(str::to_owned), "{line:?}");
        }
    }
}
