//! Large objects (charms, agent binaries, resources) as files named by their SHA-256.
//!
//! A document in the state refers to one by its digest; the same bytes are kept once. A file is whole or absent: it is
//! written under another name, synced and renamed. Files are 0600 in a directory that is 0700.

use std::{
    io::{self, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};

use futures_util::{Stream, StreamExt as _};
use sha2::{Digest as _, Sha256};
use tokio::{
    fs,
    io::{AsyncReadExt as _, AsyncWriteExt as _},
};

/// Where objects are. Clones share it.
#[derive(Clone, Debug)]
pub struct Objects {
    dir: Arc<Path>,
}

/// What was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// In lower-case hex.
    pub sha256: String,
    pub size: u64,
}

/// What was received and is not kept yet; its file goes when this is dropped.
#[derive(Debug)]
pub struct Upload {
    path: tempfile::TempPath,
    stored: Stored,
}

impl Upload {
    pub fn path(&self) -> &Path {
        &self.path
    }
    pub fn sha256(&self) -> &str {
        &self.stored.sha256
    }
    pub fn size(&self) -> u64 {
        self.stored.size
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    #[error("the upload is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    /// The sender stopped in the middle.
    #[error("the upload was cut short")]
    Cut(#[source] io::Error),
    #[error("cannot store the upload{}", if .0.kind() == io::ErrorKind::StorageFull { ": the disk is full" } else { "" })]
    Write(#[source] io::Error),
    #[error("cannot read the object {sha256}")]
    Read {
        sha256: String,
        #[source]
        source: io::Error,
    },
}

/// Uploads under way are named so; one that is found at the start was cut by a crash.
const TEMPORARY: &str = "upload-";

impl Objects {
    /// Opens the store of objects in a directory, which is made if it is not there.
    pub fn open(dir: &Path) -> io::Result<Objects> {
        use std::os::unix::fs::DirBuilderExt as _;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
        for entry in std::fs::read_dir(dir)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(Objects { dir: dir.into() })
    }

    /// Receives what the stream brings, without keeping it yet. Nothing is left of one that breaks or grows past the
    /// limit, nor of an upload that is dropped.
    pub async fn receive<B, E>(
        &self,
        mut body: impl Stream<Item = Result<B, E>> + Unpin,
        limit: u64,
    ) -> Result<Upload, ObjectError>
    where
        B: AsRef<[u8]>,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (file, path) = self.temporary().await?.into_parts();
        let mut file = fs::File::from_std(file);
        let (mut digest, mut size) = (Sha256::new(), 0);
        while let Some(chunk) = body.next().await {
            let chunk = chunk.map_err(|err| ObjectError::Cut(io::Error::other(err)))?;
            let chunk = chunk.as_ref();
            size += chunk.len() as u64;
            if size > limit {
                return Err(ObjectError::TooLarge { limit });
            }
            digest.update(chunk);
            file.write_all(chunk).await.map_err(ObjectError::Write)?;
        }
        file.flush().await.map_err(ObjectError::Write)?;
        let sha256 = hex::encode(digest.finalize());
        Ok(Upload { path, stored: Stored { sha256, size } })
    }

    /// Keeps an upload under its digest.
    pub async fn keep(&self, upload: Upload) -> Result<Stored, ObjectError> {
        let Upload { path, stored } = upload;
        let (to, dir) = (self.path(&stored.sha256), self.dir.clone());
        let rename = move || {
            std::fs::File::open(&path)?.sync_all()?;
            path.persist(&to).map_err(|err| err.error)?;
            std::fs::File::open(&*dir)?.sync_all()
        };
        blocking(rename).await.map_err(ObjectError::Write)?;
        Ok(stored)
    }

    /// Makes another upload out of one, where blocking is allowed.
    pub async fn rewrite<E: From<ObjectError> + Send + 'static>(
        &self,
        upload: Upload,
        write: impl FnOnce(&Path, &mut std::fs::File) -> Result<(), E> + Send + 'static,
    ) -> Result<Upload, E> {
        let temporary = self.temporary().await?;
        let work = move || {
            let (mut file, path) = temporary.into_parts();
            write(&upload.path, &mut file)?;
            let (mut digest, failed) = (Sha256::new(), |err| E::from(ObjectError::Write(err)));
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            let (mut size, mut buffer) = (0, vec![0; 64 << 10]);
            loop {
                match io::Read::read(&mut file, &mut buffer).map_err(failed)? {
                    0 => break,
                    read => {
                        digest.update(&buffer[..read]);
                        size += read as u64;
                    }
                }
            }
            Ok(Upload { path, stored: Stored { sha256: hex::encode(digest.finalize()), size } })
        };
        tokio::task::spawn_blocking(work).await.map_err(|err| ObjectError::Write(io::Error::other(err)))?
    }

    /// Receives and keeps.
    pub async fn put<B, E>(
        &self,
        body: impl Stream<Item = Result<B, E>> + Unpin,
        limit: u64,
    ) -> Result<Stored, ObjectError>
    where
        B: AsRef<[u8]>,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let upload = self.receive(body, limit).await?;
        self.keep(upload).await
    }

