//! What applications are told: their charms' options, and their own `trust`.

use std::collections::BTreeMap;

use juju_charm::Charm;
use juju_core::ApplicationName;
use juju_state::{application, attributes::Values, bindings, charm, constraints};
use juju_wire::{
    facade::application::{
        ApplicationConfigUnsetArgs, ApplicationGet, ApplicationGetArgs, ApplicationGetConfigResults,
        ApplicationGetResults, ApplicationUnset, ConfigResult, ConfigSet, ConfigSetArgs,
    },
    params::{Entities, ErrorResults},
};
use serde_json::{Value, json};

use super::may_change;
use crate::{
    Ctx, Error, Result,
    bulk::{FromOutcome, FromResults as _, each, tags},
    convert,
};

/// The application's own option, which is not its charm's.
const TRUST: &str = "trust";

/// Options as somebody gives them: typed, from a file, and as texts, which beat the file.
pub(super) struct Given {
    pub(super) typed: Values,
    pub(super) texts: BTreeMap<String, String>,
}

impl Given {
    /// From a file whose top level is the application's name, and pairs.
    pub(super) fn read(
        charm: &Charm,
        application: &str,
        yaml: &str,
        texts: BTreeMap<String, String>,
    ) -> Result<Given> {
        if yaml.is_empty() {
            return Ok(Given { typed: Values::new(), texts });
        }
        let wrong = |err: &dyn std::fmt::Display| Error::not_valid(format_args!("{err}"));
        let mut tree = juju_charm::yaml::value(yaml).map_err(|err| {
            Error::not_valid(format_args!("cannot parse settings data: {}", err.without_text()))
        })?;
        let trust = tree.get_mut(application).and_then(Value::as_object_mut).and_then(|it| it.remove(TRUST));
        // What is parsed is the file as it was written wherever it can be: its numbers are as the author wrote them.
        let parsed = match &trust {
            None => charm.config.parse_yaml(yaml, application),
            Some(_) => {
                let rest = juju_charm::yaml::to_string(&tree).map_err(|err| wrong(&err))?;
                charm.config.parse_yaml(&rest, application)
            }
        };
        let parsed = parsed.map_err(|err| wrong(&err))?;
        let mut typed: Values =
            parsed.into_iter().map(|(name, it)| (name, it.map_or(Value::Null, |it| it.to_json()))).collect();
        typed.extend(trust.map(|it| (TRUST.to_owned(), it)));
        Ok(Given { typed, texts })
    }
}

pub(super) async fn get(ctx: Ctx, args: ApplicationGet) -> Result<ApplicationGetResults> {
    let name = convert::application_name(&args.application)?;
    let (model, image) = (ctx.model(), ctx.model().image());
    let m = model.uuid();
    let doc = application::read(&image, m, &name)?;
    let charm = charm::describe(&image, m, &doc.charm_url)?;
    let values = application::config::read(&image, m, &name, &doc.charm_url)?;
    let bindings = bindings::read(&image, m, &name)?;
    let constraints = constraints::read(&image, m, constraints::Of::Application(&name))?;
    Ok(ApplicationGetResults {
        application: name.to_string(),
        charm: charm.name().to_owned(),
        config: describe(&charm, &values),
        application_config: [(TRUST.to_owned(), describe_trust(model.application_trust(&name)?))].into(),
        constraints: convert::constraints_to_wire(&constraints),
        base: convert::base_to_wire(&doc.base),
        channel: convert::channel_text(&doc.charm_origin),
        endpoint_bindings: bindings
            .into_iter()
            .map(|(endpoint, space)| (endpoint, space.to_string()))
            .collect(),
    })
}

/// Each option with what is known of it, its value and where that comes from.
fn describe(charm: &Charm, values: &Values) -> BTreeMap<String, Value> {
    let one = |(name, option): (&String, &juju_charm::ConfigOption)| {
        let mut shown = json!({ "description": option.description, "type": option.option_type.to_string() });
        let default = option.default.as_ref().map(|it| it.to_json());
        let own = values.get(name).filter(|it| !it.is_null()).cloned();
        let source = match (&own, &default) {
            (Some(_), _) => "user",
            (None, Some(_)) => "default",
            (None, None) => "unset",
        };
        shown["source"] = source.into();
        if let Some(value) = own.or_else(|| default.clone()) {
            shown["value"] = value;
        }
        if let Some(default) = default {
            shown["default"] = default;
        }
        (name.clone(), shown)
    };
    charm.config.options.iter().map(one).collect()
}

fn describe_trust(trust: Option<bool>) -> Value {
    json!({
        "default": false,
        "description": "Does this application have access to trusted credentials",
        "source": if trust.is_some() { "user" } else { "default" },
        "type": "bool",
        "value": trust.unwrap_or_default(),
    })
}

impl FromOutcome<BTreeMap<String, Value>> for ConfigResult {
    fn value(config: BTreeMap<String, Value>) -> Self {
        ConfigResult { config, error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        ConfigResult { error: Some(error), ..ConfigResult::default() }
    }
}

pub(super) async fn get_config(ctx: Ctx, args: Entities) -> Result<ApplicationGetConfigResults> {
    let one = async |tag: String| of(&ctx, &convert::application_tag(&tag)?);
    Ok(ApplicationGetConfigResults { results: each(tags(args), one).await })
}

pub(super) async fn charm_config(ctx: Ctx, args: ApplicationGetArgs) -> Result<ApplicationGetConfigResults> {
    let one = async |it: ApplicationGet| of(&ctx, &convert::application_name(&it.application)?);
    Ok(ApplicationGetConfigResults { results: each(args.args, one).await })
}

fn of(ctx: &Ctx, name: &ApplicationName) -> Result<BTreeMap<String, Value>> {
    let (image, m) = (ctx.model().image(), ctx.model_uuid());
    let doc = application::read(&image, m, name)?;
    let charm = charm::describe(&image, m, &doc.charm_url)?;
    Ok(describe(&charm, &application::config::read(&image, m, name, &doc.charm_url)?))
}

pub(super) async fn set(ctx: Ctx, args: ConfigSetArgs) -> Result<ErrorResults> {
    may_change(&ctx)?;
    let one = async |it: ConfigSet| {
        let name = convert::application_name(&it.application)?;
        let charm = charm_of(&ctx, &name)?;
        let given = Given::read(&charm, name.as_str(), &it.config_yaml, it.config)?;
        Ok(ctx.model().update_application_config(&name, &given.typed, &given.texts).await?)
    };
    Ok(ErrorResults::from_results(each(args.args, one).await))
}

pub(super) async fn unset(ctx: Ctx, args: ApplicationConfigUnsetArgs) -> Result<ErrorResults> {
    may_change(&ctx)?;
    let one = async |it: ApplicationUnset| {
        let name = convert::application_name(&it.application)?;
        let reset = it.options.into_iter().map(|option| (option, Value::Null)).collect();
        Ok(ctx.model().update_application_config(&name, &reset, &BTreeMap::new()).await?)
    };
    Ok(ErrorResults::from_results(each(args.args, one).await))
}

/// What the charm of an application says of itself.
pub(super) fn charm_of(ctx: &Ctx, name: &ApplicationName) -> Result<std::sync::Arc<Charm>> {
    let (image, m) = (ctx.model().image(), ctx.model_uuid());
    let doc = application::read(&image, m, name)?;
    Ok(charm::describe(&image, m, &doc.charm_url)?)
}
