//! A controller with one unit: the facades that its agent calls, with the rules that matter to it, over any transport.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    path::Path,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard},
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use juju_rpc::{Connection, Message, Options, Request, Service, Transport, TransportError, serve};
use juju_wire::{
    Error, Method, code,
    codec::{De, Ser},
    facade::{
        leadership_service::{self as leadership},
        logger, retry_strategy,
        uniter::{self as wire, call},
        watchers,
    },
    params::*,
};
use serde_json::{Value, json, value::RawValue};
use tokio::{
    net::{UnixListener, UnixStream},
    sync::watch,
};
use tokio_util::{
    codec::{Framed, LinesCodec},
    sync::CancellationToken,
};

pub(crate) const UNIT: &str = "shop/0";

/// The documents of the model, as far as one unit goes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Docs {
    pub(crate) life: String,
    pub(crate) resolved: String,
    pub(crate) charm_of_unit: String,
    pub(crate) status: (String, String),
    pub(crate) application_status: (String, String),
    pub(crate) workload_version: String,
    pub(crate) uniter_state: Option<String>,
    pub(crate) relation_state: BTreeMap<String, String>,
    pub(crate) charm_state: BTreeMap<String, String>,
    pub(crate) open_ports: Vec<(String, i64, i64, String)>,
    pub(crate) subordinates: bool,

    pub(crate) charm: String,
    pub(crate) force: bool,
    pub(crate) modified: i64,
    /// SHA-256 by URL.
    pub(crate) archives: BTreeMap<String, String>,
    pub(crate) config: BTreeMap<String, Value>,
    pub(crate) addresses: String,
    pub(crate) leader: Option<String>,
    pub(crate) leader_settings: BTreeMap<String, String>,
    pub(crate) model_config: BTreeMap<String, Value>,
    pub(crate) retry: bool,
    pub(crate) relations: BTreeMap<i64, RelationDoc>,

    /// Agent statuses, in the order in which they were set.
    pub(crate) agent_statuses: Vec<(String, String, BTreeMap<String, Value>)>,
    pub(crate) relation_statuses: Vec<(i64, String)>,
    /// Names of the methods that were called.
    pub(crate) calls: Vec<String>,
    /// How many hooks' changes were applied.
    pub(crate) commits: usize,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct RelationDoc {
    pub(crate) key: String,
    pub(crate) life: String,
    pub(crate) suspended: bool,
    pub(crate) endpoint: String,
    pub(crate) role: String,
    pub(crate) interface: String,
    pub(crate) other: String,
    pub(crate) in_scope: bool,
    pub(crate) own: BTreeMap<String, String>,
    pub(crate) own_application: BTreeMap<String, String>,
    pub(crate) members: BTreeMap<String, (i64, BTreeMap<String, String>)>,
    pub(crate) application: (i64, BTreeMap<String, String>),
}

impl RelationDoc {
    pub(crate) fn new(key: &str, endpoint: &str, role: &str, other: &str) -> Self {
        RelationDoc {
            key: key.into(),
            life: "alive".into(),
            endpoint: endpoint.into(),
            role: role.into(),
            interface: "pgsql".into(),
            other: other.into(),
            ..RelationDoc::default()
        }
    }

    /// A unit of the other side joins, or writes.
    pub(crate) fn write(&mut self, unit: &str, pairs: &[(&str, &str)]) {
        let member = self.members.entry(unit.to_owned()).or_default();
        member.0 += 1;
        member.1.extend(pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())));
    }
}

pub(crate) struct Fake {
    docs: Mutex<Docs>,
    changed: watch::Sender<u64>,
    faults: Mutex<Faults>,
    /// Cancelled, and replaced, to break all connections.
    connections: Mutex<CancellationToken>,
}

#[derive(Default)]
struct Faults {
    /// The answer of the next call of this method is lost, with the connection.
    lose_answer: Option<&'static str>,
    /// So is the next call itself.
    lose_call: Option<&'static str>,
    refuse: Option<(&'static str, Error)>,
    /// The unit may not connect.
    impossible: bool,
    down: bool,
}

impl Fake {
    pub(crate) fn new(docs: Docs) -> Arc<Self> {
        let (changed, _) = watch::channel(0);
        Arc::new(Fake {
            docs: Mutex::new(docs),
            changed,
            faults: Mutex::default(),
            connections: Mutex::default(),
        })
    }

