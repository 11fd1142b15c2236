//! Deploys a charm from Charmhub, which the controller resolves and fetches.

use juju_wire::{
    facade::application::{
        DeployFromRepositoryArg, DeployFromRepositoryArgs, DeployFromRepositoryInfo, call,
    },
    params,
};

use super::{charm::Request, constraints, placement};
use crate::{
    api::{self, Session},
    error::{Error, Result},
    output::yaml,
    printer::Printer,
};

/// What is asked for beside what local charms have too.
#[derive(Clone, Debug, Default)]
pub struct FromRepository {
    pub name: String,
    pub channel: String,
    pub revision: Option<i64>,
    pub dry_run: bool,
}

pub async fn deploy(
    session: &Session,
    printer: &mut Printer,
    from: FromRepository,
    request: Request,
) -> Result {
    let application = request.application.clone().unwrap_or_else(|| from.name.clone());
    let arg = DeployFromRepositoryArg {
        charm_name: from.name.clone(),
        application_name: request.application.clone().unwrap_or_default(),
        channel: from.channel.clone(),
        revision: from.revision,
        dry_run: from.dry_run,
        config_yaml: config_yaml(&application, &request)?,
        cons: constraints::to_wire(&request.constraints),
        placement: placement::parse(&request.to, &session.open_model()?.uuid)?,
        base: request
            .base
            .as_ref()
            .map(|it| params::Base { name: it.os.clone(), channel: it.channel.to_string() }),
        endpoint_bindings: request.bindings.clone(),
        force: request.force,
        num_units: request.num_units,
        trust: request.trust,
        ..DeployFromRepositoryArg::default()
    };
    let args = DeployFromRepositoryArgs { args: vec![arg] };
    let reply = session.connection.call::<call::DeployFromRepository>(args).await?;
    let result = api::only(reply.results)?;
    api::items(printer, result.errors)?;
    printer.info(message(&application, &result.info, from.dry_run));
    Ok(())
}

fn message(application: &str, info: &DeployFromRepositoryInfo, dry_run: bool) -> String {
    let channel = if info.effective_channel.is_empty() { &info.channel } else { &info.effective_channel };
    let base = info.base.as_ref().map(|it| format!("{}@{}", it.name, it.channel)).unwrap_or_default();
    let what = format!(
        "{application:?} from charm-hub charm {:?}, revision {} in channel {channel} on {base}",
        info.name, info.revision
    );
    if dry_run { format!("{what} would be deployed") } else { format!("Deployed {what}") }
}

/// Pairs and file as one text: that is all this call takes. Pairs beat the file.
fn config_yaml(application: &str, request: &Request) -> Result<String> {
    use serde_json::{Map, Value};
    if request.config.pairs.is_empty() {
        return Ok(request.config.yaml.clone());
    }
    let mut all: Map<String, Value> = yaml::from_str(&request.config.yaml)
        .map_err(|e| Error::failed(format!("cannot parse the config file: {e}")))?;
    let own = all.entry(application).or_insert_with(|| Value::Object(Map::new()));
    let own = own
        .as_object_mut()
        .ok_or_else(|| Error::failed(format!("the config file has no options below {application:?}")))?;
    for (key, value) in &request.config.pairs {
        own.insert(key.clone(), Value::String(value.clone()));
    }
    Ok(yaml::to_string(&all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_deployed_is_told() {
        let info = DeployFromRepositoryInfo {
            name: "postgresql".into(),
            revision: 345,
            channel: "14/stable".into(),
            base: Some(params::Base { name: "ubuntu".into(), channel: "22.04/stable".into() }),
            ..DeployFromRepositoryInfo::default()
        };
        let text = "\"pg\" from charm-hub charm \"postgresql\", revision 345 in channel 14/stable on ubuntu@22.04/stable";
        assert_eq!(message("pg", &info, false), format!("Deployed {text}"));
        assert_eq!(message("pg", &info, true), format!("{text} would be deployed"));
    }

    #[test]
    fn pairs_and_file_become_one() {
        let mut request = Request::default();
        request.config.yaml = "pg:\n  a: 1\n  b: x\n".into();
        assert_eq!(config_yaml("pg", &request).unwrap(), request.config.yaml);
        request.config.pairs.insert("b".into(), "y".into());
        let merged: serde_json::Value = yaml::from_str(&config_yaml("pg", &request).unwrap()).unwrap();
        assert_eq!(merged, serde_json::json!({"pg": {"a": 1, "b": "y"}}));
    }
}
