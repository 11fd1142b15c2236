//! `juju try`: see a charm run, and leave nothing behind. Juju has no such command.
//!
//! A local controller is made for this one run, under a name of its own that never becomes the current one. It
//! is tied to this process by the supervisor's lifeline: however the process ends, `kill -9` included, the
//! controller and all its machines are destroyed.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use juju_wire::facade::{
    application::{AddRelation, call as application},
    client::{StatusParams, call as client},
    model_manager::{ModelCreateArgs, call as model_manager},
};

use super::{bootstrap::interrupted, integrate};
use crate::{
    Context,
    api::{Open, Session},
    bootstrap::{
        Plan,
        jujud::Binaries,
        local::{self, Host, Started},
        plan::{ADMIN, CLOUD, REGION, Wishes},
    },
    cli::{
        About, Command, duration,
        flags::{ColorFlags, Positional},
    },
    context::block_on,
    deploy::{
        archive::CharmArchive,
        bundle, charm,
        config::{self, AppConfig},
        source::{Source, classify},
    },
    error::{Context as _, Error, Result},
    follow::{Changes, Verdict, verdict},
    output::Format,
    printer::Output,
    status::{Options, Status, convert},
    store::{BootstrapConfigs, Model, Models},
};

/// Names of the controllers that this command makes.
const PREFIX: &str = "try-";
const MODEL: &str = "try";
/// How long to wait for news before looking anyway.
const LOOK: Duration = Duration::from_millis(500);

#[derive(clap::Args)]
pub struct Args {
    /// Configuration of the charm, if there is one: a file of YAML or key=value
    #[arg(long, value_name = "FILE|KEY=VALUE")]
    config: Vec<String>,
    /// Integrate two of the applications: <application>[:<endpoint>],<application>[:<endpoint>]
    #[arg(long, value_name = "A,B")]
    integrate: Vec<String>,
    /// Leave the controller running
    #[arg(long)]
    keep: bool,
    /// How long it may take
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = duration::parse)]
    timeout: Duration,
    #[command(flatten)]
    color: ColorFlags,
    #[command(flatten)]
    positional: Positional,
}

/// What is asked for, checked.
struct Request {
    charms: Vec<PathBuf>,
    bundle: Option<bundle::Bundled>,
    config: AppConfig,
    relations: Vec<Vec<String>>,
    keep: bool,
    timeout: Duration,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "try",
        usage: "<charm or bundle> [<charm> ...]",
        purpose: "See charms run on this host, and leave nothing behind.",
        details: "Makes a throw-away controller on this host, deploys the charms or the bundle, and shows what happens \
                  until all units are active or one is in error. Then the status is shown and everything is removed, also \
                  when the command is interrupted or killed. The exit code is 0 only if all became active.\n\nWith --keep \
                  the controller stays; its name is told, and \"juju destroy-controller\" removes it. It is never made the \
                  current controller.",
        examples: &[
            ("juju try ./mycharm", ""),
            ("juju try ./web ./db --integrate web,db", "Two charms that talk to each other"),
            ("juju try ./bundle.yaml --keep", ""),
        ],
        see_also: &["bootstrap", "deploy"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.color.apply(ctx.printer.settings_mut())?;
        let request = self.check(ctx)?;
        let binaries = Binaries::find(&ctx.env)?;
        prune(ctx)?;
        block_on(request.run(ctx, &binaries))
    }
}

impl Args {
    fn check(self, ctx: &Context) -> Result<Request> {
        let mut charms = vec![];
        let mut found = None;
        for text in self.positional.some("no charm or bundle specified")? {
            // What is tried is on this host: no dot is needed in front of it.
            let text = if text.starts_with(['/', '.']) { text } else { format!("./{text}") };
            match classify(&text, |it| it.exists())? {
                Source::Path(path) => match bundle::find(&path)? {
                    Some(path) => found = Some(path),
                    None => charms.push(path),
                },
                _ => return Err(Error::failed(format!("no charm was found at {text:?}"))),
            }
        }
        if found.is_some() && !charms.is_empty() {
            return Err(Error::usage("a bundle is tried alone"));
        }
        if !self.config.is_empty() && charms.len() != 1 {
            return Err(Error::usage("--config is for a single charm"));
        }
        let relation = |text: &String| integrate::endpoints(text.split(',').map(String::from).collect());
        Ok(Request {
            charms,
            bundle: found.map(|it| bundle::read(&it, &[], &ctx.env)).transpose()?,
            config: config::read(&self.config, &ctx.env)?,
            relations: self.integrate.iter().map(relation).collect::<Result<_>>()?,
            keep: self.keep,
            timeout: self.timeout,
        })
    }
}

