//! The `Block` facade.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Block" 2..=2, on Model, for [User] {
        List(()) -> BlockResults, Read;
        SwitchBlockOff(BlockSwitchParams) -> ErrorResult, Write;
        SwitchBlockOn(BlockSwitchParams) -> ErrorResult, Write;
    }
}

/// Part of [`BlockResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Block {
    pub id: String,
    #[wire(omit)]
    pub message: String,
    pub tag: String,
    pub type_: String,
}

/// Part of [`BlockResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct BlockResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub result: Block,
}

/// Result of `Block.List`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct BlockResults {
    #[wire(omit)]
    pub results: Vec<BlockResult>,
}

/// Parameters of `Block.SwitchBlockOff`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct BlockSwitchParams {
    #[wire(omit)]
    pub message: String,
    pub type_: String,
}
