//! `state-set`: keeps something for the charm on the controller. Written when the hook succeeds.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::{
    Call, Context, Definition, Failure, Io,
    key_values::{self, FILE},
};

pub(super) const DEFINITION: Definition = Definition {
    name: "state-set",
    args: "key=value [key=value ...]",
    summary: "Set server-side-state values.",
    details: "--file names a YAML map of further values, \"-\" standard input; arguments win over it. An empty\n\
              value is kept as such. A key may have 256 bytes and a value 65,536.",
    flags: &[&FILE],
    parse: |args, _| {
        let file = args.value("file").map(|it| it.value.clone()).filter(|it| !it.is_empty());
        Ok(Box::new(StateSet { file, values: key_values::parse(args.rest())? }))
    },
};

struct StateSet {
    file: Option<String>,
    values: BTreeMap<String, String>,
}

#[async_trait]
impl Call for StateSet {
    fn reads_stdin(&self) -> bool {
        self.file.as_deref() == Some("-")
    }

    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let mut values = match &self.file {
            Some(file) => key_values::read(file, io).await?,
            None => BTreeMap::new(),
        };
        values.extend(self.values);
        Ok(context.set_charm_state(values).await?)
    }
}
