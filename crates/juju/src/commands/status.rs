//! `juju status`.

use std::time::Duration;

use juju_wire::facade::client::{FullStatus, StatusParams, call};

use crate::{
    Context,
    api::Session,
    cli::{
        About, Command, duration,
        flags::{ColorFlags, ModelFlags, OutputFlags, Positional},
    },
    context::block_on,
    error::{Error, Result},
    output::Format,
    printer::Output,
    status::{self, Options, Status, convert, oneline, summary, tabular},
};

#[derive(clap::Args)]
pub struct Args {
    /// Show the relations of the model in tables
    #[arg(long)]
    integrations: bool,
    /// Show the relations of the model in tables
    #[arg(long)]
    relations: bool,
    /// How often to try again
    #[arg(long, value_name = "N", default_value_t = 3)]
    retry_count: u32,
    /// How long to wait before trying again
    #[arg(long, value_name = "DURATION", default_value = "100ms", value_parser = duration::parse)]
    retry_delay: Duration,
    /// Show the storage of the model in tables
    #[arg(long)]
    storage: bool,
    /// Show times in UTC
    #[arg(long)]
    utc: bool,
    /// Show the status again and again, this far apart
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    watch: Option<Duration>,
    #[command(flatten)]
    color: ColorFlags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    positional: Positional,
}

/// What is asked for, checked.
struct Request {
    model: Option<String>,
    patterns: Vec<String>,
    options: Options,
    retries: u32,
    delay: Duration,
    watch: Option<Duration>,
    output: Output,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "status",
        aliases: &["show-status"],
        usage: "[<selector> [...]]",
        purpose: "Report the status of the model, its machines, applications and units.",
        details: "Selectors are names of machines, units or applications, in which * stands for anything, or status \
                  words such as active or error. Without one everything is shown.\n\nRelations and storage are sections \
                  of their own in tables, and always part of JSON and YAML.",
        examples: &[
            ("juju status", ""),
            ("juju status mysql --relations", ""),
            ("juju status --watch 5s", "Look every five seconds"),
            ("juju status --format json", ""),
        ],
        see_also: &["machines", "debug-log", "show-unit"],
        formats: &["tabular", "json", "yaml", "line", "oneline", "short", "summary"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.color.apply(ctx.printer.settings_mut())?;
        let request = self.check(ctx)?;
        block_on(request.run(ctx))
    }
}

impl Args {
    fn check(self, ctx: &mut Context) -> Result<Request> {
        let output = self.output.check(&Self::ABOUT)?;
        let is_table = output.format == Format::Tabular;
        let relations = self.relations || self.integrations;
        if !is_table {
            let given: Vec<_> = [(relations, "relations"), (self.storage, "storage")]
                .into_iter()
                .filter(|it| it.0)
                .map(|it| it.1)
                .collect();
            if !given.is_empty() {
                let verb = if given.len() > 1 { "options are" } else { "option is" };
                ctx.printer.info(format!(
                    "provided {} {verb} always enabled in non tabular formats",
                    given.join(", ")
                ));
            }
        }
        if self.watch.is_some_and(|it| it < Duration::from_millis(100)) {
            return Err(Error::usage("--watch must be at least 100ms"));
        }
        let options = Options {
            controller: String::new(),
            zone: ctx.zone(self.utc)?,
            relations: relations || !is_table,
            storage: self.storage || !is_table,
        };
        Ok(Request {
            model: self.model.model,
            patterns: self.positional.args,
            options,
            retries: self.retry_count,
            delay: self.retry_delay,
            watch: self.watch,
            output,
        })
    }
}

impl Request {
    async fn run(mut self, ctx: &mut Context) -> Result {
        let Some(every) = self.watch else { return self.once(ctx).await };
        loop {
            // The screen is emptied when there is something to put on it.
            self.once(ctx).await?;
            tokio::time::sleep(every).await;
        }
    }

    async fn once(&mut self, ctx: &mut Context) -> Result {
        let (reply, session) = self.fetch(ctx).await?;
        self.options.controller.clone_from(&session.controller);
        let status = convert(&reply, &self.options);
        if self.watch.is_some() {
            ctx.printer.clear_screen()?;
        }
        print(ctx, &self.output, &status)?;
        if is_empty(&reply) {
            let name = &session.open_model()?.name;
            ctx.printer.info(match self.patterns.len() {
                0 => format!("Model {name:?} is empty."),
                1 => "Nothing matched specified filter.".to_owned(),
                _ => "Nothing matched specified filters.".to_owned(),
            });
        }
        session.close().await;
        Ok(())
    }

    /// Asks, each time over a new connection.
    async fn fetch(&self, ctx: &Context) -> Result<(FullStatus, Session)> {
        let params = StatusParams { include_storage: self.options.storage, patterns: self.patterns.clone() };
        let mut tries = 0;
        loop {
            let session = Session::model(ctx, self.model.as_deref()).await?;
            match session.connection.call::<call::FullStatus>(params.clone()).await {
                Ok(reply) => return Ok((reply, session)),
                Err(e) if tries >= self.retries => return Err(e.into()),
                Err(e) => {
                    tracing::debug!(%e, "status failed, trying again");
                    tries += 1;
                    tokio::time::sleep(self.delay).await;
                }
            }
        }
    }
}

/// Prints a status in the format asked for.
pub fn print(ctx: &mut Context, output: &Output, status: &Status) -> Result {
    ctx.printer.value(output, status, |status, color| match output.format {
        Format::Oneline => oneline::render(status, color),
        Format::Summary => summary::render(status),
        _ => tabular::render(status, color),
    })
}

fn is_empty(status: &FullStatus) -> bool {
    status.machines.is_empty()
        && status.applications.is_empty()
        && status.remote_applications.is_empty()
        && status.offers.is_empty()
        && status.relations.is_empty()
}

/// Fetches the status of a model, for commands that show a part of it.
pub async fn fetch(session: &Session, patterns: Vec<String>) -> Result<FullStatus> {
    let params = StatusParams { include_storage: false, patterns };
    Ok(session.connection.call::<call::FullStatus>(params).await?)
}

/// Options for a part of a status.
pub fn options(session: &Session, zone: crate::output::time::Zone) -> status::Options {
    Options { controller: session.controller.clone(), zone, relations: false, storage: false }
}
