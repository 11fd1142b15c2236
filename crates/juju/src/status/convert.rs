//! From the controller's words to the output's.

use std::collections::BTreeMap;

use juju_core::{CharmSchema, CharmUrl};
use juju_wire::{
    Error,
    facade::client::{
        ApplicationOfferStatus, ApplicationStatus, DetailedStatus, EndpointStatus, FullStatus, MachineStatus,
        RelationStatus, RemoteApplicationStatus, UnitStatus,
    },
    params,
};
use serde_json::Value;

use super::{model::*, storage};
use crate::output::time::Zone;

/// What the reply does not say.
#[derive(Clone, Debug)]
pub struct Options {
    pub controller: String,
    pub zone: Zone,
    /// Relations, and what is wrong with one in the message of its unit.
    pub relations: bool,
    pub storage: bool,
}

pub fn convert(status: &FullStatus, options: &Options) -> Status {
    let converter = Converter { status, options };
    Status {
        model: converter.model(),
        machines: mapped(&status.machines, |_, it| converter.machine(it)),
        applications: mapped(&status.applications, |name, it| converter.application(name, it)),
        remote_applications: mapped(&status.remote_applications, |_, it| converter.remote_application(it)),
        offers: mapped(&status.offers, |_, it| offer(it)),
        relations: converter.relations().iter().map(relation).collect(),
        storage: options.storage.then(|| storage::combine(status, &options.zone)),
        controller: status
            .controller_timestamp
            .0
            .map(|at| ControllerTime { timestamp: options.zone.time(at) }),
    }
}

fn mapped<T, U>(map: &BTreeMap<String, T>, f: impl Fn(&str, &T) -> U) -> BTreeMap<String, U> {
    map.iter().map(|(key, it)| (key.clone(), f(key, it))).collect()
}

fn message(error: &Option<Error>) -> Option<String> {
    error.as_ref().map(|it| it.message.clone())
}

struct Converter<'a> {
    status: &'a FullStatus,
    options: &'a Options,
}

