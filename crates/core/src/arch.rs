//! Processor architectures that a model may ask for.

use std::{fmt, str::FromStr};

/// An architecture that Juju 3.6 knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arch {
    Amd64,
    Arm64,
    Ppc64el,
    Riscv64,
    S390x,
}

impl Arch {
    pub const ALL: [Arch; 5] = [Arch::Amd64, Arch::Arm64, Arch::Ppc64el, Arch::Riscv64, Arch::S390x];

    pub const fn as_str(self) -> &'static str {
        match self {
            Arch::Amd64 => "amd64",
            Arch::Arm64 => "arm64",
            Arch::Ppc64el => "ppc64el",
            Arch::Riscv64 => "riscv64",
            Arch::S390x => "s390x",
        }
    }

    /// The architecture by any of the names that kernels and toolchains give it: `x86_64`, `aarch64`, ….
    pub fn from_alias(name: &str) -> Option<Self> {
        Some(match name {
            "amd64" | "x86_64" | "x86-64" | "x64" => Arch::Amd64,
            "arm64" | "aarch64" | "armv8" => Arch::Arm64,
            "ppc64el" | "ppc64le" | "powerpc64le" => Arch::Ppc64el,
            "riscv64" | "risc" | "risc-v" | "riscv64gc" => Arch::Riscv64,
            "s390x" => Arch::S390x,
            _ => return None,
        })
    }

    /// The one this program was built for, when Juju knows it.
    pub fn of_this_build() -> Option<Self> {
        Self::from_alias(std::env::consts::ARCH)
    }
}

impl Default for Arch {
    /// What is taken where nothing says otherwise.
    fn default() -> Self {
        Arch::Amd64
    }
}

/// A text that names no architecture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} not recognized")]
pub struct ArchError(pub String);

impl FromStr for Arch {
    type Err = ArchError;
    fn from_str(text: &str) -> Result<Self, ArchError> {
        Self::ALL.into_iter().find(|it| it.as_str() == text).ok_or_else(|| ArchError(text.to_owned()))
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

crate::ids::text_serde!(Arch);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases() {
        for arch in Arch::ALL {
            assert_eq!(arch.as_str().parse(), Ok(arch));
            assert_eq!(Arch::from_alias(arch.as_str()), Some(arch));
        }
        for (alias, arch) in [("x86_64", Arch::Amd64), ("aarch64", Arch::Arm64), ("ppc64le", Arch::Ppc64el)] {
            assert_eq!(Arch::from_alias(alias), Some(arch));
            assert!(alias.parse::<Arch>().is_err(), "an alias is not a name");
        }
        assert_eq!("pdp11".parse::<Arch>().unwrap_err().to_string(), r#""pdp11" not recognized"#);
    }
}
