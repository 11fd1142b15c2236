//! `relation-list`: the units on the other side of a relation.

use async_trait::async_trait;
use serde_json::json;

use super::{
    Call, Context, Definition, Failure, Io,
    args::Flag,
    output::{FORMAT, OUTPUT, Output},
    relation_id::{self, RELATION},
};

const APP: Flag = Flag::bool(&["app"], "List remote application instead of participating units");

pub(super) const DEFINITION: Definition = Definition {
    name: "relation-list",
    args: "",
    summary: "List relation units.",
    details: "The units are those whose hooks have run: one that joins is listed in its -joined hook, one that\n\
              departs no longer in its -departed hook.",
    flags: &[&APP, &FORMAT, &OUTPUT, &RELATION],
    parse: |args, here| {
        let (output, app) = (Output::parse(args)?, args.is_set("app"));
        let relation = relation_id::require(args, here)?;
        args.finish()?;
        Ok(Box::new(RelationList { relation, app, output }))
    },
};

struct RelationList {
    relation: i64,
    app: bool,
    output: Output,
}

#[async_trait]
impl Call for RelationList {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let relation = context.relation(self.relation)?;
        let value = match self.app {
            true => json!(relation.remote_application),
            false => json!(relation.member_names()),
        };
        self.output.write(io, &value).await
    }
}
