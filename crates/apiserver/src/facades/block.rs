//! `Block`: what users are kept from doing by mistake (Juju 3.6 `apiserver/facades/client/block`).

use juju_core::Tag;
use juju_state::block::{self, BlockKind};
use juju_wire::{
    facade::block::{Block, BlockResult, BlockResults, BlockSwitchParams, call},
    params::ErrorResult,
};

use crate::{Ctx, Error, Result, Router, bulk::outcome};

pub(super) fn register(router: &mut Router) {
    router.on::<call::List>(list).on::<call::SwitchBlockOn>(switch_on).on::<call::SwitchBlockOff>(switch_off);
}

async fn list(ctx: Ctx, (): ()) -> Result<BlockResults> {
    let tag = Tag::from(ctx.model_uuid()).to_string();
    let one = |it: &block::BlockDoc| Block {
        id: it.id.to_string(),
        type_: it.kind.as_str().to_owned(),
        message: it.message.clone(),
        tag: tag.clone(),
    };
    let blocks = ctx.model().blocks()?;
    Ok(BlockResults {
        results: blocks.iter().map(|it| BlockResult { result: one(it), error: None }).collect(),
    })
}

fn kind(text: &str) -> Result<BlockKind> {
    let found = BlockKind::ALL.into_iter().find(|it| it.as_str() == text);
    found.ok_or_else(|| Error::other(format_args!("unknown block type {text:?}")))
}

async fn switch_on(ctx: Ctx, args: BlockSwitchParams) -> Result<ErrorResult> {
    let switch = async { Ok(ctx.model().set_block(kind(&args.type_)?, &args.message).await?) };
    Ok(outcome(switch.await))
}

async fn switch_off(ctx: Ctx, args: BlockSwitchParams) -> Result<ErrorResult> {
    let switch = async { Ok(ctx.model().remove_block(kind(&args.type_)?).await?) };
    Ok(outcome(switch.await))
}
