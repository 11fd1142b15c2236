//! `opened-ports`: the unit's open ports, those of this hook included.

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde_json::json;

use super::{
    Call, Context, Definition, Failure, Io,
    args::Flag,
    output::{FORMAT, OUTPUT, Output},
};

const ENDPOINTS: Flag =
    Flag::bool(&["endpoints"], "display the list of target application endpoints for each port range");

pub(super) const DEFINITION: Definition = Definition {
    name: "opened-ports",
    args: "",
    summary: "List all ports or port ranges opened by the unit.",
    details: "Each is shown once, with --endpoints with the endpoints that it is open for; \"*\" means all.",
    flags: &[&ENDPOINTS, &FORMAT, &OUTPUT],
    parse: |args, _| {
        let (output, endpoints) = (Output::parse(args)?, args.is_set("endpoints"));
        args.finish()?;
        Ok(Box::new(OpenedPorts { endpoints, output }))
    },
};

struct OpenedPorts {
    endpoints: bool,
    output: Output,
}

#[async_trait]
impl Call for OpenedPorts {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let mut opened: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for (endpoint, range) in context.opened_ports().await? {
            let name = if endpoint.is_empty() { "*".to_owned() } else { endpoint };
            opened.entry(range).or_default().push(name);
        }
        let lines = opened.into_iter().map(|(range, mut endpoints)| match self.endpoints {
            true => {
                endpoints.sort_unstable();
                format!("{range} ({})", endpoints.join(", "))
            }
            false => range.to_string(),
        });
        self.output.write(io, &json!(lines.collect::<Vec<_>>())).await
    }
}
