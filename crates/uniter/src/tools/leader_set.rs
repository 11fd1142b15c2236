//! `leader-set`: what the leader tells its application's units. Written at once.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::{Call, Context, Definition, Failure, Io, key_values};

pub(super) const DEFINITION: Definition = Definition {
    name: "leader-set",
    args: "<key>=<value> [...]",
    summary: "Write application leadership settings.",
    details: "The settings are merged into those that are there; an empty value removes its key. Only the leader\n\
              may do it.",
    flags: &[],
    parse: |args, _| Ok(Box::new(LeaderSet { settings: key_values::parse(args.rest())? })),
};

struct LeaderSet {
    settings: BTreeMap<String, String>,
}

#[async_trait]
impl Call for LeaderSet {
    async fn run(self: Box<Self>, context: &mut Context, _: &mut Io) -> Result<(), Failure> {
        let refused = |why: &dyn std::fmt::Display| {
            Failure::new(format!("cannot write leadership settings: cannot write settings: {why}"))
        };
        match context.is_leader().await {
            Ok(true) => context.set_leader_settings(self.settings).await.map_err(|err| refused(&err)),
            Ok(false) => Err(refused(&"not the leader")),
            Err(err) => Err(refused(&err)),
        }
    }
}
