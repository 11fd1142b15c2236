//! Running a hook.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use juju_agent::{machine_lock::Request, paths::Socket};
use juju_wire::facade::uniter::SetUnitStateArg;
use rand::RngExt as _;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::{Executor, OperationError, Outcome, committed, deploy::chain};
use crate::{
    context::{Context, Environment, Proxies},
    hook::{Hook, RelationEvent},
    link::ApiError,
    log::Level,
    process::{Ended, Mark, Process, Script, Stream},
    relations,
    remote::RemoteState,
    resolver::Relation,
    server::Server,
    state::{Op, State, Step},
};

/// The module under which the agent itself speaks of hooks.
const MODULE: &str = "juju.worker.uniter.operation";

/// What became of a hook's run.
enum Ran {
    Well,
    /// The charm has nothing for it.
    Missing,
    Failed,
    /// It was ended from outside, and has to run again.
    Killed,
}

impl Executor {
    pub(super) async fn run_hook(
        &mut self,
        hook: Hook,
        seen: &RemoteState,
    ) -> Result<Outcome, OperationError> {
        let script = self.script_name(&hook);
        let request = Request::new(format!("{} uniter", self.api.unit()), format!("run {script} hook"));
        let Some(_lock) = self.stop.run_until_cancelled(self.lock.acquire(request)).await.transpose()? else {
            return Ok(Outcome::Stopped);
        };
        // However it ends: it is not tried again on the same tick of the timer.
        self.local.memory.retries = seen.retries;
        self.local.memory.rebooted &= hook != Hook::Start;
        if !self.is_due(&hook).await? {
            self.commit_hook(&hook, seen).await?;
            return Ok(Outcome::Done);
        }

        let pending = self.local.state.with(Op::RunHook { hook: hook.clone(), step: Step::Pending });
        let facts = relations::facts(&self.local.relations, seen);
        let context = Context::new(self.services.clone(), &hook, facts);
        let (addresses, model) = tokio::try_join!(self.api.api_addresses(), self.api.model_config())?;
        self.save(pending).await?;
        self.announce(&hook, &script).await?;

        let context = Arc::new(Mutex::new(context));
        let ran = self.execute(&hook, &script, &context, &addresses, Proxies::of(&model)).await?;
        let context = context.lock().await;
        match ran {
            Ran::Failed => return Ok(Outcome::HookFailed),
            Ran::Killed => {
                let queued = self.local.state.with(Op::RunHook { hook, step: Step::Queued });
                self.save(queued).await?;
                return Ok(if self.stop.is_cancelled() { Outcome::Stopped } else { Outcome::Done });
            }
            Ran::Well | Ran::Missing => {}
        }
        self.local.state.status_set |= context.has_set_status();
        self.conclude(&hook, seen).await?;
        if matches!(ran, Ran::Well)
            && let Err(err) = self.flush(&hook, &context).await
        {
            match err {
                // What the controller refuses is the charm's fault.
                OperationError::Api(ApiError::Api(error)) => {
                    self.log(Level::Error, &format!("hook {script:?} failed: {error}"));
                    return Ok(Outcome::HookFailed);
                }
                other => return Err(other),
            }
        }
        drop(context);
        self.commit_hook(&hook, seen).await?;
        Ok(Outcome::Done)
    }

    /// Whether the hook fits what the unit is. One that is for leaders is not run by a unit that has lost its lead.
    async fn is_due(&self, hook: &Hook) -> Result<bool, OperationError> {
        match hook {
            Hook::LeaderElected => {
                let leader = self.services.leadership.is_leader().await?;
                if !leader {
                    self.log(Level::Info, "unit is no longer the leader, skipping leader-elected hook");
                }
                Ok(leader)
            }
            Hook::Relation(it) => match self.local.relations.get(&it.relation) {
                Some(Relation::Entered(relation)) => {
                    relation
                        .state
                        .validate(it)
                        .map_err(|why| OperationError::OutOfOrder { hook: hook.clone(), why })?;
                    Ok(true)
                }
                // It ended while the hook was waiting.
                _ => Ok(false),
            },
            _ => Ok(true),
        }
    }

