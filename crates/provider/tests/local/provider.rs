//! What the provider promises of a model's machines.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use juju_agent::conf::{ConfFile, NewAgent, values};
use juju_agent::paths::Socket;
use juju_agent::tools::Tools;
use juju_core::network::Scope;
use juju_core::{Arch, Base, Constraints, ControllerUuid, ModelUuid, Status};
use juju_provider::local::Local;
use juju_provider::local::machine::Machine;
use juju_provider::{InstanceId, Provider, ProviderError, StartInstance, Started};

use crate::host::*;

const CONTROLLER: &str = "5a1d0a52-7777-4888-8999-aaaabbbbcccc";
const MODEL: &str = "9f6b2f0e-dddd-4eee-8fff-000011112222";
/// Begins like the other.
const SIMILAR: &str = "9f6b2f99-dddd-4eee-8fff-000011112222";

fn provider(host: &Host, model: &str) -> Local {
    let controller: ControllerUuid = CONTROLLER.parse().unwrap();
    let model: ModelUuid = model.parse().unwrap();
    Local::new(host.dirs.clone(), controller, model, host.command.clone(), environment())
}

fn request(machine: &str, model: &str, nonce: &str) -> StartInstance {
    StartInstance {
        machine: machine.parse().unwrap(),
        agent: NewAgent {
            tag: format!("machine-{machine}"),
            nonce: nonce.into(),
            jobs: vec!["JobHostUnits".into()],
            version: "3.6.28".into(),
            controller: CONTROLLER.into(),
            model: model.into(),
            ca_cert: "CA".into(),
            api_addresses: vec!["127.0.0.1:17070".into()],
            password: "secret-of-the-machine-0123".into(),
        },
        serving: None,
        tools: vec![
            Tools { version: "3.6.28-ubuntu-none".into(), url: "u".into(), sha256: String::new(), size: 1 },
            Tools { version: version().to_string(), url: "u".into(), sha256: String::new(), size: 1 },
        ],
        base: Base::ubuntu("24.04"),
        constraints: Constraints::default(),
        values: BTreeMap::from([("CONTAINER_TYPE".into(), String::new())]),
    }
}

async fn start(provider: &Local, machine: &str, model: &str, nonce: &str) -> Started {
    provider.start_instance(request(machine, model, nonce)).await.unwrap()
}

