//! `action-get`, `action-set`, `action-fail`, `action-log` outside an action, which is where hooks are.

use async_trait::async_trait;

use super::{
    Call, Context, Definition, Failure, Io,
    args::UsageError,
    output::{FORMAT, OUTPUT, Output},
};

pub(super) const GET: Definition = Definition {
    name: "action-get",
    args: "[<key>[.<key>.<key>...]]",
    summary: "Get action parameters.",
    details: "Prints the action's parameters, or the one that the key names.",
    flags: &[&FORMAT, &OUTPUT],
    parse: |args, _| {
        Output::parse(args)?;
        args.next();
        args.finish()?;
        Ok(Box::new(NoAction))
    },
};

pub(super) const SET: Definition = Definition {
    name: "action-set",
    args: "<key>=<value> [<key>=<value> ...]",
    summary: "Set action results.",
    details: "Adds to the results that the action ends with.",
    flags: &[],
    parse: |args, _| {
        super::key_values::parse(args.rest())?;
        Ok(Box::new(NoAction))
    },
};

pub(super) const FAIL: Definition = Definition {
    name: "action-fail",
    args: "[\"<failure message>\"]",
    summary: "Set action fail status with message.",
    details: "The action ends as failed, with this message.",
    flags: &[],
    parse: |args, _| {
        args.next();
        args.finish()?;
        Ok(Box::new(NoAction))
    },
};

pub(super) const LOG: Definition = Definition {
    name: "action-log",
    args: "<message>",
    summary: "Record a progress message for the current action.",
    details: "The message is shown while the action runs.",
    flags: &[],
    parse: |args, _| match args.rest().is_empty() {
        true => Err(UsageError::new("no message specified")),
        false => Ok(Box::new(NoAction)),
    },
};

struct NoAction;

#[async_trait]
impl Call for NoAction {
    async fn run(self: Box<Self>, _: &mut Context, _: &mut Io) -> Result<(), Failure> {
        Err(Failure::new("not running an action"))
    }
}
