//! Deploys one charm of this host.

use std::path::PathBuf;

use juju_charm::bases::BaseSelector;
use juju_core::{Arch, Base, CharmUrl, Constraints, Version};
use juju_wire::{
    code,
    facade::{
        application::{ApplicationDeploy, ApplicationsDeploy, call},
        charms, model_config,
    },
    params,
};

use super::{archive::CharmArchive, config::AppConfig, constraints, placement};
use crate::{
    api::{
        self, Session,
        upload::{self, CharmUpload},
    },
    context::with_progress,
    error::{Error, Result},
    printer::Printer,
};

/// What is asked for, checked.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub path: PathBuf,
    /// The charm's name if it is none.
    pub application: Option<String>,
    /// One, if it is none and the charm is not a subordinate.
    pub num_units: Option<i64>,
    pub config: AppConfig,
    /// `--to`, as written: what it means depends on the model.
    pub to: String,
    pub constraints: Constraints,
    pub bindings: std::collections::BTreeMap<String, String>,
    pub trust: bool,
    pub base: Option<Base>,
    pub force: bool,
}

/// What a model says about what comes into it.
pub struct ModelFacts {
    pub default_base: Option<Base>,
    pub version: Option<Version>,
    pub arch: Option<String>,
}

impl ModelFacts {
    pub async fn ask(session: &Session) -> Result<Self> {
        let connection = &session.connection;
        let (config, constraints) = tokio::try_join!(
            connection.call::<model_config::call::ModelGet>(()),
            connection.call::<model_config::call::GetModelConstraints>(()),
        )?;
        let text =
            |key: &str| config.config.get(key).and_then(|it| it.value.as_str()).filter(|it| !it.is_empty());
        Ok(Self {
            default_base: text("default-base").and_then(|it| it.parse().ok()),
            version: text("agent-version").and_then(|it| it.parse().ok()),
            arch: constraints.constraints.arch.filter(|it| !it.is_empty()),
        })
    }
}

/// A charm that is in the model.
pub struct Uploaded {
    pub url: String,
    pub base: Base,
    pub arch: String,
}

/// Deploys the charm at a path.
pub async fn deploy(session: &Session, printer: &mut Printer, request: Request) -> Result {
    let archive = CharmArchive::read(&request.path).await?;
    check(&request, archive.is_subordinate())?;
    let facts = ModelFacts::ask(session).await?;
    let base = choose_base(&archive, &facts, request.base.clone(), &request.constraints, request.force)?;
    let uploaded = send(session, printer, &archive, &facts, &request.constraints, base).await?;
    let (name, revision) = (archive.name().to_owned(), archive.revision());
    let application = request.application.clone().unwrap_or_else(|| name.clone());
    printer.info(format!("Located local charm {name:?}, revision {}", revision_of(&uploaded.url, revision)));
    printer.info(format!(
        "Deploying {application:?} from local charm {name:?}, revision {} on {}",
        revision_of(&uploaded.url, revision),
        uploaded.base
    ));
    let num_units = if archive.is_subordinate() { 0 } else { request.num_units.unwrap_or(1) };
    create(session, &application, num_units, &request, &uploaded).await
}

/// Deploys a charm that was uploaded before.
pub async fn deploy_stored(
    session: &Session,
    printer: &mut Printer,
    url: &CharmUrl,
    request: Request,
) -> Result {
    let info =
        session.connection.call::<charms::call::CharmInfo>(params::CharmURL { url: url.to_string() }).await?;
    let meta = info.meta.unwrap_or_default();
    check(&request, meta.subordinate)?;
    let facts = ModelFacts::ask(session).await?;
    let bases: Vec<Base> = info
        .manifest
        .unwrap_or_default()
        .bases
        .into_iter()
        .filter_map(|it| Base::from_parts(&it.name, &it.channel).ok().flatten())
        .collect();
    let base = select(url.name(), &bases, &facts, request.base.clone(), &request.constraints, request.force)?;
    let arch = arch(&request.constraints, &facts);
    let uploaded = Uploaded { url: info.url, base, arch };
    let application = request.application.clone().unwrap_or_else(|| url.name().to_owned());
    printer.info(format!(
        "Deploying {application:?} from local charm {:?}, revision {} on {}",
        url.name(),
        info.revision,
        uploaded.base
    ));
    let num_units = if meta.subordinate { 0 } else { request.num_units.unwrap_or(1) };
    create(session, &application, num_units, &request, &uploaded).await
}

/// Uploads an archive.
pub async fn send(
    session: &Session,
    printer: &mut Printer,
    archive: &CharmArchive,
    facts: &ModelFacts,
    constraints: &Constraints,
    base: Base,
) -> Result<Uploaded> {
    if let Some(version) = &facts.version {
        archive.charm.check_min_version(version).map_err(|e| Error::chain(&e))?;
    }
    let charm = CharmUpload {
        model_uuid: &session.open_model()?.uuid,
        name: archive.name(),
        revision: archive.revision(),
        archive: archive.path(),
        sha256: &archive.sha256,
    };
    for warning in &archive.warnings {
        printer.warning(warning);
    }
    let what = format!("Uploading charm {:?}", archive.name());
    let url = with_progress(printer, &what, upload::charm(&session.credentials, &charm)).await?;
    Ok(Uploaded { url, base, arch: arch(constraints, facts) })
}

