//! Bases, constraints, hardware and placements.

use juju_core::{Base, Constraints, ModelUuid, Placement};
use juju_state::machine::Hardware;
use juju_wire::{
    codec::{De, Ser},
    params,
};

use crate::{Error, Result};

pub(crate) fn base_to_wire(base: &Base) -> params::Base {
    params::Base { name: base.os.clone(), channel: base.channel.to_string() }
}

/// None where nothing is said.
pub(crate) fn base_from_wire(base: &params::Base) -> Result<Option<Base>> {
    Base::from_parts(&base.name, &base.channel).map_err(Error::not_valid)
}

/// Both sides have the same keys, those that constraints are written with.
pub(crate) fn constraints_to_wire(constraints: &Constraints) -> params::Constraints {
    let value = serde_json::to_value(constraints).expect("constraints are plain JSON");
    let De(wire) = serde_json::from_value(value).expect("the wire's constraints have the same keys");
    wire
}

pub(crate) fn constraints_from_wire(constraints: &params::Constraints) -> Result<Constraints> {
    let value = serde_json::to_value(Ser(constraints)).map_err(Error::bad_request)?;
    serde_json::from_value(value).map_err(|err| Error::not_valid(format_args!("constraints: {err}")))
}

/// Empty where nothing is known.
pub(crate) fn hardware_to_wire(it: &Hardware) -> params::HardwareCharacteristics {
    let number = |it: Option<u64>| it.map(|it| i64::try_from(it).unwrap_or(i64::MAX));
    params::HardwareCharacteristics {
        arch: it.arch.clone().unwrap_or_default(),
        mem: number(it.mem),
        root_disk: number(it.root_disk),
        root_disk_source: it.root_disk_source.clone().unwrap_or_default(),
        cpu_cores: number(it.cores),
        cpu_power: number(it.cpu_power),
        tags: it.tags.clone().unwrap_or_default(),
        availability_zone: it.availability_zone.clone().unwrap_or_default(),
        virt_type: it.virt_type.clone().unwrap_or_default(),
    }
}

pub(crate) fn hardware_from_wire(it: params::HardwareCharacteristics) -> Hardware {
    let text = |it: String| Some(it).filter(|it| !it.is_empty());
    let number = |it: Option<i64>| it.and_then(|it| u64::try_from(it).ok());
    Hardware {
        arch: text(it.arch),
        mem: number(it.mem),
        root_disk: number(it.root_disk),
        root_disk_source: text(it.root_disk_source),
        cores: number(it.cpu_cores),
        cpu_power: number(it.cpu_power),
        tags: Some(it.tags).filter(|it| !it.is_empty()),
        availability_zone: text(it.availability_zone),
        virt_type: text(it.virt_type),
    }
}

/// As people read it: `arch=amd64 cores=2 mem=3814M`.
pub(crate) fn hardware_text(it: &Hardware) -> String {
    let text = |key: &str, it: &Option<String>| it.as_ref().map(|it| format!("{key}={it}"));
    let number = |key: &str, it: Option<u64>, unit: &str| it.map(|it| format!("{key}={it}{unit}"));
    let parts = [
        text("arch", &it.arch),
        number("cores", it.cores, ""),
        number("cpu-power", it.cpu_power, ""),
        number("mem", it.mem, "M"),
        number("root-disk", it.root_disk, "M"),
        text("root-disk-source", &it.root_disk_source),
        it.tags.as_ref().filter(|it| !it.is_empty()).map(|it| format!("tags={}", it.join(","))),
        text("availability-zone", &it.availability_zone),
        text("virt-type", &it.virt_type),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// A placement in this model. A client that does not know the model's UUID writes a word for it.
pub(crate) fn placement_from_wire(it: &params::Placement, model: &ModelUuid) -> Result<Placement> {
    let scope = if it.scope == Placement::MODEL_UUID_SCOPE { model.as_str() } else { &it.scope };
    Placement::from_parts(scope, &it.directive).map_err(Error::not_valid)
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

    #[test]
    fn hardware_travels_and_reads() {
        let hardware = Hardware {
            arch: Some("amd64".into()),
            cores: Some(2),
            mem: Some(3814),
            tags: Some(vec!["a".into(), "b".into()]),
            availability_zone: Some("node1".into()),
            virt_type: Some("container".into()),
            ..Hardware::default()
        };
        assert_eq!(hardware_from_wire(hardware_to_wire(&hardware)), hardware);
        assert_eq!(
            hardware_text(&hardware),
            "arch=amd64 cores=2 mem=3814M tags=a,b availability-zone=node1 virt-type=container"
        );
        assert_eq!(hardware_text(&Hardware::default()), "");
    }

    #[test]
    fn placements_name_their_model() {
        let model: ModelUuid = "5d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f".parse().unwrap();
        for (scope, directive, expected) in [
            ("#", "3", Ok("#:3".to_owned())),
            ("lxd", "", Ok("lxd:".to_owned())),
            ("lxd", "3", Ok("lxd:3".to_owned())),
            ("model-uuid", "zone=a", Ok(format!("{model}:zone=a"))),
            ("#", "x", Err("invalid value \"x\" for \"#\" scope: expected machine-id".to_owned())),
        ] {
            let wire = params::Placement { scope: scope.into(), directive: directive.into() };
            let got = placement_from_wire(&wire, &model);
            assert_eq!(got.map(|it| it.to_string()).map_err(|it| it.to_string()), expected);
        }
    }
}
