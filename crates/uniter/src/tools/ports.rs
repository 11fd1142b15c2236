//! `open-port` and `close-port`. Written when the hook succeeds.

use async_trait::async_trait;
use juju_core::PortRange;

use super::{
    Call, Context, Definition, Failure, Io,
    args::{Args, Flag, UsageError},
};

const ENDPOINTS: Flag = Flag::value(
    &["endpoints"],
    "",
    "a comma-delimited list of application endpoints to target with this operation",
);

pub(super) const OPEN: Definition = Definition {
    name: "open-port",
    args: "<port>[/<protocol>] or <from>-<to>[/<protocol>] or icmp",
    summary: "Register a request to open a port or port range.",
    details: "The protocol is tcp unless it is given. Without --endpoints the ports are open for all endpoints,\n\
              once the application is exposed.",
    flags: &[&ENDPOINTS],
    parse: |args, _| Ok(Box::new(parse(args, true)?)),
};

pub(super) const CLOSE: Definition = Definition {
    name: "close-port",
    args: "<port>[/<protocol>] or <from>-<to>[/<protocol>] or icmp",
    summary: "Register a request to close a port or port range.",
    details: "The protocol is tcp unless it is given. Without --endpoints the ports are closed for all endpoints.",
    flags: &[&ENDPOINTS],
    parse: |args, _| Ok(Box::new(parse(args, false)?)),
};

struct Ports {
    open: bool,
    range: PortRange,
    /// The empty name stands for all.
    endpoints: Vec<String>,
}

fn parse(args: &mut Args, open: bool) -> Result<Ports, UsageError> {
    let endpoints = args.value("endpoints").map(|it| it.value.clone()).unwrap_or_default();
    let text = args.next().ok_or_else(|| UsageError::new("no port or range specified"))?;
    let range = text.parse::<PortRange>().map_err(|err| UsageError::new(err.to_string()))?;
    args.finish()?;
    let mut endpoints: Vec<_> = endpoints.split(',').map(|it| it.trim().to_owned()).collect();
    endpoints.sort_unstable();
    endpoints.dedup();
    if endpoints.len() > 1 {
        endpoints.retain(|it| !it.is_empty());
    }
    Ok(Ports { open, range, endpoints })
}

#[async_trait]
impl Call for Ports {
    async fn run(self: Box<Self>, context: &mut Context, _: &mut Io) -> Result<(), Failure> {
        for endpoint in &self.endpoints {
            match self.open {
                true => context.open_port(endpoint, self.range).await?,
                false => context.close_port(endpoint, self.range).await?,
            }
        }
        Ok(())
    }
}
