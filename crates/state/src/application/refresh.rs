//! Giving an application another charm.

use std::collections::BTreeMap;

use juju_charm::{RelationScope, Role};
use juju_core::{ApplicationName, Base, CharmUrl, ModelUuid};

use super::{ApplicationDoc, CharmOrigin, config, deploy::check_base, get_alive, put};
use crate::{Error, Model, Result, Tx, attributes::Values, bindings, charm, relation};

/// What an application is to have instead of its charm.
#[derive(Clone, Debug)]
pub struct Refresh {
    pub charm_url: CharmUrl,
    pub charm_origin: CharmOrigin,
    /// Values to be set with it.
    pub config: Values,
    pub config_texts: BTreeMap<String, String>,
    pub bindings: BTreeMap<String, String>,
    /// The charm is taken though it does not say that it runs on the application's base.
    pub force_base: bool,
    /// Units take it up even while a hook has failed.
    pub force_units: bool,
}

async fn refresh(tx: &Tx, m: &ModelUuid, name: &ApplicationName, new: &Refresh) -> Result<()> {
    let old = get_alive(tx, m, name).await?;
    let (url, charm) = (&new.charm_url, charm::get_usable(tx, m, &new.charm_url).await?);
    if charm::is_subordinate(&charm) != old.subordinate {
        return Err(Error::not_valid("cannot change an application's subordinacy"));
    }
    check_base(&charm::bases(&charm), &old.base, new.force_base)?;
    let endpoints = charm::endpoints(&charm, name);
    let existing = relation::of_application(m, name).list(tx).await?;
    for (_, relation) in &existing {
        let used = &relation.endpoint;
        let kept = endpoints.iter().any(|it| {
            (&it.name, it.role, &it.interface) == (&used.name, used.role, &used.interface)
                && (it.scope == used.scope || used.scope == RelationScope::Container)
        });
        if !kept {
            return Err(Error::not_valid(format!(
                "cannot upgrade application \"{name}\" to charm \"{url}\": would break relation \"{}\"",
                relation.key
            )));
        }
    }

    let mut values = charm::carry_config(&charm, &config::current(tx, m, name).await?);
    let split = config::split(&new.config)?;
    values.extend(charm::check_config(&charm, &split.charm)?);
    values.extend(charm::parse_config(&charm, &new.config_texts)?);
    config::put(tx, m, name, url, &values)?;
    config::put_trust(tx, m, name, split.trust).await?;
    bindings::merge(tx, m, name, &charm, &new.bindings).await?;

    let changed = old.charm_url != *url;
    if changed {
        charm::take(tx, m, url, name)?;
        charm::give(tx, m, &old.charm_url, name)?;
        // Peers that the new charm adds are related as those of a new application.
        for endpoint in endpoints.into_iter().filter(|it| it.role == Role::Peer) {
            let known = existing.iter().any(|(_, it)| it.endpoint.name == endpoint.name);
            if !known {
                relation::add_peer(tx, m, endpoint).await?;
            }
        }
    }
    let doc = ApplicationDoc {
        charm_url: url.clone(),
        charm_origin: new.charm_origin.clone(),
        charm_modified_version: old.charm_modified_version + u32::from(changed),
        force_charm: new.force_units,
        ..ApplicationDoc::clone(&old)
    };
    put(tx, m, &doc)
}

impl Model {
    /// Gives the application another charm; its values are carried over as far as that has options for them.
    pub async fn refresh(&self, name: &ApplicationName, new: &Refresh) -> Result<()> {
        self.transact(async |tx| refresh(&tx, self.uuid(), name, new).await).await
    }

    /// Says on what new units of the application are to run.
    pub async fn set_application_base(&self, name: &ApplicationName, base: &Base, force: bool) -> Result<()> {
        let set = async |tx: Tx| {
            let doc = get_alive(&tx, self.uuid(), name).await?;
            let charm = charm::get(&tx, self.uuid(), &doc.charm_url).await?;
            check_base(&charm::bases(&charm), base, force)?;
            put(&tx, self.uuid(), &ApplicationDoc { base: base.clone(), ..ApplicationDoc::clone(&doc) })
        };
        self.transact(set).await
    }
}
