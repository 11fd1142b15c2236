//! Archives: packed, looked at, unpacked; honest and hostile.

use std::{
    fs,
    io::{Cursor, Write},
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use tempfile::TempDir;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::*;
use crate::{
    pack::{PackOptions, Packed, pack, pack_with},
    unpack::unpack,
};

const METADATA: &str = "name: web\nsummary: s\ndescription: d\nrequires: {db: pgsql}\n";

/// A directory with a charm of all kinds of files in it.
fn charm_dir() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str, mode: u32| {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    };
    write("metadata.yaml", METADATA, 0o600);
    write("revision", "7", 0o644);
    write("src/charm.py", "#!/usr/bin/env python3\n", 0o700);
    write("hooks/install", "#!/bin/sh\n", 0o755);
    write("hooks/db-relation-changed", "#!/bin/sh\n", 0o644);
    write("hooks/helper", "text\n", 0o644);
    write("dispatch", "#!/bin/sh\n", 0o644);
    write(".git/config", "x", 0o644);
    write(".tox/x", "x", 0o644);
    write("build/x", "x", 0o644);
    write("lib/build/x", "x", 0o644);
    write("notes.log", "x", 0o644);
    write(".jujuignore", "*.log\n", 0o644);
    fs::create_dir(dir.path().join("empty")).unwrap();
    symlink("../src/charm.py", dir.path().join("hooks/start")).unwrap();
    dir
}

fn packed(dir: &Path, options: &PackOptions) -> (Vec<u8>, Packed) {
    let mut bytes = Cursor::new(vec![]);
    let packed = pack_with(dir, &mut bytes, options).unwrap();
    (bytes.into_inner(), packed)
}

/// A file with some bytes, in a directory that lives as long.
struct Stored {
    path: PathBuf,
    _dir: TempDir,
}

fn stored(bytes: &[u8]) -> Stored {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.charm");
    fs::write(&path, bytes).unwrap();
    Stored { path, _dir: dir }
}

fn lay_out(bytes: &[u8], to: &Path) -> std::result::Result<crate::unpack::Unpacked, String> {
    let file = stored(bytes);
    let hooks = |charm: Charm| charm.meta.hooks().iter().map(|it| format!("hooks/{it}")).collect();
    let executable = Charm::read(&file.path).map(hooks).unwrap_or_default();
    unpack(&file.path, to, Limits::default(), &executable).map_err(|it| it.to_string())
}

