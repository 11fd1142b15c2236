//! A charm as `CharmInfo` shows it.

use std::collections::BTreeMap;

use juju_charm::{
    Charm, LxdProfile, Meta, Relation,
    meta::{CharmUser, ResourceKind},
};
use juju_core::CharmUrl;
use juju_wire::{
    facade::charms as wire,
    params::{self, CharmLXDProfile},
};
use serde_json::Value;

use crate::convert;

pub(super) fn charm(url: &CharmUrl, charm: &Charm) -> wire::Charm {
    wire::Charm {
        url: url.to_string(),
        revision: url.revision.unwrap_or_default().into(),
        config: config(charm),
        meta: Some(meta(&charm.meta)),
        actions: Some(actions(charm)),
        manifest: Some(manifest(charm)),
        lxd_profile: charm.lxd_profile.as_ref().map(lxd_profile),
        metrics: None,
    }
}

fn config(charm: &Charm) -> BTreeMap<String, wire::CharmOption> {
    let one = |it: &juju_charm::ConfigOption| wire::CharmOption {
        type_: it.option_type.to_string(),
        description: it.description.clone(),
        default: it.default.as_ref().map_or(Value::Null, |it| it.to_json()),
    };
    charm.config.options.iter().map(|(name, it)| (name.clone(), one(it))).collect()
}

fn actions(charm: &Charm) -> wire::CharmActions {
    let one = |it: &juju_charm::ActionSpec| wire::CharmActionSpec {
        description: it.description.clone(),
        params: it.params.as_object().cloned().unwrap_or_default().into_iter().collect(),
    };
    wire::CharmActions { specs: charm.actions.0.iter().map(|(name, it)| (name.clone(), one(it))).collect() }
}

fn manifest(charm: &Charm) -> wire::CharmManifest {
    let bases = charm.manifest.iter().flat_map(|it| &it.bases).map(|it| wire::CharmBase {
        name: it.base.os.clone(),
        channel: it.base.channel.to_string(),
        architectures: it.architectures.iter().map(ToString::to_string).collect(),
    });
    wire::CharmManifest { bases: bases.collect() }
}

pub(in super::super) fn lxd_profile(it: &LxdProfile) -> CharmLXDProfile {
    CharmLXDProfile {
        config: it.config.clone(),
        description: it.description.clone(),
        devices: it.devices.clone(),
    }
}

fn relations(all: &BTreeMap<String, Relation>) -> BTreeMap<String, params::CharmRelation> {
    all.iter().map(|(name, it)| (name.clone(), convert::relation_to_wire(it))).collect()
}

fn meta(it: &Meta) -> wire::CharmMeta {
    wire::CharmMeta {
        name: it.name.clone(),
        summary: it.summary.clone(),
        description: it.description.clone(),
        subordinate: it.subordinate,
        provides: relations(&it.provides),
        requires: relations(&it.requires),
        peers: relations(&it.peers),
        extra_bindings: it.extra_bindings.iter().map(|it| (it.clone(), it.clone())).collect(),
        categories: it.categories.clone(),
        tags: it.tags.clone(),
        series: it.series.clone(),
        terms: it.terms.clone(),
        storage: it.storage.iter().map(|(name, it)| (name.clone(), storage(name, it))).collect(),
        devices: it.devices.iter().map(|(name, it)| (name.clone(), device(name, it))).collect(),
        payload_classes: it
            .payloads
            .iter()
            .map(|(name, it)| (name.clone(), payload(name, &it.kind)))
            .collect(),
        resources: it.resources.iter().map(|(name, it)| (name.clone(), resource(name, it))).collect(),
        containers: it.containers.iter().map(|(name, it)| (name.clone(), container(it))).collect(),
        min_juju_version: it.min_juju_version.as_ref().map(ToString::to_string).unwrap_or_default(),
        assumes_expr: it
            .assumes
            .as_ref()
            .map(|it| wire::ExpressionTree { expression: serde_json::to_value(it).unwrap_or_default() }),
        charm_user: it.charm_user.map(user).unwrap_or_default(),
        deployment: None,
    }
}

fn user(it: CharmUser) -> String {
    let text = match it {
        CharmUser::Root => "root",
        CharmUser::Sudoer => "sudoer",
        CharmUser::NonRoot => "non-root",
    };
    text.to_owned()
}

fn storage(name: &str, it: &juju_charm::meta::Storage) -> wire::CharmStorage {
    wire::CharmStorage {
        name: name.to_owned(),
        description: it.description.clone(),
        type_: it.kind.as_str().to_owned(),
        shared: it.shared,
        read_only: it.read_only,
        count_min: it.count_min,
        count_max: it.count_max,
        minimum_size: i64::try_from(it.minimum_size).unwrap_or(i64::MAX),
        location: it.location.clone(),
        properties: it.properties.clone(),
    }
}

fn device(name: &str, it: &juju_charm::meta::Device) -> wire::CharmDevice {
    wire::CharmDevice {
        name: name.to_owned(),
        description: it.description.clone(),
        type_: it.kind.clone(),
        count_min: it.count_min,
        count_max: it.count_max,
    }
}

fn payload(name: &str, kind: &str) -> wire::CharmPayloadClass {
    wire::CharmPayloadClass { name: name.to_owned(), type_: kind.to_owned() }
}

fn resource(name: &str, it: &juju_charm::meta::Resource) -> wire::CharmResourceMeta {
    let kind = match it.kind {
        ResourceKind::File => "file",
        ResourceKind::OciImage => "oci-image",
    };
    wire::CharmResourceMeta {
        name: name.to_owned(),
        type_: kind.to_owned(),
        path: it.filename.clone(),
        description: it.description.clone(),
    }
}

fn container(it: &juju_charm::meta::Container) -> wire::CharmContainer {
    let mounts = it
        .mounts
        .iter()
        .map(|it| wire::CharmMount { storage: it.storage.clone(), location: it.location.clone() });
    wire::CharmContainer {
        resource: it.resource.clone(),
        mounts: mounts.collect(),
        uid: it.uid.map(i64::from),
        gid: it.gid.map(i64::from),
    }
}
