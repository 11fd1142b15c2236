//! `juju refresh`.

use std::path::PathBuf;

use juju_core::{ApplicationName, Base};
use juju_wire::facade::application::{ApplicationGet, ApplicationSetCharm, call};

use crate::{
    Context,
    api::Session,
    cli::{
        About, Command,
        flags::{ModelFlags, Positional},
    },
    context::block_on,
    deploy::{
        archive::CharmArchive,
        charm::{self, ModelFacts},
        config,
        source::{Source, classify},
    },
    error::{Error, Result},
};

#[derive(clap::Args)]
pub struct Args {
    /// Operating system of the charm, such as ubuntu@24.04
    #[arg(long, value_name = "BASE", default_value = "")]
    base: String,
    /// Spaces of endpoints: [<default-space>] [<endpoint>=<space> ...]
    #[arg(long, value_name = "BINDINGS", default_value = "")]
    bind: String,
    /// Configuration to set along with it: a file of YAML or key=value
    #[arg(long, value_name = "FILE|KEY=VALUE")]
    config: Vec<String>,
    /// Refresh whatever the charm says it needs
    #[arg(long)]
    force: bool,
    /// Refresh although the charm does not say that it runs on the application's base
    #[arg(long)]
    force_base: bool,
    /// Refresh units in error too
    #[arg(long)]
    force_units: bool,
    /// The new charm, a directory or a .charm file
    #[arg(long, value_name = "PATH", default_value = "")]
    path: String,
    /// Let the application use the cloud's credentials, or not
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    trust: Option<bool>,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "refresh",
        aliases: &["upgrade-charm"],
        usage: "<application>",
        purpose: "Refresh an application's charm.",
        details: "The units get the charm at --path and run their upgrade-charm hook.",
        examples: &[("juju refresh web --path ./web", "")],
        see_also: &["deploy"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let application = self.positional.clone().one("no application specified")?;
        if !ApplicationName::is_valid(&application) {
            return Err(Error::usage(format!("invalid application name {application:?}")));
        }
        let path = match self.path.as_str() {
            "" => None,
            // Unlike in deploy, no dot is needed in front of it: it is a path whatever it looks like.
            path => match classify(&at_least_relative(path), |it| it.exists())? {
                Source::Path(path) => Some(path),
                _ => return Err(Error::failed(format!("no charm was found at {path:?}"))),
            },
        };
        let config = config::read(&self.config, &ctx.env)?;
        let bindings = config::bindings(&self.bind)?;
        let base: Option<Base> = match self.base.as_str() {
            "" => None,
            base => Some(base.parse().map_err(|e| Error::usage(format!("base {base:?} not valid: {e}")))?),
        };
        block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            let mut set = self.prepare(ctx, &session, &application, path, base).await?;
            set.config_settings = config.pairs;
            set.config_settings_yaml = config.yaml;
            set.endpoint_bindings = bindings;
            if let Some(trust) = self.trust {
                set.config_settings.insert("trust".to_owned(), trust.to_string());
            }
            session.connection.call::<call::SetCharm>(set).await?;
            session.close().await;
            Ok(())
        })
    }
}

fn at_least_relative(path: &str) -> String {
    if path.starts_with(['/', '.']) { path.to_owned() } else { format!("./{path}") }
}

impl Args {
    /// Uploads the new charm and says what is to be set.
    async fn prepare(
        &self,
        ctx: &mut Context,
        session: &Session,
        application: &str,
        path: Option<PathBuf>,
        base: Option<Base>,
    ) -> Result<ApplicationSetCharm> {
        let get = ApplicationGet { application: application.to_owned(), branch: "master".to_owned() };
        let current = session.connection.call::<call::GetCharmURLOrigin>(get).await?;
        if let Some(e) = current.error {
            return Err(e.into());
        }
        let Some(path) = path else {
            return Err(Error::failed(match current.charm_origin.source.as_str() {
                "local" => "refreshing a local charm requires either --path or --switch".to_owned(),
                _ => "charms from Charmhub cannot be refreshed yet; give a charm by --path".to_owned(),
            }));
        };
        let archive = CharmArchive::read(&path).await?;
        let facts = ModelFacts::ask(session).await?;
        // The application stays on its base unless another is asked for.
        let own = current.charm_origin.base.as_ref();
        let own = own.and_then(|it| Base::from_parts(&it.name, &it.channel).ok().flatten());
        let force = self.force || self.force_base;
        let base = charm::choose_base(&archive, &facts, base.or(own), &Default::default(), force)?;
        let mut uploaded =
            charm::send(session, &mut ctx.printer, &archive, &facts, &Default::default(), base).await?;
        if !current.charm_origin.architecture.is_empty() {
            uploaded.arch = current.charm_origin.architecture;
        }
        ctx.printer.info(format!(
            "Added local charm {:?}, revision {}, to the model",
            archive.name(),
            charm::revision_of(&uploaded.url, archive.revision())
        ));
        Ok(ApplicationSetCharm {
            application: application.to_owned(),
            charm_url: uploaded.url.clone(),
            charm_origin: Some(charm::origin(&uploaded)),
            generation: "master".to_owned(),
            force: self.force,
            force_base: force,
            force_units: self.force || self.force_units,
            ..ApplicationSetCharm::default()
        })
    }
}
