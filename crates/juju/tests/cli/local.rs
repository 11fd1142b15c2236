//! Commands that need no controller.

use crate::support::Cli;

#[test]
fn the_version_is_jujus() {
    let cli = Cli::new();
    let arch = juju_core::Arch::of_this_build().unwrap_or_default().as_str();
    cli.run("version").ok(&format!("3.6.28-ubuntu-{arch}\n"));
    cli.run("--version").ok(&format!("3.6.28-ubuntu-{arch}\n"));
    cli.run("version --format json").ok(&format!("\"3.6.28-ubuntu-{arch}\"\n"));
    let all: serde_json::Value = serde_json::from_str(&cli.run("version --all --format json").out).unwrap();
    assert_eq!(all["version"], format!("3.6.28-ubuntu-{arch}"));
}

#[test]
fn a_slip_is_recognised() {
    let ran = Cli::new().run("statsu");
    ran.fails(1, "juju: \"statsu\" is not a juju command. See \"juju --help\".\n\nDid you mean:\n\tstatus");
}

#[test]
fn bad_command_lines_exit_with_2_and_jujus_words() {
    let cli = Cli::new();
    for (line, message) in [
        ("status --frob", "option provided but not defined: --frob"),
        ("status -m", "option needs an argument: --model"),
        ("status --format xml", "invalid value \"xml\" for option --format: unknown format \"xml\""),
        ("version now", "unrecognized args: [\"now\"]"),
        ("switch a b", "unrecognized args: [\"b\"]"),
        ("add-model", "model name is required"),
        ("destroy-model", "no model specified"),
        ("deploy", "no charm or bundle specified"),
        ("add-unit", "no application specified"),
        ("remove-unit", "no units specified"),
        ("remove-unit web", "invalid unit name \"web\""),
        ("remove-application", "no application specified"),
        ("integrate web", "a relation must involve two applications"),
        ("config", "no application name specified"),
        ("config web a b", "can only retrieve a single value, or all values"),
        ("resolved", "no unit specified"),
        ("resolved web/0 --all", "specifying unit names(s) with --all not supported"),
        ("expose", "no application name specified"),
        ("destroy-controller", "no controller specified"),
        ("destroy-model x --no-wait", "--no-wait without --force not valid"),
        ("status --color --no-color", "cannot mix --no-color and --color"),
        ("--frob", "option provided but not defined: --frob"),
    ] {
        cli.run(line).fails(2, message);
    }
}

#[test]
fn switches_take_values_as_in_go() {
    let cli = Cli::new();
    cli.run("version --all=false").ok(&cli.run("version").out);
    assert!(cli.run("version --all=true").out.contains("compiler"));
    assert_eq!(cli.run("version --all=perhaps").code, 2);
}

#[test]
fn without_controllers_there_is_advice() {
    let cli = Cli::new();
    for line in ["controllers", "models", "status", "deploy ./x", "whoami"] {
        let ran = cli.run(line);
        let text = ran.err.clone() + &ran.out;
        assert!(
            text.contains("No controllers registered.")
                || text.contains("no charm")
                || text.contains("no current controller"),
            "{line}: {ran:?}"
        );
    }
}

#[test]
fn a_failure_still_gives_data_to_who_reads_data() {
    let cli = Cli::new();
    for line in ["status --format json", "status --format yaml", "models --format=json"] {
        let ran = cli.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (1, "{}\n"), "{line}");
        assert!(ran.err.starts_with("ERROR No controllers registered."), "{line}");
    }
    assert_eq!(cli.run("status").out, "");
    // A command line that is wrong is nobody's data.
    assert_eq!(cli.run("status --format json --frob").out, "");
}

#[test]
fn help_is_there_for_every_command() {
    let cli = Cli::new();
    for definition in juju::commands::ALL {
        let about = definition.about;
        let text = cli.run(&format!("help {}", about.name)).out;
        assert!(text.starts_with(&format!("Usage: juju {} [options]", about.name)), "{text}");
        for part in
            ["\nSummary:\n", "\nGlobal Options:\n", "\nCommand Options:\n", "\nDetails:\n", "\nExamples:\n"]
        {
            assert!(
                text.contains(part) || (part == "\nCommand Options:\n"),
                "{}: {part:?} is missing",
                about.name
            );
        }
        assert_eq!(cli.run(&format!("{} --help", about.name)).out, text);
        assert_eq!(cli.run(&format!("{} --frob -h", about.name)).code, 0);
        for other in about.see_also {
            let known = juju::commands::ALL.iter().any(|it| it.is_called(other));
            assert!(known, "{} refers to {other}, which is no command", about.name);
        }
    }
    assert!(cli.run("help commands").out.contains("\nrelate  "));
    assert!(cli.run("").out.contains("juju help commands"));
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = juju::commands::ALL
        .iter()
        .flat_map(|it| std::iter::once(it.about.name).chain(it.about.aliases.iter().copied()))
        .collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn clouds_has_the_local_one() {
    let cli = Cli::new();
    let value: serde_json::Value = serde_json::from_str(&cli.run("clouds --format json").out).unwrap();
    assert_eq!(value["local"]["auth-types"], serde_json::json!(["empty"]));
    assert_eq!(value["local"]["regions"], serde_json::json!({"default": {}}));
    assert_eq!(value["local"]["defined"], "built-in");
}

#[test]
fn a_plugin_is_run_with_its_arguments() {
    use std::os::unix::fs::PermissionsExt;
    let cli = Cli::new();
    let plugin = cli.dir.path().join("juju-frob");
    let seen = cli.dir.path().join("seen");
    std::fs::write(&plugin, format!("#!/bin/sh\necho \"$@\" > {}\nexit 7\n", seen.display())).unwrap();
    std::fs::set_permissions(&plugin, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = cli.dir.path().to_string_lossy().into_owned();
    let cli = cli.set("PATH", &path);
    assert_eq!(cli.run("frob a --b").code, 7);
    assert_eq!(std::fs::read_to_string(seen).unwrap(), "a --b\n");
}
