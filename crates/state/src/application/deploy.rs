//! Deploying: an application with its units and the relation of its peers, in one transaction.

use std::collections::BTreeMap;

use juju_charm::Role;
use juju_core::{ApplicationName, Base, CharmUrl, Constraints, Life, ModelUuid, Placement, UnitName};

use super::{ApplicationDoc, CharmOrigin, config, key, put};
use crate::{
    Error, Model, Result, Tx, V,
    attributes::Values,
    bindings, charm, constraints, machine, model, relation,
    status::{self, StatusOf},
    unit,
};

/// What an application is made of.
#[derive(Clone, Debug)]
pub struct NewApplication {
    pub name: ApplicationName,
    pub charm_url: CharmUrl,
    pub charm_origin: CharmOrigin,
    pub base: Base,
    /// Typed values of the charm's options, and of the application's own, such as `trust`.
    pub config: Values,
    /// Values as people type them.
    pub config_texts: BTreeMap<String, String>,
    pub constraints: Constraints,
    /// Spaces by endpoint; that of `""` is the default.
    pub bindings: BTreeMap<String, String>,
    pub units: u32,
    /// Where the first units go.
    pub placements: Vec<Placement>,
    /// The charm is taken though it does not say that it runs on the base.
    pub force: bool,
}

impl NewApplication {
    pub fn new(name: ApplicationName, charm_url: CharmUrl, base: Base) -> NewApplication {
        NewApplication {
            charm_origin: CharmOrigin::local(&charm_url),
            name,
            charm_url,
            base,
            config: Values::new(),
            config_texts: BTreeMap::new(),
            constraints: Constraints::default(),
            bindings: BTreeMap::new(),
            units: 0,
            placements: Vec::new(),
            force: false,
        }
    }
}

async fn deploy(tx: &Tx, m: &ModelUuid, new: &NewApplication) -> Result<Vec<UnitName>> {
    model::get_alive(tx, m).await?;
    let (name, url) = (&new.name, &new.charm_url);
    if key(m, name).exists(tx).await? {
        return Err(Error::AlreadyExists(format!("cannot add application \"{name}\": application")));
    }
    let charm = charm::get_usable(tx, m, url).await?;
    check_base(&charm::bases(&charm), &new.base, new.force)?;
    let subordinate = charm::is_subordinate(&charm);
    check_subordinate(new, subordinate)?;
    for placement in &new.placements {
        if let Placement::Machine(id) = placement {
            let machine = machine::get(tx, m, id).await?;
            unit::assign::check_machine(&machine, &new.base)
                .map_err(|err| Error::not_valid(format!("cannot deploy to machine {id}: {err}")))?;
        }
    }
    let doc = ApplicationDoc {
        v: V,
        name: name.clone(),
        life: Life::Alive,
        charm_url: url.clone(),
        charm_origin: new.charm_origin.clone(),
        charm_modified_version: 0,
        force_charm: false,
        base: new.base.clone(),
        subordinate,
        exposed: false,
        exposed_endpoints: BTreeMap::new(),
        min_units: 0,
    };
    put(tx, m, &doc)?;
    charm::take(tx, m, url, name)?;
    status::create(tx, m, StatusOf::Application(name.clone()))?;
    constraints::put(tx, m, constraints::Of::Application(name), &new.constraints)?;
    bindings::create(tx, m, name, &charm, &new.bindings)?;

    let mut texts = new.config_texts.clone();
    let mut given = new.config.clone();
    if let Some(trust) = texts.remove("trust") {
        given.insert("trust".into(), trust.into());
    }
    let split = config::split(&given)?;
    let mut values = charm::check_config(&charm, &split.charm)?;
    values.extend(charm::parse_config(&charm, &texts)?);
    config::put(tx, m, name, url, &values)?;
    config::put_trust(tx, m, name, split.trust).await?;

    for endpoint in charm::endpoints(&charm, name) {
        if endpoint.role == Role::Peer {
            relation::add_peer(tx, m, endpoint).await?;
        }
    }
    match subordinate {
        true => Ok(Vec::new()),
        false => unit::add_several(tx, m, &doc, new.units, &new.placements).await,
    }
}

/// A charm that says on what it runs is deployed on nothing else, unless forced.
pub(super) fn check_base(supported: &[Base], base: &Base, force: bool) -> Result<()> {
    if force || supported.is_empty() || supported.iter().any(|it| it.is_compatible(base)) {
        return Ok(());
    }
    let supported: Vec<String> = supported.iter().map(Base::display).collect();
    Err(Error::IncompatibleBase(format!(
        "base {:?} not supported by charm, the charm supported bases are: {}",
        base.display(),
        supported.join(", ")
    )))
}

fn check_subordinate(new: &NewApplication, subordinate: bool) -> Result<()> {
    if !subordinate {
        return Ok(());
    }
    if new.units > 0 || !new.placements.is_empty() {
        return Err(Error::not_valid("subordinate application must be deployed without units"));
    }
    if !new.constraints.is_empty() {
        return Err(Error::not_valid("subordinate application must be deployed without constraints"));
    }
    Ok(())
}

impl Model {
    /// Deploys an application and answers its units, the last of which may be added a little later.
    pub async fn deploy(&self, new: &NewApplication) -> Result<Vec<UnitName>> {
        self.transact(async |tx| deploy(&tx, self.uuid(), new).await).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::id;

    #[test]
    fn bases_must_fit() {
        let noble: Base = id("ubuntu@24.04");
        for (supported, force, expected) in [
            (&["ubuntu@22.04", "ubuntu@24.04"][..], false, true),
            (&["ubuntu@22.04"], false, false),
            (&["ubuntu@22.04"], true, true),
            (&[], false, true),
        ] {
            let supported: Vec<Base> = supported.iter().map(|it| id(it)).collect();
            assert_eq!(check_base(&supported, &noble, force).is_ok(), expected, "{supported:?}");
        }
    }
}
