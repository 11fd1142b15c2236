//! What must hold between the parts of `metadata.yaml`.

use std::collections::BTreeSet;

use juju_core::{CharmUrl, EndpointName, StorageName};

use super::{Meta, RelationScope, ResourceKind, Role, StorageKind};
use crate::{CharmError, Result};

impl Meta {
    pub(super) fn check(&self) -> Result<()> {
        self.check_all().map_err(CharmError::invalid)
    }

    fn check_all(&self) -> Result<(), String> {
        let charm = &self.name;
        if !CharmUrl::is_valid_name(charm) {
            return Err(format!("name {charm:?} not valid"));
        }
        self.check_relations()?;
        if self.subordinate && !self.requires.values().any(|it| it.scope == RelationScope::Container) {
            return Err(format!(
                r#"subordinate charm {charm:?} lacks "requires" relation with container scope"#
            ));
        }
        self.check_extra_bindings()?;
        for series in &self.series {
            let valid = series.bytes().next().is_some_and(|it| it.is_ascii_lowercase())
                && series.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit());
            if !valid {
                return Err(format!("charm {charm:?} declares invalid series: {series:?}"));
            }
        }
        self.check_storage()?;
        self.check_resources()?;
        for (name, device) in &self.devices {
            if device.kind.is_empty() {
                return Err(format!("charm {charm:?} device {name:?}: type must be specified"));
            }
            if device.count_min < 0 {
                return Err(format!(
                    "charm {charm:?} device {name:?}: invalid minimum count {}",
                    device.count_min
                ));
            }
            if device.count_max <= 0 {
                return Err(format!(
                    "charm {charm:?} device {name:?}: invalid maximum count {}",
                    device.count_max
                ));
            }
        }
        for (name, payload) in &self.payloads {
            if payload.kind.is_empty() {
                return Err(format!("charm {charm:?} payload {name:?}: payload class missing type"));
            }
        }
        self.check_containers()
    }

    fn check_relations(&self) -> Result<(), String> {
        let charm = &self.name;
        // Charms of Juju itself may use its names.
        let own = reserved(charm);
        let mut seen = BTreeSet::new();
        for relation in self.relations() {
            let name = &relation.name;
            if !EndpointName::is_valid(name) {
                return Err(format!("charm {charm:?} using an invalid relation name: {name:?}"));
            }
            let of_principal = self.subordinate
                && relation.role == Role::Requirer
                && relation.scope == RelationScope::Container;
            if !of_principal && !own && reserved(name) {
                return Err(format!("charm {charm:?} using a reserved relation name: {name:?}"));
            }
            if relation.role != Role::Requirer && !own && reserved(&relation.interface) {
                let interface = &relation.interface;
                return Err(format!(
                    "charm {charm:?} relation {name:?} using a reserved interface: {interface:?}"
                ));
            }
            if !seen.insert(name) {
                return Err(format!("charm {charm:?} using a duplicated relation name: {name:?}"));
            }
        }
        Ok(())
    }

    fn check_extra_bindings(&self) -> Result<(), String> {
        let charm = &self.name;
        for name in &self.extra_bindings {
            if name.is_empty() {
                return Err(format!("charm {charm:?} has invalid extra bindings: missing binding name"));
            }
            if self.relations().any(|it| it.name == *name) {
                return Err(format!(
                    "charm {charm:?} has invalid extra bindings: relation names ({name}) cannot be used in extra bindings"
                ));
            }
        }
        Ok(())
    }

    fn check_storage(&self) -> Result<(), String> {
        let charm = &self.name;
        for (name, storage) in &self.storage {
            let error = |why: String| Err(format!("charm {charm:?} storage {name:?}: {why}"));
            if !StorageName::is_valid(name) {
                return error("name not valid".to_owned());
            }
            if !storage.location.is_empty() && storage.kind != StorageKind::Filesystem {
                return error(format!(
                    r#"location may not be specified for "type: {}""#,
                    storage.kind.as_str()
                ));
            }
            if storage.count_max == 0 {
                return error(format!("invalid maximum count {}", storage.count_max));
            }
            if storage.count_max > 0 && storage.count_min > storage.count_max {
                let (least, most) = (storage.count_min, storage.count_max);
                return error(format!("invalid count range {least}-{most}"));
            }
        }
        Ok(())
    }

    fn check_resources(&self) -> Result<(), String> {
        for (name, resource) in &self.resources {
            if resource.kind != ResourceKind::File {
                continue;
            }
            if resource.filename.is_empty() {
                return Err(format!("resource {name:?}: resource missing filename"));
            }
            if resource.filename.contains('/') {
                let filename = &resource.filename;
                return Err(format!(r#"resource {name:?}: filename cannot contain "/" (got {filename:?})"#));
            }
        }
        Ok(())
    }

    fn check_containers(&self) -> Result<(), String> {
        for (name, container) in &self.containers {
            if !container.resource.is_empty() {
                let resource = &container.resource;
                match self.resources.get(resource) {
                    None => return Err(format!("referenced resource {resource:?} not found")),
                    Some(it) if it.kind != ResourceKind::OciImage => {
                        return Err(format!("referenced resource {resource:?} is not a oci-image"));
                    }
                    Some(_) => {}
                }
            }
            for mount in &container.mounts {
                match self.storage.get(&mount.storage) {
                    None => return Err(format!("container {name:?}: storage {:?} not valid", mount.storage)),
                    Some(it) if it.kind != StorageKind::Filesystem => {
                        return Err(format!(
                            "container {name:?}: storage {:?} is not a filesystem",
                            mount.storage
                        ));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }
}

fn reserved(name: &str) -> bool {
    name == "juju" || name.starts_with("juju-")
}