fn machine(host: &Host, started: &Started) -> Machine {
    Machine::open(&host.dirs, &started.id).unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn a_machine_has_its_agent_its_root_and_its_address() {
    let host = Host::new();
    let local = provider(&host, MODEL);
    let started = start(&local, "7", MODEL, "machine-0:n").await;
    assert_eq!(started.id.as_str(), "9f6b2f-7");
    assert_eq!(started.hardware.arch, Arch::of_this_build().unwrap());
    assert!(started.hardware.mem_mib > Some(0));
    let pid = host.agent("9f6b2f-7").await;

    let machine = machine(&host, &started);
    assert_eq!(machine.base(), &Base::ubuntu("24.04"));
    let (root, paths) = (machine.root(), machine.paths());
    assert_eq!(started.addresses[0].value, machine.address().to_string());
    assert!(machine.address().is_loopback());
    assert_eq!(started.addresses[0].scope, Scope::LocalCloud);

    let conf = ConfFile::open(paths.agent_conf("machine-7")).unwrap().current();
    assert_eq!(conf.paths(), paths);
    assert_eq!(
        (conf.nonce.as_str(), conf.old_password.expose()),
        ("machine-0:n", "secret-of-the-machine-0123")
    );
    assert_eq!(conf.value(values::LOCAL_ADDRESS), machine.address().to_string());
    assert_eq!(conf.value(values::SUPERVISOR_SOCKET), host.dirs.supervisor_socket().to_string_lossy());
    assert!(conf.values.contains_key("CONTAINER_TYPE"));
    assert_eq!(fs::read_to_string(paths.nonce_file()).unwrap(), "machine-0:n");
    for secret in [paths.agent_conf("machine-7"), paths.nonce_file(), root.join("instance.json")] {
        assert_eq!(mode(&secret), 0o600, "{}", secret.display());
    }
    assert_eq!(mode(&root), 0o700);

    // One copy of the binaries, reached by the agent's link.
    let linked = fs::metadata(paths.agent_jujud("machine-7")).unwrap();
    assert_eq!(linked.ino(), fs::metadata(&host.command.program).unwrap().ino());
    let argv = fs::read(format!("/proc/{pid}/cmdline")).unwrap();
    let argv = String::from_utf8(argv).unwrap().replace('\0', " ");
    let data_dir = paths.data_dir().display();
    assert!(argv.trim_end().ends_with(&format!("machine --data-dir {data_dir} --machine-id 7")), "{argv}");
    let environment = fs::read_to_string(root.join("environment")).unwrap();
    for line in [format!("HOME={}/home/ubuntu\n", root.display()), format!("TMPDIR={}/tmp\n", root.display())]
    {
        assert!(environment.contains(&line), "{environment}");
    }
    assert!(!environment.contains("CARGO"), "{environment}");
    assert!(paths.socket("unit-a-0", Socket::Agent).parent().unwrap().is_dir());

    let instance = local.instances(std::slice::from_ref(&started.id)).await.unwrap().remove(0).unwrap();
    assert_eq!((instance.status, instance.addresses), (Status::Running, started.addresses));
    local.destroy_controller().await.unwrap();
}

#[tokio::test]
async fn stopping_takes_the_machine_and_leaves_its_neighbours() {
    let host = Host::new();
    let local = provider(&host, MODEL);
    let (a, b) = (start(&local, "0", MODEL, "n").await, start(&local, "1", MODEL, "n").await);
    let (root, runtime) =
        (machine(&host, &a).root(), machine(&host, &a).paths().runtime_dir().unwrap().to_owned());
    host.agent(a.id.as_str()).await;
    let neighbour = host.agent(b.id.as_str()).await;
    // What a charm may leave: directories that their owner closed, and a link to elsewhere.
    let closed = root.join("home/ubuntu/closed");
    fs::create_dir_all(closed.join("inner")).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o500)).unwrap();
    std::os::unix::fs::symlink(host.temp.path(), root.join("home/ubuntu/link")).unwrap();

    let ids = [a.id.clone(), InstanceId::new("9f6b2f-99"), InstanceId::new("../../ctl")];
    local.stop_instances(&ids).await.unwrap();
    local.stop_instances(&ids).await.unwrap();
    assert!(!root.exists() && !runtime.exists());
    assert!(alive(neighbour) && host.temp.path().join("jujud").exists());
    let found = local.instances(&[a.id, b.id.clone(), InstanceId::new("../../ctl")]).await.unwrap();
    assert!(found[0].is_none() && found[1].is_some() && found[2].is_none());
    assert_eq!(fs::read_dir(host.dirs.machines()).unwrap().count(), 2, "one root and the lock");
    local.destroy_controller().await.unwrap();
    host.none_left().await;
}

#[tokio::test]
async fn starting_again_replaces_what_was_there() {
    let host = Host::new();
    let local = provider(&host, MODEL);
    let first = start(&local, "0", MODEL, "first").await;
    let pid = host.agent(first.id.as_str()).await;
    fs::write(machine(&host, &first).root().join("left"), "x").unwrap();
    let second = start(&local, "0", MODEL, "second").await;
    assert_eq!(second, first);
    assert!(!alive(pid));
    let machine = machine(&host, &second);
    assert!(!machine.root().join("left").exists());
    let conf = ConfFile::open(machine.paths().agent_conf("machine-0")).unwrap().current();
    assert_eq!(conf.nonce, "second");
    assert_eq!(local.all_instances().await.unwrap().len(), 1);
    local.destroy_controller().await.unwrap();
    host.none_left().await;
}

