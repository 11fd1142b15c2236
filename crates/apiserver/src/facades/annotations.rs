//! `Annotations`: what clients note about things (Juju 3.6 `apiserver/facades/client/annotations`).

use juju_core::Tag;
use juju_wire::{
    facade::annotations::{
        AnnotationsGetResult, AnnotationsGetResults, AnnotationsSet, EntityAnnotations, call,
    },
    params::{Entities, ErrorResult, ErrorResults},
};

use crate::{
    Ctx, Error, Result, Router,
    bulk::{FromResults as _, each, tags},
};

pub(super) fn register(router: &mut Router) {
    router.on::<call::Get>(get).on::<call::Set>(set);
}

fn tag(text: &str) -> Result<Tag> {
    text.parse().map_err(|_| Error::bad_request(format_args!("{text:?} is not a valid tag")))
}

async fn get(ctx: Ctx, args: Entities) -> Result<AnnotationsGetResults> {
    let one = |entity: String| {
        let found = tag(&entity).and_then(|it| Ok(ctx.model().annotations(&it)?));
        match found {
            Ok(annotations) => AnnotationsGetResult { entity, annotations, error: None },
            Err(err) => AnnotationsGetResult {
                entity,
                error: Some(ErrorResult { error: Some(err.into()) }),
                ..AnnotationsGetResult::default()
            },
        }
    };
    Ok(AnnotationsGetResults { results: tags(args).map(one).collect() })
}

async fn set(ctx: Ctx, args: AnnotationsSet) -> Result<ErrorResults> {
    let one =
        async |it: EntityAnnotations| Ok(ctx.model().annotate(&tag(&it.entity)?, &it.annotations).await?);
    Ok(ErrorResults::from_results(each(args.annotations, one).await))
}
