//! The contract on etcd: one member, three, and three of which the leader dies again and again.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::StreamExt;
use juju_store::{Error, Etcd, EtcdOptions, EtcdTls, Store, TxnId, View};
use support::{commit, etcd::Cluster, put, soon};

mod contract;
mod support;

/// A store of its own for each case, on one cluster.
async fn open(mut options: EtcdOptions, case: &str) -> Arc<dyn Store> {
    options.namespace = format!("{case}/");
    Etcd::connect(options).await.expect("a store")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_member_keeps_the_contract() {
    let Some(cluster) = Cluster::start(1) else { return };
    contract::all(async |case| open(cluster.options(), case).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_members_keep_the_contract() {
    let Some(cluster) = Cluster::start(3) else { return };
    contract::all(async |case| open(cluster.options(), case).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaders_die_in_the_middle() {
    let Some(mut cluster) = Cluster::start(3) else { return };
    let options = cluster.options();
    let suite = contract::all(async |case| open(options.clone(), case).await);
    let deaths = async {
        let mut deaths = 0;
        loop {
            tokio::time::sleep(Duration::from_millis(700)).await;
            let leader = cluster.leader().await;
            cluster.kill(leader);
            deaths += 1;
            println!("killed the leader, {}", deaths);
            tokio::time::sleep(Duration::from_secs(2)).await;
            tokio::task::block_in_place(|| cluster.restart(leader));
            tokio::time::sleep(Duration::from_secs(3)).await;
        }
    };
    tokio::select! {
        () = suite => {}
        () = deaths => unreachable!("it goes on until the suite ends"),
    }
}

/// A member that is frozen neither answers nor hangs up; the commit is not known to be done until it thaws.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_cluster_leaves_commits_uncertain() {
    let Some(cluster) = Cluster::start(1) else { return };
    let mut options = cluster.options();
    options.request_timeout = Duration::from_millis(300);
    options.patience = Duration::from_secs(1);
    let store = open(options, "frozen").await;
    commit(&*store, vec![put("a", "0")]).await;

    for round in 1..=3 {
        cluster.freeze(0);
        let name = TxnId::new();
        let begun = Instant::now();
        let outcome = store.commit(vec![], vec![put("a", format!("{round}"))], name).await;
        assert!(matches!(&outcome, Err(Error::Unknown { txn, .. }) if *txn == name), "{outcome:?}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        let asked = store.committed(name).await;
        assert!(matches!(asked, Err(Error::Unavailable(_))), "{asked:?}");
        let read = store.get(&["a"], None).await;
        assert!(matches!(read, Err(Error::Unavailable(_))), "{read:?}");
        cluster.thaw(0);

        // Whatever the outcome was, it is final once it has been told.
        let told = soon("an answer", async {
            loop {
                match store.committed(name).await {
                    Ok(told) => return told,
                    Err(err) => assert!(matches!(err, Error::Unavailable(_)), "{err:?}"),
                }
            }
        })
        .await;
        let entry = store.get(&["a"], None).await.expect("get").entries.pop().expect("there");
        assert_eq!(told.is_some(), entry.value == format!("{round}"));
        if let Some(at) = told {
            assert_eq!(entry.modified, at);
        }
        assert_eq!(store.committed(name).await.expect("settled"), told);
    }
}

/// A view lives through the loss of a leader, and says so when the cluster is gone for good.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_view_says_when_its_store_is_lost() {
    let Some(mut cluster) = Cluster::start(3) else { return };
    let mut options = cluster.options();
    options.patience = Duration::from_secs(4);
    let store = open(options, "lost").await;
    let view = View::open(Arc::clone(&store)).await.expect("a view");
    for n in 0..2 {
        let leader = cluster.leader().await;
        cluster.kill(leader);
        let mut written = None;
        while written.is_none() {
            match store.commit(vec![], vec![put("a", format!("{n}"))], TxnId::new()).await {
                Ok(at) => written = Some(at),
                Err(err) => assert!(matches!(err, Error::Unknown { .. }), "{err:?}"),
            }
        }
        soon("the revision", view.wait(written.expect("written"))).await.expect("open");
        assert!(!view.is_closed());
        tokio::task::block_in_place(|| cluster.restart(leader));
    }
    for member in 0..cluster.len() {
        cluster.kill(member);
    }
    let why = soon("the end", view.closed()).await;
    assert!(why.contains("the view lost its store"), "{why}");
    assert!(view.get("a").is_some(), "it shows what it saw last");
}

/// A revision whose changes fill several messages by default is still one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_far_behind_catches_up() {
    let Some(cluster) = Cluster::start(1) else { return };
    let store = open(cluster.options(), "behind").await;
    let start = commit(&*store, vec![put("a", "0")]).await;
    let mut last = start;
    for n in 0..40_u8 {
        last = commit(&*store, (0..4).map(|key| put(&format!("a/{key}"), vec![n; 200_000])).collect()).await;
    }
    let mut stream = store.follow(start).await.expect("follow");
    let mut seen = 0;
    loop {
        let changes = soon("a revision", stream.next()).await.expect("more").expect("changes");
        assert_eq!(changes.changes.len(), 4);
        assert!(changes.changes.iter().all(|(_, it)| it.as_ref().is_some_and(|it| it[0] == seen)));
        seen += 1;
        if changes.revision == last {
            break;
        }
    }
    assert_eq!(seen, 40);
}

/// What the store keeps beside values is removed once it is of no use: tombstones, names and parts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compaction_reaps_what_only_the_store_knows() {
    let Some(cluster) = Cluster::start(1) else { return };
    let options = cluster.options();
    let mut client = etcd_client::Client::connect(&options.endpoints, None).await.expect("a client");
    let store = open(options, "reap").await;
    let mut count = async |kind: &str| {
        let options = etcd_client::GetOptions::new().with_prefix().with_count_only();
        client.get(format!("reap/{kind}"), Some(options)).await.expect("a count").count()
    };
    for n in 0..150 {
        commit(&*store, vec![put(&format!("a/{n}/x"), "1")]).await;
        commit(&*store, vec![juju_store::Write::Delete(format!("a/{n}/x"))]).await;
    }
    let floor = commit(&*store, vec![put("large", vec![1; 600_000])]).await;
    let later = [TxnId::new(), TxnId::new()];
    store.commit(vec![], vec![put("b/x", "1")], later[0]).await.expect("commit");
    store.commit(vec![], vec![juju_store::Write::Delete("b/x".to_owned())], later[1]).await.expect("commit");
    // One for each directory, or for each transaction; three parts and their head.
    assert_eq!((count("t/").await, count("x/").await), (151, 305));
    assert_eq!((count("k/p/").await, count("k/h/").await), (3, 1));

    store.compact(floor).await.expect("compact");
    assert_eq!(count("t/").await, 1);
    // Those of the two later commits, and of the compaction's own.
    assert_eq!(count("x/").await, 3);
    for name in later {
        assert!(store.committed(name).await.expect("known").is_some());
    }
    assert_eq!(count("k/d/").await, 1);
    let last = commit(&*store, vec![put("large", "small")]).await;
    store.compact(last).await.expect("compact");
    assert_eq!((count("k/p/").await, count("k/h/").await), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_are_reached_over_tls() {
    let pem = Pem::make();
    let Some(cluster) = Cluster::start_with(1, Some(pem.directory.path())) else { return };
    let mut options = cluster.options();
    options.patience = Duration::from_secs(2);
    options.tls = Some(pem.tls("ca"));
    let store = open(options.clone(), "tls").await;
    commit(&*store, vec![put("a", "1")]).await;
    assert_eq!(store.get(&["a"], None).await.expect("get").entries.len(), 1);

    // A member of somebody else's cluster is not trusted.
    options.tls = Some(pem.tls("other-ca"));
    let refused = Etcd::connect(options.clone()).await.err().expect("refused");
    assert!(matches!(refused, Error::Unavailable(_)), "{refused:?}");
    assert!(!format!("{options:?}").contains("PRIVATE"), "the key is not printed");
}

/// Certificates in PEM files.
struct Pem {
    directory: tempfile::TempDir,
}

impl Pem {
    fn make() -> Pem {
        use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
        let directory = tempfile::tempdir().expect("a directory");
        let write = |name: &str, text: String| {
            std::fs::write(directory.path().join(name), text).expect("written");
        };
        let authority = |name: &str| {
            let mut params = CertificateParams::new(vec![]).expect("parameters");
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            params.distinguished_name.push(rcgen::DnType::CommonName, name);
            let ca = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a CA");
            write(&format!("{name}.pem"), ca.pem());
            ca
        };
        let ca = authority("ca");
        authority("other-ca");
        for name in ["server", "client"] {
            let key = KeyPair::generate().expect("a key");
            let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("parameters");
            write(&format!("{name}.pem"), params.signed_by(&key, &ca).expect("signed").pem());
            write(&format!("{name}-key.pem"), key.serialize_pem());
        }
        Pem { directory }
    }

    fn tls(&self, ca: &str) -> EtcdTls {
        let read = |name: &str| std::fs::read_to_string(self.directory.path().join(name)).expect("readable");
        EtcdTls {
            ca: read(&format!("{ca}.pem")),
            certificate: read("client.pem"),
            key: read("client-key.pem"),
            server_name: None,
        }
    }
}
