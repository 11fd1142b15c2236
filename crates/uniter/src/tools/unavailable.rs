//! Tools of Juju 3.6 that this release does not have. They are there by name and fail, so that a charm that calls
//! one learns which.

pub(super) const NAMES: &[&str] = &[
    "credential-get",
    "juju-reboot",
    "k8s-raw-get",
    "k8s-raw-set",
    "k8s-spec-get",
    "k8s-spec-set",
    "payload-register",
    "payload-status-set",
    "payload-unregister",
    "pod-spec-get",
    "pod-spec-set",
    "resource-get",
    "secret-add",
    "secret-get",
    "secret-grant",
    "secret-ids",
    "secret-info-get",
    "secret-remove",
    "secret-revoke",
    "secret-set",
    "storage-add",
    "storage-get",
    "storage-list",
];
