//! The unit, its application and its charm.

use juju_core::{CharmUrl, Tag};
use juju_state::cleanup::How;
use juju_wire::{
    facade::uniter::{
        CharmURLs, EntitiesCharmURL, EntityCharmURL, EntityWorkloadVersion, EntityWorkloadVersions,
        IntResult, IntResults, ResolvedModeResult, ResolvedModeResults, StringBoolResult, StringBoolResults,
        UnitRefreshResult, UnitRefreshResults,
    },
    params::*,
};

use super::caller;
use crate::{
    Ctx, Error, Result,
    bulk::{FromOutcome, FromResults as _, each, tags},
};

macro_rules! from_outcome {
    ($($result:ident: $value:ty, $pattern:pat => { $($field:ident: $it:expr),* };)*) => { $(
        impl FromOutcome<$value> for $result {
            fn value($pattern: $value) -> Self {
                $result { $($field: $it,)* ..Default::default() }
            }
            fn error(error: juju_wire::Error) -> Self {
                $result { error: Some(error), ..Default::default() }
            }
        }
    )* };
}
from_outcome! {
    IntResult: i64, it => { result: it };
    StringBoolResult: (String, bool), (text, ok) => { result: text, ok: ok };
    BoolResult: bool, it => { result: it };
    ResolvedModeResult: String, it => { mode: it };
}

impl FromOutcome<(String, String)> for UnitRefreshResult {
    fn value((life, resolved): (String, String)) -> Self {
        UnitRefreshResult { life, resolved, ..Default::default() }
    }
    /// This error is no pointer in Juju: it is always sent.
    fn error(error: juju_wire::Error) -> Self {
        UnitRefreshResult { error, ..Default::default() }
    }
}

pub(super) async fn refresh(ctx: Ctx, args: Entities) -> Result<UnitRefreshResults> {
    let one = async |tag: String| {
        let unit = ctx.model().unit(&caller::own_unit(&ctx, &tag)?)?;
        Ok((unit.life.to_string(), unit.resolved.as_str().to_owned()))
    };
    Ok(UnitRefreshResults { results: each(tags(args), one).await })
}

/// Of the unit, its application, or one of its subordinates' or its principal's.
pub(super) async fn life(ctx: Ctx, args: Entities) -> Result<LifeResults> {
    let one = async |tag: String| {
        let own = caller::unit(&ctx)?;
        match tag.parse() {
            Ok(Tag::Unit(name)) if name == *own => Ok(ctx.model().unit(&name)?.life.to_string()),
            Ok(Tag::Application(name)) if name == *own.app() => {
                Ok(ctx.model().application(&name)?.life.to_string())
            }
            _ => Err(Error::unauthorized()),
        }
    };
    Ok(LifeResults::from_results(each(tags(args), one).await))
}

pub(super) async fn resolved(ctx: Ctx, args: Entities) -> Result<ResolvedModeResults> {
    let one = async |tag: String| {
        let unit = ctx.model().unit(&caller::own_unit(&ctx, &tag)?)?;
        Ok(unit.resolved.as_str().to_owned())
    };
    Ok(ResolvedModeResults { results: each(tags(args), one).await })
}

pub(super) async fn clear_resolved(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    let one = async |tag: String| Ok(ctx.model().clear_resolved(&caller::own_unit(&ctx, &tag)?).await?);
    Ok(ErrorResults::from_results(each(tags(args), one).await))
}

pub(super) async fn destroy(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    let one =
        async |tag: String| Ok(ctx.model().destroy_unit(&caller::own_unit(&ctx, &tag)?, How::GENTLY).await?);
    Ok(ErrorResults::from_results(each(tags(args), one).await))
}

pub(super) async fn destroy_all_subordinates(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    let one =
        async |tag: String| Ok(ctx.model().destroy_subordinates(&caller::own_unit(&ctx, &tag)?).await?);
    Ok(ErrorResults::from_results(each(tags(args), one).await))
}

pub(super) async fn has_subordinates(ctx: Ctx, args: Entities) -> Result<BoolResults> {
    let one = async |tag: String| {
        let unit = ctx.model().unit(&caller::own_unit(&ctx, &tag)?)?;
        Ok(!unit.subordinates.is_empty())
    };
    Ok(BoolResults { results: each(tags(args), one).await })
}

