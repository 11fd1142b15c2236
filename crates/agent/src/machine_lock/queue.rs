//! A fair queue in front of a file lock.
//!
//! `flock` alone would do between processes, but it blocks a thread and promises no order. So the
//! requests of this process queue here, and only the first of them is at the file. When the lock is
//! taken by another process, one thread waits in the kernel for whoever is first by then.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use tokio::sync::oneshot;

#[derive(Debug)]
pub(super) struct FileQueue {
    path: PathBuf,
    owner: Option<(u32, u32)>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<oneshot::Sender<io::Result<Held>>>,
    /// Somebody of this process has the lock, or is at the file for it.
    busy: bool,
}

/// The lock, held. Wherever it is dropped, also undelivered in a channel, the next one gets it.
#[derive(Debug)]
pub(super) struct Held {
    file: Option<Flock<File>>,
    queue: Arc<FileQueue>,
}

impl FileQueue {
    pub(super) fn new(path: PathBuf, owner: Option<(u32, u32)>) -> Self {
        Self { path, owner, state: Mutex::default() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) async fn acquire(self: &Arc<Self>) -> io::Result<Held> {
        let (tx, rx) = oneshot::channel();
        let first = {
            let mut state = self.lock();
            state.waiting.push_back(tx);
            !std::mem::replace(&mut state.busy, true)
        };
        if first {
            self.serve();
        }
        rx.await.unwrap_or_else(|_| Err(io::Error::other("the machine lock's queue is gone")))
    }

    /// Gets the file lock for whoever is first. The caller has found or made the queue busy.
    fn serve(self: &Arc<Self>) {
        while self.anyone_waits() {
            let outcome =
                self.open().and_then(|file| match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                    Ok(file) => Ok(Some(file)),
                    Err((file, Errno::EWOULDBLOCK)) => self.wait_in_thread(file).map(|()| None),
                    Err((_, errno)) => Err(errno.into()),
                });
            match outcome {
                Ok(Some(file)) => return self.deliver(file),
                Ok(None) => return,
                Err(error) => {
                    if let Some(tx) = self.lock().waiting.pop_front() {
                        let _ = tx.send(Err(error));
                    }
                }
            }
        }
    }

    /// Drops requests that were given up; without any left the queue is no longer busy.
    fn anyone_waits(&self) -> bool {
        let mut state = self.lock();
        state.waiting.retain(|tx| !tx.is_closed());
        state.busy = !state.waiting.is_empty();
        state.busy
    }

    fn deliver(self: &Arc<Self>, mut file: Flock<File>) {
        loop {
            let next = {
                let mut state = self.lock();
                let next = state.waiting.pop_front();
                if next.is_none() {
                    state.busy = false;
                }
                next
            };
            let Some(tx) = next else { return };
            match tx.send(Ok(Held { file: Some(file), queue: self.clone() })) {
                Err(Ok(mut refused)) => match refused.file.take() {
                    Some(back) => file = back,
                    None => return,
                },
                _ => return,
            }
        }
    }

    /// The thread is not joined: nothing wakes it but the lock, and it ends with the process at the
    /// latest. It owns nothing but the open file.
    fn wait_in_thread(self: &Arc<Self>, mut file: File) -> io::Result<()> {
        let queue = self.clone();
        let thread = std::thread::Builder::new().name("machine-lock".into());
        thread.spawn(move || {
            loop {
                match Flock::lock(file, FlockArg::LockExclusive) {
                    Ok(locked) => return queue.deliver(locked),
                    Err((back, Errno::EINTR)) => file = back,
                    Err((_, errno)) => {
                        if let Some(tx) = queue.lock().waiting.pop_front() {
                            let _ = tx.send(Err(errno.into()));
                        }
                        return queue.serve();
                    }
                }
            }
        })?;
        Ok(())
    }

    fn open(&self) -> io::Result<File> {
        // Reading is enough to lock, and lets a user lock the file that root made for all.
        let file = match File::open(&self.path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let file = OpenOptions::new()
                    .read(true)
                    .write(true)
                    .create(true)
                    .truncate(false)
                    .mode(0o600)
                    .open(&self.path)?;
                if let Some((uid, gid)) = self.owner {
                    std::os::unix::fs::fchown(&file, Some(uid), Some(gid))?;
                }
                file
            }
            opened => opened?,
        };
        Ok(file)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            drop(file);
            self.queue.serve();
        }
    }
}
