//! The end of a model, and of a controller with all its models.
//!
//! A model that is told to go is dying: nothing is added to it, and cleanups end what is in it. Once it is empty it is
//! set dead, what its cloud holds is destroyed, and all its documents are deleted, its record last, so that whoever is
//! interrupted goes on.

use std::time::Duration;

use juju_core::{Life, ModelUuid};
use juju_store::{Image, Interest};

use crate::{
    Error, Model, Result, State, Tx, application,
    cleanup::{self, How, Work},
    controller, erase, machine,
    model::{self, Ending, ModelDoc},
    unit,
    watch::{self, Watcher},
};

/// How a model is to be destroyed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DestroyModel {
    pub force: bool,
    /// How long each step may take when it is forced.
    pub timeout: Option<Duration>,
    /// How long units and machines may take by themselves before they are forced.
    pub max_wait: Option<Duration>,
    /// With the controller's model, all hosted ones.
    pub hosted_too: bool,
}

impl DestroyModel {
    fn how(&self) -> How {
        if self.force { How::forced(self.max_wait) } else { How::GENTLY }
    }
}

/// How much there is in a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub machines: usize,
    pub applications: usize,
    pub units: usize,
}

impl Counts {
    pub fn read(image: &Image, m: &ModelUuid) -> Counts {
        Counts {
            machines: machine::prefix(m).read_names(image).count(),
            applications: application::prefix(m).read_names(image).count(),
            units: unit::prefix(m).read_names(image).count(),
        }
    }

    async fn get(tx: &Tx, m: &ModelUuid) -> Result<Counts> {
        Ok(Counts {
            machines: machine::prefix(m).names(tx).await?.len(),
            applications: application::prefix(m).names(tx).await?.len(),
            units: unit::prefix(m).names(tx).await?.len(),
        })
    }

    fn is_empty(&self) -> bool {
        *self == Counts::default()
    }

