//! Unix sockets that exist only once they are listened on, and know who connects.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::Uid;
use tokio::net::{UnixListener, UnixStream};

use crate::files::{self, FileError};
use crate::paths::MAX_SOCKET_PATH;

/// Why there is no socket, or no connection.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// The kernel allows 107 bytes; a shorter directory is the only way.
    #[error("cannot listen on {path}: the name has {length} bytes and a socket's may have {MAX_SOCKET_PATH}", path = .path.display())]
    TooLong { path: PathBuf, length: usize },
    #[error(transparent)]
    File(#[from] FileError),
    /// Another user's process is at the other end.
    #[error("a process of user {uid} may not use this socket")]
    WrongUser { uid: u32 },
    #[error("cannot tell who connects")]
    Peer(#[source] io::Error),
}

/// A listening socket; its name goes with it.
#[derive(Debug)]
pub struct BoundSocket {
    listener: UnixListener,
    path: PathBuf,
    identity: (u64, u64),
}

impl BoundSocket {
    /// Listens on `path`, which appears ready for use: the socket is made in a fresh 0700 directory
    /// beside it and renamed into place, over a stale one if there is one. So nobody connects
    /// before it listens, and nobody reaches it while its mode is still that of the umask. It gets
    /// mode 0700. Must be called within a tokio runtime.
    pub fn bind(path: impl Into<PathBuf>) -> Result<Self, SocketError> {
        let path = path.into();
        let failed = |e| FileError::new("listen on", &path, e);
        let dir = files::parent(&path);
        let room = tempfile::Builder::new()
            .prefix(".")
            .rand_bytes(6)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(dir)
            .map_err(|e| FileError::new("make a directory in", dir, e))?;
        let temporary = room.path().join("s");
        let length = path.as_os_str().len().max(temporary.as_os_str().len());
        if length > MAX_SOCKET_PATH {
            return Err(SocketError::TooLong { path, length });
        }
        let listener = std::os::unix::net::UnixListener::bind(&temporary).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        fs::set_permissions(&temporary, Permissions::from_mode(0o700)).map_err(failed)?;
        let meta = fs::symlink_metadata(&temporary).map_err(failed)?;
        fs::rename(&temporary, &path).map_err(failed)?;
        let listener = UnixListener::from_std(listener).map_err(failed)?;
        Ok(Self { listener, path, identity: (meta.dev(), meta.ino()) })
    }

    /// The next connection, from whoever it is.
    pub async fn accept(&self) -> io::Result<UnixStream> {
        self.listener.accept().await.map(|(stream, _)| stream)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the name still leads here. Someone may have removed it, or taken it.
    pub fn in_place(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|m| (m.dev(), m.ino()) == self.identity)
    }

    pub fn listener(&self) -> &UnixListener {
        &self.listener
    }
}

impl Drop for BoundSocket {
    fn drop(&mut self) {
        // A successor may have put its own socket there already.
        if self.in_place() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Who is at the other end of a connection, by the kernel's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    pub uid: u32,
    pub gid: u32,
    /// Absent if the process is of another pid namespace.
    pub pid: Option<i32>,
}

/// Asks the kernel who connected.
pub fn peer(stream: &UnixStream) -> Result<Peer, SocketError> {
    let cred = stream.peer_cred().map_err(SocketError::Peer)?;
    Ok(Peer { uid: cred.uid(), gid: cred.gid(), pid: cred.pid() })
}

/// Lets through this process's own user and root, who could do the same without asking.
pub fn require_own_user(stream: &UnixStream) -> Result<Peer, SocketError> {
    let peer = peer(stream)?;
    if allowed(peer.uid, Uid::effective().as_raw()) {
        Ok(peer)
    } else {
        Err(SocketError::WrongUser { uid: peer.uid })
    }
}

fn allowed(peer: u32, own: u32) -> bool {
    peer == own || peer == 0
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_socket_replaces_a_stale_one_and_goes_when_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.socket");
        fs::write(&path, "stale").unwrap();
        let socket = BoundSocket::bind(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);

        let (client, server) = tokio::join!(UnixStream::connect(&path), socket.accept());
        let (mut client, mut server) = (client.unwrap(), server.unwrap());
        let peer = require_own_user(&server).unwrap();
        assert_eq!(peer.pid, Some(std::process::id() as i32));
        client.write_all(b"hi").await.unwrap();
        let mut got = [0; 2];
        server.read_exact(&mut got).await.unwrap();
        assert_eq!(&got, b"hi");

        drop(socket);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_successors_socket_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.socket");
        let first = BoundSocket::bind(&path).unwrap();
        let _second = BoundSocket::bind(&path).unwrap();
        drop(first);
        assert!(UnixStream::connect(&path).await.is_ok());
    }

    #[tokio::test]
    async fn a_long_name_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x".repeat(120));
        let error = BoundSocket::bind(&path).unwrap_err();
        assert!(matches!(error, SocketError::TooLong { .. }), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn own_user_and_root_may_connect() {
        assert!(allowed(1000, 1000) && allowed(0, 1000));
        assert!(!allowed(1001, 1000) && !allowed(1000, 0));
    }
}
