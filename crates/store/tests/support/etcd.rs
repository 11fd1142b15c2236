//! Clusters of etcd for tests, by the script that CI uses too.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use juju_store::EtcdOptions;
use tempfile::TempDir;

/// A cluster that ends with the test.
pub struct Cluster {
    directory: TempDir,
    members: Vec<Member>,
}

#[derive(Clone, Debug)]
pub struct Member {
    name: String,
    pid: String,
    pub endpoint: String,
}

impl Cluster {
    /// Starts the members; `None`, with a line that says so, where etcd is not installed and need not be.
    pub fn start(members: usize) -> Option<Cluster> {
        Cluster::start_with(members, None)
    }

    /// As [`start`](Cluster::start), with TLS from the PEM files in a directory.
    pub fn start_with(members: usize, tls: Option<&Path>) -> Option<Cluster> {
        let installed = Command::new("etcd").arg("--version").output().is_ok();
        let required = std::env::var_os("JUJU_TESTBED").is_some_and(|it| it == "1");
        if !installed && !required {
            println!(
                "SKIPPED: etcd is not installed; with JUJU_TESTBED=1 it is installed, or the test fails"
            );
            return None;
        }
        let directory = tempfile::tempdir().expect("a directory");
        let mut start = Command::new(script());
        start.arg("start").arg(directory.path()).arg(members.to_string());
        start.env("PARENT", std::process::id().to_string());
        if let Some(tls) = tls {
            start.env("TLS_DIR", tls);
        }
        let members = run(&mut start).lines().map(Member::parse).collect();
        Some(Cluster { directory, members })
    }

    pub fn options(&self) -> EtcdOptions {
        EtcdOptions::new(self.members.iter().map(|it| it.endpoint.clone()))
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Kills a member as a power failure would.
    pub fn kill(&mut self, member: usize) {
        self.signal(member, "-KILL");
    }

    /// Stops a member's clock, so that it neither answers nor closes its connections.
    pub fn freeze(&self, member: usize) {
        self.signal(member, "-STOP");
    }

    pub fn thaw(&self, member: usize) {
        self.signal(member, "-CONT");
    }

    pub fn restart(&mut self, member: usize) {
        let mut restart = Command::new(script());
        restart.arg("restart").arg(self.directory.path()).arg(&self.members[member].name);
        self.members[member] = Member::parse(run(&mut restart).trim());
    }

    /// Which member leads, asked of each.
    pub async fn leader(&self) -> usize {
        for _ in 0..100 {
            for (n, member) in self.members.iter().enumerate() {
                let status = async {
                    let mut client = etcd_client::Client::connect([&member.endpoint], None).await?;
                    client.status().await
                };
                let status = tokio::time::timeout(std::time::Duration::from_secs(1), status).await;
                if let Ok(Ok(status)) = status
                    && status.header().is_some_and(|it| it.member_id() == status.leader())
                {
                    return n;
                }
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        panic!("the cluster has no leader");
    }

    fn signal(&self, member: usize, signal: &str) {
        run(Command::new("kill").arg(signal).arg(&self.members[member].pid));
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(Command::new(script()).arg("stop").arg(self.directory.path()).status());
    }
}

impl Member {
    fn parse(line: &str) -> Member {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, pid, endpoint] = words[..] else { panic!("not a member: {line:?}") };
        Member { name: name.to_owned(), pid: pid.to_owned(), endpoint: endpoint.to_owned() }
    }
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/testbed/etcd.sh")
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the command runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}
