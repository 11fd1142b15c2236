//! Questions to the user.

use crate::{
    Context,
    error::{Error, Result},
};

/// Asks `Continue [y/N]? `; any other answer than yes is a refusal, told as `what: aborted`.
pub fn proceed(ctx: &mut Context, what: &str) -> Result {
    ctx.printer.raw("\nContinue [y/N]? ");
    let answer = ctx.read_line()?;
    if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Error::failed(format!("{what}: aborted")))
}

/// Has the name of a thing typed in, for what cannot be taken back.
pub fn by_name(ctx: &mut Context, name: &str, kind: &str, what: &str) -> Result {
    ctx.printer.raw(&format!("To continue, enter the name of the {kind} to be unregistered: "));
    let answer = ctx.read_line()?;
    if answer.trim() == name {
        return Ok(());
    }
    Err(Error::failed(format!("{what}: aborted")))
}