impl Request {
    async fn run(self, ctx: &mut Context, binaries: &Binaries) -> Result {
        let start = Instant::now();
        // A charm that cannot be read is told before anything is made.
        for path in &self.charms {
            CharmArchive::read(path).await?;
        }
        let name = format!("{PREFIX}{}", hex::encode(rand::random::<[u8; 3]>()));
        let wishes = Wishes {
            name: name.clone(),
            config: Default::default(),
            model_defaults: Default::default(),
            constraints: Default::default(),
            base: None,
        };
        let plan = Plan::make(wishes, ctx.store.dir(), SystemTime::now())?;
        let host = Host::of(&ctx.env);
        ctx.printer.info(format!("Starting controller {name} on this host"));
        let quiet = ctx.printer.settings().quiet;
        ctx.printer.settings_mut().quiet |= !ctx.printer.settings().verbose;
        let made = local::create(&plan, binaries, &host, &mut ctx.printer, interrupted()).await;
        ctx.printer.settings_mut().quiet = quiet;
        let started = made?;
        let outcome = tokio::select! {
            outcome = self.work(ctx, &plan, &name, start) => outcome,
            signal = interrupted() => Err(Error::failed(format!("ended by {signal}"))),
        };
        let ended = self.end(ctx, started, &name, outcome.is_err()).await;
        outcome.and(ended)
    }

    /// Deploys and follows. An error is why not all is well.
    async fn work(&self, ctx: &mut Context, plan: &Plan, name: &str, start: Instant) -> Result {
        local::register(&ctx.store, plan, false)?;
        let controller = Open::controller(ctx, name)?.connect().await?;
        add_model(ctx, &controller).await?;
        controller.close().await;
        let session = Open::controller(ctx, name)?.connect_model(MODEL).await?;
        let expected = self.deploy(ctx, &session).await?;
        let judged = tokio::time::timeout(self.timeout, follow(ctx, &session, &expected, start)).await;
        let status = look(ctx, &session).await?;
        super::status::print(ctx, &Output { format: Format::Tabular, file: None }, &status)?;
        session.close().await;
        match judged {
            Ok(judged) => judged?,
            Err(_) => {
                let what = match verdict(&status, &expected) {
                    Verdict::Waiting(what) | Verdict::Failed(what) => what,
                    Verdict::Active => "nothing".to_owned(),
                };
                return Err(Error::failed(format!(
                    "not active within {:?}; still waiting for {what}",
                    self.timeout
                )));
            }
        }
        ctx.printer.info(format!("\nAll active after {:.1} s", start.elapsed().as_secs_f64()));
        Ok(())
    }

    /// Deploys what is to be tried and says which applications there will be.
    async fn deploy(&self, ctx: &mut Context, session: &Session) -> Result<Vec<String>> {
        let mut expected = vec![];
        if let Some(bundle) = &self.bundle {
            expected.extend(bundle.applications());
            bundle::deploy(session, &mut ctx.printer, bundle.clone(), false).await?;
        }
        for path in &self.charms {
            let archive = CharmArchive::read(path).await?;
            let base = archive.name().to_owned();
            // The same charm twice is two applications.
            let name = (1..).map(|n| if n == 1 { base.clone() } else { format!("{base}-x{n}") });
            let name = name.into_iter().find(|it| !expected.contains(it)).unwrap_or(base);
            let request = charm::Request {
                path: path.clone(),
                application: Some(name.clone()),
                config: self.config.clone(),
                ..charm::Request::default()
            };
            charm::deploy(session, &mut ctx.printer, request).await?;
            expected.push(name);
        }
        for endpoints in &self.relations {
            let params = AddRelation { endpoints: endpoints.clone(), via_cidrs: vec![] };
            let reply = session.connection.call::<application::AddRelation>(params).await;
            reply.map_err(|e| {
                Error::from(e).context(format!("cannot integrate {}", endpoints.join(" and ")))
            })?;
        }
        Ok(expected)
    }

