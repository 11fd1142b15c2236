//! `status-get`: how the unit, or its application, was doing when the hook first asked.

use async_trait::async_trait;
use juju_wire::params::StatusResult;
use serde_json::{Map, Value, json};

use super::{
    Call, Context, Definition, Failure, Io,
    args::Flag,
    output::{FORMAT, Format, OUTPUT, Output},
};

const APPLICATION: Flag =
    Flag::bool(&["application"], "print status for all units of this application if this unit is the leader");
const INCLUDE_DATA: Flag = Flag::bool(&["include-data"], "print all status data");

pub(super) const DEFINITION: Definition = Definition {
    name: "status-get",
    args: "",
    summary: "Print status information.",
    details: "Without --include-data only the status itself is printed. With --application, which only the leader\n\
              may use, the status is that of the application and of each of its units.",
    flags: &[&APPLICATION, &FORMAT, &INCLUDE_DATA, &OUTPUT],
    parse: |args, _| {
        let (application, data) = (args.is_set("application"), args.is_set("include-data"));
        let output = Output::parse(args)?;
        args.finish()?;
        Ok(Box::new(StatusGet { application, data, output }))
    },
};

struct StatusGet {
    application: bool,
    data: bool,
    output: Output,
}

#[async_trait]
impl Call for StatusGet {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let bare = !self.data && self.output.format == Format::Smart;
        let value = if self.application {
            let status = context
                .application_status()
                .await
                .map_err(|err| Failure::new(format!("finding application status: {err}")))?;
            if bare {
                json!(status.application.status)
            } else {
                let mut details = details(&status.application, self.data);
                let units =
                    status.units.iter().map(|(name, it)| (name.clone(), self::details(it, self.data).into()));
                details.insert("units".to_owned(), Value::Object(units.collect()));
                json!({ "application-status": details })
            }
        } else {
            let status = context
                .unit_status()
                .await
                .map_err(|err| Failure::new(format!("finding workload status: {err}")))?;
            if bare { json!(status.status) } else { Value::Object(details(status, self.data)) }
        };
        self.output.write(io, &value).await
    }
}

fn details(status: &StatusResult, data: bool) -> Map<String, Value> {
    let mut details = Map::new();
    details.insert("status".to_owned(), json!(status.status));
    if data {
        details.insert("message".to_owned(), json!(status.info));
        details.insert("status-data".to_owned(), json!(status.data));
    }
    details
}