pub(super) async fn ensure_dead(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    let one = async |tag: String| Ok(ctx.model().ensure_unit_dead(&caller::own_unit(&ctx, &tag)?).await?);
    Ok(ErrorResults::from_results(each(tags(args), one).await))
}

pub(super) async fn get_principal(ctx: Ctx, args: Entities) -> Result<StringBoolResults> {
    let one = async |tag: String| {
        let unit = ctx.model().unit(&caller::own_unit(&ctx, &tag)?)?;
        Ok(match &unit.principal {
            Some(principal) => (Tag::from(principal.clone()).to_string(), true),
            None => (String::new(), false),
        })
    };
    Ok(StringBoolResults { results: each(tags(args), one).await })
}

pub(super) async fn assigned_machine(ctx: Ctx, args: Entities) -> Result<StringResults> {
    let one = async |tag: String| {
        let machine = ctx.model().unit_machine(&caller::own_unit(&ctx, &tag)?)?;
        Ok(Tag::from(machine).to_string())
    };
    Ok(StringResults::from_results(each(tags(args), one).await))
}

pub(super) async fn availability_zone(ctx: Ctx, args: Entities) -> Result<StringResults> {
    let one = async |tag: String| {
        let machine = ctx.model().unit_machine(&caller::own_unit(&ctx, &tag)?)?;
        Ok(ctx.model().instance(&machine)?.hardware.availability_zone.clone().unwrap_or_default())
    };
    Ok(StringResults::from_results(each(tags(args), one).await))
}

/// Of an application: its charm, and whether units take it up in spite of failed hooks. Of a unit: the one it runs.
pub(super) async fn charm_url(ctx: Ctx, args: Entities) -> Result<StringBoolResults> {
    let one = async |tag: String| {
        let own = caller::unit(&ctx)?;
        match tag.parse() {
            Ok(Tag::Application(name)) if name == *own.app() => {
                let application = ctx.model().application(&name)?;
                Ok((application.charm_url.to_string(), application.force_charm))
            }
            Ok(Tag::Unit(name)) if name == *own => {
                let url = ctx.model().unit(&name)?.charm_url.clone();
                Ok((url.as_ref().map(CharmUrl::to_string).unwrap_or_default(), url.is_some()))
            }
            _ => Err(Error::unauthorized()),
        }
    };
    Ok(StringBoolResults { results: each(tags(args), one).await })
}

pub(super) async fn set_charm_url(ctx: Ctx, args: EntitiesCharmURL) -> Result<ErrorResults> {
    let one = async |it: EntityCharmURL| {
        let unit = caller::own_unit(&ctx, &it.tag)?;
        Ok(ctx.model().set_unit_charm_url(&unit, &url(&it.charm_url)?).await?)
    };
    Ok(ErrorResults::from_results(each(args.entities, one).await))
}

pub(super) async fn charm_modified_version(ctx: Ctx, args: Entities) -> Result<IntResults> {
    let one = async |tag: String| {
        let own = caller::unit(&ctx)?;
        match tag.parse() {
            Ok(Tag::Unit(name)) if name == *own => {}
            Ok(Tag::Application(name)) if name == *own.app() => {}
            _ => return Err(Error::unauthorized()),
        }
        Ok(i64::from(ctx.model().application(own.app())?.charm_modified_version))
    };
    Ok(IntResults { results: each(tags(args), one).await })
}

pub(super) async fn charm_archive_sha256(ctx: Ctx, args: CharmURLs) -> Result<StringResults> {
    let one = async |it: CharmURL| Ok(ctx.model().charm_archive(&url(&it.url)?)?.to_string());
    Ok(StringResults::from_results(each(args.urls, one).await))
}

fn url(text: &str) -> Result<CharmUrl> {
    text.parse().map_err(|_| Error::not_valid(format!("charm URL {text:?}")))
}

pub(super) async fn workload_version(ctx: Ctx, args: Entities) -> Result<StringResults> {
    let one = async |tag: String| Ok(ctx.model().workload_version(&caller::own_unit(&ctx, &tag)?)?);
    Ok(StringResults::from_results(each(tags(args), one).await))
}

pub(super) async fn set_workload_version(ctx: Ctx, args: EntityWorkloadVersions) -> Result<ErrorResults> {
    let one = async |it: EntityWorkloadVersion| {
        let unit = caller::own_unit(&ctx, &it.tag)?;
        Ok(ctx.model().set_workload_version(&unit, &it.workload_version).await?)
    };
    Ok(ErrorResults::from_results(each(args.entities, one).await))
}