    pub async fn put_bytes(&self, bytes: &[u8]) -> Result<Stored, ObjectError> {
        let body = futures_util::stream::iter([Ok::<_, io::Error>(bytes)]);
        self.put(body, u64::MAX).await
    }

    /// The object, to be read from its beginning, and its size; `None` if it is not here.
    pub async fn get(&self, sha256: &str) -> Result<Option<(fs::File, u64)>, ObjectError> {
        let failed = |source| ObjectError::Read { sha256: sha256.to_owned(), source };
        if !is_digest(sha256) {
            return Ok(None);
        }
        let file = match fs::File::open(self.path(sha256)).await {
            Ok(file) => file,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(err) => return Err(failed(err)),
        };
        let size = file.metadata().await.map_err(failed)?.len();
        Ok(Some((file, size)))
    }

    /// The whole object in memory.
    pub async fn read(&self, sha256: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        let Some((mut file, size)) = self.get(sha256).await? else { return Ok(None) };
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        let failed = |source| ObjectError::Read { sha256: sha256.to_owned(), source };
        file.read_to_end(&mut bytes).await.map_err(failed)?;
        Ok(Some(bytes))
    }

    /// Removes the object; one that is not here is removed already. Whoever has it open reads on.
    pub async fn remove(&self, sha256: &str) -> io::Result<()> {
        if !is_digest(sha256) {
            return Ok(());
        }
        match fs::remove_file(self.path(sha256)).await {
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Where an object is, if it is here; for programs that take a file.
    pub fn path(&self, sha256: &str) -> PathBuf {
        self.dir.join(sha256)
    }

    async fn temporary(&self) -> Result<tempfile::NamedTempFile, ObjectError> {
        let dir = self.dir.clone();
        let make = move || tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(&*dir);
        blocking(make).await.map_err(ObjectError::Write)
    }
}

/// A digest is 64 hex digits, so that it never is a path.
fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|it| it.is_ascii_digit() || (b'a'..=b'f').contains(&it))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    fn names(dir: &Path) -> Vec<String> {
        let names = std::fs::read_dir(dir).unwrap();
        names.map(|it| it.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[tokio::test]
    async fn the_same_bytes_are_kept_once_under_their_digest() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("objects");
        let objects = Objects::open(&dir).unwrap();
        for _ in 0..2 {
            let stored = objects.put_bytes(b"hello").await.unwrap();
            assert_eq!(stored, Stored { sha256: HELLO.into(), size: 5 });
        }
        assert_eq!(names(&dir), [HELLO]);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&dir), mode(&dir.join(HELLO))), (0o700, 0o600));
        assert_eq!(objects.read(HELLO).await.unwrap().unwrap(), b"hello");
        objects.remove(HELLO).await.unwrap();
        objects.remove(HELLO).await.unwrap();
        assert!(objects.get(HELLO).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn nothing_is_left_of_a_bad_upload() {
        let dir = tempfile::tempdir().unwrap();
        let objects = Objects::open(dir.path()).unwrap();
        let chunks = || futures_util::stream::iter([Ok::<_, io::Error>(vec![1; 10]), Ok(vec![2; 10])]);
        assert!(matches!(objects.put(chunks(), 19).await, Err(ObjectError::TooLarge { limit: 19 })));
        assert_eq!(objects.put(chunks(), 20).await.unwrap().size, 20);
        let broken = futures_util::stream::iter([Ok(vec![1; 10]), Err(io::Error::other("gone"))]);
        assert!(matches!(objects.put(broken, 100).await, Err(ObjectError::Cut(_))));
        assert_eq!(names(dir.path()).len(), 1);
        std::fs::write(dir.path().join("upload-xyz"), "left by a crash").unwrap();
        Objects::open(dir.path()).unwrap();
        assert_eq!(names(dir.path()).len(), 1);
    }

    #[tokio::test]
    async fn only_digests_are_names() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("secret"), "x").unwrap();
        let objects = Objects::open(&root.path().join("objects")).unwrap();
        for name in ["../secret", "", &HELLO.to_uppercase(), &HELLO[1..]] {
            assert!(objects.get(name).await.unwrap().is_none(), "{name}");
            objects.remove(name).await.unwrap();
        }
        assert!(root.path().join("secret").exists());
    }
}
