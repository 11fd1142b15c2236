//! `state-delete`: forgets something the charm has kept on the controller. Written when the hook succeeds.

use async_trait::async_trait;

use super::{Call, Context, Definition, Failure, Io};

pub(super) const DEFINITION: Definition = Definition {
    name: "state-delete",
    args: "<key>",
    summary: "Delete server-side-state key value pairs.",
    details: "A key that is not there is no error.",
    flags: &[],
    parse: |args, _| {
        let key = args.next().filter(|it| !it.is_empty());
        args.finish()?;
        Ok(Box::new(StateDelete { key }))
    },
};

struct StateDelete {
    /// Without one Juju does nothing, and calls it success.
    key: Option<String>,
}

#[async_trait]
impl Call for StateDelete {
    async fn run(self: Box<Self>, context: &mut Context, _: &mut Io) -> Result<(), Failure> {
        match &self.key {
            Some(key) => Ok(context.delete_charm_state(key).await?),
            None => Ok(()),
        }
    }
}
