//! `status-set`: how the unit, or its application, is doing. Written at once.

use async_trait::async_trait;

use super::{
    Call, Context, Definition, Failure, Io,
    args::{Flag, UsageError, quote},
};

const APPLICATION: Flag = Flag::bool(
    &["application"],
    "set this status for the application to which the unit belongs if the unit is the leader",
);

/// What a charm may say of itself; the rest is Juju's to say.
const STATUSES: [&str; 4] = ["maintenance", "blocked", "waiting", "active"];

pub(super) const DEFINITION: Definition = Definition {
    name: "status-set",
    args: "<maintenance | blocked | waiting | active> [message]",
    summary: "Set status information.",
    details: "Sets the workload status of the unit or, with --application, that of the application.",
    flags: &[&APPLICATION],
    parse: |args, _| {
        let application = args.is_set("application");
        let status =
            args.next().ok_or_else(|| UsageError::new("invalid args, require <status> [message]"))?;
        if !STATUSES.contains(&status.as_str()) {
            return Err(UsageError::new(format!(
                "invalid status {}, expected one of [{}]",
                quote(&status),
                STATUSES.join(" ")
            )));
        }
        let message = args.next().unwrap_or_default();
        args.finish()?;
        Ok(Box::new(StatusSet { application, status, message }))
    },
};

struct StatusSet {
    application: bool,
    status: String,
    message: String,
}

#[async_trait]
impl Call for StatusSet {
    async fn run(self: Box<Self>, context: &mut Context, _: &mut Io) -> Result<(), Failure> {
        match self.application {
            true => Ok(context.set_application_status(self.status, self.message).await?),
            false => Ok(context.set_unit_status(self.status, self.message).await?),
        }
    }
}
