//! `ModelInfo`.

use juju_core::{ModelUuid, Tag};
use juju_state::{
    Model,
    access::{self, Access, Object},
    cloud, credential,
    machine::{self, MachineDoc},
    model, model_config, node,
    status::{self, StatusOf},
    user,
};
use juju_store::Image;
use juju_wire::{
    Time,
    facade::model_manager::{ModelInfo, ModelInfoResult, ModelInfoResults, ModelSLAInfo, SupportedFeature},
    params::{Entities, MachineHardware, ModelMachineInfo, ModelUserInfo},
};

use super::{model_of, require};
use crate::{
    Ctx, Result,
    bulk::{FromOutcome, each, tags},
    convert,
};

impl FromOutcome<ModelInfo> for ModelInfoResult {
    fn value(result: ModelInfo) -> Self {
        ModelInfoResult { result: Some(result), error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        ModelInfoResult { result: None, error: Some(error) }
    }
}

pub(super) async fn info(ctx: Ctx, args: Entities) -> Result<ModelInfoResults> {
    let one = async |tag: String| {
        let model = model_of(&ctx, &tag)?;
        require(&ctx, model.uuid(), Access::Read)?;
        model_info(&ctx, &model)
    };
    Ok(ModelInfoResults { results: each(tags(args), one).await })
}

pub(super) fn model_info(ctx: &Ctx, model: &Model) -> Result<ModelInfo> {
    let (image, m) = (ctx.state().image(), model.uuid());
    let doc = model::read(&image, m)?;
    let config = model_config::read(&image, m)?;
    let caller = ctx.user()?;
    let mine = access::of(&image, &Object::Model(m.clone()), &caller.name)?;
    let admin = caller.is_superuser() || mine == Some(Access::Admin);
    // Who is no admin sees himself alone, and who may only read no machines.
    let users = access::all(&image, &Object::Model(m.clone()))?;
    let users = users.iter().filter(|it| admin || it.user == caller.name);
    let users = users.map(|it| {
        let display_name = user::read(&image, &it.user).map(|it| it.display_name.clone()).unwrap_or_default();
        Ok(ModelUserInfo {
            user: it.user.to_string(),
            display_name,
            access: it.access.as_str().to_owned(),
            last_connection: Time(user::last_connection(&image, m, &it.user)?),
            model_tag: Tag::from(m).to_string(),
        })
    });
    let users = users.collect::<Result<Vec<_>>>()?;
    let writes = caller.is_superuser() || mine.is_some_and(|it| it != Access::Read);
    let agent_version = config.agent_version().map(|it| it.to_string()).unwrap_or_default();
    let used = doc.credential.as_ref().and_then(|it| credential::read(&image, it).ok());
    Ok(ModelInfo {
        name: doc.name.to_string(),
        uuid: doc.uuid.to_string(),
        type_: "iaas".to_owned(),
        controller_uuid: ctx.state().controller()?.uuid.to_string(),
        is_controller: doc.is_controller,
        provider_type: cloud::read(&image, &doc.cloud)?.kind.clone(),
        default_base: config.text("default-base").to_owned(),
        cloud_tag: Tag::from(&doc.cloud).to_string(),
        cloud_region: doc.region.clone(),
        cloud_credential_tag: doc.credential.as_ref().map(|it| Tag::from(it).to_string()).unwrap_or_default(),
        cloud_credential_validity: used.is_some_and(|it| it.invalid.is_none() && !it.revoked),
        owner_tag: Tag::from(&doc.owner).to_string(),
        life: doc.life.to_string(),
        status: Some(convert::entity_status(&status::read(&image, m, &StatusOf::Model)?.info)),
        users,
        machines: if writes { machines(&image, m)? } else { vec![] },
        sla: unsupported(),
        supported_features: vec![SupportedFeature {
            name: "juju".to_owned(),
            description: "the version of Juju used by the model".to_owned(),
            version: agent_version.clone(),
        }],
        agent_version,
        ..ModelInfo::default()
    })
}

pub(super) fn unsupported() -> ModelSLAInfo {
    ModelSLAInfo { level: "unsupported".to_owned(), owner: String::new() }
}

pub(super) fn machines(image: &Image, m: &ModelUuid) -> Result<Vec<ModelMachineInfo>> {
    let nodes = if model::read(image, m)?.is_controller { node::all(image)? } else { vec![] };
    let one = |machine: &MachineDoc| -> Result<ModelMachineInfo> {
        let status = status::read(image, m, &StatusOf::Machine(machine.id.clone()))?;
        let instance = machine::read_instance(image, m, &machine.id)?;
        let hardware = instance.as_ref().map(|it| {
            let known = convert::hardware_to_wire(&it.hardware);
            MachineHardware {
                arch: known.arch,
                cores: known.cpu_cores,
                mem: known.mem,
                root_disk: known.root_disk,
                cpu_power: known.cpu_power,
                tags: known.tags,
                availability_zone: known.availability_zone,
                virt_type: known.virt_type,
            }
        });
        let node = nodes.iter().find(|it| it.machine == machine.id);
        Ok(ModelMachineInfo {
            id: machine.id.to_string(),
            instance_id: instance.as_ref().map(|it| it.instance_id.clone()).unwrap_or_default(),
            display_name: instance.as_ref().map(|it| it.display_name.clone()).unwrap_or_default(),
            hardware,
            status: status.info.status.as_str().to_owned(),
            message: status.info.message.clone(),
            has_vote: node.is_some_and(|it| it.has_vote),
            wants_vote: node.is_some_and(|it| it.wants_vote),
            ha_primary: false,
        })
    };
    machine::all(image, m)?.iter().map(|it| one(it)).collect()
}
