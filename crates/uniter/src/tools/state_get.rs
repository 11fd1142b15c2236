//! `state-get`: what the charm keeps on the controller.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{
    Call, Context, Definition, Failure, Io,
    args::{Flag, quote},
    output::{FORMAT, Format, OUTPUT, Output},
};

const STRICT: Flag = Flag::bool(&["strict"], "Return an error if the requested key does not exist");

pub(super) const DEFINITION: Definition = Definition {
    name: "state-get",
    args: "[<key>]",
    summary: "Print server-side-state value.",
    details: "Without a key, or with \"-\" for one, all keys and values are printed. A missing key prints nothing\n\
              unless --strict is given.",
    flags: &[&FORMAT, &OUTPUT, &STRICT],
    parse: |args, _| {
        let (output, strict) = (Output::parse(args)?, args.is_set("strict"));
        let key = args.next().filter(|it| it != "-" && !it.is_empty());
        args.finish()?;
        Ok(Box::new(StateGet { key, strict, output }))
    },
};

struct StateGet {
    key: Option<String>,
    strict: bool,
    output: Output,
}

#[async_trait]
impl Call for StateGet {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let state = context.charm_state().await?;
        let value = match &self.key {
            Some(key) => match state.get(key) {
                None if self.strict => return Err(Failure::new(format!("{} not found", quote(key)))),
                value => json!(value.map(String::as_str).unwrap_or_default()),
            },
            // Juju's state starts as a nil map, and JSON shows the difference.
            None if state.is_empty() && self.output.format == Format::Json => Value::Null,
            None => json!(state),
        };
        self.output.write(io, &value).await
    }
}
