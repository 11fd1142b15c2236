//! `juju add-model`.

use std::collections::BTreeMap;

use juju_core::{CloudName, CredentialId, ModelName, TagId, UserName};
use juju_wire::{
    code,
    facade::{
        cloud::{self, TaggedCredential, TaggedCredentials},
        model_manager::{ModelCreateArgs, ModelInfo, call},
    },
    params::{CloudCredential, Entities, Entity},
};
use serde_json::Value;

use super::config_values::{self, Values};
use crate::{
    Context,
    api::{self, Session},
    cli::{
        About, Command,
        flags::{ControllerFlags, Positional, no_more},
    },
    context::block_on,
    error::{Context as _, Error, Result},
    store::{Credentials, Model, Models},
};

#[derive(clap::Args)]
pub struct Args {
    /// Model configuration: a file of YAML or key=value
    #[arg(long, value_name = "FILE|KEY=VALUE")]
    config: Vec<String>,
    /// Credential to use for the model
    #[arg(long, value_name = "NAME", default_value = "")]
    credential: String,
    /// Do not make the new model the current one
    #[arg(long)]
    no_switch: bool,
    /// The owner of the model, if not the current user
    #[arg(long, value_name = "USER", default_value = "")]
    owner: String,
    #[command(flatten)]
    controller: ControllerFlags,
    #[command(flatten)]
    positional: Positional,
}

/// What is asked for, checked.
#[derive(Debug)]
struct Request {
    name: String,
    cloud_region: Option<String>,
    owner: Option<UserName>,
    credential: Option<String>,
    config: Values,
    no_switch: bool,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "add-model",
        usage: "<model name> [<cloud>|<region>|<cloud>/<region>]",
        purpose: "Add a workload model.",
        details: "A model's name is unique for its owner; it has lower-case letters, digits and hyphens. Without a \
                  cloud the model is in the controller's one.",
        examples: &[
            ("juju add-model mymodel", ""),
            ("juju add-model mymodel --config my-config.yaml --config image-stream=daily", ""),
        ],
        see_also: &["destroy-model", "models", "switch"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let controller = self.controller.controller.clone();
        let request = self.check()?;
        let added = block_on(request.create(ctx, controller.as_deref()))?;
        ctx.printer.info(added.message());
        Ok(())
    }
}

impl Args {
    fn check(self) -> Result<Request> {
        let mut args = self.positional.args.into_iter();
        let name = args.next().ok_or_else(|| Error::usage("model name is required"))?;
        let cloud_region = args.next();
        no_more(&args.collect::<Vec<_>>())?;
        if !ModelName::is_valid(&name) {
            return Err(Error::usage(format!(
                "{name:?} is not a valid name: model names may only contain lowercase letters, digits and hyphens"
            )));
        }
        let owner = match self.owner.as_str() {
            "" => None,
            owner => Some(owner.parse().map_err(|_| Error::usage(format!("{owner:?} is not a valid user")))?),
        };
        Ok(Request {
            name,
            cloud_region,
            owner,
            credential: Some(self.credential).filter(|it| !it.is_empty()),
            config: config_values::parse(&self.config)?,
            no_switch: self.no_switch,
        })
    }
}

/// A model that was added.
struct Added {
    info: ModelInfo,
    owner: String,
    asked_for_place: bool,
}

impl Added {
    fn message(&self) -> String {
        let info = &self.info;
        let mut text = format!("Added '{}' model", info.name);
        if self.asked_for_place || !info.cloud_region.is_empty() {
            let cloud = info.cloud_tag.strip_prefix("cloud-").unwrap_or_default();
            text.push_str(&format!(" on {cloud}"));
            if !info.cloud_region.is_empty() {
                text.push_str(&format!("/{}", info.cloud_region));
            }
        }
        if let Ok(credential) = CredentialId::from_tag(&info.cloud_credential_tag) {
            let owner = credential.owner().to_string();
            let prefix = if owner == self.owner { String::new() } else { format!("{owner}/") };
            text.push_str(&format!(" with credential '{prefix}{}'", credential.name()));
        }
        text.push_str(&format!(" for user '{}'", self.owner));
        text
    }
}