    fn describe(&self) -> String {
        let count = |number: usize, what: &str| match number {
            0 => None,
            1 => Some(format!("1 {what}")),
            number => Some(format!("{number} {what}s")),
        };
        let parts = [
            count(self.machines, "machine"),
            count(self.applications, "application"),
            count(self.units, "unit"),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Tells a model to go. Told again, only how it is to go changes.
async fn destroy(tx: &Tx, m: &ModelUuid, given: &DestroyModel) -> Result<()> {
    let doc = model::get(tx, m).await?;
    if doc.is_controller {
        let hosted = model::list(tx).await?;
        let hosted = hosted.iter().filter(|it| !it.is_controller);
        let mut in_use = 0;
        for other in hosted {
            if other.life == Life::Alive || !Counts::get(tx, &other.uuid).await?.is_empty() {
                in_use += 1;
            }
        }
        if in_use > 0 && !given.hosted_too {
            return Err(Error::HasHostedModels);
        }
    }
    let ending = doc.ending.clone().unwrap_or_default();
    let timeout_seconds = given.timeout.map(|it| it.as_secs()).or(ending.timeout_seconds);
    let ending = Ending {
        dying: ending.dying.or(Some(tx.now)),
        force: ending.force || given.force,
        timeout_seconds,
        ..ending
    };
    let again = doc.life != Life::Alive && ending.force == doc.ending.as_ref().is_some_and(|it| it.force);
    let changed =
        ModelDoc { life: doc.life.advanced(Life::Dying), ending: Some(ending), ..ModelDoc::clone(&doc) };
    model::put(tx, &changed).await?;
    if again {
        return Ok(());
    }
    let how = given.how();
    if doc.is_controller {
        cleanup::queue(tx, m, Work::Models { how })?;
    }
    cleanup::queue(tx, m, Work::Applications { how })?;
    cleanup::queue(tx, m, Work::Machines { how })
}

/// Sets a dying model dead if there is nothing left in it. The controller's own machines are part of it until the end.
async fn finish_dying(tx: &Tx, m: &ModelUuid) -> Result<()> {
    let doc = model::get(tx, m).await?;
    match doc.life {
        Life::Alive => {
            return Err(Error::NotSupported(format!("model {:?} is not dying", doc.name.as_str())));
        }
        Life::Dead => return Ok(()),
        Life::Dying => {}
    }
    if doc.is_controller && model::list(tx).await?.len() > 1 {
        return Err(Error::HasHostedModels);
    }
    let mut counts = Counts::get(tx, m).await?;
    if doc.is_controller {
        for (_, machine) in machine::prefix(m).list(tx).await? {
            counts.machines -= usize::from(machine.is_controller());
        }
    }
    if !counts.is_empty() {
        return Err(Error::ModelNotEmpty(counts.describe()));
    }
    set_dead(tx, &doc).await
}

async fn set_dead(tx: &Tx, doc: &ModelDoc) -> Result<()> {
    let ending = Ending { dead: Some(tx.now), ..doc.ending.clone().unwrap_or_default() };
    model::put(tx, &ModelDoc { life: Life::Dead, ending: Some(ending), ..doc.clone() }).await
}

/// Tells all applications of a dying model to go.
pub(crate) async fn clean_applications(model: &Model, how: How) -> Result<()> {
    let m = model.uuid();
    for doc in application::all(&model.image(), m)? {
        let end = async |tx: Tx| match application::destroy(&tx, m, &doc.name, how).await {
            Err(err) if err.is_not_found() => Ok(()),
            other => other,
        };
        model.transact(end).await?;
    }
    Ok(())
}

/// Tells all machines of a dying model to go. Those that the controller runs on stay; those that were there before Juju
/// are never forced, since their agents have to clean up.
pub(crate) async fn clean_machines(model: &Model, how: How) -> Result<()> {
    let (image, m) = (model.image(), model.uuid());
    for doc in machine::all(&image, m)? {
        if doc.is_controller() || doc.id.is_container() {
            continue;
        }
        let manual = machine::read_instance(&image, m, &doc.id)?.is_some_and(|it| it.is_manual());
        // A machine goes with what is on it: the applications are on their way out already.
        let how = How { force: how.force && !manual, ..how };
        let end = async |tx: Tx| match machine::destroy(&tx, m, &doc.id, how).await {
            Err(err) if err.is_not_found() => Ok(()),
            // The last of them to go takes the machine along.
            Err(Error::HasAssignedUnits { .. } | Error::HasContainers { .. }) => {
                machine::destroy_with_containers(&tx, m, &doc.id).await
            }
            other => other,
        };
        model.transact(end).await?;
    }
    Ok(())
}

/// Tells all hosted models of a dying controller to go.
pub(crate) async fn clean_models(model: &Model, how: How) -> Result<()> {
    let wait = how.force.then(|| Duration::from_secs(how.max_wait_seconds));
    let given = DestroyModel { force: how.force, timeout: wait, max_wait: wait, hosted_too: false };
    for doc in model::all(&model.image())? {
        if doc.is_controller {
            continue;
        }
        let end = async |tx: Tx| match destroy(&tx, &doc.uuid, &given).await {
            Err(err) if err.is_not_found() => Ok(()),
            other => other,
        };
        model.transact(end).await?;
    }
    Ok(())
}

impl Model {
    pub async fn destroy(&self, given: &DestroyModel) -> Result<()> {
        self.transact(async |tx| destroy(&tx, self.uuid(), given).await).await
    }

    /// Sets a dying model dead, or says what is still in it.
    pub async fn finish_dying(&self) -> Result<()> {
        self.transact(async |tx| finish_dying(&tx, self.uuid()).await).await
    }

    /// Sets a dying model dead whatever is still in it: it was forced, and has had its time.
    pub async fn force_dead(&self) -> Result<()> {
        let kill = async |tx: Tx| {
            let doc = model::get(&tx, self.uuid()).await?;
            match doc.life {
                Life::Alive => {
                    Err(Error::NotSupported(format!("model {:?} is not dying", doc.name.as_str())))
                }
                Life::Dead => Ok(()),
                Life::Dying => set_dead(&tx, &doc).await,
            }
        };
        self.transact(kill).await
    }

    /// Removes a dead model with all that is known of it. It may be done again where it was interrupted.
    pub async fn remove(&self) -> Result<()> {
        let m = self.uuid();
        let doc = match model::read(&self.image(), m) {
            Err(Error::ModelNotFound(_)) => return Ok(()),
            other => other?,
        };
        if doc.life != Life::Dead {
            return Err(Error::NotSupported(format!(
                "cannot remove model {:?}: it is not dead",
                doc.name.as_str()
            )));
        }
        erase::under(self.state(), &model::everything(m)).await?;
        self.transact(async |tx| model::remove_record(&tx, &doc).await).await?;
        self.state().history().remove(m.as_str());
        Ok(())
    }

    pub fn counts(&self) -> Counts {
        Counts::read(&self.image(), self.uuid())
    }

    /// Tells when something is added to the model or removed from it, or when it is told anew how to end.
    pub fn watch_contents(&self) -> Result<Watcher<()>> {
        let m = self.uuid().clone();
        let interest = Interest::key(model::key(&m).path())
            .and_prefix(machine::prefix(&m).path())
            .and_prefix(application::prefix(&m).path())
            .and_prefix(unit::prefix(&m).path());
        let compute = move |image: &Image| {
            let doc = model::key(&m).read(image)?;
            Ok((Counts::read(image, &m), doc.map(|it| (it.life, it.ending.clone()))))
        };
        watch::notify_of(self.view(), interest, compute)
    }
}

impl State {
    /// Tells the controller to go: its own model, and the hosted ones with it if so told.
    pub async fn destroy_controller(&self, given: &DestroyModel) -> Result<()> {
        let home = controller::read(&self.image())?.model.clone();
        self.transact(async |tx| destroy(&tx, &home, given).await).await
    }
}