    pub(crate) fn docs(&self) -> MutexGuard<'_, Docs> {
        self.docs.lock().unwrap()
    }

    /// Changes documents and wakes whoever watches.
    pub(crate) fn edit(&self, change: impl FnOnce(&mut Docs)) {
        change(&mut self.docs());
        self.changed.send_modify(|it| *it += 1);
    }

    pub(crate) fn lose_answer(&self, method: &'static str) {
        self.faults.lock().unwrap().lose_answer = Some(method);
    }
    pub(crate) fn lose_call(&self, method: &'static str) {
        self.faults.lock().unwrap().lose_call = Some(method);
    }
    pub(crate) fn refuse(&self, method: &'static str, error: Error) {
        self.faults.lock().unwrap().refuse = Some((method, error));
    }
    pub(crate) fn forbid(&self) {
        self.faults.lock().unwrap().impossible = true;
        self.break_connections();
    }
    pub(crate) fn set_down(&self, down: bool) {
        self.faults.lock().unwrap().down = down;
        if down {
            self.break_connections();
        }
    }
    pub(crate) fn break_connections(&self) {
        std::mem::take(&mut *self.connections.lock().unwrap()).cancel();
    }

    /// Waits until the documents are as they should be.
    pub(crate) async fn wait(&self, what: &str, condition: impl Fn(&Docs) -> bool) {
        let mut changed = self.changed.subscribe();
        let deadline = tokio::time::sleep(Duration::from_secs(60));
        tokio::pin!(deadline);
        loop {
            if condition(&self.docs()) {
                return;
            }
            tokio::select! {
                _ = changed.changed() => {}
                // The condition may look at more than the documents.
                () = tokio::time::sleep(Duration::from_millis(20)) => {}
                () = &mut deadline => {
                    let docs = self.docs().clone();
                    panic!("waited for {what} in vain: {docs:#?}");
                }
            }
        }
    }

    /// Serves one connection until it ends.
    pub(crate) async fn serve(self: Arc<Self>, transport: impl Transport) {
        let stop = self.connections.lock().unwrap().child_token();
        let session = Session { fake: self, watchers: Mutex::default(), stop: stop.clone() };
        let options = Options { drain: Duration::from_millis(10), ..Options::default() };
        serve(transport, Arc::new(session), options, stop).await;
    }

    /// A dialler for an agent in this process.
    pub(crate) fn dial(self: &Arc<Self>) -> juju_uniter::link::Dial {
        let fake = self.clone();
        Arc::new(move || {
            let fake = fake.clone();
            Box::pin(async move {
                use juju_uniter::link::DialFailure;
                let faults = fake.faults.lock().unwrap();
                if faults.impossible {
                    return Err(DialFailure::Impossible(anyhow::anyhow!("unauthorized access")));
                }
                if faults.down {
                    return Err(DialFailure::Later(anyhow::anyhow!("connection refused")));
                }
                drop(faults);
                let (ours, theirs) = juju_rpc::memory();
                #[allow(clippy::disallowed_methods)]
                tokio::spawn(fake.serve(theirs));
                Ok(Connection::over(ours))
            })
        })
    }

    /// Serves agents of other processes, who dial with [`dial_socket`].
    pub(crate) async fn listen(self: Arc<Self>, path: &Path) {
        let listener = UnixListener::bind(path).unwrap();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            #[allow(clippy::disallowed_methods)]
            tokio::spawn(self.clone().serve(lines(stream)));
        }
    }
}

pub(crate) fn dial_socket(path: &Path) -> juju_uniter::link::Dial {
    let path = path.to_owned();
    Arc::new(move || {
        let path = path.clone();
        Box::pin(async move {
            match UnixStream::connect(&path).await {
                Ok(stream) => Ok(Connection::over(lines(stream))),
                Err(err) => Err(juju_uniter::link::DialFailure::Later(err.into())),
            }
        })
    })
}

/// A message a line: JSON as it is sent has no line ends.
fn lines(stream: UnixStream) -> impl Transport {
    Lines(Framed::new(stream, LinesCodec::new()))
}

struct Lines(Framed<UnixStream, LinesCodec>);

