//! `leader-get`: what the leader has told its application's units.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{
    Call, Context, Definition, Failure, Io,
    args::{UsageError, quote},
    output::{FORMAT, OUTPUT, Output},
};

pub(super) const DEFINITION: Definition = Definition {
    name: "leader-get",
    args: "[<key>]",
    summary: "Print application leadership settings.",
    details: "Without a key, or with \"-\" for one, all settings are printed.",
    flags: &[&FORMAT, &OUTPUT],
    parse: |args, _| {
        let output = Output::parse(args)?;
        let key = args.next().filter(|it| it != "-");
        if let Some(key) = key.as_ref().filter(|it| it.contains('=')) {
            return Err(UsageError::new(format!("invalid key {}", quote(key))));
        }
        args.finish()?;
        Ok(Box::new(LeaderGet { key, output }))
    },
};

struct LeaderGet {
    key: Option<String>,
    output: Output,
}

#[async_trait]
impl Call for LeaderGet {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let settings = context
            .leader_settings()
            .await
            .map_err(|err| Failure::new(format!("cannot read leadership settings: {err}")))?;
        let value = match &self.key {
            Some(key) => settings.get(key).map_or(Value::Null, |it| json!(it)),
            None => json!(settings),
        };
        self.output.write(io, &value).await
    }
}
