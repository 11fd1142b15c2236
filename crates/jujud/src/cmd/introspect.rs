//! `jujud introspect` (`juju-introspect`): asks a running agent about itself (Juju 3.6 `cmd/jujud/introspect`).

use std::{
    io::{Read as _, Write as _},
    os::unix::net::UnixStream,
    path::PathBuf,
};

use anyhow::Context as _;
use juju_agent::{
    conf::ConfFile,
    paths::{Paths, Socket},
};

use super::Failure;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Directory for juju data
    #[arg(long, default_value = "/var/lib/juju")]
    data_dir: PathBuf,
    /// The agent to ask; the machine's by default
    #[arg(long)]
    agent: Option<String>,
    /// What to ask, as depengine or machinelock
    path: String,
    /// Parameters, as history=true
    query: Vec<String>,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let reply = ask(args)?;
    let (head, body) = reply.split_once("\r\n\r\n").context("the agent's answer is no HTTP")?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    if status != "200" {
        let _ = write!(std::io::stderr(), "{body}");
        return Err(anyhow::anyhow!("response returned {status}").into());
    }
    write!(std::io::stdout(), "{body}").context("cannot write to standard output")?;
    Ok(())
}

fn ask(args: &Args) -> anyhow::Result<String> {
    let host = Paths::host().with_data_dir(&args.data_dir);
    let agent = match &args.agent {
        Some(agent) => agent.clone(),
        None => default_agent(&host)?,
    };
    let paths = ConfFile::open(host.agent_conf(&agent))?.current().paths();
    let socket = paths.socket(&agent, Socket::Introspection);
    let mut stream = UnixStream::connect(&socket)
        .with_context(|| format!("cannot reach agent {agent} at {}; is it running?", socket.display()))?;
    let query = if args.query.is_empty() { String::new() } else { format!("?{}", args.query.join("&")) };
    let path = args.path.trim_start_matches('/');
    write!(stream, "GET /{path}{query} HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply)?;
    Ok(reply)
}

/// The first machine or controller agent of the data directory.
fn default_agent(paths: &Paths) -> anyhow::Result<String> {
    let dir = paths.agents_dir();
    let entries = std::fs::read_dir(&dir).with_context(|| format!("cannot read {}", dir.display()))?;
    let mut names: Vec<_> = entries
        .filter_map(|it| it.ok()?.file_name().into_string().ok())
        .filter(|it| !it.starts_with("unit-"))
        .collect();
    names.sort();
    names.into_iter().next().with_context(|| format!("no machine agent in {}", dir.display()))
}