fn broken(err: tokio_util::codec::LinesCodecError) -> TransportError {
    io::Error::other(err).into()
}

impl Stream for Lines {
    type Item = Result<Message, TransportError>;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(cx).map(|it| it.map(|it| it.map(Message::text).map_err(broken)))
    }
}

impl Sink<Message> for Lines {
    type Error = TransportError;
    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        Sink::<String>::poll_ready(Pin::new(&mut self.0), cx).map_err(broken)
    }
    fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), TransportError> {
        match message {
            Message::Text(text) => self.0.start_send_unpin(text.as_str().to_owned()).map_err(broken),
            _ => Ok(()),
        }
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        Sink::<String>::poll_flush(Pin::new(&mut self.0), cx).map_err(broken)
    }
    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        Sink::<String>::poll_close(Pin::new(&mut self.0), cx).map_err(broken)
    }
}

struct Session {
    fake: Arc<Fake>,
    watchers: Mutex<HashMap<String, Watched>>,
    stop: CancellationToken,
}

/// A watcher: what it looks at, and what it saw last.
#[derive(Clone)]
struct Watched {
    view: View,
    seen: Value,
}

#[derive(Clone, Copy, PartialEq)]
enum View {
    Unit,
    Application,
    Config,
    Trust,
    Addresses,
    Relations,
    Members(i64),
    LeaderSettings,
    Model,
    Retry,
}

impl View {
    fn of(self, docs: &Docs) -> Value {
        match self {
            View::Unit => json!([docs.life, docs.resolved, docs.subordinates]),
            View::Application => json!([docs.charm, docs.force, docs.modified]),
            // Settings are those of the charm that the unit has said it uses.
            View::Config => json!(format!("{}:{}", docs.charm_of_unit, json!(docs.config))),
            View::Trust => json!("trust"),
            View::Addresses => json!(docs.addresses),
            View::Relations => {
                let relations = docs.relations.values();
                json!(
                    relations
                        .map(|it| (it.key.clone(), (it.life.clone(), it.suspended)))
                        .collect::<BTreeMap<_, _>>()
                )
            }
            View::Members(id) => match docs.relations.get(&id) {
                Some(it) => json!({
                    "units": it.members.iter().map(|(unit, (version, _))| (unit, version)).collect::<BTreeMap<_, _>>(),
                    "apps": {it.other.clone(): it.application.0},
                }),
                None => json!({"units": {}, "apps": {}}),
            },
            View::LeaderSettings => json!(docs.leader_settings),
            View::Model => json!(docs.model_config),
            View::Retry => json!(docs.retry),
        }
    }
}

impl Service for Session {
    async fn call(self: Arc<Self>, request: Request) -> Result<Box<RawValue>, Error> {
        self.fake.docs().calls.push(request.method.clone());
        let (lose_call, lose_answer, refusal) = {
            let mut faults = self.fake.faults.lock().unwrap();
            let method = request.method.as_str();
            (
                faults.lose_call.take_if(|it| *it == method).is_some(),
                faults.lose_answer.take_if(|it| *it == method).is_some(),
                faults.refuse.take_if(|(it, _)| *it == method).map(|(_, error)| error),
            )
        };
        if let Some(error) = refusal {
            return raw(&ErrorResults { results: vec![ErrorResult { error: Some(error) }] });
        }
        if lose_call {
            self.stop.cancel();
            std::future::pending::<()>().await;
        }
        let answer = self.answer(request).await;
        if lose_answer {
            self.stop.cancel();
            std::future::pending::<()>().await;
        }
        answer
    }

    fn closing(&self) {
        self.stop.cancel();
    }
}

fn raw<T: juju_wire::Wire>(value: &T) -> Result<Box<RawValue>, Error> {
    serde_json::value::to_raw_value(&Ser(value)).map_err(Error::other)
}

fn params<M: Method>(request: &Request) -> Result<M::Params, Error> {
    let text = request.params.as_ref().map_or("null", |it| it.get());
    let De(params) = serde_json::from_str(text).map_err(Error::bad_request)?;
    Ok(params)
}

/// One chain of methods and what they do.
macro_rules! methods {
    ($request:ident; $($method:ty: |$params:pat_param| $body:expr;)*) => {
        $( if $request.facade == <$method>::FACADE && $request.method == <$method>::NAME {
            #[allow(clippy::let_unit_value)]
            let $params = params::<$method>(&$request)?;
            let reply: <$method as Method>::Reply = $body;
            return raw(&reply);
        } )*
    };
}

