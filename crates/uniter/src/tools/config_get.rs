//! `config-get`: the application's configuration, as it was when the hook first asked.

use async_trait::async_trait;
use serde_json::Value;

use super::{
    Call, Context, Definition, Failure, Io,
    args::{Flag, UsageError, quote},
    output::{FORMAT, OUTPUT, Output},
};

const ALL: Flag = Flag::bool(&["a", "all"], "print all keys");

pub(super) const DEFINITION: Definition = Definition {
    name: "config-get",
    args: "[<key>]",
    summary: "Print application configuration.",
    details: "Without a key, or with \"-\" for one, all keys that have a value or a default are printed; with\n\
              --all those without are printed too, as null. An unknown key prints nothing.",
    flags: &[&ALL, &FORMAT, &OUTPUT],
    parse: |args, _| {
        let (output, all) = (Output::parse(args)?, args.is_set("all"));
        let key = args.next().filter(|it| it != "-");
        if let (Some(key), true) = (&key, all) {
            return Err(UsageError::new(format!(
                "cannot use argument --all together with key {}",
                quote(key)
            )));
        }
        args.finish()?;
        Ok(Box::new(ConfigGet { key, all, output }))
    },
};

struct ConfigGet {
    key: Option<String>,
    all: bool,
    output: Output,
}

#[async_trait]
impl Call for ConfigGet {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let settings = context.config().await?;
        let value = match &self.key {
            Some(key) => settings.get(key).cloned().unwrap_or_default(),
            None => {
                let shown = settings.iter().filter(|(_, value)| self.all || !value.is_null());
                Value::Object(shown.map(|(key, value)| (key.clone(), value.clone())).collect())
            }
        };
        self.output.write(io, &value).await
    }
}
