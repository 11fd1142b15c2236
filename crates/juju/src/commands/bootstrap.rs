//! `juju bootstrap`.

use std::time::SystemTime;

use juju_core::{Base, ControllerName, ModelName, version};
use juju_wire::facade::model_manager::{ModelCreateArgs, call};

use super::config_values;
use crate::{
    Context,
    api::Open,
    bootstrap::{
        Plan,
        jujud::Binaries,
        local::{self, Host},
        plan::{ADMIN, CLOUD, REGION, Wishes},
        ssh_keys,
    },
    cells,
    cli::{
        About, Command,
        flags::{Positional, no_more},
    },
    context::block_on,
    deploy::constraints,
    error::{Context as _, Error, Result},
    output::Table,
    store::{Clouds, Controllers, Model, Models},
};

#[derive(clap::Args)]
pub struct Args {
    /// Add a model of this name to the new controller
    #[arg(long, value_name = "NAME", default_value = "")]
    add_model: String,
    /// Version of the agents; only that of this client is there
    #[arg(long, value_name = "VERSION", default_value = "")]
    agent_version: String,
    /// Operating system of the controller's machine
    #[arg(long, value_name = "BASE", default_value = "")]
    bootstrap_base: String,
    /// Constraints of the controller's machine
    #[arg(long, value_name = "CONSTRAINTS")]
    bootstrap_constraints: Vec<String>,
    /// List the clouds that a controller can be made in
    #[arg(long)]
    clouds: bool,
    /// Configuration of the controller and its model: a file of YAML or key=value
    #[arg(long, value_name = "FILE|KEY=VALUE")]
    config: Vec<String>,
    /// Constraints of the controller's model
    #[arg(long, value_name = "CONSTRAINTS")]
    constraints: Vec<String>,
    /// Configuration of every new model: a file of YAML or key=value
    #[arg(long, value_name = "FILE|KEY=VALUE")]
    model_default: Vec<String>,
    /// Do not make the new controller the current one
    #[arg(long)]
    no_switch: bool,
    /// List the regions of a cloud
    #[arg(long, value_name = "CLOUD", default_value = "")]
    regions: String,
    #[command(flatten)]
    positional: Positional,
}

/// What is asked for, checked.
struct Request {
    wishes: Wishes,
    make_current: bool,
    add_model: Option<String>,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "bootstrap",
        usage: "[<cloud name>[/region] [<controller name>]]",
        purpose: "Initializes a cloud environment.",
        details: "Makes a controller. In the cloud \"local\" it and all its machines are processes of this host: they need \
                  no privileges and are not isolated from it, so charms there have the rights of the user who \
                  bootstraps.\n\n--config takes keys of the controller, such as api-port, and of its model alike.",
        examples: &[
            ("juju bootstrap local", ""),
            ("juju bootstrap local mycontroller --config api-port=17070", ""),
        ],
        see_also: &["add-model", "controllers", "destroy-controller", "try"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        if self.clouds {
            return clouds(ctx);
        }
        if !self.regions.is_empty() {
            return regions(ctx, &self.regions);
        }
        let request = self.check(ctx)?;
        if nix::unistd::geteuid().is_root() {
            ctx.printer
                .warning("charms in the local cloud are not isolated: they will run as root on this host");
        }
        block_on(request.run(ctx))
    }
}

impl Args {
    fn check(self, ctx: &Context) -> Result<Request> {
        let mut args = self.positional.args.into_iter();
        let cloud = args.next().ok_or_else(|| {
            Error::usage("no cloud specified: \"juju bootstrap local\" makes a controller on this host")
        })?;
        let name = args.next();
        no_more(&args.collect::<Vec<_>>())?;
        check_cloud(ctx, &cloud)?;
        let name = name.unwrap_or_else(|| format!("{CLOUD}-{REGION}"));
        if !ControllerName::is_valid(&name) {
            return Err(Error::usage(format!(
                "{name:?} is not a valid name: controller names may only contain lowercase letters, digits and hyphens"
            )));
        }
        if !self.agent_version.is_empty() && self.agent_version != version::CURRENT.to_string() {
            return Err(Error::usage(format!(
                "--agent-version {}: only version {} can be bootstrapped",
                self.agent_version,
                version::CURRENT
            )));
        }
        let base: Option<Base> = match self.bootstrap_base.as_str() {
            "" => None,
            base => Some(base.parse().map_err(|e| Error::usage(format!("base {base:?} not valid: {e}")))?),
        };
        let add_model = Some(self.add_model).filter(|it| !it.is_empty());
        if let Some(model) = add_model.as_ref().filter(|it| !ModelName::is_valid(it)) {
            return Err(Error::usage(format!(
                "{model:?} is not a valid name: model names may only contain lowercase letters, digits and hyphens"
            )));
        }
        let constraints = constraints::parse(&self.constraints)?;
        let mut config = config_values::parse(&self.config)?.into_typed(&ctx.env)?;
        ssh_keys::add(&mut config, &ctx.env)?;
        let wishes = Wishes {
            name,
            config,
            model_defaults: config_values::parse(&self.model_default)?.into_typed(&ctx.env)?,
            constraints: constraints::parse(&self.bootstrap_constraints)?.or(&constraints),
            base,
        };
        Ok(Request { wishes, make_current: !self.no_switch, add_model })
    }
}

