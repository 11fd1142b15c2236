//! `DestroyModels`.

use juju_state::{access::Access, block::BlockKind, destroy::DestroyModel};
use juju_wire::{
    facade::model_manager::{DestroyModelParams, DestroyModelsParams},
    params::ErrorResults,
};

use super::{model_of, require};
use crate::{
    Ctx, Error, Result,
    bulk::{FromResults as _, each},
    facades::how::nanoseconds,
};

pub(super) async fn destroy(ctx: Ctx, args: DestroyModelsParams) -> Result<ErrorResults> {
    let one = async |it: DestroyModelParams| {
        let model = model_of(&ctx, &it.model_tag)?;
        require(&ctx, model.uuid(), Access::Admin)?;
        if model.doc()?.is_controller {
            return Err(Error::other("cannot destroy controller model: use destroy-controller"));
        }
        model.check_allowed(BlockKind::Destroy)?;
        let given = DestroyModel {
            force: it.force.unwrap_or_default(),
            timeout: nanoseconds(it.timeout),
            max_wait: nanoseconds(it.max_wait),
            hosted_too: false,
        };
        Ok(model.destroy(&given).await?)
    };
    Ok(ErrorResults::from_results(each(args.models, one).await))
}