fn done() -> ErrorResults {
    ErrorResults { results: vec![ErrorResult::default()] }
}
fn failed(error: Error) -> ErrorResults {
    ErrorResults { results: vec![ErrorResult { error: Some(error) }] }
}
fn string(text: impl Into<String>) -> StringResults {
    StringResults { results: vec![StringResult { result: text.into(), error: None }] }
}

impl Session {
    async fn answer(&self, request: Request) -> Result<Box<RawValue>, Error> {
        let fake = &self.fake;
        let docs = || fake.docs();
        methods! { request;
            call::Refresh: |_| {
                let docs = docs();
                let error = if docs.life == "gone" { Error::not_found("unit") } else { Error::default() };
                wire::UnitRefreshResults { results: vec![wire::UnitRefreshResult {
                    life: docs.life.clone(), resolved: docs.resolved.clone(), error, ..Default::default()
                }] }
            };
            call::Life: |_| LifeResults { results: vec![LifeResult { life: "alive".into(), error: None }] };
            call::CharmURL: |args| {
                let docs = docs();
                let of = |it: &Entity| match it.tag.starts_with("unit-") {
                    true => wire::StringBoolResult { result: docs.charm_of_unit.clone(), ok: true, error: None },
                    false => wire::StringBoolResult { result: docs.charm.clone(), ok: docs.force, error: None },
                };
                wire::StringBoolResults { results: args.entities.iter().map(of).collect() }
            };
            call::CharmModifiedVersion: |_| wire::IntResults { results: vec![wire::IntResult {
                result: docs().modified, error: None,
            }] };
            call::CharmArchiveSha256: |args| string(docs().archives[&args.urls[0].url].clone());
            call::SetCharmURL: |args| {
                fake.edit(|docs| docs.charm_of_unit = args.entities[0].charm_url.clone());
                done()
            };
            call::GetPrincipal: |_| wire::StringBoolResults { results: vec![Default::default()] };
            call::AssignedMachine: |_| string("machine-0");
            call::AvailabilityZone: |_| string("zone-a");
            call::CurrentModel: |_| wire::ModelResult {
                name: "m".into(), uuid: "6e4f".into(), type_: "iaas".into(), error: None,
            };
            call::SLALevel: |_| StringResult { result: "unsupported".into(), error: None };
            call::CloudAPIVersion: |_| StringResult::default();
            call::APIAddresses: |_| StringsResult { result: vec!["10.1.2.3:17070".into()], error: None };
            call::ModelConfig: |_| ModelConfigResult { config: docs().model_config.clone() };
            call::ConfigSettings: |_| wire::ConfigSettingsResults { results: vec![wire::ConfigSettingsResult {
                settings: docs().config.clone(), error: None,
            }] };
            call::ClearResolved: |_| { fake.edit(|docs| docs.resolved.clear()); done() };
            call::HasSubordinates: |_| BoolResults { results: vec![BoolResult {
                result: docs().subordinates, error: None,
            }] };
            call::DestroyAllSubordinates: |_| done();
            call::Destroy: |_| { fake.edit(|docs| docs.life = "dying".into()); done() };
            call::EnsureDead: |_| {
                if docs().subordinates {
                    failed(Error::new(code::UNIT_HAS_SUBORDINATES, "unit has subordinates"))
                } else {
                    fake.edit(|docs| docs.life = "dead".into());
                    done()
                }
            };
            call::SetWorkloadVersion: |args| {
                fake.edit(|docs| docs.workload_version = args.entities[0].workload_version.clone());
                done()
            };
            call::SetAgentStatus: |args| {
                let it = args.entities[0].clone();
                fake.edit(|docs| docs.agent_statuses.push((it.status, it.info, it.data)));
                done()
            };
            call::SetUnitStatus: |args| {
                let it = args.entities[0].clone();
                fake.edit(|docs| docs.status = (it.status, it.info));
                done()
            };
            call::SetApplicationStatus: |args| {
                let it = args.entities[0].clone();
                fake.edit(|docs| docs.application_status = (it.status, it.info));
                done()
            };
            call::UnitStatus: |_| StatusResults { results: vec![status(&docs().status)] };
            call::ApplicationStatus: |_| {
                let docs = docs();
                wire::ApplicationStatusResults { results: vec![wire::ApplicationStatusResult {
                    application: status(&docs.application_status),
                    units: [(UNIT.to_owned(), status(&docs.status))].into(),
                    error: None,
                }] }
            };
            call::State: |_| {
                let docs = docs();
                wire::UnitStateResults { results: vec![wire::UnitStateResult {
                    uniter_state: docs.uniter_state.clone(),
                    relation_state: Some(docs.relation_state.clone()),
                    charm_state: Some(docs.charm_state.clone()),
                    ..Default::default()
                }] }
            };
            call::SetState: |args| {
                fake.edit(|docs| set_state(docs, args.args[0].clone()));
                done()
            };
            call::CommitHookChanges: |args| {
                fake.edit(|docs| commit(docs, args.args[0].clone()));
                done()
            };
            call::Relation: |args| {
                let docs = docs();
                let of = |it: &wire::RelationUnit| match find(&docs, &it.relation) {
                    Some((id, relation)) => relation_result(id, relation),
                    None => wire::RelationResultV2 { error: Some(Error::not_found("relation")), ..Default::default() },
                };
                wire::RelationResultsV2 { results: args.relation_units.iter().map(of).collect() }
            };
            call::RelationsStatus: |_| {
                let of = |it: &RelationDoc| wire::RelationUnitStatus {
                    relation_tag: tag(&it.key), in_scope: it.in_scope, suspended: it.suspended,
                };
                let results = docs().relations.values().map(of).collect();
                wire::RelationUnitStatusResults { results: vec![wire::RelationUnitStatusResult { results, error: None }] }
            };
            call::EnterScope: |args| {
                let mut answer = done();
                fake.edit(|docs| {
                    let alive = docs.life == "alive";
                    match find_mut(docs, &args.relation_units[0].relation) {
                        Some(it) if alive && it.life == "alive" && !it.in_scope => {
                            it.in_scope = true;
                            it.own = [("private-address".to_owned(), "10.0.0.1".to_owned())].into();
                        }
                        Some(it) if it.in_scope => {}
                        _ => answer = failed(Error::new(code::CANNOT_ENTER_SCOPE, "cannot enter scope")),
                    }
                });
                answer
            };
            call::LeaveScope: |args| {
                fake.edit(|docs| {
                    if let Some(it) = find_mut(docs, &args.relation_units[0].relation) {
                        it.in_scope = false;
                    }
                    docs.relations.retain(|_, it| it.in_scope || it.life == "alive");
                });
                done()
            };
            call::SetRelationStatus: |args| {
                fake.edit(|docs| docs.relation_statuses.push((args.args[0].relation_id, args.args[0].status.clone())));
                done()
            };
            call::ReadSettings: |args| {
                let docs = docs();
                settings(find(&docs, &args.relation_units[0].relation).map(|(_, it)| it.own.clone()))
            };
            call::ReadLocalApplicationSettings: |args| {
                let docs = docs();
                let found = find(&docs, &args.relation).map(|(_, it)| it.own_application.clone());
                settings(found).results.remove(0)
            };
            call::ReadRemoteSettings: |args| {
                let docs = docs();
                let pair = &args.relation_unit_pairs[0];
                let found = find(&docs, &pair.relation).and_then(|(_, it)| {
                    match pair.remote_unit.strip_prefix("application-") {
                        Some(name) if name == it.other => Some(it.application.1.clone()),
                        Some("shop") if it.role == "peer" => Some(it.own_application.clone()),
                        Some(_) => None,
                        None => it.members.iter().find(|(unit, _)| unit_tag(unit) == pair.remote_unit)
                            .map(|(_, (_, settings))| settings.clone()),
                    }
                });
                settings(found)
            };
            call::Read: |_| wire::GetLeadershipSettingsBulkResults {
                results: vec![wire::GetLeadershipSettingsResult { settings: docs().leader_settings.clone(), error: None }],
            };
            call::Merge: |args| {
                fake.edit(|docs| merge(&mut docs.leader_settings, &args.params[0].settings));
                done()
            };
            call::NetworkInfo: |args| {
                let one = |binding: &String| {
                    let error = !["", "db", "juju-info"].contains(&binding.as_str());
                    let result = if error {
                        let why = format!("no network config found for binding {binding:?}");
                        wire::NetworkInfoResult { error: Some(Error::other(why)), ..Default::default() }
                    } else {
                        wire::NetworkInfoResult {
                            bind_addresses: vec![wire::NetworkInfo {
                                interface_name: "eth0".into(),
                                mac_address: "00:16:3e:aa:bb:cc".into(),
                                addresses: vec![wire::InterfaceAddress {
                                    cidr: "10.5.0.0/24".into(), hostname: String::new(), value: "10.5.0.7".into(),
                                }],
                            }],
                            egress_subnets: vec!["10.5.0.7/32".into()],
                            ingress_addresses: vec!["10.5.0.7".into()],
                            error: None,
                        }
                    };
                    (binding.clone(), result)
                };
                wire::NetworkInfoResults { results: args.bindings.iter().map(one).collect() }
            };
            call::PrivateAddress: |_| string("10.5.0.7");
            call::PublicAddress: |_| StringResults { results: vec![StringResult {
                result: String::new(), error: Some(Error::new(code::NO_ADDRESS_SET, "no public address(es)")),
            }] };
            call::OpenedMachinePortRangesByEndpoint: |_| {
                let range = |(protocol, from, to, endpoint): &(String, i64, i64, String)| wire::OpenUnitPortRangesByEndpoint {
                    endpoint: endpoint.clone(),
                    port_ranges: vec![wire::PortRange { protocol: protocol.clone(), from_port: *from, to_port: *to }],
                };
                let unit_port_ranges = [
                    ("unit-shop-0".to_owned(), docs().open_ports.iter().map(range).collect()),
                    ("unit-web-0".to_owned(), vec![range(&("tcp".into(), 85, 85, String::new()))]),
                ].into();
                wire::OpenPortRangesByEndpointResults {
                    results: vec![wire::OpenPortRangesByEndpointResult { unit_port_ranges, error: None }],
                }
            };
            call::GoalStates: |_| wire::GoalStateResults { results: vec![wire::GoalStateResult {
                result: wire::GoalState {
                    units: [(UNIT.to_owned(), wire::GoalStateStatus {
                        status: "active".into(),
                        since: "2026-02-03T04:05:06Z".parse::<jiff::Timestamp>().unwrap().into(),
                    })].into(),
                    relations: BTreeMap::new(),
                },
                error: Error::default(),
            }] };

            call::Watch: |args| {
                let of = |it: &Entity| self.notify(if it.tag.starts_with("unit-") { View::Unit } else { View::Application });
                NotifyWatchResults { results: args.entities.iter().map(of).collect() }
            };
            call::WatchConfigSettingsHash: |_| self.hash(View::Config);
            call::WatchTrustConfigSettingsHash: |_| self.hash(View::Trust);
            call::WatchUnitAddressesHash: |_| self.hash(View::Addresses);
            call::WatchLeadershipSettings: |_| NotifyWatchResults { results: vec![self.notify(View::LeaderSettings)] };
            call::WatchForModelConfigChanges: |_| self.notify(View::Model);
            call::WatchUnitRelations: |_| {
                let (watcher_id, first) = self.watch(View::Relations);
                let changes = first.as_object().unwrap().keys().cloned().collect();
                StringsWatchResults { results: vec![StringsWatchResult { watcher_id, changes, error: None }] }
            };
            call::WatchRelationUnits: |args| {
                let found = find(&docs(), &args.relation_units[0].relation).map(|(id, _)| id);
                let result = match found {
                    Some(id) => {
                        let (watcher_id, first) = self.watch(View::Members(id));
                        let changes = difference(&json!({"units": {}, "apps": {}}), &first);
                        wire::RelationUnitsWatchResult { watcher_id, changes, error: None }
                    }
                    None => wire::RelationUnitsWatchResult {
                        error: Some(Error::not_found("relation")), ..Default::default()
                    },
                };
                wire::RelationUnitsWatchResults { results: vec![result] }
            };

            leadership::call::ClaimLeadership: |_| {
                let mut docs = docs();
                let error = match docs.leader.as_deref() {
                    None | Some(UNIT) => {
                        docs.leader = Some(UNIT.to_owned());
                        None
                    }
                    Some(_) => Some(Error::new(code::LEADERSHIP_CLAIM_DENIED, "leadership claim denied")),
                };
                leadership::ClaimLeadershipBulkResults { results: vec![ErrorResult { error }] }
            };
            leadership::call::BlockUntilLeadershipReleased: |_| {
                self.until(|docs| docs.leader.is_none()).await?;
                ErrorResult::default()
            };
            retry_strategy::call::WatchRetryStrategy: |_| NotifyWatchResults { results: vec![self.notify(View::Retry)] };
            retry_strategy::call::RetryStrategy: |_| {
                let result = Some(retry_strategy::RetryStrategy {
                    should_retry: docs().retry,
                    min_retry_time: 50_000_000,
                    max_retry_time: 200_000_000,
                    jitter_retry_time: true,
                    retry_time_factor: 2,
                });
                retry_strategy::RetryStrategyResults {
                    results: vec![retry_strategy::RetryStrategyResult { result, error: None }],
                }
            };
            logger::call::WatchLoggingConfig: |_| NotifyWatchResults { results: vec![self.notify(View::Model)] };
            logger::call::LoggingConfig: |_| string("<root>=INFO");

            watchers::notify::call::Next: |()| { self.next(&request.object).await?; };
            watchers::strings::call::Next: |()| {
                let (view, before, now) = self.next(&request.object).await?;
                let changes = if view == View::Relations {
                    let (before, now) = (before.as_object().unwrap(), now.as_object().unwrap());
                    let all = before.keys().chain(now.keys());
                    let mut changed: Vec<_> = all.filter(|it| before.get(*it) != now.get(*it)).cloned().collect();
                    changed.dedup();
                    changed
                } else {
                    vec![now.as_str().unwrap().to_owned()]
                };
                watchers::StringsChanges { changes }
            };
            watchers::relation_units::call::Next: |()| {
                let (_, before, now) = self.next(&request.object).await?;
                watchers::RelationUnitsChanges { changes: difference(&before, &now) }
            };
            watchers::notify::call::Stop: |()| { self.watchers.lock().unwrap().remove(&request.object); };
            watchers::strings::call::Stop: |()| { self.watchers.lock().unwrap().remove(&request.object); };
            watchers::relation_units::call::Stop: |()| { self.watchers.lock().unwrap().remove(&request.object); };
            juju_wire::facade::pinger::call::Ping: |_| ();
        }
        Err(Error::new(code::NOT_IMPLEMENTED, format!("{}.{}", request.facade, request.method)))
    }

