//! The `storage` of a status: instances, filesystems and volumes with what they are attached to.

use std::collections::BTreeMap;

use juju_wire::{
    facade::client::{FilesystemAttachmentDetails, FullStatus, StorageDetails, VolumeAttachmentDetails},
    params::EntityStatus,
};
use serde::Serialize;

use crate::{
    cells,
    output::{Cell, Table, natural, time::Zone},
};

/// All storage of a model; empty parts are left out, the object never is.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CombinedStorage {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<String, Instance>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub filesystems: BTreeMap<String, Filesystem>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub volumes: BTreeMap<String, Volume>,
}

impl CombinedStorage {
    pub fn is_empty(&self) -> bool {
        self.storage.is_empty() && self.filesystems.is_empty() && self.volumes.is_empty()
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct State {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub current: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub since: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct Instance {
    pub kind: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub life: String,
    pub status: State,
    pub persistent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<UnitAttachments>,
}

#[derive(Clone, Debug, Serialize)]
pub struct UnitAttachments {
    pub units: BTreeMap<String, UnitAttachment>,
}

#[derive(Clone, Debug, Serialize)]
pub struct UnitAttachment {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub machine: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub location: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub life: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct Attachments<T> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub machines: BTreeMap<String, T>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub containers: BTreeMap<String, T>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub units: BTreeMap<String, UnitAttachment>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FilesystemAttachment {
    pub mount_point: String,
    pub read_only: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub life: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Filesystem {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub provider_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub volume: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub storage: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Attachments<FilesystemAttachment>>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pool: String,
    pub size: i64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub life: String,
    pub status: State,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct VolumeAttachment {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub device: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub device_link: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub bus_address: String,
    pub read_only: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub life: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Volume {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub provider_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub storage: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Attachments<VolumeAttachment>>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pool: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hardware_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub wwn: String,
    pub size: i64,
    pub persistent: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub life: String,
    pub status: State,
}

/// Puts together what the reply says of storage.
pub fn combine(status: &FullStatus, zone: &Zone) -> CombinedStorage {
    let filesystems = status.filesystems.iter().map(|it| {
        let filesystem = Filesystem {
            provider_id: it.info.filesystem_id.clone(),
            volume: id(&it.volume_tag),
            storage: it.storage.as_ref().map(|it| id(&it.storage_tag)).unwrap_or_default(),
            attachments: attachments(&it.machine_attachments, it.storage.as_ref(), filesystem_attachment),
            pool: it.info.pool.clone(),
            size: it.info.size,
            life: it.life.clone(),
            status: state(&it.status, zone),
        };
        (id(&it.filesystem_tag), filesystem)
    });
    let volumes = status.volumes.iter().map(|it| {
        let volume = Volume {
            provider_id: it.info.volume_id.clone(),
            storage: it.storage.as_ref().map(|it| id(&it.storage_tag)).unwrap_or_default(),
            attachments: attachments(&it.machine_attachments, it.storage.as_ref(), volume_attachment),
            pool: it.info.pool.clone(),
            hardware_id: it.info.hardware_id.clone(),
            wwn: it.info.wwn.clone(),
            size: it.info.size,
            persistent: it.info.persistent,
            life: it.life.clone(),
            status: state(&it.status, zone),
        };
        (id(&it.volume_tag), volume)
    });
    CombinedStorage {
        storage: status.storage.iter().map(|it| (id(&it.storage_tag), instance(it, zone))).collect(),
        filesystems: filesystems.collect(),
        volumes: volumes.collect(),
    }
}

/// The section of tables that `--storage` adds.
pub fn table(all: &CombinedStorage) -> Table {
    let header = ["Storage Unit", "Storage ID", "Type", "Pool", "Mountpoint", "Size", "Status", "Message"];
    let mut table = Table::new(&header);
    let mut rows = Vec::new();
    for (id, instance) in &all.storage {
        let filesystem = all.filesystems.values().find(|it| it.storage == *id);
        let volume = all.volumes.values().find(|it| it.storage == *id);
        let pool = filesystem.map(|it| &it.pool).or(volume.map(|it| &it.pool)).cloned().unwrap_or_default();
        let size =
            filesystem.map(|it| it.size).or(volume.map(|it| it.size)).map(mebibytes).unwrap_or_default();
        let units = instance.attachments.iter().flat_map(|it| &it.units);
        let mut units: Vec<_> = units.map(|(unit, it)| (unit.as_str(), it.location.as_str())).collect();
        if units.is_empty() {
            units.push(("", ""));
        }
        for (unit, location) in units {
            rows.push((
                unit.to_owned(),
                id.clone(),
                instance,
                pool.clone(),
                location.to_owned(),
                size.clone(),
            ));
        }
    }
    // Storage of no unit comes last.
    rows.sort_by(|a, b| {
        a.0.is_empty()
            .cmp(&b.0.is_empty())
            .then_with(|| natural::compare(&a.0, &b.0))
            .then_with(|| natural::compare(&a.1, &b.1))
    });
    for (unit, id, instance, pool, location, size) in rows {
        let mut row = Vec::from(cells![unit, id, instance.kind, pool, location, size]);
        row.push(Cell::status(&instance.status.current));
        row.push(instance.status.message.as_str().into());
        table.row(row);
    }
    table
}

fn mebibytes(size: i64) -> String {
    let (mut size, mut unit) = (size as f64, 0);
    const UNITS: [&str; 4] = ["MiB", "GiB", "TiB", "PiB"];
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    if size < 10.0 { format!("{size:.1} {}", UNITS[unit]) } else { format!("{size:.0} {}", UNITS[unit]) }
}

fn instance(it: &StorageDetails, zone: &Zone) -> Instance {
    let units = unit_attachments(it);
    Instance {
        kind: match it.kind {
            1 => "block",
            2 => "filesystem",
            _ => "unknown",
        },
        life: it.life.clone(),
        status: state(&it.status, zone),
        persistent: it.persistent,
        attachments: (!units.is_empty()).then_some(UnitAttachments { units }),
    }
}

fn unit_attachments(it: &StorageDetails) -> BTreeMap<String, UnitAttachment> {
    let attachment = |(tag, it): (&String, &juju_wire::facade::client::StorageAttachmentDetails)| {
        let attachment = UnitAttachment {
            machine: id(&it.machine_tag),
            location: it.location.clone(),
            life: it.life.clone(),
        };
        (id(tag), attachment)
    };
    it.attachments.iter().map(attachment).collect()
}

fn attachments<T, U>(
    machines: &BTreeMap<String, T>,
    storage: Option<&StorageDetails>,
    convert: impl Fn(&T) -> U,
) -> Option<Attachments<U>> {
    let (mut on_machines, mut in_containers) = (BTreeMap::new(), BTreeMap::new());
    for (tag, it) in machines {
        let id = id(tag);
        let map = if id.contains('/') { &mut in_containers } else { &mut on_machines };
        map.insert(id, convert(it));
    }
    let units = storage.map(unit_attachments).unwrap_or_default();
    (!machines.is_empty() || !units.is_empty()).then_some(Attachments {
        machines: on_machines,
        containers: in_containers,
        units,
    })
}

fn filesystem_attachment(it: &FilesystemAttachmentDetails) -> FilesystemAttachment {
    FilesystemAttachment {
        mount_point: it.mount_point.clone(),
        read_only: it.read_only,
        life: it.life.clone(),
    }
}

fn volume_attachment(it: &VolumeAttachmentDetails) -> VolumeAttachment {
    VolumeAttachment {
        device: it.device_name.clone(),
        device_link: it.device_link.clone(),
        bus_address: it.bus_address.clone(),
        read_only: it.read_only,
        life: it.life.clone(),
    }
}

fn state(status: &EntityStatus, zone: &Zone) -> State {
    State {
        current: status.status.clone(),
        message: status.info.clone(),
        since: status.since.0.map(|at| zone.date_and_time(at)).unwrap_or_default(),
    }
}

/// `storage-data-0` is `data/0`, `machine-0-lxd-1` is `0/lxd/1`, `unit-my-web-0` is `my-web/0`.
fn id(tag: &str) -> String {
    let Some((kind, id)) = tag.split_once('-') else { return tag.to_owned() };
    match kind {
        "storage" | "unit" => id.rsplit_once('-').map_or(id.to_owned(), |(name, n)| format!("{name}/{n}")),
        _ => id.replace('-', "/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_become_ids() {
        for (tag, want) in [
            ("storage-data-0", "data/0"),
            ("storage-my-data-12", "my-data/12"),
            ("unit-my-web-0", "my-web/0"),
            ("machine-0-lxd-1", "0/lxd/1"),
            ("filesystem-0-1", "0/1"),
            ("volume-3", "3"),
            ("", ""),
        ] {
            assert_eq!(id(tag), want);
        }
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!([mebibytes(1), mebibytes(1024), mebibytes(20480)], ["1.0 MiB", "1.0 GiB", "20 GiB"]);
    }
}
