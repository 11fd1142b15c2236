//! What an agent on this host sees of its user's environment.
//!
//! Hooks see what their agent sees, and a user's shell is full of what is none of a charm's
//! business: tokens, `JUJU_*`, sockets of the desktop. So little is passed on, and `HOME` and
//! `TMPDIR` are the machine's own.

use std::collections::BTreeMap;

use juju_agent::paths::Paths;

/// What is passed on. The proxies are, because Juju's agents take theirs from the environment too.
const PASSED: [&str; 13] = [
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "USER",
    "LOGNAME",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "RUST_BACKTRACE",
];

const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin";

/// What of this process's environment its agents and its supervisor may see.
pub fn passed_on(vars: impl IntoIterator<Item = (String, String)>) -> BTreeMap<String, String> {
    let mut env: BTreeMap<_, _> =
        vars.into_iter().filter(|(key, _)| PASSED.contains(&key.as_str())).collect();
    env.entry("PATH".to_owned()).or_insert_with(|| DEFAULT_PATH.to_owned());
    env.entry("LANG".to_owned()).or_insert_with(|| "C.UTF-8".to_owned());
    env
}

/// The environment of a machine's agent.
pub(super) fn of_machine(passed: &BTreeMap<String, String>, paths: &Paths) -> BTreeMap<String, String> {
    let mut env = passed.clone();
    env.insert("HOME".to_owned(), home(paths));
    env.insert("TMPDIR".to_owned(), paths.tmp_dir().to_string_lossy().into_owned());
    env
}

/// Where charms of this machine are at home.
pub fn home(paths: &Paths) -> String {
    paths.host_path("/home/ubuntu").to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn secrets_and_homes_stay_behind() {
        let vars =
            [("AWS_SECRET_ACCESS_KEY", "x"), ("HOME", "/home/me"), ("PATH", "/bin"), ("https_proxy", "p")];
        let passed = passed_on(vars.map(|(key, value)| (key.to_owned(), value.to_owned())));
        let env = of_machine(&passed, &Paths::under(Path::new("/m")));
        let shown: Vec<_> = env.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(
            shown,
            ["HOME=/m/home/ubuntu", "LANG=C.UTF-8", "PATH=/bin", "TMPDIR=/m/tmp", "https_proxy=p"]
        );
    }
}
