//! Types about storage that several facades share.

use std::collections::BTreeMap;

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use super::*;

/// Part of [`ModelStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelFilesystemInfo {
    #[wire(omit)]
    pub detachable: bool,
    pub id: String,
    #[wire(omit)]
    pub message: String,
    #[wire(omit)]
    pub provider_id: String,
    #[wire(omit)]
    pub status: String,
}

/// Part of [`ModelStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelVolumeInfo {
    #[wire(omit)]
    pub detachable: bool,
    pub id: String,
    #[wire(omit)]
    pub message: String,
    #[wire(omit)]
    pub provider_id: String,
    #[wire(omit)]
    pub status: String,
}

/// Part of [`ApplicationStorageGetResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StorageConstraints {
    #[wire(omit)]
    pub count: Option<i64>,
    #[wire(omit)]
    pub pool: String,
    #[wire(omit)]
    pub size: Option<i64>,
}

/// Storage as deploys and new machines ask for it: Juju sends these keys as they are named in Go.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StorageDirective {
    #[wire("Count")]
    pub count: i64,
    #[wire("Pool")]
    pub pool: String,
    #[wire("Size")]
    pub size: i64,
}

/// Part of [`VolumeAttachmentDetails`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct VolumeAttachmentPlanInfo {
    #[wire(omit)]
    pub device_attributes: BTreeMap<String, String>,
    #[wire(omit)]
    pub device_type: String,
}

/// Part of [`VolumeDetails`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct VolumeInfo {
    #[wire(omit)]
    pub hardware_id: String,
    pub persistent: bool,
    #[wire(omit)]
    pub pool: String,
    pub size: i64,
    pub volume_id: String,
    #[wire(omit)]
    pub wwn: String,
}
