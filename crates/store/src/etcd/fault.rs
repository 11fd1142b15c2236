//! What etcd's errors mean to us.

use crate::Error;

/// A request that failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// It may or may not have been carried out, and may work the next time.
    Uncertain(anyhow::Error),
    /// It was not carried out, and would not be the next time either.
    Refused(Error),
}

impl Fault {
    /// For requests that change nothing, where doubt does no harm.
    pub(super) fn harmless(self) -> Error {
        match self {
            Fault::Uncertain(cause) => Error::Unavailable(cause),
            Fault::Refused(err) => err,
        }
    }
}

impl From<Error> for Fault {
    fn from(err: Error) -> Fault {
        Fault::Refused(err)
    }
}

/// gRPC's status codes that we tell apart.
mod code {
    pub(super) const INVALID_ARGUMENT: i32 = 3;
    pub(super) const PERMISSION_DENIED: i32 = 7;
    pub(super) const RESOURCE_EXHAUSTED: i32 = 8;
    pub(super) const OUT_OF_RANGE: i32 = 11;
    pub(super) const UNIMPLEMENTED: i32 = 12;
    pub(super) const UNAUTHENTICATED: i32 = 16;
}

/// Sorts an error of the client. Those that say "unavailable" are uncertain too: etcd answers so when a request
/// times out in the raft log, where it may still be carried out.
impl From<etcd_client::Error> for Fault {
    fn from(err: etcd_client::Error) -> Fault {
        use etcd_client::Error as E;
        match &err {
            E::GRpcStatus(status) => match i32::from(status.code()) {
                code::INVALID_ARGUMENT if status.message().contains("too large") => {
                    Fault::Refused(Error::TooLarge("a transaction, as etcd counts it".to_owned()))
                }
                code::INVALID_ARGUMENT | code::OUT_OF_RANGE | code::UNIMPLEMENTED => {
                    Fault::Refused(Error::Invalid(format!("etcd refused it: {}", status.message())))
                }
                code::PERMISSION_DENIED | code::UNAUTHENTICATED | code::RESOURCE_EXHAUSTED => {
                    Fault::Refused(Error::unavailable(err))
                }
                _ => Fault::Uncertain(err.into()),
            },
            E::InvalidArgs(_) | E::InvalidUri(_) | E::InvalidMetadataValue(_) | E::EndpointsNotManaged => {
                Fault::Refused(Error::unavailable(err))
            }
            _ => Fault::Uncertain(err.into()),
        }
    }
}

/// Whether etcd says that the revision was compacted.
pub(super) fn is_compacted(err: &etcd_client::Error) -> bool {
    matches!(err, etcd_client::Error::GRpcStatus(status)
        if i32::from(status.code()) == code::OUT_OF_RANGE && status.message().contains("compacted"))
}
