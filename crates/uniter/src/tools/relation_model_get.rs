//! `relation-model-get`: the model of the application on the other side.

use async_trait::async_trait;
use serde_json::json;

use super::{
    Call, Context, Definition, Failure, Io,
    output::{FORMAT_YAML, OUTPUT, Output},
    relation_id::{self, RELATION},
};

pub(super) const DEFINITION: Definition = Definition {
    name: "relation-model-get",
    args: "",
    summary: "Get details about the model hosting a related application.",
    details: "It differs from the unit's own model if the relation crosses models.",
    flags: &[&FORMAT_YAML, &OUTPUT, &RELATION],
    parse: |args, here| {
        let output = Output::parse_yaml(args)?;
        let relation = relation_id::require(args, here)?;
        args.finish()?;
        Ok(Box::new(RelationModelGet { relation, output }))
    },
};

struct RelationModelGet {
    relation: i64,
    output: Output,
}

#[async_trait]
impl Call for RelationModelGet {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let uuid = context.remote_model(self.relation).await?;
        self.output.write(io, &json!({ "uuid": uuid })).await
    }
}
