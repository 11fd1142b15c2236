//! Rules about the tree itself: the documents say what the manifests do.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The project's own crates that a manifest depends on, outside `[dev-dependencies]`.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut section = "";
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
        } else if section.ends_with("dependencies")
            && section != "dev-dependencies"
            && let Some(rest) = line.strip_prefix("juju-")
        {
            found.insert(rest.split(['.', ' ', '=']).next().unwrap_or_default().to_owned());
        }
    }
    found
}

/// The table of `ARCHITECTURE.md`: crate to what it may depend on.
fn allowed() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is readable");
    text.lines()
        .filter_map(|line| {
            let cells: Vec<_> = line.strip_prefix("| `")?.split('|').map(str::trim).collect();
            let [name, _, may, ..] = cells.as_slice() else { return None };
            let may = may.split(',').map(|it| it.trim().to_owned()).filter(|it| it != "–");
            Some((name.trim_end_matches('`').to_owned(), may.collect()))
        })
        .collect()
}

#[test]
fn manifests_keep_to_the_architecture() {
    let allowed = allowed();
    let mut crates = BTreeSet::new();
    for entry in fs::read_dir(root().join("crates")).expect("crates is readable") {
        let dir = entry.expect("an entry").path();
        let name = dir.file_name().expect("a name").to_string_lossy().into_owned();
        let manifest = fs::read_to_string(dir.join("Cargo.toml")).expect("each crate has a manifest");
        let may =
            allowed.get(&name).unwrap_or_else(|| panic!("crate {name} stands in ARCHITECTURE.md's table"));
        let excess: Vec<_> = dependencies(&manifest).difference(may).cloned().collect();
        assert!(
            excess.is_empty(),
            "crate {name} depends on {excess:?}, which ARCHITECTURE.md does not allow"
        );
        crates.insert(name);
    }
    let gone: Vec<_> = allowed.keys().filter(|it| !crates.contains(*it)).collect();
    assert!(gone.is_empty(), "ARCHITECTURE.md's table names crates that are not there: {gone:?}");
}

#[test]
fn every_source_file_opens_with_its_idea() {
    let mut bare = vec![];
    visit(&root().join("crates"), &mut |path, text| {
        if !text.trim_start().starts_with("//!") && !text.trim_start().starts_with("#!") {
            bare.push(path.display().to_string());
        }
    });
    assert!(bare.is_empty(), "files without a head comment (`//!`): {bare:#?}");
}

/// Calls `f` with every Rust file under a crate's `src`.
fn visit(dir: &Path, f: &mut impl FnMut(&Path, &str)) {
    for entry in fs::read_dir(dir).expect("a readable directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if path.file_name().is_some_and(|it| it != "target") {
                visit(&path, f);
            }
        } else if path.extension().is_some_and(|it| it == "rs")
            && path.components().any(|it| it.as_os_str() == "src")
        {
            f(&path, &fs::read_to_string(&path).expect("a readable file"));
        }
    }
}