#[tokio::test]
async fn models_do_not_see_each_other() {
    let host = Host::new();
    let (one, two) = (provider(&host, MODEL), provider(&host, MODEL).for_model(SIMILAR.parse().unwrap()));
    let a = start(&one, "0", MODEL, "n").await;
    let b = start(&two, "0", SIMILAR, "n").await;
    assert_eq!((a.id.as_str(), b.id.as_str()), ("9f6b2f-0", "9f6b2f99-dddd-0"));
    assert_ne!(a.addresses, b.addresses);
    two.stop_instances(std::slice::from_ref(&a.id)).await.unwrap();
    assert_eq!(one.all_instances().await.unwrap().len(), 1);
    one.destroy().await.unwrap();
    one.destroy().await.unwrap();
    assert_eq!(one.all_instances().await.unwrap(), []);
    assert_eq!(two.all_instances().await.unwrap()[0].id, b.id);
    let runtime = host.dirs.runtime_dir().to_owned();
    two.destroy_controller().await.unwrap();
    two.destroy_controller().await.unwrap();
    assert!(!host.dirs.dir().exists() && !runtime.exists());
    host.none_left().await;
}

#[tokio::test]
async fn what_cannot_be_is_refused_and_leaves_nothing() {
    let host = Host::new();
    let local = provider(&host, MODEL);
    let mut cases = Vec::new();
    cases.push(("is a container", request("0/lxd/1", MODEL, "n")));
    let mut other = request("0", MODEL, "n");
    other.constraints.arch = Some("vax".into());
    cases.push(("arch=vax", other));
    let mut none = request("0", MODEL, "n");
    none.tools.truncate(1);
    cases.push(("no agent binaries for", none));
    for (want, start) in cases {
        let error = local.start_instance(start).await.unwrap_err();
        assert!(matches!(error, ProviderError::Refused { .. }), "{error:?}");
        assert!(error.to_string().contains(want), "{error}");
    }
    let mut missing = request("0", MODEL, "n");
    missing.tools[1].version = missing.tools[1].version.replace("28", "27");
    let error = local.start_instance(missing).await.unwrap_err();
    assert!(matches!(error, ProviderError::Transient { .. }), "{error:?}");
    assert!(host.processes().is_empty());
    let rules = local.constraint_rules();
    let warned = rules.validate(&"mem=4G cores=2".parse().unwrap()).unwrap();
    assert_eq!(warned, ["cores", "mem"]);
    assert!(rules.validate(&"arch=s390x".parse().unwrap()).is_err() || cfg!(target_arch = "s390x"));
    local.destroy_controller().await.unwrap();
}

#[tokio::test]
async fn a_dead_supervisor_is_started_when_it_is_needed_and_a_failing_agent_is_told() {
    let host = Host::new();
    let local = provider(&host, MODEL);
    let started = start(&local, "0", MODEL, "n").await;
    let pid = host.agent(started.id.as_str()).await;
    kill_9(local.supervisor().await.unwrap().ping().await.unwrap().0);
    assert_eq!(local.all_instances().await.unwrap()[0].status, Status::Running);
    assert!(alive(pid));
    fs::write(machine(&host, &started).root().join("exit"), "7").unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let instance = local.all_instances().await.unwrap().remove(0);
        if instance.status == Status::Error && instance.message.ends_with("exit code 7") {
            break;
        }
        assert!(Instant::now() < deadline, "{instance:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    local.destroy_controller().await.unwrap();
    host.none_left().await;
}

#[tokio::test]
async fn many_machines_come_and_go_at_once() {
    const MANY: usize = 30;
    let host = Host::new();
    let local = provider(&host, MODEL);
    let began = Instant::now();
    let names: Vec<_> = (0..MANY).map(|n| n.to_string()).collect();
    let starts = names.iter().map(|name| start(&local, name, MODEL, "n"));
    let started = futures_util::future::join_all(starts).await;
    let addresses: HashSet<_> = started.iter().map(|started| started.addresses[0].value.clone()).collect();
    assert_eq!(addresses.len(), MANY);
    let up = began.elapsed();
    for started in &started {
        host.agent(started.id.as_str()).await;
    }
    let began = Instant::now();
    local.destroy().await.unwrap();
    assert!(host.processes().is_empty());
    println!("{MANY} machines up in {up:?}, gone in {:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(15));
    local.destroy_controller().await.unwrap();
}