    fn watch(&self, view: View) -> (String, Value) {
        let seen = view.of(&self.fake.docs());
        let mut watchers = self.watchers.lock().unwrap();
        let id = (watchers.len() + 1).to_string();
        watchers.insert(id.clone(), Watched { view, seen: seen.clone() });
        (id, seen)
    }

    fn notify(&self, view: View) -> NotifyWatchResult {
        NotifyWatchResult { notify_watcher_id: self.watch(view).0, error: None }
    }

    fn hash(&self, view: View) -> StringsWatchResults {
        let (watcher_id, first) = self.watch(view);
        let changes = vec![first.as_str().unwrap().to_owned()];
        StringsWatchResults { results: vec![StringsWatchResult { watcher_id, changes, error: None }] }
    }

    /// Waits until a watcher sees something else; what it saw before and sees now.
    async fn next(&self, id: &str) -> Result<(View, Value, Value), Error> {
        let Watched { view, seen } =
            self.watchers.lock().unwrap().get(id).cloned().ok_or_else(Error::unauthorized)?;
        self.until(|docs| view.of(docs) != seen).await?;
        let now = view.of(&self.fake.docs());
        self.watchers.lock().unwrap().insert(id.to_owned(), Watched { view, seen: now.clone() });
        Ok((view, seen, now))
    }

