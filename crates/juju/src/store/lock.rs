//! One writer at a time, among all processes.

use std::{
    fs::File,
    io,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use nix::{
    errno::Errno,
    fcntl::{Flock, FlockArg},
};

use super::{Store, StoreError, StoreFile};

/// How long a writer waits for another (Juju 3.6 `jujuclient`).
const PATIENCE: Duration = Duration::from_secs(5);

/// The right to write. The lock is on the store's directory itself, so there is no lock file that
/// could be left behind or belong to somebody else, and a process that dies gives it back.
pub struct Locked<'a> {
    store: &'a Store,
    _lock: Flock<File>,
}

impl<'a> Locked<'a> {
    pub(super) fn wait(store: &'a Store) -> Result<Self, StoreError> {
        Self::wait_for(store, PATIENCE)
    }

    fn wait_for(store: &'a Store, patience: Duration) -> Result<Self, StoreError> {
        let failed = |source: io::Error| StoreError::Lock { dir: store.dir.clone(), source };
        let dir = File::open(&store.dir).map_err(failed)?;
        let dir = match Flock::lock(dir, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => return Ok(Self { store, _lock: lock }),
            Err((dir, Errno::EWOULDBLOCK)) => dir,
            Err((_, e)) => return Err(failed(e.into())),
        };
        // A thread can wait where this one must not wait for ever. If nobody takes its answer, the lock
        // is dropped with it.
        let (answer, answered) = mpsc::channel();
        thread::spawn(move || answer.send(Flock::lock(dir, FlockArg::LockExclusive)));
        match answered.recv_timeout(patience) {
            Ok(Ok(lock)) => Ok(Self { store, _lock: lock }),
            Ok(Err((_, e))) => Err(failed(e.into())),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                Err(StoreError::Busy { dir: store.dir.clone() })
            }
        }
    }

    /// Reads a file, changes it, and replaces it if it did change.
    pub fn update<F: StoreFile, T>(&mut self, change: impl FnOnce(&mut F) -> T) -> Result<T, StoreError> {
        let before: F = self.store.read()?;
        let mut after = before.clone();
        let answer = change(&mut after);
        if after != before {
            self.store.write(&after)?;
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Controllers;

    #[test]
    fn a_second_writer_waits_and_then_gives_up() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        let held = store.lock().unwrap();
        let refused = Locked::wait_for(&store, Duration::from_millis(20));
        assert!(matches!(refused.err(), Some(StoreError::Busy { .. })));
        store.read::<Controllers>().expect("a reader does not care");

        let waiting = thread::spawn({
            let store = store.clone();
            move || store.lock().map(|_| ()).unwrap()
        });
        drop(held);
        waiting.join().unwrap();
    }

    #[test]
    fn no_change_is_lost_among_many_writers() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        let writers: Vec<_> = (0..16)
            .map(|n| {
                let store = store.clone();
                thread::spawn(move || {
                    store
                        .update(|it: &mut Controllers| {
                            it.controllers.insert(format!("c{n}"), Default::default());
                        })
                        .unwrap();
                    store.read::<Controllers>().unwrap().controllers.len()
                })
            })
            .collect();
        for writer in writers {
            assert!(writer.join().unwrap() >= 1);
        }
        assert_eq!(store.read::<Controllers>().unwrap().controllers.len(), 16);
    }
}
