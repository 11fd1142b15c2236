//! Deploys a bundle: which changes it takes is decided first, then they are made one by one.
//!
//! Charms of bundles are paths here; names on Charmhub need a controller that fetches them. An application that the model has already keeps its charm and its units; it gets the
//! options and the units that are missing.

mod plan;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use juju_charm::{Bundle, bundle::BundleApplication};
use juju_core::{Base, Constraints};
use juju_wire::{
    code,
    facade::{
        annotations::{AnnotationsSet, EntityAnnotations, call as annotations},
        application::{
            AddApplicationUnits, AddRelation, ApplicationDeploy, ApplicationExpose, ApplicationsDeploy,
            ConfigSet, ConfigSetArgs, call,
        },
        client::{FullStatus, StatusParams, call as client},
        machine_manager::{AddMachineParams, AddMachines, call as machines},
    },
    params,
};

use self::plan::{Change, Place, Unit};
use super::{archive::CharmArchive, charm, charm::ModelFacts, constraints};
use crate::{
    api::{self, Session},
    cli::{Env, files},
    error::{Error, Result, told},
    printer::Printer,
};

/// A bundle with the directory that its paths are relative to.
#[derive(Clone, Debug)]
pub struct Bundled {
    bundle: Bundle,
    dir: PathBuf,
}

/// How long a unit that another is placed beside may take to get its machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// The file of the bundle at a path, if there is one: a YAML file, or a directory's `bundle.yaml`.
pub fn find(path: &Path) -> Result<Option<PathBuf>> {
    if path.is_dir() {
        let file = path.join("bundle.yaml");
        return Ok(file.is_file().then_some(file));
    }
    let is_yaml = path.extension().is_some_and(|it| it == "yaml" || it == "yml");
    Ok(is_yaml.then(|| path.to_owned()))
}

/// Reads a bundle with its overlays, and checks it. Paths in it are relative to the bundle.
pub fn read(path: &Path, overlays: &[String], env: &Env) -> Result<Bundled> {
    let cannot = |e: juju_charm::CharmError| Error::failed(format!("cannot deploy bundle: {}", told(&e)));
    let dir = path.parent().unwrap_or(Path::new(".")).to_owned();
    let text = files::read(path, env)?;
    let overlays = overlays.iter().map(|it| files::read(it.as_ref(), env)).collect::<Result<Vec<_>>>()?;
    let overlays: Vec<_> = overlays.iter().map(String::as_str).collect();
    let mut bundle = Bundle::parse_with_overlays(&text, &overlays).map_err(cannot)?;
    bundle.resolve_includes(|file| std::fs::read(dir.join(file))).map_err(cannot)?;
    bundle.verify().map_err(|e| Error::chain(&e))?;
    Ok(Bundled { bundle, dir })
}

impl Bundled {
    /// The names of its applications.
    pub fn applications(&self) -> Vec<String> {
        self.bundle.applications.keys().cloned().collect()
    }
}

/// Makes the changes that a bundle takes, or shows them.
pub async fn deploy(session: &Session, printer: &mut Printer, bundled: Bundled, dry_run: bool) -> Result {
    let status = status(session).await?;
    let changes = plan::plan(&bundled.bundle, &plan::Existing::of(&status)).map_err(Error::failed)?;
    if changes.is_empty() {
        printer.info("No changes to apply.");
        return Ok(());
    }
    let title = if dry_run { "Changes to deploy bundle:" } else { "Executing changes:" };
    let lines: String = changes.iter().map(|it| format!("- {it}\n")).collect();
    printer.data(&format!("{title}\n{lines}"))?;
    if dry_run {
        return Ok(());
    }
    let facts = ModelFacts::ask(session).await?;
    let mut maker = Maker { session, bundled, facts, charms: BTreeMap::new(), machines: BTreeMap::new() };
    for change in changes {
        let what = change.to_string();
        maker
            .make(printer, change)
            .await
            .map_err(|e| e.context(format!("cannot deploy bundle: cannot {what}")))?;
    }
    printer.info("Deploy of bundle completed.");
    Ok(())
}

async fn status(session: &Session) -> Result<FullStatus> {
    Ok(session.connection.call::<client::FullStatus>(StatusParams::default()).await?)
}

