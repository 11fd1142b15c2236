//! `AddMachines`.

use juju_core::{Base, ContainerType, MachineId, ModelUuid};
use juju_state::{
    block::BlockKind,
    machine::{Job, NewInstance, NewMachine},
};
use juju_wire::facade::machine_manager::{
    AddMachineParams, AddMachines, AddMachinesResult, AddMachinesResults,
};

use crate::{
    Ctx, Error, Result,
    bulk::{FromOutcome, each},
    convert,
};

/// What machines run where neither the client nor the model says (Juju 3.6 `version/base.go`).
const DEFAULT_BASE: &str = "24.04";

impl FromOutcome<MachineId> for AddMachinesResult {
    fn value(id: MachineId) -> Self {
        AddMachinesResult { machine: id.to_string(), error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        AddMachinesResult { error: Some(error), ..AddMachinesResult::default() }
    }
}

pub(super) async fn machines(ctx: Ctx, args: AddMachines) -> Result<AddMachinesResults> {
    ctx.model().check_allowed(BlockKind::Change)?;
    Ok(AddMachinesResults { machines: each(args.params, async |it| add(&ctx, it).await).await })
}

async fn add(ctx: &Ctx, args: AddMachineParams) -> Result<MachineId> {
    if !args.disks.is_empty() {
        return Err(Error::not_supported("adding machines with disks is not implemented"));
    }
    let model = ctx.model();
    let (whereto, directive) = place(&args, model.uuid(), model.doc()?.name.as_str())?;
    let base = match args.base.as_ref().map(convert::base_from_wire).transpose()?.flatten() {
        Some(base) => base,
        None => default_base(ctx)?,
    };
    let jobs = args.jobs.iter().map(|it| job(it)).collect::<Result<Vec<_>>>()?;
    let mut new = NewMachine {
        constraints: convert::constraints_from_wire(&args.constraints)?,
        jobs,
        placement: directive,
        ..NewMachine::new(base)
    };
    match whereto {
        Where::Container { kind, host } => {
            Ok(model.add_container(host.as_ref(), kind.as_str(), &new).await?)
        }
        Where::Machine => {
            // An instance that is there already is taken over only where nothing says that one is to be made.
            if new.placement.is_empty() && !args.instance_id.is_empty() {
                new.instance = Some(instance(args)?);
            }
            Ok(model.add_machine(&new).await?)
        }
    }
}

#[derive(Debug, PartialEq)]
enum Where {
    Machine,
    Container { kind: ContainerType, host: Option<MachineId> },
}

/// Where the machine is to be, and what the provider is told of that.
fn place(args: &AddMachineParams, model: &ModelUuid, model_name: &str) -> Result<(Where, String)> {
    let container = |kind: &str, host: &str| {
        let kind: ContainerType = kind.parse().map_err(Error::not_valid)?;
        let host = Some(host).filter(|it| !it.is_empty());
        let host = host.map(|it| it.parse().map_err(|_| Error::not_found(format_args!("machine {it}"))));
        Ok((Where::Container { kind, host: host.transpose()? }, String::new()))
    };
    if !args.parent_id.is_empty() && args.container_type.is_empty() {
        return Err(Error::other("parent machine specified without container type"));
    }
    match &args.placement {
        Some(_) if !args.container_type.is_empty() => {
            Err(Error::other("container type and placement are mutually exclusive"))
        }
        Some(it) if it.scope.parse::<ContainerType>().is_ok() => container(&it.scope, &it.directive),
        Some(it) if it.scope == model.as_str() || it.scope == model_name => {
            Ok((Where::Machine, it.directive.clone()))
        }
        Some(it) => Err(Error::other(format_args!("invalid model name {:?}", it.scope))),
        None if !args.container_type.is_empty() => container(&args.container_type, &args.parent_id),
        None => Ok((Where::Machine, String::new())),
    }
}

fn default_base(ctx: &Ctx) -> Result<Base> {
    match ctx.model().config()?.text("default-base") {
        "" => Ok(Base::ubuntu(DEFAULT_BASE)),
        text => text.parse().map_err(Error::not_valid),
    }
}

/// Controllers are not added by hand.
fn job(text: &str) -> Result<Job> {
    match text {
        "JobHostUnits" => Ok(Job::HostUnits),
        other => Err(Error::not_valid(format_args!("invalid machine job: {other:?}"))),
    }
}

fn instance(args: AddMachineParams) -> Result<NewInstance> {
    Ok(NewInstance {
        instance_id: args.instance_id,
        display_name: String::new(),
        nonce: args.nonce,
        hardware: convert::hardware_from_wire(args.hardware_characteristics),
        charm_profiles: vec![],
        addresses: args.addresses.iter().map(convert::address_from_wire).collect::<Result<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use juju_wire::params::Placement;

    use super::*;

    #[test]
    fn places() {
        let model: ModelUuid = "5d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f".parse().unwrap();
        let lxd = |host: Option<&str>| Where::Container {
            kind: ContainerType::Lxd,
            host: host.map(|it| it.parse().unwrap()),
        };
        let placement = |scope: &str, directive: &str| {
            Some(Placement { scope: scope.into(), directive: directive.into() })
        };
        for (parent, container, at, expected) in [
            ("", "", None, Ok((Where::Machine, ""))),
            ("", "lxd", None, Ok((lxd(None), ""))),
            ("3", "lxd", None, Ok((lxd(Some("3")), ""))),
            ("3", "", None, Err("parent machine specified without container type")),
            ("", "lxd", placement("lxd", ""), Err("container type and placement are mutually exclusive")),
            ("", "", placement("lxd", "0"), Ok((lxd(Some("0")), ""))),
            ("", "", placement(model.as_str(), "zone=a"), Ok((Where::Machine, "zone=a"))),
            ("", "", placement("demo", "zone=a"), Ok((Where::Machine, "zone=a"))),
            ("", "", placement("#", "3"), Err("invalid model name \"#\"")),
        ] {
            let args = AddMachineParams {
                parent_id: parent.into(),
                container_type: container.into(),
                placement: at,
                ..AddMachineParams::default()
            };
            let got = place(&args, &model, "demo").map_err(|it| it.to_string());
            assert_eq!(got, expected.map(|(it, text)| (it, text.to_owned())).map_err(str::to_owned));
        }
    }
}
