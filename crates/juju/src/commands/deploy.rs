//! `juju deploy`.

use juju_core::{ApplicationName, Base};

use crate::{
    Context,
    api::Session,
    cli::{
        About, Command,
        flags::{ModelFlags, Positional, no_more},
    },
    context::block_on,
    deploy::{
        bundle, charm, config, constraints,
        repository::{self, FromRepository},
        source::{Source, classify},
    },
    error::{Error, Result},
};

#[derive(clap::Args)]
pub struct Args {
    /// Operating system of the application's machines, such as ubuntu@24.04
    #[arg(long, value_name = "BASE", default_value = "")]
    base: String,
    /// Spaces of endpoints: [<default-space>] [<endpoint>=<space> ...]
    #[arg(long, value_name = "BINDINGS", default_value = "")]
    bind: String,
    /// Channel of the charm on Charmhub
    #[arg(long, value_name = "CHANNEL", default_value = "")]
    channel: String,
    /// Configuration of the application: a file of YAML or key=value
    #[arg(long, value_name = "FILE|KEY=VALUE")]
    config: Vec<String>,
    /// What the application's machines must have
    #[arg(long, value_name = "CONSTRAINTS")]
    constraints: Vec<String>,
    /// Only show what would be deployed
    #[arg(long)]
    dry_run: bool,
    /// Deploy whatever the charm says it needs
    #[arg(long)]
    force: bool,
    /// How many units to deploy
    #[arg(long, short, value_name = "N")]
    num_units: Option<i64>,
    /// Further documents of a bundle
    #[arg(long, value_name = "FILE")]
    overlay: Vec<String>,
    /// Revision of the charm on Charmhub
    #[arg(long, value_name = "N")]
    revision: Option<i64>,
    /// Machines or containers for the units, separated by commas
    #[arg(long, value_name = "PLACES", default_value = "")]
    to: String,
    /// Let the application use the cloud's credentials
    #[arg(long)]
    trust: bool,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "deploy",
        usage: "<charm or bundle> [<application name>]",
        purpose: "Deploys a new application or bundle.",
        details: "A charm of this host is a directory or a .charm file, named by a path that begins with \"/\" or \".\"; a \
                  bundle is a bundle.yaml or a directory with one. Any other name is one on Charmhub.",
        examples: &[
            ("juju deploy ./mycharm", ""),
            ("juju deploy ./mycharm.charm web -n 2 --config port=8080", ""),
            ("juju deploy ./mycharm --to 0", "Put the unit on a machine that is there"),
            ("juju deploy ./bundle.yaml", ""),
        ],
        see_also: &["add-unit", "config", "integrate", "refresh", "try"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let model = self.model.model.clone();
        let (what, application) = self.what()?;
        let source = classify(&what, |path| path.exists())?;
        if let Source::Path(path) = &source
            && let Some(bundle) = bundle::find(path)?
        {
            self.check_for_bundle()?;
            if application.is_some() {
                return Err(Error::failed("this is a bundle: its applications have names already"));
            }
            let bundle = bundle::read(&bundle, &self.overlay, &ctx.env)?;
            return block_on(async {
                let session = Session::model(ctx, model.as_deref()).await?;
                bundle::deploy(&session, &mut ctx.printer, bundle, self.dry_run).await?;
                session.close().await;
                Ok(())
            });
        }
        if !self.overlay.is_empty() {
            return Err(Error::failed(
                "options provided but not supported when deploying a charm: --overlay",
            ));
        }
        let request = self.request(ctx, application)?;
        block_on(async {
            let session = Session::model(ctx, model.as_deref()).await?;
            match source {
                Source::Path(path) => {
                    if self.dry_run {
                        ctx.printer.info("ignoring dry-run flag for local charms");
                    }
                    let request = charm::Request { path, ..request };
                    charm::deploy(&session, &mut ctx.printer, request).await?;
                }
                Source::Stored(url) => {
                    charm::deploy_stored(&session, &mut ctx.printer, &url, request).await?
                }
                Source::Repository(name) => {
                    let from = FromRepository {
                        name,
                        channel: self.channel.clone(),
                        revision: self.revision,
                        dry_run: self.dry_run,
                    };
                    repository::deploy(&session, &mut ctx.printer, from, request).await?;
                }
            }
            session.close().await;
            Ok(())
        })
    }
}

impl Args {
    fn what(&self) -> Result<(String, Option<String>)> {
        let mut args = self.positional.args.clone().into_iter();
        let what = args.next().ok_or_else(|| Error::usage("no charm or bundle specified"))?;
        let application = args.next();
        no_more(&args.collect::<Vec<_>>())?;
        if let Some(name) = application.as_ref().filter(|it| !ApplicationName::is_valid(it)) {
            return Err(Error::usage(format!(
                "invalid application name {name:?}, unexpected character or form: it has lower-case letters, digits and \
                 hyphens, begins with a letter and has a letter in its last part"
            )));
        }
        Ok((what, application))
    }

    fn request(&self, ctx: &Context, application: Option<String>) -> Result<charm::Request> {
        if self.num_units.is_some_and(|it| it < 0) {
            return Err(Error::usage("--num-units must not be negative"));
        }
        let base: Option<Base> = match self.base.as_str() {
            "" => None,
            base => Some(base.parse().map_err(|e| Error::usage(format!("base {base:?} not valid: {e}")))?),
        };
        Ok(charm::Request {
            path: Default::default(),
            application,
            num_units: self.num_units,
            config: config::read(&self.config, &ctx.env)?,
            to: self.to.clone(),
            constraints: constraints::parse(&self.constraints)?,
            bindings: config::bindings(&self.bind)?,
            trust: self.trust,
            base,
            force: self.force,
        })
    }

    /// Bundles say most things themselves.
    fn check_for_bundle(&self) -> Result {
        let given: Vec<_> = [
            (!self.base.is_empty(), "base"),
            (!self.bind.is_empty(), "bind"),
            (!self.config.is_empty(), "config"),
            (!self.constraints.is_empty(), "constraints"),
            (self.num_units.is_some(), "num-units"),
            (!self.to.is_empty(), "to"),
        ]
        .into_iter()
        .filter(|it| it.0)
        .map(|it| format!("--{}", it.1))
        .collect();
        if given.is_empty() {
            return Ok(());
        }
        Err(Error::failed(format!(
            "options provided but not supported when deploying a bundle: {}",
            given.join(", ")
        )))
    }
}
