//! Where charms come from, and their endpoints.

use juju_charm::Relation;
use juju_core::Base;
use juju_state::{
    application::{CharmOrigin, Platform},
    relation::Endpoint,
};
use juju_wire::params;

use super::{base_from_wire, base_to_wire};
use crate::Result;

/// The origin of a charm, and the base that it was chosen for.
pub(crate) fn origin_from_wire(it: &params::CharmOrigin) -> Result<(CharmOrigin, Option<Base>)> {
    let base = it.base.as_ref().map(base_from_wire).transpose()?.flatten();
    let origin = CharmOrigin {
        source: it.source.clone(),
        kind: it.type_.clone(),
        id: it.id.clone(),
        hash: it.hash.clone(),
        revision: it.revision.and_then(|it| u32::try_from(it).ok()),
        track: it.track.clone(),
        risk: it.risk.clone(),
        branch: it.branch.clone(),
        platform: Platform {
            architecture: it.architecture.clone(),
            os: base.as_ref().map(|it| it.os.clone()).unwrap_or_default(),
            channel: base.as_ref().map(|it| it.channel.to_string()).unwrap_or_default(),
        },
    };
    Ok((origin, base))
}

/// `base` is what the application runs on.
pub(crate) fn origin_to_wire(it: &CharmOrigin, base: &Base) -> params::CharmOrigin {
    params::CharmOrigin {
        source: it.source.clone(),
        type_: it.kind.clone(),
        id: it.id.clone(),
        hash: it.hash.clone(),
        revision: it.revision.map(i64::from),
        track: it.track.clone(),
        risk: it.risk.clone(),
        branch: it.branch.clone(),
        architecture: it.platform.architecture.clone(),
        base: Some(base_to_wire(base)),
        ..params::CharmOrigin::default()
    }
}

/// `14/stable`, as far as anything is said; local charms have none.
pub(crate) fn channel_text(it: &CharmOrigin) -> String {
    [&it.track, &it.risk, &it.branch]
        .into_iter()
        .filter(|it| !it.is_empty())
        .cloned()
        .collect::<Vec<_>>()
        .join("/")
}

pub(crate) fn endpoint_to_wire(it: &Endpoint) -> params::CharmRelation {
    params::CharmRelation {
        name: it.name.to_string(),
        role: it.role.as_str().to_owned(),
        interface: it.interface.clone(),
        optional: it.optional,
        limit: it.limit.into(),
        scope: it.scope.as_str().to_owned(),
    }
}

pub(crate) fn relation_to_wire(it: &Relation) -> params::CharmRelation {
    params::CharmRelation {
        name: it.name.clone(),
        role: it.role.as_str().to_owned(),
        interface: it.interface.clone(),
        optional: it.optional,
        limit: it.limit.into(),
        scope: it.scope.as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_travel_with_their_base() {
        let wire = params::CharmOrigin {
            source: "local".into(),
            type_: "charm".into(),
            revision: Some(3),
            architecture: "amd64".into(),
            base: Some(params::Base { name: "ubuntu".into(), channel: "22.04/stable".into() }),
            ..params::CharmOrigin::default()
        };
        let (origin, base) = origin_from_wire(&wire).unwrap();
        let base = base.unwrap();
        assert_eq!((origin.revision, base.display().as_str()), (Some(3), "ubuntu@22.04"));
        assert_eq!(origin_to_wire(&origin, &base), wire);
        assert_eq!(channel_text(&origin), "");
        let hub = CharmOrigin { track: "14".into(), risk: "stable".into(), ..CharmOrigin::default() };
        assert_eq!(channel_text(&hub), "14/stable");
        let half = params::CharmOrigin {
            base: Some(params::Base { name: "ubuntu".into(), ..Default::default() }),
            ..wire
        };
        assert_eq!(origin_from_wire(&half).unwrap_err().code(), "not valid");
    }
}