/// The base that a charm of this host is deployed on.
pub fn choose_base(
    archive: &CharmArchive,
    facts: &ModelFacts,
    wanted: Option<Base>,
    constraints: &Constraints,
    force: bool,
) -> Result<Base> {
    let bases = archive.charm.bases().map_err(|e| Error::chain(&e))?;
    select(archive.name(), &bases, facts, wanted, constraints, force)
}

fn select(
    charm: &str,
    bases: &[Base],
    facts: &ModelFacts,
    wanted: Option<Base>,
    constraints: &Constraints,
    force: bool,
) -> Result<Base> {
    let selector = BaseSelector {
        charm,
        of_charm: bases,
        requested: wanted,
        default_base: facts.default_base.clone(),
        has_image_id: constraints.image_id.is_some(),
        force,
    };
    selector.choose().map_err(|e| Error::chain(&e))
}

/// Of the application's machines: what is asked for, what the model wants, else this host's.
fn arch(constraints: &Constraints, facts: &ModelFacts) -> String {
    let asked = constraints.arch.clone().or_else(|| facts.arch.clone());
    asked.unwrap_or_else(|| Arch::of_this_build().unwrap_or_default().as_str().to_owned())
}

/// Where a local charm comes from.
pub fn origin(uploaded: &Uploaded) -> params::CharmOrigin {
    params::CharmOrigin {
        source: "local".to_owned(),
        type_: "charm".to_owned(),
        revision: Some(revision_of(&uploaded.url, 0)),
        architecture: uploaded.arch.clone(),
        base: Some(params::Base {
            name: uploaded.base.os.clone(),
            channel: uploaded.base.channel.to_string(),
        }),
        ..params::CharmOrigin::default()
    }
}

/// The revision that the controller chose.
pub fn revision_of(url: &str, fallback: i64) -> i64 {
    url.parse::<CharmUrl>().ok().and_then(|it| it.revision).map_or(fallback, i64::from)
}

async fn create(
    session: &Session,
    application: &str,
    num_units: i64,
    request: &Request,
    uploaded: &Uploaded,
) -> Result {
    let mut config = request.config.pairs.clone();
    if request.trust {
        config.insert("trust".to_owned(), "true".to_owned());
    }
    let deploy = ApplicationDeploy {
        application: application.to_owned(),
        charm_url: uploaded.url.clone(),
        charm_origin: Some(origin(uploaded)),
        num_units,
        config,
        config_yaml: request.config.yaml.clone(),
        constraints: constraints::to_wire(&request.constraints),
        placement: placement::parse(&request.to, &session.open_model()?.uuid)?,
        endpoint_bindings: request.bindings.clone(),
        force: request.force,
        ..ApplicationDeploy::default()
    };
    let reply =
        session.connection.call::<call::Deploy>(ApplicationsDeploy { applications: vec![deploy] }).await;
    reply.map_err(Error::from).and_then(api::item).map_err(|e| explain(e, application))
}

/// An application that exists already is an error with three ways out.
fn explain(error: Error, application: &str) -> Error {
    if error.code() != code::ALREADY_EXISTS {
        return error;
    }
    Error::failed(format!(
        "{error}\n\ndeploy application using an alias name:\n    juju deploy <application> <alias>\nor use remove-application to \
         remove the existing one and try again:\n    juju remove-application {application}"
    ))
}

fn check(request: &Request, is_subordinate: bool) -> Result {
    if !is_subordinate {
        return Ok(());
    }
    if request.num_units.is_some() || !request.to.is_empty() {
        return Err(Error::failed("cannot use --num-units or --to with subordinate application"));
    }
    if !request.constraints.is_empty() {
        return Err(Error::failed("cannot use --constraints with subordinate application"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subordinate_has_no_units_of_its_own() {
        let request = Request { num_units: Some(1), ..Request::default() };
        assert!(check(&request, true).unwrap_err().to_string().contains("--num-units or --to"));
        assert!(check(&request, false).is_ok() && check(&Request::default(), true).is_ok());
        let request = Request { constraints: "mem=1G".parse().unwrap(), ..Request::default() };
        assert!(check(&request, true).unwrap_err().to_string().contains("--constraints"));
    }

    #[test]
    fn the_revision_is_the_controllers() {
        assert_eq!(revision_of("local:web-4", 0), 4);
        assert_eq!(revision_of("local:jammy/web-4", 0), 4);
        assert_eq!(revision_of("?", 7), 7);
    }

    #[test]
    fn an_application_that_exists_comes_with_advice() {
        let error = explain(Error::Api(juju_wire::Error::already_exists("application \"web\"")), "web");
        let text = error.to_string();
        assert!(
            text.starts_with("application \"web\" already exists\n")
                && text.contains("juju remove-application web")
        );
    }

    #[test]
    fn the_origin_names_base_and_architecture() {
        let uploaded = Uploaded {
            url: "local:web-3".into(),
            base: "ubuntu@22.04".parse().unwrap(),
            arch: "arm64".into(),
        };
        let origin = origin(&uploaded);
        let base = origin.base.unwrap();
        assert_eq!((base.name.as_str(), base.channel.as_str()), ("ubuntu", "22.04/stable"));
        assert_eq!(
            (origin.source.as_str(), origin.architecture.as_str(), origin.revision),
            ("local", "arm64", Some(3))
        );
    }
}
