//! The example charms are charms: they are read, packed, and fit the bundle that deploys them.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
    process::Command,
};

use juju_charm::{Archive, Bundle, Charm, pack};

const CHARMS: [&str; 3] = ["hello-bash", "hello-consumer", "hello-ops"];

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/charms")
}

#[test]
fn they_are_charms_for_ubuntu() {
    let readme = fs::read_to_string(examples().join("README.md")).unwrap();
    for name in CHARMS {
        let charm = Charm::read(&examples().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(charm.name(), name);
        assert!(!charm.config.options.is_empty(), "{name} has options");
        let bases = charm.bases().unwrap();
        assert!(
            bases.iter().all(|it| it.os == "ubuntu" && juju_core::base::is_supported(it)),
            "{name}: {bases:?}"
        );
        assert!(readme.contains(&format!("`{name}`")), "README.md says what {name} is");
    }
}

#[test]
fn their_code_is_executable_and_is_code() {
    for name in CHARMS {
        let packed = pack::pack(&examples().join(name), Cursor::new(vec![])).unwrap();
        assert_eq!(packed.made_executable, [""; 0], "{name}");
        let Ok(hooks) = fs::read_dir(examples().join(name).join("hooks")) else { continue };
        for hook in hooks {
            let path = hook.unwrap().path();
            let checked = Command::new("bash").arg("-n").arg(&path).output().unwrap();
            assert!(
                checked.status.success(),
                "{}: {}",
                path.display(),
                String::from_utf8_lossy(&checked.stderr)
            );
            let known = packed.charm.meta.hooks().contains(&*path.file_name().unwrap().to_string_lossy());
            assert!(known || path.extension().is_some(), "{} is a hook, or a file for them", path.display());
        }
    }
}

#[test]
fn the_bundle_fits_them() {
    let text = fs::read_to_string(examples().join("bundle.yaml")).unwrap();
    let bundle = Bundle::parse(&text).unwrap();
    let charms = bundle
        .applications
        .values()
        .map(|it| (it.charm.clone(), Charm::read(&examples().join(&it.charm)).unwrap()));
    bundle.verify_with(&charms.collect()).unwrap();
}

/// `pack.sh` of a charm without requirements needs no network, and packs what we pack.
#[test]
fn the_script_packs_what_we_pack() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("left out: python3 is not here to run pack.sh");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let script = |output: &Path| {
        let done = Command::new(examples().join("pack.sh")).arg("hello-bash").arg(output).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Archive::open(output).unwrap()
    };
    let (one, other) = (dir.path().join("one.charm"), dir.path().join("other.charm"));
    let mut archive = script(&one);
    script(&other);
    assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap(), "packing again gives the same archive");
    assert_eq!(archive.charm().unwrap(), Charm::read(&examples().join("hello-bash")).unwrap());
    let ours = dir.path().join("ours.charm");
    pack::pack(&examples().join("hello-bash"), fs::File::create(&ours).unwrap()).unwrap();
    let mut files = archive.files();
    files.push("revision");
    files.sort_unstable();
    assert_eq!(files, Archive::open(&ours).unwrap().files());
}
