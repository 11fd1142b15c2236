//! `manifest.yaml`: the bases that a charm was built for.

use std::collections::BTreeSet;

use juju_core::{Arch, Base};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    CharmError, Result,
    schema::{Node, SchemaError},
    yaml,
};

pub(crate) const FILE: &str = "manifest.yaml";

/// The operating systems that a base may name.
const SYSTEMS: [&str; 6] = ["ubuntu", "centos", "windows", "osx", "opensuse", "genericlinux"];

/// What a charm was built for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub bases: Vec<ManifestBase>,
}

/// A base and the architectures the charm has for it; none stands for all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestBase {
    pub base: Base,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub architectures: Vec<Arch>,
}

impl Manifest {
    /// Reads the file. An empty one is none.
    pub fn parse(text: &str) -> Result<Option<Self>> {
        let tree = yaml::value(text).map_err(|it| CharmError::parse(FILE, it))?;
        if tree == Value::Null {
            return Ok(None);
        }
        read(&tree).map(Some).map_err(|it| CharmError::invalid(format!("manifest: {it}")))
    }

    /// The bases, each once, in their order.
    pub fn unique_bases(&self) -> Vec<Base> {
        let mut seen = BTreeSet::new();
        self.bases.iter().map(|it| it.base.clone()).filter(|it| seen.insert(it.clone())).collect()
    }
}

fn read(tree: &Value) -> Result<Manifest, SchemaError> {
    let bases = Node::root(tree).get("bases")?.list()?;
    Ok(Manifest { bases: bases.iter().map(read_base).collect::<Result<_, _>>()? })
}

fn read_base(node: &Node<'_>) -> Result<ManifestBase, SchemaError> {
    let name = node.optional("name")?.map(|it| it.str()).transpose()?.unwrap_or_default();
    let channel = node.optional("channel")?.map(|it| it.str()).transpose()?.unwrap_or_default();
    if name.is_empty() {
        return Err(node.error("base without name not valid"));
    }
    if !SYSTEMS.contains(&name) {
        return Err(node.error(format!("os {name:?} not valid")));
    }
    if channel.is_empty() {
        return Err(node.error("channel not valid"));
    }
    let channel =
        channel.parse().map_err(|it| node.get("channel").map_or_else(|it| it, |at| at.error(it)))?;
    let architectures = match node.optional("architectures")? {
        None => vec![],
        Some(list) => list.list()?.iter().map(read_arch).collect::<Result<_, _>>()?,
    };
    Ok(ManifestBase { base: Base { os: name.to_owned(), channel }, architectures })
}

fn read_arch(node: &Node<'_>) -> Result<Arch, SchemaError> {
    let name = node.str()?;
    Arch::from_alias(name).ok_or_else(|| node.error(format!("architecture {name:?} not valid")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good() {
        let text = "charmcraft-version: 2.5\nbases:\n- name: ubuntu\n  channel: '22.04'\n  architectures: [x86_64, arm64]\n\
                    - name: ubuntu\n  channel: 22.04/stable\n- {name: ubuntu, channel: 24.04/edge}\n";
        let manifest = Manifest::parse(text).unwrap().unwrap();
        assert_eq!(manifest.bases[0].architectures, [Arch::Amd64, Arch::Arm64]);
        let bases: Vec<_> = manifest.unique_bases().iter().map(Base::to_string).collect();
        assert_eq!(bases, ["ubuntu@22.04/stable", "ubuntu@24.04/edge"]);
        let json = serde_json::to_value(&manifest).unwrap();
        assert_eq!(serde_json::from_value::<Manifest>(json).unwrap(), manifest);
        assert_eq!(Manifest::parse("# nothing\n").unwrap(), None);
    }

    #[test]
    fn bad() {
        for (text, error) in [
            ("a: 1", "manifest: bases: expected list, got nothing"),
            ("bases: {}", "manifest: bases: expected list, got map"),
            ("bases: [{channel: '22.04'}]", "manifest: bases[0]: base without name not valid"),
            ("bases: [{name: ubuntu}]", "manifest: bases[0]: channel not valid"),
            ("bases: [{name: plan9, channel: '4'}]", r#"manifest: bases[0]: os "plan9" not valid"#),
            (
                "bases: [{name: ubuntu, channel: 22.04}]",
                "manifest: bases[0].channel: expected string, got float64(22.04)",
            ),
            (
                "bases: [{name: ubuntu, channel: 22.04/wild}]",
                r#"manifest: bases[0].channel: risk in channel "22.04/wild" not valid"#,
            ),
            (
                "bases: [{name: ubuntu, channel: '22.04', architectures: [pdp11]}]",
                r#"manifest: bases[0].architectures[0]: architecture "pdp11" not valid"#,
            ),
            ("bases: [", "manifest.yaml: line 1, column 8: unclosed bracket '['"),
        ] {
            assert_eq!(Manifest::parse(text).unwrap_err().to_string(), error);
        }
    }
}
