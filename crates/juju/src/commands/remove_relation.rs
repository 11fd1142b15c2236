//! `juju remove-relation`.

use juju_wire::facade::application::{DestroyRelation, call};

use super::integrate;
use crate::{
    Context,
    api::Session,
    cli::{
        About, Command,
        flags::{ModelFlags, Positional},
    },
    context::block_on,
    error::{Error, Result},
};

#[derive(clap::Args)]
pub struct Args {
    /// Remove it whatever goes wrong
    #[arg(long)]
    force: bool,
    /// With --force, do not wait for one step to end before the next
    #[arg(long)]
    no_wait: bool,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "remove-relation",
        usage: "<application>[:<endpoint>] <application>[:<endpoint>] | <relation-id>",
        purpose: "Remove an existing relation between two applications.",
        details: "A relation is named by its two applications, in any order, or by its id, which \"juju show-unit\" \
                  tells.",
        examples: &[("juju remove-relation mysql wordpress", ""), ("juju remove-relation 4", "")],
        see_also: &["integrate"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        if self.no_wait && !self.force {
            return Err(Error::usage("--no-wait without --force not valid"));
        }
        let (endpoints, relation_id) = target(self.positional.args)?;
        let params = DestroyRelation {
            endpoints,
            relation_id,
            force: self.force,
            max_wait: (self.force && self.no_wait).then_some(0),
        };
        block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            session.connection.call::<call::DestroyRelation>(params).await?;
            session.close().await;
            Ok(())
        })
    }
}

fn target(args: Vec<String>) -> Result<(Vec<String>, i64)> {
    if let [id] = args.as_slice() {
        let id = id.parse::<i64>().ok().filter(|it| *it >= 0);
        let id = id.ok_or_else(|| Error::usage("a relation must involve two applications"))?;
        return Ok((vec![], id));
    }
    Ok((integrate::endpoints(args)?, 0))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_relation_is_two_applications_or_an_id() {
        let target = |args: &[&str]| super::target(args.iter().map(|it| (*it).to_owned()).collect()).ok();
        assert_eq!(target(&["4"]), Some((vec![], 4)));
        assert_eq!(target(&["a", "b:c"]), Some((vec!["a".into(), "b:c".into()], 0)));
        for args in [&["-1"][..], &["a"], &[], &["a", "b", "c"]] {
            assert_eq!(target(args), None);
        }
    }
}
