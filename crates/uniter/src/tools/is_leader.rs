//! `is-leader`: whether the unit leads its application, for half a minute at least.

use async_trait::async_trait;

use super::{
    Call, Context, Definition, Failure, Io,
    output::{FORMAT, OUTPUT, Output},
};

pub(super) const DEFINITION: Definition = Definition {
    name: "is-leader",
    args: "",
    summary: "Print application leadership status.",
    details: "Prints whether this unit is the leader of its application. A true answer holds for at least\n\
              30 seconds from now; a false answer stays false for the rest of the hook.",
    flags: &[&FORMAT, &OUTPUT],
    parse: |args, _| {
        let output = Output::parse(args)?;
        args.finish()?;
        Ok(Box::new(IsLeader { output }))
    },
};

struct IsLeader {
    output: Output,
}

#[async_trait]
impl Call for IsLeader {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let leader = context
            .is_leader()
            .await
            .map_err(|err| Failure::new(format!("leadership status unknown: {err}")))?;
        self.output.write(io, &leader.into()).await
    }
}
