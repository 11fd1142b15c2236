//! The table of what is served.

use std::{collections::BTreeSet, fs, path::Path};

use juju_apiserver::{Router, facades};
use juju_wire::facade;

fn router() -> Router {
    let mut router = Router::new();
    facades::register_all(&mut router);
    router
}

/// All of the tests' text.
fn sources(dir: &Path, text: &mut String) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, text),
            false => text.push_str(&fs::read_to_string(path).unwrap()),
        }
    }
}

/// `LeadershipService` is `leadership_service`, as the module that declares it is named.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_ascii_uppercase() && at > 0 {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[test]
fn every_served_method_is_called_by_a_test() {
    let missing: BTreeSet<String> = router().missing().into_iter().collect();
    let mut text = String::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"), &mut text);
    let mut untested = vec![];
    for info in facade::ALL {
        // These are the ways of clients and watchers, which all other tests go; the uniter's has tests of its own.
        if ["Admin", "Pinger", "Uniter"].contains(&info.name) || info.name.ends_with("Watcher") {
            continue;
        }
        let served =
            info.methods.iter().filter(|it| !missing.contains(&format!("{}.{}", info.name, it.name)));
        for method in served {
            let call = format!("{}::call::{}>", snake(info.name), method.name);
            if !text.contains(&call) {
                untested.push(call);
            }
        }
    }
    assert!(untested.is_empty(), "no test calls {untested:#?}");
}

#[test]
fn what_is_not_done_is_not_served() {
    let missing: BTreeSet<String> = router().missing().into_iter().collect();
    for method in ["Application.DeployFromRepository", "Application.Consume", "MachineManager.InstanceTypes"]
    {
        assert!(missing.contains(method), "{method}");
    }
    for method in
        ["Application.Deploy", "Client.FullStatus", "Client.WatchAll", "AllWatcher.Next", "Charms.CharmInfo"]
    {
        assert!(!missing.contains(method), "{method}");
    }
}