    async fn until(&self, condition: impl Fn(&Docs) -> bool) -> Result<(), Error> {
        let mut changed = self.fake.changed.subscribe();
        loop {
            if condition(&self.fake.docs()) {
                return Ok(());
            }
            tokio::select! {
                _ = changed.changed() => {}
                () = self.stop.cancelled() => return Err(Error::new(code::STOPPED, "stopped")),
            }
        }
    }
}

fn status((status, info): &(String, String)) -> StatusResult {
    StatusResult { status: status.clone(), info: info.clone(), ..Default::default() }
}

fn settings(found: Option<BTreeMap<String, String>>) -> wire::SettingsResults {
    wire::SettingsResults {
        results: vec![match found {
            Some(settings) => wire::SettingsResult { settings, error: None },
            None => wire::SettingsResult { error: Some(Error::unauthorized()), ..Default::default() },
        }],
    }
}

fn tag(key: &str) -> String {
    format!("relation-{}", key.replace(':', ".").replace(' ', "#"))
}

fn unit_tag(unit: &str) -> String {
    format!("unit-{}", unit.replace('/', "-"))
}

fn find<'a>(docs: &'a Docs, wanted: &str) -> Option<(i64, &'a RelationDoc)> {
    docs.relations.iter().find(|(_, it)| tag(&it.key) == wanted).map(|(id, it)| (*id, it))
}