impl Request {
    async fn create(self, ctx: &Context, controller: Option<&str>) -> Result<Added> {
        let mut config: BTreeMap<String, Value> = self.config.clone().into_typed(&ctx.env)?;
        crate::bootstrap::ssh_keys::add(&mut config, &ctx.env)?;
        let session = Session::controller(ctx, controller).await?;
        let owner = self.owner.as_ref().map_or_else(|| session.user.clone(), ToString::to_string);
        let (cloud, region) = place(&session, self.cloud_region.as_deref()).await?;
        let credential = match &self.credential {
            Some(name) => upload_credential(ctx, &session, &cloud.name, &owner, name).await?,
            None if cloud.needs_none => String::new(),
            None => only_credential(&session, &cloud.name, &owner).await?,
        };
        let args = ModelCreateArgs {
            name: self.name.clone(),
            owner_tag: format!("user-{owner}"),
            cloud_tag: format!("cloud-{}", cloud.name),
            region: region.unwrap_or_default(),
            credential,
            config,
        };
        let info = session.connection.call::<call::CreateModel>(args).await.map_err(Error::from)?;
        if owner == session.user {
            self.remember(ctx, &session.controller, &owner, &info)?;
        }
        session.close().await;
        Ok(Added { info, owner, asked_for_place: self.cloud_region.is_some() })
    }

    fn remember(&self, ctx: &Context, controller: &str, owner: &str, info: &ModelInfo) -> Result {
        let name = format!("{owner}/{}", self.name);
        ctx.store
            .update(|file: &mut Models| {
                let models = file.controllers.entry(controller.to_owned()).or_default();
                models.models.insert(name.clone(), Model::new(&info.uuid, &info.type_));
                if !self.no_switch {
                    models.current_model = name;
                }
            })
            .context("cannot write the new model to the client store")
    }
}

/// A cloud of the controller.
struct Place {
    name: String,
    /// Whether it opens without a credential.
    needs_none: bool,
}

/// Finds the cloud and region of `cloud`, `region` or `cloud/region`, or of nothing.
async fn place(session: &Session, wanted: Option<&str>) -> Result<(Place, Option<String>)> {
    let place = |name: &str, it: &cloud::Cloud| Place {
        name: name.to_owned(),
        needs_none: it.auth_types.iter().any(|it| it == "empty"),
    };
    let unknown_region =
        |region: &str, cloud: &str| Error::failed(format!("region {region:?} not found in cloud {cloud:?}"));
    if let Some(wanted) = wanted {
        let (name, region) =
            wanted.split_once('/').map_or((wanted, None), |(cloud, region)| (cloud, Some(region)));
        if !CloudName::is_valid(name) {
            return Err(Error::failed(format!("cloud name {name:?} not valid")));
        }
        let entities = Entities { entities: vec![Entity { tag: format!("cloud-{name}") }] };
        let reply = session.connection.call::<cloud::call::Cloud>(entities).await;
        let result = api::only(api::call(reply, "cannot get the cloud")?.results)?;
        match (result.cloud, result.error) {
            (Some(it), None) => {
                if let Some(region) = region.filter(|region| !it.regions.iter().any(|it| it.name == **region))
                {
                    return Err(unknown_region(region, name));
                }
                return Ok((place(name, &it), region.map(String::from)));
            }
            // A bare name may be a region of the only cloud.
            (_, Some(e)) if e.code == code::NOT_FOUND && region.is_none() => {}
            (_, Some(e)) => return Err(e.into()),
            (None, None) => {
                return Err(Error::failed(format!("the controller says nothing of cloud {name:?}")));
            }
        }
    }
    let reply = session.connection.call::<cloud::call::Clouds>(()).await;
    let clouds = api::call(reply, "querying supported clouds")?.clouds;
    let mut all = clouds.iter();
    let (Some((tag, it)), None) = (all.next(), all.next()) else {
        return Err(Error::failed(match clouds.len() {
            0 => "you do not have add-model access to any clouds on this controller.".to_owned(),
            _ => "this controller manages more than one cloud, please specify which one with:\n\n    juju add-model \
                  [options] <model-name> cloud[/region]"
                .to_owned(),
        }));
    };
    let name = tag.strip_prefix("cloud-").unwrap_or(tag);
    match wanted {
        Some(region) if !it.regions.iter().any(|it| it.name == region) => Err(Error::failed(format!(
            "{region:?} is neither a cloud supported by this controller,\nnor a region in the controller's default \
             cloud {name:?}."
        ))),
        wanted => Ok((place(name, it), wanted.map(String::from))),
    }
}

