//! What a hook has changed, as one request.

use juju_core::PortRange;
use juju_wire::facade::uniter::{
    CommitHookChangesArg, EntityPortRange, RelationUnitSettings, SetUnitStateArg,
};

use super::Context;
use crate::{api, hook::Hook};

impl Context {
    /// All that was buffered, or nothing if nothing was. The unit's own state is the caller's to add.
    pub(crate) fn changes(&self, hook: &Hook) -> Option<CommitHookChangesArg> {
        let tag = self.services.api.unit_tag();
        let settings: Vec<_> = self
            .relations
            .values()
            .filter_map(|it| {
                let own = it.own.as_ref().map(|it| it.changes()).unwrap_or_default();
                let application = it.own_application.as_ref().map(|it| it.changes()).unwrap_or_default();
                (!own.is_empty() || !application.is_empty()).then(|| RelationUnitSettings {
                    relation: api::relation_tag(&it.key),
                    unit: tag.clone(),
                    settings: own,
                    application_settings: application,
                })
            })
            .collect();
        let range = |(endpoint, it): &(String, PortRange)| EntityPortRange {
            tag: tag.clone(),
            endpoint: endpoint.clone(),
            protocol: it.protocol().to_string(),
            from_port: it.from_port(),
            to_port: it.to_port(),
        };
        let (opened, closed) = match &self.ports {
            Some(ports) => {
                let (opened, closed) = ports.changes();
                (opened.iter().map(range).collect(), closed.iter().map(range).collect())
            }
            None => (vec![], vec![]),
        };
        let state = self.charm_state.as_ref().filter(|it| it.changed).map(|it| SetUnitStateArg {
            tag: tag.clone(),
            charm_state: Some(it.values.clone()),
            ..SetUnitStateArg::default()
        });
        // Addresses may have changed, and the other sides of the unit's relations learn of it by its data.
        let network = *hook == Hook::ConfigChanged;
        let changed =
            network || !settings.is_empty() || !opened.is_empty() || !closed.is_empty() || state.is_some();
        changed.then(|| CommitHookChangesArg {
            relation_unit_settings: some(settings),
            open_ports: some(opened),
            close_ports: some(closed),
            unit_state: state,
            update_network_info: network,
            tag,
            ..CommitHookChangesArg::default()
        })
    }
}

fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}
