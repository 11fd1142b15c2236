//! The hook tools' one small binary.
//!
//! Every tool is a link to it. It knows no tool: it takes its name from how it was called, sends that with its
//! arguments and working directory to the unit agent, and prints what comes back. A charm may call it a hundred times
//! in a hook, so it links nothing but `std`.

use std::{
    env,
    ffi::OsString,
    io::{self, Read, Write},
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        net::UnixStream,
    },
    path::Path,
    process::ExitCode,
};

// Each side uses a part of it.
#[allow(dead_code, unreachable_pub)]
#[path = "../protocol.rs"]
mod protocol;

use protocol::{Done, Frame, HEADER, MAX_FRAME, Run};

/// The longest path that fits into a socket address.
const MAX_ADDRESS: usize = 107;

fn main() -> ExitCode {
    let done = run().unwrap_or_else(|message| Done {
        code: 1,
        stdout: Vec::new(),
        stderr: format!("ERROR {message}\n").into_bytes(),
    });
    let printed = io::stdout().lock().write_all(&done.stdout).and_then(|()| io::stdout().flush());
    let _ = io::stderr().lock().write_all(&done.stderr);
    // Output that nobody has read must not look like success, unless the reader has had enough of it.
    match printed {
        Err(err) if err.kind() != io::ErrorKind::BrokenPipe && done.code == 0 => ExitCode::FAILURE,
        _ => ExitCode::from(done.code),
    }
}

fn run() -> Result<Done, String> {
    let mut args = env::args_os();
    let called = args.next().unwrap_or_default();
    let tool = Path::new(&called).file_name().unwrap_or_default().as_bytes().to_vec();
    let context = variable("JUJU_CONTEXT_ID")?;
    let address = variable("JUJU_AGENT_SOCKET_ADDRESS")?;
    let network = variable("JUJU_AGENT_SOCKET_NETWORK")?;
    if network != "unix" {
        return Err(format!("network {network:?} is not supported"));
    }
    let dir = env::current_dir().map_err(|err| format!("cannot find the working directory: {err}"))?;
    let run = Run {
        context: context.into_vec(),
        dir: dir.into_os_string().into_vec(),
        tool,
        args: args.map(OsString::into_vec).collect(),
    };
    let mut agent =
        connect(Path::new(&address)).map_err(|err| format!("cannot connect to the unit agent: {err}"))?;
    talk(&mut agent, run).map_err(|err| format!("connection to the unit agent: {err}"))
}

fn talk(agent: &mut UnixStream, run: Run) -> io::Result<Done> {
    send(agent, &Frame::Run(run))?;
    loop {
        match receive(agent)? {
            Frame::Done(done) => return Ok(done),
            Frame::NeedStdin => {
                let mut stdin = Vec::new();
                io::stdin().lock().take(MAX_FRAME as u64 + 1).read_to_end(&mut stdin)?;
                send(agent, &Frame::Stdin(stdin))?;
            }
            Frame::Run(_) | Frame::Stdin(_) => return Err(io::Error::other("unexpected answer")),
        }
    }
}

fn variable(name: &str) -> Result<OsString, String> {
    env::var_os(name).filter(|it| !it.is_empty()).ok_or_else(|| format!("{name} not set"))
}

/// A path too long for a socket address is reached from its directory: this process goes there, having already
/// noted where it was called.
fn connect(address: &Path) -> io::Result<UnixStream> {
    match (address.parent(), address.file_name()) {
        (Some(dir), Some(name)) if address.as_os_str().len() > MAX_ADDRESS => {
            env::set_current_dir(dir)?;
            UnixStream::connect(Path::new(name))
        }
        _ => UnixStream::connect(address),
    }
}

fn send(agent: &mut UnixStream, frame: &Frame) -> io::Result<()> {
    agent.write_all(&frame.encode().map_err(io::Error::other)?)
}

fn receive(agent: &mut UnixStream) -> io::Result<Frame> {
    let mut header = [0; HEADER];
    agent.read_exact(&mut header)?;
    let mut body = vec![0; protocol::frame_length(header).map_err(io::Error::other)?];
    agent.read_exact(&mut body)?;
    Frame::decode(&body).map_err(io::Error::other)
}