fn check_cloud(ctx: &Context, cloud: &str) -> Result {
    let (name, region) = cloud.split_once('/').unwrap_or((cloud, REGION));
    if name == CLOUD {
        return match region {
            REGION => Ok(()),
            region => Err(Error::failed(format!("region {region:?} for cloud {name:?} not valid"))),
        };
    }
    let clouds: Clouds = ctx.store.read().context("cannot read the client store")?;
    Err(Error::failed(match clouds.clouds.get(name) {
        Some(known) => format!(
            "controllers cannot be made in clouds of type {:?} yet, only in {CLOUD:?}",
            known.cloud_type
        ),
        None => format!("unknown cloud {name:?}, please try {CLOUD:?}"),
    }))
}

impl Request {
    async fn run(self, ctx: &mut Context) -> Result {
        let name = self.wishes.name.clone();
        let controllers: Controllers = ctx.store.read().context("cannot read the client store")?;
        if controllers.controllers.contains_key(&name) {
            return Err(Error::failed(format!("controller {name:?} already exists")));
        }
        let binaries = Binaries::find(&ctx.env)?;
        // A store that cannot be written is found out now and not when the controller is there.
        drop(ctx.store.lock().context("cannot write the client store")?);
        ctx.printer.info(format!("Creating Juju controller {name:?} on {CLOUD}/{REGION}"));
        let plan = Plan::make(self.wishes.clone(), ctx.store.dir(), SystemTime::now())?;
        let host = Host::of(&ctx.env);
        let started = local::create(&plan, &binaries, &host, &mut ctx.printer, interrupted())
            .await
            .map_err(|e| e.context("failed to bootstrap model"))?;
        if let Err(e) = local::register(&ctx.store, &plan, self.make_current) {
            started.destroy().await?;
            return Err(e);
        }
        started.keep().await?;
        ctx.printer.info(format!(
            "\nBootstrap complete, controller {name:?} is now available\nController machines are in the \"controller\" \
             model"
        ));
        match &self.add_model {
            Some(model) => self.add(ctx, &name, model).await,
            None => {
                ctx.printer.info(
                    "\nNow you can run\n\tjuju add-model <model-name>\nto create a new model to deploy workloads.",
                );
                Ok(())
            }
        }
    }

    /// The first model, which the user asked for along with its controller.
    async fn add(&self, ctx: &mut Context, controller: &str, model: &str) -> Result {
        let session = Open::controller(ctx, controller)?.connect().await?;
        let args = ModelCreateArgs {
            name: model.to_owned(),
            owner_tag: format!("user-{ADMIN}"),
            cloud_tag: format!("cloud-{CLOUD}"),
            region: REGION.to_owned(),
            ..ModelCreateArgs::default()
        };
        let info = session.connection.call::<call::CreateModel>(args).await.map_err(Error::from)?;
        session.close().await;
        let name = format!("{ADMIN}/{model}");
        ctx.store
            .update(|file: &mut Models| {
                let models = file.controllers.entry(controller.to_owned()).or_default();
                models.models.insert(name.clone(), Model::new(&info.uuid, &info.type_));
                models.current_model = name;
            })
            .context("cannot write the new model to the client store")?;
        ctx.printer.info(format!("\nInitial model {model:?} added"));
        Ok(())
    }
}

/// Waits for Ctrl-C or SIGTERM and says which.
pub(super) async fn interrupted() -> &'static str {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut int), Ok(mut term)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        // Without handlers the signals do what they always do: they end the process.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = int.recv() => "an interrupt",
        _ = term.recv() => "SIGTERM",
    }
}

fn clouds(ctx: &mut Context) -> Result {
    ctx.printer.info("You can bootstrap on these clouds. See '--regions <cloud>' for all regions.");
    let mut table = Table::new(&["Cloud", "Credentials", "Default Region"]);
    table.row(cells![CLOUD, "", REGION]);
    ctx.printer.table(&table)
}

fn regions(ctx: &mut Context, cloud: &str) -> Result {
    check_cloud(ctx, cloud)?;
    ctx.printer.info(format!("Showing regions for {CLOUD}:"));
    ctx.printer.data(&format!("{REGION}\n"))
}