    /// Says that the hook is about to run.
    async fn announce(&mut self, hook: &Hook, script: &str) -> Result<(), ApiError> {
        // Not for this one: it comes every few minutes, and nobody wants to see the status flicker.
        if *hook != Hook::UpdateStatus {
            let whom = hook.relation().and_then(|it| it.remote_unit());
            let message = match whom {
                Some(unit) => format!("running {script} hook for {unit}"),
                None => format!("running {script} hook"),
            };
            self.set_status("executing", message, BTreeMap::new()).await?;
        }
        match hook {
            Hook::Install if !self.local.state.status_set => {
                self.api.set_unit_status("maintenance", "installing charm software").await
            }
            Hook::Stop => self.api.set_unit_status("maintenance", "stopping charm software").await,
            Hook::Remove => {
                self.api.set_unit_status("maintenance", "cleaning up prior to charm deletion").await
            }
            _ => Ok(()),
        }
    }

    async fn execute(
        &self,
        hook: &Hook,
        name: &str,
        context: &Arc<Mutex<Context>>,
        addresses: &[String],
        proxies: Proxies,
    ) -> Result<Ran, OperationError> {
        let (config, facts) = (&self.config, &self.facts);
        let failed = |via: &str, why: &str| {
            self.log(Level::Error, &format!("hook {name:?} (via {via}) failed: {why}"));
            Ok(Ran::Failed)
        };
        let script = match Script::find(self.deployer.dir(), name) {
            Ok(script) => script,
            Err(err) => return failed("explicit, bespoke hook script", &chain(&err)),
        };
        let Some(path) = script.path() else {
            self.log(Level::Info, &format!("skipped {name:?} hook (missing)"));
            return Ok(Ran::Missing);
        };

        let tag = self.api.unit_tag();
        let id = format!("{}-{name}-{:032x}", self.api.unit(), rand::rng().random::<u128>());
        let socket = config.paths.socket(&tag, Socket::Agent);
        let server =
            Server::bind(&socket, id.clone(), context.clone()).await.map_err(OperationError::Server)?;
        let environment = Environment {
            unit: self.api.unit(),
            charm_dir: self.deployer.dir(),
            context_id: &id,
            socket: &socket,
            model_uuid: &facts.model_uuid,
            model_name: &facts.model_name,
            api_addresses: addresses,
            sla: &facts.sla,
            machine: &facts.machine,
            principal: &facts.principal,
            availability_zone: &facts.availability_zone,
            version: &config.version,
            cloud_api_version: &facts.cloud_api_version,
            proxies,
            tools_dir: &config.paths.agent_tools(&tag),
            path: &config.path,
            ubuntu: config.ubuntu,
        };
        let mut variables = context.lock().await.variables(&environment, hook, name);
        variables.extend(config.variables.iter().cloned());

        let module = format!("unit.{}.{name}", self.api.unit());
        let log = |stream, line: &str| {
            let level = if stream == Stream::Stdout { Level::Debug } else { Level::Warning };
            (config.log)(level, &module, line);
        };
        let mark = Mark::new(mark(&config.paths.unit_state_dir(&tag)), id);
        let process = Process { script: path, dir: self.deployer.dir(), variables, mark };
        let ended = tokio::select! {
            ended = process.run(&self.stop, &log) => ended,
            never = server.run() => match never {},
        };
        match ended {
            Ok(Ended::Well) => {
                self.log(Level::Info, &format!("ran {name:?} hook (via {})", script.via()));
                Ok(Ran::Well)
            }
            Ok(Ended::Killed) => {
                self.log(Level::Info, &format!("{name:?} hook was killed, it will run again"));
                Ok(Ran::Killed)
            }
            Ok(Ended::Badly(why)) => failed(script.via(), &why),
            Err(err) => failed(script.via(), &format!("fork/exec {}: {err}", path.display())),
        }
    }