fn find_mut<'a>(docs: &'a mut Docs, wanted: &str) -> Option<&'a mut RelationDoc> {
    docs.relations.values_mut().find(|it| tag(&it.key) == wanted)
}

fn relation_result(id: i64, it: &RelationDoc) -> wire::RelationResultV2 {
    let relation = CharmRelation {
        name: it.endpoint.clone(),
        role: it.role.clone(),
        interface: it.interface.clone(),
        scope: "global".into(),
        ..Default::default()
    };
    wire::RelationResultV2 {
        id,
        key: it.key.clone(),
        life: it.life.clone(),
        bool: it.suspended,
        endpoint: wire::Endpoint { application_name: "shop".into(), relation },
        other_application: Some(wire::RelatedApplicationDetails {
            application: it.other.clone(),
            model_uuid: "6e4f".into(),
        }),
        error: None,
    }
}

fn merge(settings: &mut BTreeMap<String, String>, changes: &BTreeMap<String, String>) {
    for (key, value) in changes {
        match value.is_empty() {
            true => settings.remove(key),
            false => settings.insert(key.clone(), value.clone()),
        };
    }
}

fn set_state(docs: &mut Docs, state: wire::SetUnitStateArg) {
    if let Some(text) = state.uniter_state {
        docs.uniter_state = Some(text);
    }
    if let Some(relations) = state.relation_state {
        docs.relation_state = relations;
    }
    if let Some(charm) = state.charm_state {
        docs.charm_state = charm;
    }
}

