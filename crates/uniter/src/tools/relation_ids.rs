//! `relation-ids`: the relations of an endpoint.

use async_trait::async_trait;
use serde_json::json;

use super::{
    Call, Context, Definition, Failure, Io,
    args::UsageError,
    output::{FORMAT, OUTPUT, Output},
};

pub(super) const DEFINITION: Definition = Definition {
    name: "relation-ids",
    args: "<name>",
    summary: "List all relation IDs for the given endpoint.",
    details: "Without a name, the endpoint is that of the hook's relation. A relation that is being broken is not\n\
              listed any more.",
    flags: &[&FORMAT, &OUTPUT],
    parse: |args, here| {
        let output = Output::parse(args)?;
        let own = || here.relation.and_then(|id| here.relations.get(&id).cloned());
        let endpoint = args.next().filter(|it| !it.is_empty()).or_else(own);
        let endpoint = endpoint.ok_or_else(|| UsageError::new("no endpoint name specified"))?;
        args.finish()?;
        Ok(Box::new(RelationIds { endpoint, output }))
    },
};

struct RelationIds {
    endpoint: String,
    output: Output,
}

#[async_trait]
impl Call for RelationIds {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let named = context.relations().filter(|it| it.endpoint == self.endpoint && !it.broken);
        let mut ids: Vec<_> = named.map(|it| format!("{}:{}", it.endpoint, it.id)).collect();
        ids.sort_unstable();
        self.output.write(io, &json!(ids)).await
    }
}
