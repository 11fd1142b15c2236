//! The socket on which a hook's tools are served, for as long as the hook runs.
//!
//! Calls of one hook run one at a time, in the order in which they were understood; a caller that is slow to say what it
//! wants holds up nobody. Callers must be of the agent's own user or root, and must name the hook's context:
//! what a hook has left running in the background is refused once that hook is over.

use std::{
    fs::File,
    os::{fd::AsRawFd as _, unix::ffi::OsStringExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use juju_agent::{
    paths::MAX_SOCKET_PATH,
    sockets::{self, BoundSocket},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    sync::Mutex,
    task::JoinSet,
    time::timeout,
};

use crate::{
    context::Context,
    protocol::{self, Done, Frame, HEADER, Malformed, Run},
    tools::{self, Here, Io, Parsed},
};

/// Tools that may be in the middle of a call at once. A shell pipeline has a few.
const MAX_CALLERS: usize = 64;
/// How long a caller may take for a frame, standard input aside.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);

/// Serves one context. Ends when its future is dropped, and takes unfinished calls with it.
pub(crate) struct Server {
    socket: BoundSocket,
    /// The directory of a socket whose whole name is too long: it is made by way of here.
    _dir: Option<File>,
    id: String,
    here: Here,
    context: Arc<Mutex<Context>>,
}

impl Server {
    /// Listens on `path`; `id` is what callers must name.
    pub(crate) async fn bind(
        path: &Path,
        id: String,
        context: Arc<Mutex<Context>>,
    ) -> Result<Self, sockets::SocketError> {
        let here = context.lock().await.here().clone();
        let (socket, _dir) = listen(path)?;
        Ok(Server { socket, _dir, id, here, context })
    }

    pub(crate) async fn run(self) -> std::convert::Infallible {
        let shared = Arc::new((self.id, self.here, self.context));
        let mut callers = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.socket.accept(), if callers.len() < MAX_CALLERS => match accepted {
                    Ok(stream) => {
                        let shared = shared.clone();
                        callers.spawn(async move {
                            let (id, here, context) = &*shared;
                            if let Err(err) = serve(stream, id, here, context).await {
                                tracing::debug!("hook tool: {err}");
                            }
                        });
                    }
                    Err(err) => {
                        tracing::warn!("cannot accept a hook tool: {err}");
                        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                    }
                },
                Some(_) = callers.join_next(), if !callers.is_empty() => {}
            }
        }
    }
}

/// A socket of any name. What makes it beside the name takes some bytes more.
fn listen(path: &Path) -> Result<(BoundSocket, Option<File>), sockets::SocketError> {
    const SPARE: usize = 10;
    if let (true, Some(dir), Some(name)) =
        (path.as_os_str().len() + SPARE > MAX_SOCKET_PATH, path.parent(), path.file_name())
        && let Ok(dir) = File::open(dir)
    {
        let short = Path::new("/proc/self/fd").join(dir.as_raw_fd().to_string()).join(name);
        return Ok((BoundSocket::bind(short)?, Some(dir)));
    }
    Ok((BoundSocket::bind(path)?, None))
}

/// Why a caller was not served.
#[derive(Debug, thiserror::Error)]
enum CallerError {
    #[error("{0}")]
    Socket(#[from] sockets::SocketError),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    Malformed(#[from] Malformed),
    #[error("unexpected frame")]
    Unexpected,
    #[error("too slow")]
    Slow,
}

async fn serve(
    mut stream: UnixStream,
    id: &str,
    here: &Here,
    context: &Mutex<Context>,
) -> Result<(), CallerError> {
    sockets::require_own_user(&stream)?;
    let first = timeout(PATIENCE, receive(&mut stream)).await.map_err(|_| CallerError::Slow)?;
    let Frame::Run(run) = first? else { return Err(CallerError::Unexpected) };
    let done = match check(run, id) {
        Err(done) => done,
        Ok((tool, dir, args)) => match tools::parse(here, &tool, args) {
            Parsed::Answer(done) => done,
            Parsed::Ready(call) => {
                let stdin = if call.reads_stdin() {
                    send(&mut stream, &Frame::NeedStdin).await?;
                    // Whoever pipes into the tool may take its time.
                    match receive(&mut stream).await? {
                        Frame::Stdin(bytes) => bytes,
                        _ => return Err(CallerError::Unexpected),
                    }
                } else {
                    Vec::new()
                };
                let mut context = context.lock().await;
                tools::run(call, &mut context, Io { dir, stdin, ..Io::default() }).await
            }
        },
    };
    let answer = match Frame::Done(done).encode() {
        Ok(bytes) => bytes,
        Err(err) => Frame::Done(tools::failed(1, &err.to_string())).encode()?,
    };
    Ok(stream.write_all(&answer).await?)
}

/// What was called, unless it may not be.
fn check(run: Run, id: &str) -> Result<(String, PathBuf, Vec<String>), Done> {
    let refuse = |why: String| Err(tools::failed(1, &format!("bad request: {why}")));
    let text = |bytes: Vec<u8>| {
        String::from_utf8(bytes).unwrap_or_else(|it| String::from_utf8_lossy(it.as_bytes()).into())
    };
    let (context, tool) = (text(run.context), text(run.tool));
    if context != id {
        return refuse(format!("wrong context ID; got {context:?}"));
    }
    if tool.is_empty() {
        return refuse("command not specified".to_owned());
    }
    let dir = PathBuf::from(std::ffi::OsString::from_vec(run.dir));
    if !dir.is_absolute() {
        return refuse("Dir is not absolute".to_owned());
    }
    Ok((tool, dir, run.args.into_iter().map(text).collect()))
}

async fn receive(stream: &mut UnixStream) -> Result<Frame, CallerError> {
    let mut header = [0; HEADER];
    stream.read_exact(&mut header).await?;
    let length = protocol::frame_length(header)?;
    // Room is made as bytes come, not as many as were announced.
    let mut body = Vec::with_capacity(length.min(64 << 10));
    (&mut *stream).take(length as u64).read_to_end(&mut body).await?;
    if body.len() < length {
        return Err(Malformed::CutShort.into());
    }
    Ok(Frame::decode(&body)?)
}

async fn send(stream: &mut UnixStream, frame: &Frame) -> Result<(), CallerError> {
    Ok(stream.write_all(&frame.encode()?).await?)
}
