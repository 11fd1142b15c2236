//! Machines and the containers in them.

use std::{cmp::Ordering, fmt, str::FromStr, sync::Arc};

use super::{IdError, pattern};

/// A machine (`3`) or a container in one (`0/lxd/1`, `0/lxd/1/kvm/0`).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MachineId(Arc<str>);

impl MachineId {
    /// A machine that is not in another.
    pub fn top(number: u32) -> Self {
        MachineId(number.to_string().into())
    }

    /// The container `number` of a type in this machine.
    pub fn container(&self, kind: &str, number: u32) -> Result<Self, IdError> {
        format!("{self}/{kind}/{number}").parse()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The machine that a container is in.
    pub fn parent(&self) -> Option<Self> {
        let (rest, _) = self.0.rsplit_once('/')?;
        let (parent, _) = rest.rsplit_once('/')?;
        Some(MachineId(parent.into()))
    }

    /// `lxd` or `kvm`, of a container.
    pub fn container_type(&self) -> Option<&str> {
        self.0.rsplit('/').nth(1)
    }

    pub fn is_container(&self) -> bool {
        self.0.contains('/')
    }

    /// The machine at the bottom: `0` of `0/lxd/1`.
    pub fn host(&self) -> Self {
        match self.0.split_once('/') {
            Some((host, _)) => MachineId(host.into()),
            None => self.clone(),
        }
    }

    /// Its number among its siblings.
    pub fn number(&self) -> u32 {
        let last = self.0.rsplit('/').next().and_then(pattern::number);
        last.expect("a machine id ends in a number")
    }
}

impl FromStr for MachineId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let mut parts = text.split('/');
        let mut valid = parts.next().is_some_and(pattern::is_number);
        while let Some(kind) = parts.next() {
            valid &= !kind.is_empty() && kind.bytes().all(|it| it.is_ascii_lowercase());
            valid &= parts.next().is_some_and(pattern::is_number);
        }
        if valid { Ok(MachineId(text.into())) } else { Err(IdError::new("machine id", text)) }
    }
}

impl fmt::Display for MachineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for MachineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MachineId({:?})", &*self.0)
    }
}

/// Numbers compare as numbers, a machine stands before its containers: `2`, `2/lxd/0`, `10`.
impl Ord for MachineId {
    fn cmp(&self, other: &Self) -> Ordering {
        fn key(id: &MachineId) -> impl Iterator<Item = (Option<u32>, &str)> {
            id.0.split('/').map(|it| (pattern::number(it), it))
        }
        key(self).cmp(key(other))
    }
}

impl PartialOrd for MachineId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

super::text_serde!(MachineId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let id: MachineId = "0/lxd/1/kvm/12".parse().unwrap();
        assert_eq!(id.parent().unwrap().as_str(), "0/lxd/1");
        assert_eq!(id.parent().unwrap().parent().unwrap().as_str(), "0");
        assert_eq!(id.host().as_str(), "0");
        assert_eq!(id.container_type(), Some("kvm"));
        assert_eq!(id.number(), 12);
        assert!(id.is_container());
        let top = MachineId::top(7);
        assert_eq!((top.parent(), top.container_type(), top.number()), (None, None, 7));
        assert_eq!(top.container("lxd", 3).unwrap().as_str(), "7/lxd/3");
        assert!(top.container("LXD", 3).is_err());
    }

    #[test]
    fn order_is_by_number() {
        let mut ids: Vec<MachineId> =
            ["10", "2/lxd/10", "2", "2/lxd/2", "0"].iter().map(|it| it.parse().unwrap()).collect();
        ids.sort();
        let text: Vec<_> = ids.iter().map(MachineId::as_str).collect();
        assert_eq!(text, ["0", "2", "2/lxd/2", "2/lxd/10", "10"]);
    }
}
