//! `application-version-set`: which version of its software the unit runs.

use async_trait::async_trait;

use super::{Call, Context, Definition, Failure, Io, args::UsageError};

pub(super) const DEFINITION: Definition = Definition {
    name: "application-version-set",
    args: "<new-version>",
    summary: "Specify which version of the application is deployed.",
    details: "The text is shown in the status of the application. It is set at once, whatever becomes of the hook.",
    flags: &[],
    parse: |args, _| {
        let version = args.next().ok_or_else(|| UsageError::new("no version specified"))?;
        args.finish()?;
        Ok(Box::new(ApplicationVersionSet { version }))
    },
};

struct ApplicationVersionSet {
    version: String,
}

#[async_trait]
impl Call for ApplicationVersionSet {
    async fn run(self: Box<Self>, context: &mut Context, _: &mut Io) -> Result<(), Failure> {
        Ok(context.set_workload_version(self.version).await?)
    }
}
