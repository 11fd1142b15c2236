//! Packing, repacking and unpacking, with archives that mean well and archives that do not.

#![allow(clippy::unwrap_used)]

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{Cursor, Write as _},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use juju_charm::{Charm, CharmError, archive, pack, unpack};
use tempfile::TempDir;
use zip::{ZipWriter, write::SimpleFileOptions};

const METADATA: &str = "name: web\nsummary: s\ndescription: d\n";

/// A charm directory with these files; those in `hooks/` are executable.
fn charm(dir: &Path, files: &[(&str, &str)]) {
    for (name, text) in [("metadata.yaml", METADATA)].iter().chain(files) {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        if name.starts_with("hooks/") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

fn packed(dir: &Path) -> Vec<u8> {
    let mut bytes = Cursor::new(vec![]);
    pack::pack(dir, &mut bytes).unwrap();
    bytes.into_inner()
}

/// An archive with these entries, whatever their names are; a target makes a link.
fn archive_of(dir: &Path, entries: &[(&str, &str, bool)]) -> PathBuf {
    let path = dir.join("bad.charm");
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    for (name, content, link) in entries {
        if *link {
            zip.add_symlink(*name, *content, SimpleFileOptions::default()).unwrap();
        } else {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(content.as_bytes()).unwrap();
        }
    }
    zip.finish().unwrap();
    path
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_charm_goes_through_an_archive_unchanged() {
    let dir = TempDir::new().unwrap();
    let source = dir.path().join("web");
    charm(
        &source,
        &[
            ("hooks/install", "#!/bin/sh\n"),
            ("src/a.txt", "a"),
            (".git/x", "x"),
            ("revision", "3"),
            ("src/junk.o", "o"),
        ],
    );
    fs::write(source.join(".jujuignore"), "*.o\n").unwrap();
    fs::write(source.join("hooks/start"), "#!/bin/sh\n").unwrap();
    symlink("install", source.join("hooks/stop")).unwrap();
    let bytes = packed(&source);
    assert_eq!(bytes, packed(&source), "the same directory gives the same bytes");

    let file = dir.path().join("web.charm");
    fs::write(&file, &bytes).unwrap();
    let read = Charm::read(&file).unwrap();
    assert_eq!((read.meta.name.as_str(), read.revision), ("web", 3));
    assert_eq!(read, Charm::read(&source).unwrap());

    let again = dir.path().join("again.charm");
    archive::rewrite(&file, File::create(&again).unwrap(), 7).unwrap();
    assert_eq!(Charm::read(&again).unwrap().revision, 7);
    assert_ne!(archive::sha256(&again).unwrap().0, archive::sha256(&file).unwrap().0);

    let out = dir.path().join("out");
    fs::create_dir(&out).unwrap();
    unpack::unpack(&again, &out, unpack::Limits::default(), &BTreeSet::new()).unwrap();
    let names: Vec<_> = unpack::manifest(&again).unwrap().into_iter().collect();
    assert_eq!(
        names,
        [
            "hooks",
            "hooks/install",
            "hooks/start",
            "hooks/stop",
            "metadata.yaml",
            "revision",
            "src",
            "src/a.txt"
        ]
    );
    assert_eq!(fs::read_link(out.join("hooks/stop")).unwrap(), Path::new("install"));
    assert_eq!((mode(&out.join("hooks/install")), mode(&out.join("src/a.txt"))), (0o755, 0o644));
    assert_eq!(mode(&out.join("hooks/start")), 0o755, "a hook that lost its bit is made executable");
    // Unpacking over what is there replaces files.
    fs::write(out.join("src/a.txt"), "other").unwrap();
    unpack::unpack(&again, &out, unpack::Limits::default(), &BTreeSet::new()).unwrap();
    assert_eq!(fs::read_to_string(out.join("src/a.txt")).unwrap(), "a");
}

#[test]
fn a_charm_in_a_folder_of_the_archive_is_found() {
    let dir = TempDir::new().unwrap();
    let path = archive_of(
        dir.path(),
        &[
            ("deep/er/metadata.yaml", "x", false),
            ("web/metadata.yaml", METADATA, false),
            ("web/hooks/install", "", false),
            ("README", "r", false),
        ],
    );
    let out = dir.path().join("out.charm");
    archive::rewrite(&path, File::create(&out).unwrap(), 0).unwrap();
    assert_eq!(Charm::read(&out).unwrap().meta.name, "web");
    assert!(!unpack::manifest(&out).unwrap().contains("README"));
}

#[test]
fn what_is_no_charm_is_named() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    assert_eq!(
        Charm::read(&at("none")).unwrap_err().to_string(),
        format!("no charm was found at {:?}", at("none"))
    );
    fs::write(at("text.charm"), "no zip").unwrap();
    assert!(matches!(Charm::read(&at("text.charm")), Err(CharmError::NotAnArchive(_))));
    fs::create_dir(at("empty")).unwrap();
    assert!(matches!(Charm::read(&at("empty")), Err(CharmError::NoMetadata(_))));
    charm(&at("nocode"), &[]);
    assert_eq!(
        Charm::read(&at("nocode")).unwrap_err().to_string(),
        "invalid charm \"web\": has no hooks nor dispatch file"
    );
    charm(&at("badconfig"), &[("hooks/install", ""), ("config.yaml", "options: [")]);
    assert!(Charm::read(&at("badconfig")).unwrap_err().to_string().starts_with("config.yaml: line 1"));
    charm(&at("badrevision"), &[("hooks/install", ""), ("revision", "three")]);
    assert_eq!(Charm::read(&at("badrevision")).unwrap_err().to_string(), "invalid revision file");
    charm(&at("v1"), &[("hooks/install", "")]);
    fs::write(at("v1/metadata.yaml"), format!("{METADATA}assumes: [juju]\n")).unwrap();
    assert_eq!(Charm::read(&at("v1")).unwrap_err().to_string(), "assumes in metadata v1 not valid");
    // A cut archive.
    charm(&at("web"), &[("hooks/install", "")]);
    let bytes = packed(&at("web"));
    fs::write(at("cut.charm"), &bytes[..bytes.len() / 2]).unwrap();
    assert!(matches!(Charm::read(&at("cut.charm")), Err(CharmError::NotAnArchive(_))));
}

#[test]
fn links_that_lead_out_are_not_packed() {
    for (target, error) in [
        ("/etc/passwd", "symlink \"src/l\" is absolute: \"/etc/passwd\""),
        ("../../x", "symlink \"src/l\" links out of charm: \"../../x\""),
    ] {
        let dir = TempDir::new().unwrap();
        charm(dir.path(), &[("hooks/install", ""), ("src/a", "")]);
        symlink(target, dir.path().join("src/l")).unwrap();
        let err = pack::pack(dir.path(), Cursor::new(vec![])).unwrap_err();
        assert_eq!(err.to_string(), error);
    }
}

#[test]
fn archives_that_would_do_harm_leave_nothing() {
    for entries in [
        vec![("../evil", "x", false)],
        vec![("a/../../evil", "x", false)],
        vec![("/evil", "x", false)],
        vec![("l", "/etc", true)],
        vec![("d/l", "../../x", true)],
        vec![("good", "x", false), ("l", "..", true), ("l/evil", "x", false)],
    ] {
        let dir = TempDir::new().unwrap();
        let path = archive_of(dir.path(), &entries);
        let out = dir.path().join("out");
        fs::create_dir(&out).unwrap();
        let result = unpack::unpack(&path, &out, unpack::Limits::default(), &BTreeSet::new());
        assert!(result.is_err(), "{entries:?}");
        assert_eq!(fs::read_dir(&out).unwrap().count(), 0, "{entries:?}");
        assert!(!dir.path().join("evil").exists());
    }
}

#[test]
fn nothing_is_written_through_a_link() {
    let dir = TempDir::new().unwrap();
    let (out, outside) = (dir.path().join("out"), dir.path().join("outside"));
    for it in [&out, &outside] {
        fs::create_dir(it).unwrap();
    }
    // Within the archive.
    let path = archive_of(dir.path(), &[("a/x", "x", false), ("l", "a", true), ("l/y", "y", false)]);
    assert!(unpack::unpack(&path, &out, unpack::Limits::default(), &BTreeSet::new()).is_err());
    assert!(!out.join("a/y").exists());
    // In the tree that is unpacked over.
    let out = dir.path().join("out2");
    fs::create_dir(&out).unwrap();
    symlink(&outside, out.join("d")).unwrap();
    symlink(outside.join("file"), out.join("f")).unwrap();
    let path = archive_of(dir.path(), &[("d/x", "x", false)]);
    unpack::unpack(&path, &out, unpack::Limits::default(), &BTreeSet::new()).unwrap();
    assert!(fs::symlink_metadata(out.join("d")).unwrap().is_dir(), "a link gives way to the charm's folder");
    let path = archive_of(dir.path(), &[("f", "x", false)]);
    unpack::unpack(&path, &out, unpack::Limits::default(), &BTreeSet::new()).unwrap();
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    assert!(fs::symlink_metadata(out.join("f")).unwrap().is_file());
}

#[test]
fn archives_that_are_too_much_are_refused() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("out");
    fs::create_dir(&out).unwrap();
    let few = unpack::Limits { entries: 2, ..unpack::Limits::default() };
    let path = archive_of(dir.path(), &[("a", "", false), ("b", "", false), ("c", "", false)]);
    let text = |limits| unpack::unpack(&path, &out, limits, &BTreeSet::new()).unwrap_err().to_string();
    assert_eq!(text(few), "refusing charm archive: 3 entries, at most 2 are allowed");

    let zeros = "0".repeat(20 << 20);
    let path = archive_of(dir.path(), &[("bomb", &zeros, false)]);
    let text = |limits| unpack::unpack(&path, &out, limits, &BTreeSet::new()).unwrap_err().to_string();
    assert_eq!(
        text(unpack::Limits::default()),
        "refusing charm archive: unpacks to more than 200 times its size"
    );
    let small = unpack::Limits { size: 1 << 20, ..unpack::Limits::default() };
    assert_eq!(text(small), "refusing charm archive: unpacks to more than 1048576 bytes");
    assert!(archive::rewrite(&path, Cursor::new(vec![]), 0).is_err());
}

/// Content is copied through, never held; what it is comes out as it went in.
#[test]
fn many_files_and_large_ones() {
    let dir = TempDir::new().unwrap();
    let source = dir.path().join("web");
    charm(&source, &[("dispatch", "#!/bin/sh\n")]);
    fs::create_dir(source.join("many")).unwrap();
    for number in 0..3_000 {
        fs::write(source.join(format!("many/{number}")), number.to_string()).unwrap();
    }
    // A simple generator's output, which does not compress.
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    let large: Vec<u8> = (0..8 << 20).map(|_| noise()).collect();
    fs::write(source.join("large"), &large).unwrap();
    let file = dir.path().join("web.charm");
    pack::pack(&source, File::create(&file).unwrap()).unwrap();
    let again = dir.path().join("again.charm");
    archive::rewrite(&file, File::create(&again).unwrap(), 1).unwrap();
    let out = dir.path().join("out");
    fs::create_dir(&out).unwrap();
    let unpacked = unpack::unpack(&again, &out, unpack::Limits::default(), &BTreeSet::new()).unwrap();
    assert_eq!(unpacked.paths.len(), 3_000 + 5);
    assert!(fs::read(out.join("large")).unwrap() == large);
    for number in [0, 1_234, 2_999] {
        assert_eq!(fs::read_to_string(out.join(format!("many/{number}"))).unwrap(), number.to_string());
    }
}
