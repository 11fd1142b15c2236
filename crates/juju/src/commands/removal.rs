//! What the commands that remove things have in common: a dry run, a question, and the list of what goes.

use juju_core::Tag;
use juju_wire::{facade::model_config, params::Entity};
use serde_json::Value;

use crate::{
    Context,
    api::Session,
    cli::confirm,
    error::{Error, Result},
};

/// Flags of all of them.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct RemovalFlags {
    /// Remove whatever goes wrong
    #[arg(long)]
    pub force: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    pub no_prompt: bool,
    /// With --force, do not wait for one step to end before the next
    #[arg(long)]
    pub no_wait: bool,
    /// Only show what would be removed
    #[arg(long)]
    pub dry_run: bool,
}

impl RemovalFlags {
    pub fn check(&self) -> Result {
        if self.no_wait && !self.force {
            return Err(Error::usage("--no-wait without --force not valid"));
        }
        Ok(())
    }

    pub fn max_wait(&self) -> Option<i64> {
        (self.force && self.no_wait).then_some(0)
    }
}

/// One thing that goes, or does not.
pub type Outcome = std::result::Result<Vec<String>, String>;

/// Whether the user is asked first: unless told otherwise, where the model wants it, which it does by default.
async fn asks_first(session: &Session, flags: &RemovalFlags) -> Result<bool> {
    if flags.no_prompt || flags.dry_run {
        return Ok(false);
    }
    let config = session.connection.call::<model_config::call::ModelGet>(()).await?.config;
    Ok(match config.get("mode").map(|it| &it.value) {
        None => true,
        Some(Value::String(modes)) => modes.split(',').any(|it| it.trim() == "requires-prompts"),
        Some(Value::Array(modes)) => modes.iter().any(|it| it == "requires-prompts"),
        Some(_) => false,
    })
}

/// Removes by `destroy`, whose argument says whether it is a dry run. Where the user is to be asked, a dry run shows
/// first what would go, and what could not be removed anyway ends the command there.
pub async fn perform(
    ctx: &mut Context,
    session: &Session,
    flags: &RemovalFlags,
    what: &str,
    destroy: impl AsyncFn(bool) -> Result<Vec<Outcome>>,
) -> Result {
    if flags.dry_run {
        return show(ctx, &destroy(true).await?);
    }
    if !asks_first(session, flags).await? {
        return show(ctx, &destroy(false).await?);
    }
    let planned = destroy(true).await?;
    ctx.printer.warning("This command will perform the following actions:");
    show(ctx, &planned)?;
    confirm::proceed(ctx, what)?;
    let failures: Vec<_> = destroy(false).await?.into_iter().filter(|it| it.is_err()).collect();
    show(ctx, &failures)
}

/// Prints what goes to standard output and failures as errors.
fn show(ctx: &mut Context, outcomes: &[Outcome]) -> Result {
    let mut failed = false;
    for outcome in outcomes {
        match outcome {
            Ok(lines) => {
                let text: String = lines.iter().map(|it| format!("{it}\n")).collect();
                ctx.printer.data(&text)?;
            }
            Err(message) => {
                ctx.printer.error(message);
                failed = true;
            }
        }
    }
    if failed { Err(Error::Silent(1)) } else { Ok(()) }
}

/// `- will remove storage data/0` and the like, for what goes along.
pub fn along(what: &str, tags: &[Entity]) -> Vec<String> {
    let id = |it: &Entity| it.tag.parse::<Tag>().map_or_else(|_| it.tag.clone(), |tag| tag.id());
    tags.iter().map(|it| format!("- will {what} {}", id(it))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_along_is_named() {
        let tags = ["unit-my-web-0", "storage-data-1"].map(|it| Entity { tag: it.into() });
        assert_eq!(along("remove unit", &tags[..1]), ["- will remove unit my-web/0"]);
        assert_eq!(along("detach storage", &tags[1..]), ["- will detach storage data/1"]);
    }
}
