//! How things are to be destroyed, from what travels.

use std::time::Duration;

use juju_state::cleanup::How;

pub(super) fn how(force: bool, max_wait: Option<i64>, destroy_storage: bool) -> How {
    let how = if force { How::forced(nanoseconds(max_wait)) } else { How::GENTLY };
    How { destroy_storage, ..how }
}

/// A duration as it travels. One that has passed is none.
pub(super) fn nanoseconds(it: Option<i64>) -> Option<Duration> {
    it.map(|it| Duration::from_nanos(u64::try_from(it).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_takes_its_time() {
        assert_eq!(how(false, Some(0), false), How::GENTLY);
        assert_eq!(how(true, None, false), How::forced(None));
        assert_eq!(how(true, Some(5_000_000_000), true).max_wait_seconds, 5);
        assert_eq!(how(true, Some(0), false).max_wait_seconds, 0);
        assert!(how(true, Some(-1), true).destroy_storage);
    }
}
