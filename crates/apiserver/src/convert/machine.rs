//! Bases and constraints.

use juju_core::{Base, Constraints};
use juju_wire::params;

use crate::{Error, Result};

pub(crate) fn base_to_wire(base: &Base) -> params::Base {
    params::Base { name: base.os.clone(), channel: base.channel.to_string() }
}

/// None where nothing is said.
pub(crate) fn base_from_wire(base: &params::Base) -> Result<Option<Base>> {
    if base.name.is_empty() && base.channel.is_empty() {
        return Ok(None);
    }
    Base::from_parts(&base.name, &base.channel).map_err(|err| Error::not_valid(err.to_string()))
}

/// Both sides have the same keys, those that constraints are written with.
pub(crate) fn constraints_to_wire(constraints: &Constraints) -> params::Constraints {
    let value = serde_json::to_value(constraints).expect("constraints are plain JSON");
    serde_json::from_value(value).expect("the wire's constraints have the same keys")
}

pub(crate) fn constraints_from_wire(constraints: &params::Constraints) -> Result<Constraints> {
    let value = serde_json::to_value(constraints).map_err(|err| Error::bad_request(err.to_string()))?;
    serde_json::from_value(value).map_err(|err| Error::not_valid(format!("constraints: {err}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_travel_unchanged() {
        let text = "arch=amd64 cores=2 cpu-power=100 mem=2048M root-disk=8192M root-disk-source=pool tags=a,b \
                    spaces=dmz,^public instance-role=r instance-type=t virt-type=v zones=z1,z2 allocate-public-ip=true \
                    image-id=i container=lxd";
        let constraints: Constraints = text.parse().unwrap();
        assert_eq!(constraints_from_wire(&constraints_to_wire(&constraints)).unwrap(), constraints);
        let cleared: Constraints = "arch= mem= zones=".parse().unwrap();
        assert_eq!(constraints_from_wire(&constraints_to_wire(&cleared)).unwrap(), cleared);
    }
}