/// The tag of a named credential; one that this client has is uploaded.
async fn upload_credential(
    ctx: &Context,
    session: &Session,
    cloud: &str,
    owner: &str,
    name: &str,
) -> Result<String> {
    let (name_owner, bare) = name.split_once('/').unwrap_or((owner, name));
    let invalid = |_| Error::failed(format!("credential name {name:?} not valid"));
    let cloud_name = cloud.parse().map_err(invalid)?;
    let id = CredentialId::new(cloud_name, name_owner.parse().map_err(invalid)?, bare).map_err(invalid)?;
    let tag = id.into_tag().to_string();
    let stored: Credentials = ctx.store.read().context("cannot read the client store")?;
    if let Some(found) = stored.get(cloud, bare) {
        let credential =
            CloudCredential { auth_type: found.auth_type, attrs: found.attributes, redacted: vec![] };
        let credentials = vec![TaggedCredential { tag: tag.clone(), credential }];
        let reply =
            session.connection.call::<cloud::call::AddCredentials>(TaggedCredentials { credentials }).await;
        api::item(api::call(reply, "failed to upload credential")?)?;
    }
    Ok(tag)
}

/// The tag of the one credential that the owner has on the controller.
async fn only_credential(session: &Session, cloud: &str, owner: &str) -> Result<String> {
    let user_clouds =
        vec![cloud::UserCloud { cloud_tag: format!("cloud-{cloud}"), user_tag: format!("user-{owner}") }];
    let reply =
        session.connection.call::<cloud::call::UserCredentials>(cloud::UserClouds { user_clouds }).await;
    let result = api::only(api::call(reply, "cannot list credentials")?.results)?;
    if let Some(e) = result.error {
        return Err(e.into());
    }
    match result.result.as_slice() {
        [tag] => Ok(tag.clone()),
        [] => Err(Error::failed(format!(
            "no credentials for cloud {cloud:?} are available; name one with --credential"
        ))),
        _ => Err(Error::failed(
            "more than one credential is available. List credentials with:\n\n    juju credentials\n\nand then run the \
             add-model command again with the --credential option.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_where_and_for_whom() {
        let added = |region: &str, credential: &str, asked| Added {
            info: ModelInfo {
                name: "demo".into(),
                cloud_tag: "cloud-localhost".into(),
                cloud_region: region.into(),
                cloud_credential_tag: credential.into(),
                ..ModelInfo::default()
            },
            owner: "admin".into(),
            asked_for_place: asked,
        };
        for (added, want) in [
            (
                added("localhost", "cloudcred-localhost_admin_localhost", false),
                "Added 'demo' model on localhost/localhost with credential 'localhost' for user 'admin'",
            ),
            (added("", "", false), "Added 'demo' model for user 'admin'"),
            (added("", "", true), "Added 'demo' model on localhost for user 'admin'"),
            (
                added("default", "cloudcred-localhost_bob_box", false),
                "Added 'demo' model on localhost/default with credential 'bob/box' for user 'admin'",
            ),
        ] {
            assert_eq!(added.message(), want);
        }
    }
}