impl Converter<'_> {
    fn relations(&self) -> &[RelationStatus] {
        if self.options.relations { &self.status.relations } else { &[] }
    }

    fn model(&self) -> Model {
        let model = &self.status.model;
        let meter = &model.meter_status;
        Model {
            name: model.name.clone(),
            model_type: model.type_.clone(),
            controller: self.options.controller.clone(),
            cloud: model.cloud_tag.strip_prefix("cloud-").unwrap_or(&model.cloud_tag).to_owned(),
            region: model.region.clone(),
            version: model.version.clone(),
            available_version: model.available_version.clone(),
            status: self.info(&model.model_status),
            meter_status: (!meter.color.is_empty())
                .then(|| Meter { color: meter.color.clone(), message: meter.message.clone() }),
            sla: model.sla.clone(),
        }
    }

    fn info(&self, status: &DetailedStatus) -> Info {
        let reason = status.data.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut info = self.plain_info(status);
        info.value.reason = reason;
        info.value.life = status.life.clone();
        info
    }

    /// Applications and units show neither reason nor life here.
    fn plain_info(&self, status: &DetailedStatus) -> Info {
        Fallible {
            error: message(&status.err),
            value: InfoContents {
                current: status.status.clone(),
                message: status.info.clone(),
                since: status.since.0.map(|at| self.options.zone.date_and_time(at)).unwrap_or_default(),
                version: status.version.clone(),
                ..InfoContents::default()
            },
        }
    }

    fn machine(&self, machine: &MachineStatus) -> Machine {
        let manages = machine.jobs.iter().any(|it| it == "JobManageModel");
        Machine {
            id: machine.id.clone(),
            juju_status: self.info(&machine.agent_status),
            hostname: machine.hostname.clone(),
            dns_name: machine.dns_name.clone(),
            ip_addresses: machine.ip_addresses.clone(),
            instance_id: machine.instance_id.clone(),
            display_name: machine.display_name.clone(),
            machine_status: self.info(&machine.instance_status),
            modification_status: self.info(&machine.modification_status),
            base: base(&machine.base),
            network_interfaces: mapped(&machine.network_interfaces, |_, it| NetworkInterface {
                ip_addresses: it.ip_addresses.clone(),
                mac_address: it.mac_address.clone(),
                gateway: it.gateway.clone(),
                dns_nameservers: it.dns_nameservers.clone(),
                space: it.space.clone(),
                is_up: it.is_up,
            }),
            containers: mapped(&machine.containers, |_, it| self.machine(it)),
            constraints: machine.constraints.clone(),
            hardware: machine.hardware.clone(),
            ha_status: if manages { ha_status(machine.has_vote, machine.wants_vote) } else { "" },
            ha_primary: manages && machine.primary_controller_machine,
            lxd_profiles: mapped(&machine.lxd_profiles, |_, it| LxdProfile {
                config: it.config.clone(),
                description: it.description.clone(),
                devices: it.devices.clone(),
            }),
        }
    }

    fn application(&self, name: &str, application: &ApplicationStatus) -> Fallible<Application> {
        // The controller sends no other URLs than those that parse; if it did, the rest is still worth showing.
        let url = application.charm.parse::<CharmUrl>().ok();
        let origin = match url.as_ref().map(|it| it.schema) {
            Some(CharmSchema::CharmHub) => "charmhub",
            Some(CharmSchema::Local) => "local",
            None => "",
        };
        let charm_name = url.as_ref().map(|it| it.name().to_owned()).unwrap_or_default();
        let value = Application {
            charm: if origin == "charmhub" { charm_name.clone() } else { application.charm.clone() },
            base: base(&application.base),
            charm_origin: origin,
            charm_name,
            charm_rev: url.and_then(|it| it.revision).map_or(-1, i64::from),
            charm_channel: application.charm_channel.clone(),
            charm_version: application.charm_version.clone(),
            charm_profile: application.charm_profile.clone(),
            can_upgrade_to: application.can_upgrade_to.clone(),
            scale: application.int.filter(|it| *it != 0),
            provider_id: application.provider_id.clone(),
            address: application.public_address.clone(),
            exposed: application.exposed,
            life: application.life.clone(),
            status: self.plain_info(&application.status),
            relations: mapped(&application.relations, |endpoint, others| {
                others.iter().filter_map(|other| self.related(name, endpoint, other)).collect()
            }),
            subordinate_to: application.subordinate_to.clone(),
            units: mapped(&application.units, |unit, it| self.unit(unit, it, name, application)),
            version: application.workload_version.clone(),
            endpoint_bindings: application.endpoint_bindings.clone(),
        };
        Fallible { error: message(&application.err), value }
    }

    fn related(&self, application: &str, endpoint: &str, other: &str) -> Option<Related> {
        let relation = self.relations().iter().find(|it| match it.endpoints.as_slice() {
            [peer] => application == other && peer.application == application && peer.name == endpoint,
            [a, b] => {
                application != other
                    && [(a, b), (b, a)].iter().any(|(own, far)| {
                        own.application == application && own.name == endpoint && far.application == other
                    })
            }
            _ => false,
        })?;
        Some(Related {
            related_application: other.to_owned(),
            interface: relation.interface.clone(),
            scope: relation.scope.clone(),
        })
    }

    fn unit(
        &self,
        name: &str,
        unit: &UnitStatus,
        application: &str,
        of: &ApplicationStatus,
    ) -> Fallible<Unit> {
        let mut workload = self.plain_info(&unit.workload_status);
        if workload.current == "error"
            && let Some(far) = self.failed_endpoint(unit, application)
        {
            workload.value.message.push_str(&format!(" for {}:{}", far.application, far.name));
        }
        let error = workload.error.clone();
        let value = Unit {
            workload_status: workload,
            juju_status: self.plain_info(&unit.agent_status),
            meter_status: of
                .meter_statuses
                .get(name)
                .map(|it| Meter { color: it.color.clone(), message: it.message.clone() }),
            leader: unit.leader,
            charm: unit.charm.clone(),
            machine: unit.machine.clone(),
            opened_ports: unit.opened_ports.clone(),
            public_address: unit.public_address.clone(),
            address: unit.address.clone(),
            provider_id: unit.provider_id.clone(),
            subordinates: mapped(&unit.subordinates, |name, it| self.unit(name, it, application, of)),
        };
        Fallible { error, value }
    }

    /// The other end of the relation whose hook failed.
    fn failed_endpoint(&self, unit: &UnitStatus, application: &str) -> Option<&EndpointStatus> {
        let id = unit.workload_status.data.get("relation-id")?.as_f64()?;
        let relation = self.relations().iter().find(|it| it.id as f64 == id)?;
        relation.endpoints.iter().find(|it| it.application != application)
    }

    fn remote_application(&self, remote: &RemoteApplicationStatus) -> Fallible<RemoteApplication> {
        let endpoint = |it: &params::RemoteEndpoint| {
            (it.name.clone(), Endpoint { interface: it.interface.clone(), role: it.role.clone() })
        };
        let value = RemoteApplication {
            url: remote.offer_url.clone(),
            endpoints: remote.endpoints.iter().map(endpoint).collect(),
            life: remote.life.clone(),
            status: self.plain_info(&remote.status),
            relations: remote.relations.clone(),
        };
        Fallible { error: message(&remote.err), value }
    }
}

fn offer(offer: &ApplicationOfferStatus) -> Fallible<Offer> {
    let value = Offer {
        application: offer.application_name.clone(),
        charm: offer.charm.clone(),
        total_connected: offer.total_connected_count,
        active_connected: offer.active_connected_count,
        endpoints: mapped(&offer.endpoints, |_, it| Endpoint {
            interface: it.interface.clone(),
            role: it.role.clone(),
        }),
    };
    Fallible { error: message(&offer.err), value }
}

fn relation(relation: &RelationStatus) -> Relation {
    let none = EndpointStatus::default();
    let with = |role: &str| relation.endpoints.iter().find(|it| it.role == role || it.role == "peer");
    let (provider, requirer) = (with("provider").unwrap_or(&none), with("requirer").unwrap_or(&none));
    let name = |it: &EndpointStatus| format!("{}:{}", it.application, it.name);
    Relation {
        provider: name(provider),
        requirer: name(requirer),
        interface: relation.interface.clone(),
        relation_type: if relation.scope == "container" {
            "subordinate"
        } else if provider.application == requirer.application {
            "peer"
        } else {
            "regular"
        },
        status: relation.status.status.clone(),
        message: relation.status.info.clone(),
    }
}

/// None where the controller knows no base: a machine that is not there yet.
fn base(base: &params::Base) -> Option<Base> {
    let channel = base.channel.strip_suffix("/stable").unwrap_or(&base.channel);
    (!channel.is_empty()).then(|| Base { name: base.name.clone(), channel: channel.to_owned() })
}

fn ha_status(has: bool, wants: bool) -> &'static str {
    match (has, wants) {
        (true, true) => "has-vote",
        (true, false) => "removing-vote",
        (false, true) => "adding-vote",
        (false, false) => "no-vote",
    }
}
