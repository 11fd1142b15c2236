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
    /// The directory of a socket whose whole name is too long: it is made, and removed, by way of here.
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex as StdMutex;

    use super::*;
    use crate::{api::Api, clock::Clock, context::Services, hook::Hook, leadership, link, log::Level};

    struct Room {
        dir: tempfile::TempDir,
        lines: Arc<StdMutex<Vec<String>>>,
        server: JoinSet<()>,
    }

    /// Serves a context that knows no controller, below a directory whose name has this length.
    async fn serve_in(length: usize) -> Room {
        let dir = tempfile::Builder::new().prefix(&"x".repeat(length)).tempdir().unwrap();
        let (link, _slot) = link::new();
        let unit = "shop/0".parse().unwrap();
        let lines = Arc::new(StdMutex::new(vec![]));
        let log = lines.clone();
        let services = Services {
            api: Api::new(link.clone(), &unit),
            leadership: leadership::new(link, unit, Clock::tokio()).0,
            log: Arc::new(move |_: Level, _: &str, text: &str| log.lock().unwrap().push(text.to_owned())),
            machine: "0".into(),
            caches: Default::default(),
        };
        let context = Arc::new(Mutex::new(Context::new(services, &Hook::Install, vec![])));
        let server = Server::bind(&dir.path().join("agent.socket"), "id".into(), context).await.unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            server.run().await;
        });
        Room { dir, lines, server: tasks }
    }

    impl Room {
        async fn connect(&self) -> UnixStream {
            let dir = File::open(self.dir.path()).unwrap();
            let path = format!("/proc/self/fd/{}/agent.socket", dir.as_raw_fd());
            UnixStream::connect(path).await.unwrap()
        }

        async fn ask(&self, context: &str, dir: &str, tool: &str, args: &[&str]) -> Done {
            let mut stream = self.connect().await;
            let run = Run {
                context: context.into(),
                dir: dir.into(),
                tool: tool.into(),
                args: args.iter().map(|it| it.as_bytes().to_vec()).collect(),
            };
            send(&mut stream, &Frame::Run(run)).await.unwrap();
            let Frame::Done(done) = receive(&mut stream).await.unwrap() else { panic!() };
            done
        }
    }

    #[tokio::test]
    async fn who_does_not_belong_here_is_refused() {
        let room = serve_in(10).await;
        for (context, dir, tool, want) in [
            ("other", "/", "juju-log", "ERROR bad request: wrong context ID; got \"other\"\n"),
            ("id", ".", "juju-log", "ERROR bad request: Dir is not absolute\n"),
            ("id", "/", "", "ERROR bad request: command not specified\n"),
            ("id", "/", "frob", "ERROR bad request: unknown command: frob\n"),
        ] {
            let done = room.ask(context, dir, tool, &["x"]).await;
            assert_eq!((done.code, String::from_utf8(done.stderr).unwrap()), (1, want.to_owned()));
        }
        assert!(room.lines.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn nonsense_and_silence_hold_up_nobody() {
        let room = serve_in(10).await;
        let _silent = room.connect().await;
        let mut half = room.connect().await;
        half.write_all(&[0, 0, 1]).await.unwrap();
        for bytes in [&[0xff; 8][..], &[0, 0, 0, 1, 99], &[0, 0, 0, 0], &[0, 0, 0, 2, 1, 0]] {
            let mut stream = room.connect().await;
            stream.write_all(bytes).await.unwrap();
            // It hangs up without a word.
            let mut answer = vec![];
            let _ = stream.read_to_end(&mut answer).await;
            assert!(answer.is_empty());
        }
        assert_eq!(room.ask("id", "/", "juju-log", &["hello"]).await, Done::default());
        assert_eq!(*room.lines.lock().unwrap(), ["hello"]);
    }

    #[tokio::test]
    async fn a_socket_may_have_a_long_name_and_goes_with_its_server() {
        let mut room = serve_in(120).await;
        assert_eq!(room.ask("id", "/", "juju-log", &["hello"]).await, Done::default());
        let path = room.dir.path().join("agent.socket");
        assert!(path.exists());
        room.server.shutdown().await;
        assert!(!path.exists());
    }
}