    /// Statuses that follow from a hook that has run.
    async fn conclude(&mut self, hook: &Hook, seen: &RemoteState) -> Result<(), ApiError> {
        match hook {
            Hook::Start if !self.local.state.status_set => self.api.set_unit_status("unknown", "").await,
            Hook::Stop => self.api.set_unit_status("maintenance", "").await,
            Hook::Remove => self.api.set_unit_status("terminated", "").await,
            Hook::Relation(it) if it.event == RelationEvent::Broken => {
                let suspended = seen.relations.get(&it.relation).is_some_and(|it| it.suspended);
                if suspended && self.services.leadership.is_leader().await? {
                    return self.api.set_relation_status(it.relation, "suspended").await;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Sends what the hook has buffered, together with the state in which it is done: either the controller has both or
    /// neither.
    async fn flush(&mut self, hook: &Hook, context: &Context) -> Result<(), OperationError> {
        let Some(mut changes) = context.changes(hook) else { return Ok(()) };
        let done = self.local.state.with(Op::RunHook { hook: hook.clone(), step: Step::Done });
        let text = done.to_yaml()?;
        let state = changes.unit_state.get_or_insert_with(|| SetUnitStateArg {
            tag: self.api.unit_tag(),
            ..SetUnitStateArg::default()
        });
        state.uniter_state = Some(text.clone());
        self.api.commit(changes, &text).await?;
        self.local.state = done;
        self.saved.state = text;
        Ok(())
    }

    /// Moves on from a hook, whether it was run or skipped.
    pub(super) async fn commit_hook(
        &mut self,
        hook: &Hook,
        seen: &RemoteState,
    ) -> Result<(), OperationError> {
        if let Hook::Relation(it) = hook
            && let Some(Relation::Entered(relation)) = self.local.relations.get_mut(&it.relation)
        {
            if it.event == RelationEvent::Broken {
                // The state goes only when the scope has been left: what is cut short in between is done again.
                if self.local.state.op != (Op::RunHook { hook: hook.clone(), step: Step::Done }) {
                    let done = self.local.state.with(Op::RunHook { hook: hook.clone(), step: Step::Done });
                    self.save(done).await?;
                }
                return self.leave_broken(it.relation, hook, seen).await;
            }
            relation.state = relation.state.after(it);
        }
        self.save_committed(hook, seen).await
    }

    async fn leave_broken(&mut self, id: i64, hook: &Hook, seen: &RemoteState) -> Result<(), OperationError> {
        if let Some(Relation::Entered(relation)) = self.local.relations.remove(&id) {
            match self.api.leave_scope(&relation.key).await {
                Err(err) if !err.is_gone() => return Err(err.into()),
                _ => {}
            }
        }
        self.save_committed(hook, seen).await
    }

    async fn save_committed(&mut self, hook: &Hook, seen: &RemoteState) -> Result<(), OperationError> {
        let next: State = committed(&self.local.state, hook, seen);
        self.save_all(next, true).await?;
        let memory = &mut self.local.memory;
        // Whatever ran, the current tick is used up: update-status is for units that have nothing else to do.
        memory.update_status = seen.update_status;
        if *hook == Hook::LeaderSettingsChanged {
            memory.leader_settings = seen.leader_settings;
        }
        Ok(())
    }

    /// Tells a user which hook failed.
    pub(crate) async fn report_failure(&mut self, hook: &Hook) -> Result<(), ApiError> {
        let name = self.script_name(hook);
        let mut data: BTreeMap<String, Value> = [("hook".to_owned(), json!(name))].into();
        if let Some(it) = hook.relation() {
            data.insert("relation-id".to_owned(), json!(it.relation));
            if let Some(unit) = it.remote_unit() {
                data.insert("remote-unit".to_owned(), json!(unit));
            }
        }
        self.set_status("error", format!("hook failed: {name:?}"), data).await
    }

    /// The name of the hook's script.
    fn script_name(&self, hook: &Hook) -> String {
        let endpoint = hook.relation().and_then(|it| match self.local.relations.get(&it.relation) {
            Some(Relation::Entered(relation)) => Some(relation.endpoint.as_str()),
            _ => None,
        });
        hook.script(endpoint)
    }

    fn log(&self, level: Level, message: &str) {
        (self.config.log)(level, MODULE, message);
    }
}

/// The file in which the running hook is noted.
pub(crate) fn mark(state_dir: &Path) -> std::path::PathBuf {
    state_dir.join("running-hook")
}
