//! Constraints from flags to the wire and back.

use juju_core::Constraints;
use juju_wire::params;

use crate::error::{Error, Result};

/// Reads all `--constraints` of a command line as one.
pub fn parse(flags: &[String]) -> Result<Constraints> {
    flags.join(" ").parse().map_err(|e| Error::usage(format!("{e}")))
}

pub fn to_wire(it: &Constraints) -> params::Constraints {
    let number = |it: Option<u64>| it.map(|it| i64::try_from(it).unwrap_or(i64::MAX));
    params::Constraints {
        allocate_public_ip: it.allocate_public_ip,
        arch: it.arch.clone(),
        container: it.container.clone(),
        cores: number(it.cores),
        cpu_power: number(it.cpu_power),
        image_id: it.image_id.clone(),
        instance_role: it.instance_role.clone(),
        instance_type: it.instance_type.clone(),
        mem: number(it.mem),
        root_disk: number(it.root_disk),
        root_disk_source: it.root_disk_source.clone(),
        spaces: it.spaces.clone(),
        tags: it.tags.clone(),
        virt_type: it.virt_type.clone(),
        zones: it.zones.clone(),
    }
}

/// A number below zero, which no controller sends, is none.
pub fn from_wire(it: &params::Constraints) -> Constraints {
    let number = |it: Option<i64>| it.and_then(|it| u64::try_from(it).ok());
    Constraints {
        allocate_public_ip: it.allocate_public_ip,
        arch: it.arch.clone(),
        container: it.container.clone(),
        cores: number(it.cores),
        cpu_power: number(it.cpu_power),
        image_id: it.image_id.clone(),
        instance_role: it.instance_role.clone(),
        instance_type: it.instance_type.clone(),
        mem: number(it.mem),
        root_disk: number(it.root_disk),
        root_disk_source: it.root_disk_source.clone(),
        spaces: it.spaces.clone(),
        tags: it.tags.clone(),
        virt_type: it.virt_type.clone(),
        zones: it.zones.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_come_through() {
        let flags =
            ["mem=4G cores=2", "arch=amd64 spaces=a,^b tags= zones=z allocate-public-ip=true virt-type=vm"];
        let parsed = parse(&flags.map(String::from)).unwrap();
        assert_eq!(from_wire(&to_wire(&parsed)), parsed);
        assert_eq!(to_wire(&parsed).mem, Some(4096));
    }

    #[test]
    fn a_bad_one_is_a_usage_error() {
        let error = parse(&["mem=lots".to_owned()]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("mem"), "{error}");
    }
}