/// Makes changes, and remembers what came of those that others need.
struct Maker<'a> {
    session: &'a Session,
    bundled: Bundled,
    facts: ModelFacts,
    /// By path and base.
    charms: BTreeMap<(String, Option<String>), charm::Uploaded>,
    /// The bundle's machines to the model's.
    machines: BTreeMap<String, String>,
}

impl Maker<'_> {
    async fn make(&mut self, printer: &mut Printer, change: Change) -> Result {
        match change {
            Change::Upload { charm, base } => self.upload(printer, charm, base).await,
            Change::Deploy { application, charm, base } => self.deploy(&application, (charm, base)).await,
            Change::AddMachine { machine } => self.add_machine(machine).await,
            Change::SetOptions { application } => {
                let config_yaml = self.options(&application)?;
                let one = ConfigSet {
                    application,
                    config: BTreeMap::new(),
                    config_yaml,
                    generation: "master".to_owned(),
                };
                let reply =
                    self.session.connection.call::<call::SetConfigs>(ConfigSetArgs { args: vec![one] });
                api::item(reply.await?)
            }
            Change::Expose { application } => {
                let params = ApplicationExpose { application, exposed_endpoints: BTreeMap::new() };
                Ok(self.session.connection.call::<call::Expose>(params).await?)
            }
            Change::Annotate { application } => {
                let annotations = self.application(&application)?.annotations.clone();
                let entity = format!("application-{application}");
                let params = AnnotationsSet { annotations: vec![EntityAnnotations { annotations, entity }] };
                api::item(self.session.connection.call::<annotations::Set>(params).await?)
            }
            Change::Relate { endpoints } => {
                let params = AddRelation { endpoints: endpoints.to_vec(), via_cidrs: vec![] };
                match self.session.connection.call::<call::AddRelation>(params).await {
                    Err(e) if e.code() != code::ALREADY_EXISTS => Err(e.into()),
                    _ => Ok(()),
                }
            }
            Change::AddUnit { unit, place } => self.add_unit(unit, place).await,
        }
    }

    async fn upload(&mut self, printer: &mut Printer, path: String, base: Option<String>) -> Result {
        let archive = CharmArchive::read(&self.bundled.dir.join(&path)).await?;
        let wanted: Option<Base> =
            base.as_deref().map(str::parse).transpose().map_err(|e| Error::failed(format!("{e}")))?;
        let constraints = Constraints::default();
        let chosen = charm::choose_base(&archive, &self.facts, wanted, &constraints, false)?;
        let uploaded =
            charm::send(self.session, printer, &archive, &self.facts, &constraints, chosen).await?;
        self.charms.insert((path, base), uploaded);
        Ok(())
    }

    async fn deploy(&self, name: &str, charm: (String, Option<String>)) -> Result {
        let uploaded = self.charms.get(&charm).ok_or_else(|| Error::failed("its charm was not uploaded"))?;
        let application = self.application(name)?;
        let constraints: Constraints =
            application.constraints.parse().map_err(|e| Error::failed(format!("{e}")))?;
        let mut config = BTreeMap::new();
        if application.trust {
            config.insert("trust".to_owned(), "true".to_owned());
        }
        let deploy = ApplicationDeploy {
            application: name.to_owned(),
            charm_url: uploaded.url.clone(),
            charm_origin: Some(charm::origin(uploaded)),
            config,
            config_yaml: self.options(name)?,
            constraints: constraints::to_wire(&constraints),
            endpoint_bindings: application.bindings.clone(),
            ..ApplicationDeploy::default()
        };
        let params = ApplicationsDeploy { applications: vec![deploy] };
        api::item(self.session.connection.call::<call::Deploy>(params).await?)
    }

    /// The options of an application as the text that the controller takes; nothing if it has none.
    fn options(&self, name: &str) -> Result<String> {
        let options = &self.application(name)?.options;
        if options.is_empty() {
            return Ok(String::new());
        }
        Ok(crate::output::yaml::to_string(&BTreeMap::from([(name, options)])))
    }

    fn application(&self, name: &str) -> Result<&BundleApplication> {
        let found = self.bundled.bundle.applications.get(name);
        found.ok_or_else(|| Error::failed(format!("the bundle has no application {name:?}")))
    }

    async fn add_machine(&mut self, key: String) -> Result {
        let machine = self.bundled.bundle.machines.get(&key).cloned().unwrap_or_default();
        let wanted = [&machine.base, &self.bundled.bundle.default_base].into_iter().find(|it| !it.is_empty());
        let base: Option<Base> =
            wanted.map(|it| it.parse()).transpose().map_err(|e| Error::failed(format!("{e}")))?;
        let constraints: Constraints =
            machine.constraints.parse().map_err(|e| Error::failed(format!("{e}")))?;
        let one = AddMachineParams {
            base: base.map(|it| params::Base { name: it.os, channel: it.channel.to_string() }),
            constraints: constraints::to_wire(&constraints),
            jobs: vec!["JobHostUnits".to_owned()],
            ..AddMachineParams::default()
        };
        let reply =
            self.session.connection.call::<machines::AddMachines>(AddMachines { params: vec![one] }).await?;
        let added = api::only(reply.machines)?;
        if let Some(e) = added.error {
            return Err(e.into());
        }
        self.machines.insert(key, added.machine);
        Ok(())
    }

    async fn add_unit(&self, unit: Unit, place: Place) -> Result {
        let machine = |id: String| params::Placement { scope: "#".to_owned(), directive: id };
        let container =
            |kind: &str, host: String| params::Placement { scope: kind.to_owned(), directive: host };
        let placement = match place {
            Place::New => vec![],
            Place::NewContainer { kind } => vec![container(&kind, String::new())],
            Place::Machine { key, kind } => {
                let id = self.machines.get(&key).cloned().unwrap_or(key);
                vec![kind.map_or_else(|| machine(id.clone()), |kind| container(&kind, id.clone()))]
            }
            Place::Beside { unit, kind } => {
                let id = self.machine_of(&unit).await?;
                vec![kind.map_or_else(|| machine(id.clone()), |kind| container(&kind, id.clone()))]
            }
        };
        let params = AddApplicationUnits {
            application: unit.application,
            num_units: 1,
            placement,
            ..AddApplicationUnits::default()
        };
        self.session.connection.call::<call::AddUnits>(params).await?;
        Ok(())
    }

    /// The machine of a unit, which has one as soon as the controller has assigned it.
    async fn machine_of(&self, unit: &Unit) -> Result<String> {
        let watcher = self.session.connection.call::<client::WatchAll>(()).await?;
        let mut watcher = self.session.connection.all_watcher(watcher.watcher_id);
        let name = unit.to_string();
        let look = async {
            loop {
                let status = status(self.session).await?;
                let found = status.applications.get(&unit.application).and_then(|it| it.units.get(&name));
                if let Some(found) = found.filter(|it| !it.machine.is_empty()) {
                    return Ok(found.machine.clone());
                }
                watcher.next().await?;
            }
        };
        tokio::time::timeout(PATIENCE, look)
            .await
            .unwrap_or_else(|_| Err(Error::failed(format!("{name} gets no machine within {PATIENCE:?}"))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_are_files_of_yaml_and_directories_with_one() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(find(dir.path()).unwrap(), None);
        let file = dir.path().join("bundle.yaml");
        std::fs::write(&file, "").unwrap();
        assert_eq!(find(dir.path()).unwrap(), Some(file.clone()));
        assert_eq!(find(&file).unwrap(), Some(file));
        assert_eq!(find(&dir.path().join("x.charm")).unwrap(), None);
    }

    #[test]
    fn what_is_wrong_is_told_together() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("bundle.yaml");
        let error = |text: &str| {
            std::fs::write(&file, text).unwrap();
            read(&file, &[], &Env::default()).err().map(|e| e.to_string()).unwrap_or_default()
        };
        assert!(
            error("applications: {}")
                .starts_with("the provided bundle has the following errors:\nat least one")
        );
        assert!(error("applications: [").starts_with("cannot deploy bundle: "));
        let two = error("applications: {web: {charm: ./web, constraints: mem=lots}, X: {charm: ./x}}");
        assert!(two.lines().count() >= 3, "{two}");
    }
}