fn commit(docs: &mut Docs, changes: wire::CommitHookChangesArg) {
    docs.commits += 1;
    for it in changes.relation_unit_settings.unwrap_or_default() {
        if let Some(relation) = find_mut(docs, &it.relation) {
            merge(&mut relation.own, &it.settings);
            merge(&mut relation.own_application, &it.application_settings);
        }
    }
    for it in changes.open_ports.unwrap_or_default() {
        docs.open_ports.push((it.protocol, it.from_port, it.to_port, it.endpoint));
    }
    for it in changes.close_ports.unwrap_or_default() {
        docs.open_ports
            .retain(|open| *open != (it.protocol.clone(), it.from_port, it.to_port, it.endpoint.clone()));
    }
    if let Some(state) = changes.unit_state {
        set_state(docs, state);
    }
}

fn difference(before: &Value, now: &Value) -> wire::RelationUnitsChange {
    let map = |it: &Value, key: &str| it[key].as_object().cloned().unwrap_or_default();
    let changed = |key: &str| {
        let before = map(before, key);
        map(now, key)
            .into_iter()
            .filter(move |(name, version)| before.get(name) != Some(version))
            .collect::<Vec<_>>()
    };
    let units = map(now, "units");
    wire::RelationUnitsChange {
        changed: changed("units")
            .into_iter()
            .map(|(unit, version)| (unit, wire::UnitSettings { version: version.as_i64().unwrap() }))
            .collect(),
        app_changed: changed("apps")
            .into_iter()
            .map(|(app, version)| (app, version.as_i64().unwrap()))
            .collect(),
        departed: map(before, "units")
            .into_iter()
            .map(|(unit, _)| unit)
            .filter(|it| !units.contains_key(it))
            .collect(),
    }
}