    async fn end(&self, ctx: &mut Context, started: Started, name: &str, failed: bool) -> Result {
        let machines = started.machines_dir();
        if self.keep {
            started.keep().await?;
            ctx.printer.info(format!(
                "Controller {name} is left running. Look at it with \"juju status -m {name}:{MODEL}\", remove it with \"juju \
                 destroy-controller --destroy-all-models {name}\".\nLogs are in {}",
                machines.join("*/var/log/juju").display()
            ));
            return Ok(());
        }
        if failed {
            let to = ctx.env.tmp.join(format!("juju-{name}-logs"));
            match save_logs(&machines, &to) {
                Ok(0) => {}
                Ok(_) => ctx.printer.info(format!("Logs are in {}", to.display())),
                Err(e) => ctx.printer.warning(format!("cannot save the logs in {}: {e}", to.display())),
            }
        }
        ctx.printer.progress("Removing the controller");
        let destroyed = started.destroy().await;
        local::unregister(&ctx.store, name)?;
        ctx.printer.end_progress();
        destroyed
    }
}

async fn add_model(ctx: &Context, controller: &Session) -> Result {
    let args = ModelCreateArgs {
        name: MODEL.to_owned(),
        owner_tag: format!("user-{ADMIN}"),
        cloud_tag: format!("cloud-{CLOUD}"),
        region: REGION.to_owned(),
        ..ModelCreateArgs::default()
    };
    let info = controller.connection.call::<model_manager::CreateModel>(args).await.map_err(Error::from)?;
    ctx.store
        .update(|file: &mut Models| {
            let models = file.controllers.entry(controller.controller.clone()).or_default();
            models.models.insert(format!("{ADMIN}/{MODEL}"), Model::new(&info.uuid, &info.type_));
        })
        .context("cannot write the model to the client store")
}

/// Shows each change until the model has settled.
async fn follow(ctx: &mut Context, session: &Session, expected: &[String], start: Instant) -> Result {
    let mut changes = Changes::default();
    let watcher = session.connection.call::<client::WatchAll>(()).await?;
    let mut watcher = session.connection.all_watcher(watcher.watcher_id);
    loop {
        let status = look(ctx, session).await?;
        for line in changes.since_last(&status, start.elapsed()) {
            ctx.printer.info(line);
        }
        match verdict(&status, expected) {
            Verdict::Active => return Ok(()),
            Verdict::Failed(why) => return Err(Error::failed(why)),
            Verdict::Waiting(what) => {
                ctx.printer
                    .progress(&format!("{:>6.1} s  waiting for {what}", start.elapsed().as_secs_f64()));
            }
        }
        // News wake this up; that a status is looked at now and then without any costs little.
        if let Ok(Err(e)) = tokio::time::timeout(LOOK, watcher.next()).await {
            return Err(e.into());
        }
    }
}

async fn look(ctx: &Context, session: &Session) -> Result<Status> {
    let reply = session.connection.call::<client::FullStatus>(StatusParams::default()).await?;
    let options = Options {
        controller: session.controller.clone(),
        zone: ctx.zone(false)?,
        relations: true,
        storage: false,
    };
    Ok(convert(&reply, &options))
}

/// Copies the logs of all machines; how many there were.
fn save_logs(machines: &Path, to: &Path) -> io::Result<usize> {
    let mut saved = 0;
    for machine in fs::read_dir(machines)? {
        let machine = machine?;
        let Ok(logs) = fs::read_dir(machine.path().join("var/log/juju")) else { continue };
        for log in logs.filter_map(|it| it.ok()).filter(|it| it.path().is_file()) {
            let dir = to.join(machine.file_name());
            juju_agent::files::create_dir_all(&dir, 0o700).map_err(|e| io::Error::other(e.to_string()))?;
            fs::copy(log.path(), dir.join(log.file_name()))?;
            saved += 1;
        }
    }
    Ok(saved)
}

/// Forgets controllers of earlier runs that were killed: the supervisor has destroyed them, but could not know of
/// the client store.
pub(super) fn prune(ctx: &Context) -> Result {
    let configs: BootstrapConfigs = ctx.store.read().context("cannot read the client store")?;
    let gone = configs.controllers.iter().filter(|(name, config)| {
        name.starts_with(PREFIX) && config.cloud_type == CLOUD && !Path::new(&config.endpoint).exists()
    });
    for (name, _) in gone {
        local::unregister(&ctx.store, name)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_saved_by_machine() {
        let dir = tempfile::tempdir().unwrap();
        let (machines, to) = (dir.path().join("machines"), dir.path().join("saved"));
        for (file, text) in
            [("a-0/var/log/juju/machine-0.log", "x"), ("b-1/var/log/juju/unit-web-0.log", "y")]
        {
            let path = machines.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(machines.join("c-2")).unwrap();
        assert_eq!(save_logs(&machines, &to).unwrap(), 2);
        assert_eq!(fs::read_to_string(to.join("b-1/unit-web-0.log")).unwrap(), "y");
    }
}
