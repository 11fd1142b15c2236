//! The unit's charm on disk: fetched, checked, laid out, replaced (Juju 3.6 `worker/uniter/charm`).
//!
//! An archive is cached under the URL it came from, with the list of what it holds. To deploy is to lay it out over what
//! is there: what the old charm brought and the new one does not have is removed, everything else that is found
//! (databases, virtual environments) stays. `.juju-charm` names what is deployed, `.juju-deploying` what is being
//! deployed, so that a deployment that was cut short is known for one.

mod source;

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use juju_agent::{
    files::{self, FileError},
    paths::Paths,
};
use juju_charm::{CharmError, Meta, archive, unpack};
use tokio::time::sleep;

pub use source::{CharmSource, FetchError, HttpCharms, HttpLogin};

const DEPLOYED: &str = ".juju-charm";
const DEPLOYING: &str = ".juju-deploying";
/// Attempts to fetch an archive that the controller does not have yet, and the waits between them.
const ATTEMPTS: u32 = 10;
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LAST_WAIT: Duration = Duration::from_secs(8);

/// Why a charm is not in place.
#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    #[error("cannot fetch charm {charm:?}")]
    Fetch {
        charm: String,
        #[source]
        source: FetchError,
    },
    #[error("charm {charm:?}: expected sha256 {expected}, got {got}")]
    Checksum { charm: String, expected: String, got: String },
    /// A charm that is in place cannot be replaced; a user has to look.
    #[error("cannot replace charm {deployed:?}")]
    Conflict {
        deployed: String,
        #[source]
        source: Box<DeployError>,
    },
    #[error("cannot deploy charm")]
    Charm(#[from] CharmError),
    #[error("cannot deploy charm")]
    File(#[from] FileError),
    #[error("cannot deploy charm: its files are missing from the cache")]
    NotStaged,
    #[error("cannot deploy charm")]
    Task(#[source] tokio::task::JoinError),
}

/// Deploys charms of one unit.
#[derive(Clone)]
pub(crate) struct Deployer {
    charm_dir: PathBuf,
    bundles: PathBuf,
    downloads: PathBuf,
    manifests: PathBuf,
    source: Arc<dyn CharmSource>,
}

impl Deployer {
    pub(crate) fn new(paths: &Paths, tag: &str, source: Arc<dyn CharmSource>) -> Self {
        let state = paths.unit_state_dir(tag);
        let bundles = state.join("bundles");
        Deployer {
            charm_dir: paths.charm_dir(tag),
            downloads: bundles.join("downloads"),
            bundles,
            manifests: state.join("deployer").join("manifests"),
            source,
        }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.charm_dir
    }

    /// Makes the directories, and drops downloads that an earlier agent did not finish.
    pub(crate) fn prepare(&self) -> Result<(), DeployError> {
        files::remove_dir_all(&self.downloads)?;
        for dir in [&self.downloads, &self.manifests, &self.charm_dir] {
            files::create_dir_all(dir, 0o755)?;
        }
        Ok(())
    }

    /// The charm that is in place.
    pub(crate) fn deployed(&self) -> Result<Option<String>, DeployError> {
        read_url(&self.charm_dir.join(DEPLOYED))
    }

    /// What the charm that is in place says about itself.
    pub(crate) fn meta(&self) -> Result<Meta, DeployError> {
        let path = self.charm_dir.join("metadata.yaml");
        let text = fs::read_to_string(&path).map_err(|err| FileError::new("read", &path, err))?;
        Ok(Meta::parse(&text)?)
    }

    /// Brings the archive into the cache, whole and checked, with the list of what it holds.
    pub(crate) async fn stage(&self, charm: &str, sha256: &str) -> Result<(), DeployError> {
        let cached = self.bundles.join(quote(charm));
        if !(cached.exists() && checksum(&cached).await? == sha256) {
            self.download(charm, sha256, &cached).await?;
        }
        let manifest = self.manifest(charm);
        blocking(move || {
            let names = unpack::manifest(&cached)?;
            let text =
                juju_charm::yaml::to_string(&names).map_err(|err| CharmError::Invalid(err.to_string()))?;
            Ok(files::write_atomic(&manifest, text.as_bytes(), 0o644)?)
        })
        .await
    }

    async fn download(&self, charm: &str, sha256: &str, cached: &Path) -> Result<(), DeployError> {
        let target = self.downloads.join(quote(charm));
        let fetch = |source| DeployError::Fetch { charm: charm.to_owned(), source };
        let mut wait = FIRST_WAIT;
        for attempt in 1.. {
            match self.source.fetch(charm, &target).await {
                Ok(()) => break,
                Err(err) if err.is_transient() && attempt < ATTEMPTS => {
                    tracing::debug!(charm, attempt, "cannot fetch the charm yet: {err}");
                    sleep(wait).await;
                    wait = (wait * 2).min(LAST_WAIT);
                }
                Err(err) => return Err(fetch(err)),
            }
        }
        let got = checksum(&target).await?;
        if got != sha256 {
            files::remove_file(&target)?;
            return Err(DeployError::Checksum { charm: charm.to_owned(), expected: sha256.to_owned(), got });
        }
        fs::rename(&target, cached).map_err(|err| FileError::new("move to the cache", cached, err))?;
        Ok(())
    }

    /// Lays a staged charm out. What goes wrong once another charm is in place is a conflict.
    pub(crate) async fn deploy(&self, charm: &str) -> Result<(), DeployError> {
        let deployed = self.deployed()?;
        let (this, url, before) = (self.clone(), charm.to_owned(), deployed.clone());
        let result = blocking(move || this.lay_out(&url, before.as_deref())).await;
        match (result, deployed) {
            (Err(err), Some(deployed)) => Err(DeployError::Conflict { deployed, source: Box::new(err) }),
            (result, _) => result,
        }
    }

    fn lay_out(&self, charm: &str, deployed: Option<&str>) -> Result<(), DeployError> {
        let archive = self.bundles.join(quote(charm));
        if !archive.exists() {
            return Err(DeployError::NotStaged);
        }
        let new = self.read_manifest(charm)?;
        let old = deployed.map(|it| self.read_manifest(it)).transpose()?.unwrap_or_default();
        let deploying = self.charm_dir.join(DEPLOYING);
        if let Some(interrupted) = read_url(&deploying)?.filter(|it| it != charm) {
            tracing::info!("removing files from charm {interrupted:?}, whose deployment was interrupted");
            self.remove(&self.read_manifest(&interrupted)? - &old)?;
        }
        files::write_atomic(&deploying, format!("{charm}\n").as_bytes(), 0o644)?;
        self.remove(&old - &new)?;
        let executable = executables(&archive)?;
        unpack::unpack(&archive, &self.charm_dir, unpack::Limits::default(), &executable)?;
        if !new.contains("revision") {
            let revision = charm.rsplit_once('-').map_or("0", |(_, number)| number);
            files::write_atomic(&self.charm_dir.join("revision"), revision.as_bytes(), 0o644)?;
        }
        let target = self.charm_dir.join(DEPLOYED);
        fs::rename(&deploying, &target).map_err(|err| FileError::new("rename", &target, err))?;
        Ok(())
    }

    /// Removes what a charm brought. A directory goes only once it is empty: the rest is the unit's own.
    fn remove(&self, names: BTreeSet<String>) -> Result<(), DeployError> {
        for name in names.iter().rev() {
            let path = self.charm_dir.join(name);
            // A name that leads through something that has become a link is none of the charm's any more.
            if !within(&self.charm_dir, &path) {
                continue;
            }
            let result = match fs::symlink_metadata(&path) {
                Ok(meta) if meta.is_dir() => match fs::remove_dir(&path) {
                    Err(err) if err.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
                    other => other,
                },
                Ok(_) => fs::remove_file(&path),
                Err(err) => Err(err),
            };
            match result {
                Err(err) if err.kind() != io::ErrorKind::NotFound => {
                    return Err(FileError::new("remove", path, err).into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn manifest(&self, charm: &str) -> PathBuf {
        self.manifests.join(quote(charm))
    }

    /// The files of a charm; of one that is not known, none.
    fn read_manifest(&self, charm: &str) -> Result<BTreeSet<String>, DeployError> {
        let path = self.manifest(charm);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(juju_charm::yaml::from_str::<Option<_>>(&text)
                .map_err(|err| CharmError::Invalid(format!("manifest of {charm:?}: {err}")))?
                .unwrap_or_default()),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
            Err(err) => Err(FileError::new("read", path, err).into()),
        }
    }
}

/// The hooks of the charm in an archive, by the names of their files: they get the owner's execute bit.
fn executables(archive: &Path) -> Result<BTreeSet<String>, DeployError> {
    let charm = juju_charm::Charm::read(archive)?;
    Ok(archive::hook_names(&charm.meta).into_iter().map(|it| format!("hooks/{it}")).collect())
}

async fn checksum(path: &Path) -> Result<String, DeployError> {
    let path = path.to_owned();
    blocking(move || Ok(archive::sha256(&path)?.0.to_string())).await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DeployError> + Send + 'static,
) -> Result<T, DeployError> {
    tokio::task::spawn_blocking(work).await.map_err(DeployError::Task)?
}

/// Whether nothing between the two is a link.
fn within(root: &Path, path: &Path) -> bool {
    let Some(parent) = path.parent() else { return false };
    parent
        .ancestors()
        .take_while(|it| *it != root)
        .all(|it| fs::symlink_metadata(it).is_ok_and(|meta| meta.is_dir()))
}

/// A URL in a file of its own: a YAML scalar, as Juju writes it.
fn read_url(path: &Path) -> Result<Option<String>, DeployError> {
    match fs::read_to_string(path) {
        Ok(text) => {
            let url: Option<String> = juju_charm::yaml::from_str(&text)
                .map_err(|err| CharmError::Invalid(format!("{}: {err}", path.display())))?;
            Ok(url.filter(|it| !it.is_empty()))
        }
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(err) => Err(FileError::new("read", path, err).into()),
    }
}

/// A URL as a file's name: letters, digits, dots and dashes stay, all else is `_hh_`.
fn quote(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    for byte in url.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' => out.push(byte.into()),
            other => out.push_str(&format!("_{other:02x}_")),
        }
    }
    out
}

#[cfg(test)]
mod tests;
