//! `juju-log`: a line in the unit's log.

use async_trait::async_trait;

use super::{
    Call, Context, Definition, Failure, Io,
    args::{Flag, UsageError, quote},
};
use crate::log::Level;

const DEBUG: Flag = Flag::bool(&["debug"], "log at debug level");
const LEVEL: Flag = Flag::value(&["l", "log-level"], "INFO", "Send log message at the given level");

pub(super) const DEFINITION: Definition = Definition {
    name: "juju-log",
    args: "<message>",
    summary: "Write a message to the juju log.",
    details: "Levels are TRACE, DEBUG, INFO, WARNING, ERROR and CRITICAL. Arguments are joined by spaces.",
    flags: &[&DEBUG, &LEVEL],
    parse: |args, _| {
        let given = args.value("log-level").map(|it| it.value.clone());
        let debug = args.is_set("debug");
        let words = args.rest();
        if words.is_empty() {
            return Err(UsageError::new("no message specified"));
        }
        Ok(Box::new(JujuLog { message: words.join(" "), level: given, debug }))
    },
};

struct JujuLog {
    message: String,
    level: Option<String>,
    debug: bool,
}

#[async_trait]
impl Call for JujuLog {
    async fn run(self: Box<Self>, context: &mut Context, _: &mut Io) -> Result<(), Failure> {
        let level = match &self.level {
            _ if self.debug => Level::Debug,
            None => Level::Info,
            Some(name) => Level::parse(name).unwrap_or_else(|| {
                context.log(Level::Warning, &format!("Specified log level of {} is not valid", quote(name)));
                Level::Info
            }),
        };
        context.log(level, &self.message);
        Ok(())
    }
}