fn mode_of(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn packed_and_unpacked() {
    let dir = charm_dir();
    let (bytes, report) = packed(dir.path(), &PackOptions { revision: None, version: Some("v1".into()) });
    assert_eq!(report.made_executable, ["dispatch", "hooks/db-relation-changed"]);
    let file = stored(&bytes);
    let (sha256, size) = sha256(&file.path).unwrap();
    assert_eq!((size, sha256.to_string().len()), (bytes.len() as u64, 64));
    let mut archive = Archive::open(&file.path).unwrap();
    let charm = archive.charm().unwrap();
    assert_eq!(charm, report.charm);
    assert_eq!((charm.name(), charm.revision, charm.version.as_str()), ("web", 7, "v1"));
    assert_eq!(
        archive.files(),
        [
            "dispatch",
            "hooks/db-relation-changed",
            "hooks/helper",
            "hooks/install",
            "hooks/start",
            "lib/build/x",
            "metadata.yaml",
            "revision",
            "src/charm.py",
            "version"
        ]
    );
    assert_eq!(
        Archive::read(&mut archive, "hooks/start", 100).unwrap().unwrap(),
        b"#!/usr/bin/env python3\n"
    );
    assert_eq!(Archive::read(&mut archive, "hooks/start", 3).unwrap(), None);
    assert_eq!(Archive::read(&mut archive, "../secret", 100).unwrap(), None);

    let to = tempfile::tempdir().unwrap();
    fs::write(to.path().join(".unit-state.db"), "the charm's own").unwrap();
    let unpacked = lay_out(&bytes, to.path()).unwrap();
    assert_eq!(unpacked.made_executable, Vec::<String>::new());
    assert_eq!(unpacked.paths, archive.manifest());
    assert!(unpacked.paths.contains("empty") && unpacked.paths.contains("revision"));
    for (path, mode) in [
        ("metadata.yaml", 0o644),
        ("hooks/install", 0o755),
        ("hooks/db-relation-changed", 0o755),
        ("hooks/helper", 0o644),
        ("dispatch", 0o755),
        ("src/charm.py", 0o755),
        ("empty", 0o755),
    ] {
        assert_eq!(mode_of(&to.path().join(path)), mode, "{path}");
    }
    assert_eq!(fs::read_link(to.path().join("hooks/start")).unwrap(), Path::new("../src/charm.py"));
    assert_eq!(fs::read_to_string(to.path().join("revision")).unwrap(), "7");
    assert_eq!(fs::read_to_string(to.path().join(".unit-state.db")).unwrap(), "the charm's own");
    assert!(!to.path().join(".git").exists() && !to.path().join("notes.log").exists());
}

#[test]
fn the_same_bytes_for_the_same_files() {
    let (one, other) = (charm_dir(), charm_dir());
    fs::File::open(other.path().join("dispatch")).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    let options = PackOptions::default();
    assert_eq!(packed(one.path(), &options), packed(other.path(), &options));
    let through = tempfile::tempdir().unwrap();
    symlink(one.path(), through.path().join("charm")).unwrap();
    assert_eq!(packed(&through.path().join("charm"), &options), packed(one.path(), &options));
}

#[test]
fn what_is_not_packed() {
    let error = |make: &dyn Fn(&Path)| {
        let dir = charm_dir();
        make(dir.path());
        pack(dir.path(), Cursor::new(vec![])).unwrap_err().to_string()
    };
    let link = |target: &'static str| move |dir: &Path| symlink(target, dir.join("hooks/a")).unwrap();
    assert_eq!(error(&link("/x")), r#"symlink "hooks/a" is absolute: "/x""#);
    assert_eq!(error(&link("../../x")), r#"symlink "hooks/a" links out of charm: "../../x""#);
    let fifo = |dir: &Path| nix::unistd::mkfifo(&dir.join("p"), nix::sys::stat::Mode::S_IRUSR).unwrap();
    assert_eq!(error(&fifo), r#"file is a named pipe: "p""#);
    let socket = |dir: &Path| drop(std::os::unix::net::UnixListener::bind(dir.join("s")).unwrap());
    assert_eq!(error(&socket), r#"file is a socket: "s""#);
    assert!(error(&|dir| fs::remove_file(dir.join("metadata.yaml")).unwrap()).ends_with("\" not found"));
    assert_eq!(
        error(&|dir| fs::write(dir.join("metadata.yaml"), "name: [").unwrap()),
        "metadata.yaml: line 1, column 7: unclosed bracket '['"
    );
    let missing = pack(Path::new("/nonexistent"), Cursor::new(vec![])).unwrap_err();
    assert_eq!(missing.to_string(), r#"no charm was found at "/nonexistent""#);
}

/// An archive of some entries: a path with its text, or `-> target`, or nothing for a folder.
fn zip_of(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut out = ZipWriter::new(Cursor::new(vec![]));
    let options = SimpleFileOptions::default().unix_permissions(0o644);
    for (path, text) in entries {
        match text.strip_prefix("-> ") {
            Some(target) => out.add_symlink(*path, target, options).unwrap(),
            None => {
                out.start_file(*path, options).unwrap();
                out.write_all(text.as_bytes()).unwrap();
            }
        }
    }
    out.finish().unwrap().into_inner()
}

fn open(bytes: &[u8]) -> std::result::Result<Archive, String> {
    Archive::open(&stored(bytes).path).map_err(|it| it.to_string())
}

#[test]
fn hostile_entries_are_refused_before_anything_is_written() {
    let metadata = ("metadata.yaml", METADATA);
    for (entry, error) in [
        (("../evil", "x"), r#"entry "../evil" leads out of the charm"#),
        (("a/../../evil", "x"), r#"entry "a/../../evil" leads out of the charm"#),
        (("/etc/evil", "x"), r#"entry "/etc/evil" has an absolute path"#),
        (("link", "-> /etc/passwd"), r#"symlink "link" is absolute: "/etc/passwd""#),
        (("link", "-> ../outside"), r#"symlink "link" links out of charm: "../outside""#),
        (("./metadata.yaml", "x"), r#"entry "metadata.yaml" stands twice"#),
        (("metadata.yaml/x", "x"), r#"entry "metadata.yaml/x" lies below the file "metadata.yaml""#),
    ] {
        assert_eq!(open(&zip_of(&[metadata, entry])).err(), Some(format!("refusing charm archive: {error}")));
    }
    let behind = zip_of(&[metadata, ("out", "-> ."), ("out/x", "y")]);
    assert_eq!(
        open(&behind).err().unwrap(),
        r#"refusing charm archive: entry "out/x" lies behind the link "out""#
    );
}

#[test]
fn devices_are_refused() {
    let mut bytes = zip_of(&[("metadata.yaml", METADATA), ("dev", "x")]);
    // The mode in the directory at the end: a character device in place of a file.
    let at = bytes.windows(4).rposition(|it| it == b"PK\x01\x02").unwrap();
    let mode: u32 = 0o020_644 << 16;
    bytes[at + 38..at + 42].copy_from_slice(&mode.to_le_bytes());
    assert_eq!(
        open(&bytes).err().unwrap(),
        r#"refusing charm archive: entry "dev" is no file, folder or link"#
    );
}

#[test]
fn bombs_are_refused() {
    let zeros = "\0".repeat(1 << 20);
    let error = open(&zip_of(&[("metadata.yaml", METADATA), ("zeros", &zeros)])).err().unwrap();
    assert_eq!(error, "refusing charm archive: unpacks to more than 200 times its size");

    let names: Vec<String> = (0..20).map(|it| format!("f{it}")).collect();
    let mut entries: Vec<(&str, &str)> = names.iter().map(|it| (it.as_str(), "x")).collect();
    entries.push(("metadata.yaml", METADATA));
    let bytes = zip_of(&entries);
    let file = stored(&bytes);
    let within = |limits| Archive::open_within(&file.path, limits).map(drop).map_err(|it| it.to_string());
    assert_eq!(within(Limits { entries: 21, ..Limits::default() }), Ok(()));
    assert_eq!(
        within(Limits { entries: 20, ..Limits::default() }),
        Err("refusing charm archive: 21 entries, at most 20 are allowed".to_owned())
    );
    assert_eq!(
        within(Limits { size: 50, ..Limits::default() }),
        Err("refusing charm archive: unpacks to more than 50 bytes".to_owned())
    );
}

#[test]
fn an_archive_of_a_hundred_thousand_entries_and_one() {
    // What says so at its end is enough: it is refused before the directory of its entries is read.
    let mut bytes = zip_of(&[("metadata.yaml", METADATA)]);
    let end = bytes.split_off(bytes.len() - 22);
    let record = bytes.len() as u64;
    bytes.extend(b"PK\x06\x06");
    bytes.extend([0; 28]);
    bytes.extend(100_001_u64.to_le_bytes());
    bytes.extend([0; 16]);
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend(record.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(end);
    assert_eq!(
        open(&bytes).err().unwrap(),
        "refusing charm archive: 100001 entries, at most 100000 are allowed"
    );
}

/// An entry says that it is of another size than it is.
fn with_declared_size(mut bytes: Vec<u8>, size: u32) -> Vec<u8> {
    let at = bytes.windows(4).rposition(|it| it == b"PK\x01\x02").unwrap();
    bytes[at + 24..at + 28].copy_from_slice(&size.to_le_bytes());
    bytes
}

#[test]
fn sizes_that_lie() {
    let text = "some text that is some hundred characters long, so that it is not a bomb; ".repeat(20);
    for size in [10, 5000] {
        let bytes = with_declared_size(zip_of(&[("metadata.yaml", METADATA), ("x", &text)]), size);
        let to = tempfile::tempdir().unwrap();
        assert!(lay_out(&bytes, to.path()).is_err(), "{size}");
        assert!(!to.path().join("x").exists());
        assert!(rewrite(&stored(&bytes).path, Cursor::new(vec![]), 0).is_err());
    }
}

#[test]
fn no_archives() {
    let good = zip_of(&[("metadata.yaml", METADATA)]);
    for bad in [&b""[..], b"PK", b"not a zip file, surely", &good[..good.len() - 10], &good[10..]] {
        let file = stored(bad);
        assert!(matches!(Archive::open(&file.path), Err(CharmError::NotAnArchive(_))), "{bad:?}");
    }
    let file = stored(&zip_of(&[("x", "y")]));
    assert!(matches!(Charm::read(&file.path), Err(CharmError::NoMetadata(path)) if path == file.path));
    let twice = zip_of(&[("a/metadata.yaml", METADATA), ("b/metadata.yaml", METADATA)]);
    assert_eq!(open(&twice).err().unwrap(), "invalid charm archive: ambiguous root directory");
}

#[test]
fn damage_is_found_when_it_is_read() {
    let mut bytes = zip_of(&[("a", "0123456789abcdef"), ("metadata.yaml", METADATA)]);
    let at = bytes.windows(3).position(|it| it == b"345").unwrap_or(40);
    bytes[at] ^= 0x40;
    let to = tempfile::tempdir().unwrap();
    assert!(lay_out(&bytes, to.path()).is_err());
    assert!(rewrite(&stored(&bytes).path, Cursor::new(vec![]), 0).is_err());
}

#[test]
fn a_charm_in_a_folder_is_packed_again_at_the_root() {
    let bytes = zip_of(&[
        ("readme", "outside"),
        ("web/metadata.yaml", METADATA),
        ("web/revision", "3"),
        ("web/hooks/install", "#!/bin/sh\n"),
        ("web/hooks/start", "-> install"),
        ("web/x/metadata.yaml", "deeper"),
    ]);
    let mut nested = open(&bytes).unwrap();
    assert_eq!(nested.charm().unwrap().revision, 3);
    let mut out = Cursor::new(vec![]);
    let charm = rewrite(&stored(&bytes).path, &mut out, 42).unwrap();
    let mut archive = open(out.get_ref()).unwrap();
    assert_eq!(
        archive.files(),
        ["hooks/install", "hooks/start", "metadata.yaml", "revision", "x/metadata.yaml"]
    );
    assert_eq!((archive.charm().unwrap(), charm.revision), (charm, 42));
    assert_eq!(archive.entries["hooks/start"].kind, Kind::Link("install".to_owned()));
    let mut again = Cursor::new(vec![]);
    rewrite(&stored(out.get_ref()).path, &mut again, 42).unwrap();
    assert_eq!(out.get_ref(), again.get_ref());
    let to = tempfile::tempdir().unwrap();
    let unpacked = lay_out(&bytes, to.path()).unwrap();
    assert_eq!(unpacked.made_executable, ["hooks/install"]);
    assert!(to.path().join("metadata.yaml").exists() && !to.path().join("readme").exists());
}

#[test]
fn an_upgrade_replaces_what_changed_its_kind() {
    let to = tempfile::tempdir().unwrap();
    let old =
        zip_of(&[("metadata.yaml", METADATA), ("lib", "-> venv"), ("venv/x", "1"), ("file/inner", "1")]);
    lay_out(&old, to.path()).unwrap();
    let new = zip_of(&[("metadata.yaml", METADATA), ("lib/x", "2"), ("file", "2"), ("venv", "-> lib")]);
    lay_out(&new, to.path()).unwrap();
    assert_eq!(fs::read_to_string(to.path().join("lib/x")).unwrap(), "2");
    assert!(to.path().join("venv").is_symlink() && !to.path().join("lib").is_symlink());
    assert_eq!(fs::read_to_string(to.path().join("file")).unwrap(), "2");
}

#[test]
fn charms_without_code() {
    for (entry, expected) in [
        (("hooks/install", "x"), true),
        (("hooks/start", "-> ../x"), true),
        (("dispatch", "x"), true),
        (("hooks/sub/x", "x"), false),
        (("x", "y"), false),
    ] {
        let bytes = zip_of(&[("metadata.yaml", METADATA), entry]);
        let found = Charm::read(&stored(&bytes).path).map(drop).map_err(|it| it.to_string());
        let error = r#"invalid charm "web": has no hooks nor dispatch file"#.to_owned();
        assert_eq!(found, if expected { Ok(()) } else { Err(error) }, "{entry:?}");
    }
}
