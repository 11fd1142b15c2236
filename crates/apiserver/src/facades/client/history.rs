//! `StatusHistory`: what statuses were.

use jiff::{SignedDuration, Timestamp};
use juju_core::{Tag, status::HistoryKind};
use juju_state::{
    application,
    history::{Entry, Range},
    machine,
    status::StatusOf,
    unit,
};
use juju_wire::{
    Time,
    facade::client::{
        DetailedStatus, History, StatusHistoryFilter, StatusHistoryRequest, StatusHistoryRequests,
        StatusHistoryResult, StatusHistoryResults,
    },
};

use crate::{Ctx, Error, Result};

pub(super) async fn status_history(ctx: Ctx, args: StatusHistoryRequests) -> Result<StatusHistoryResults> {
    let mut results = vec![];
    for request in args.requests {
        results.push(match one(&ctx, &request).await {
            Ok(statuses) => StatusHistoryResult { history: History { statuses, error: None }, error: None },
            Err(err) => StatusHistoryResult { error: Some(err.into()), ..StatusHistoryResult::default() },
        });
    }
    Ok(StatusHistoryResults { results })
}

/// Oldest first.
async fn one(ctx: &Ctx, request: &StatusHistoryRequest) -> Result<Vec<DetailedStatus>> {
    let range = range(&request.filter, ctx.state().now())?;
    let fetching = |err: Error| {
        Error::new(err.code(), format_args!("fetching status history for {:?}: {err}", request.tag))
    };
    let of = subjects(ctx, request).map_err(fetching)?;
    let statuses: Vec<StatusOf> = of.iter().map(|(it, _)| it.clone()).collect();
    let mut entries = ctx.model().status_history(&statuses, range, &request.filter.exclude).await;
    entries.reverse();
    Ok(entries.iter().map(|it| detailed(it, &of)).collect())
}

/// The things whose histories are asked for, each with the kind under which its entries are told.
fn subjects(ctx: &Ctx, request: &StatusHistoryRequest) -> Result<Vec<(StatusOf, &'static str)>> {
    let (image, m) = (ctx.model().image(), ctx.model_uuid());
    let kind: HistoryKind = request.history_kind.parse().map_err(Error::not_valid)?;
    let tag = request.tag.parse::<Tag>();
    let wrong = |wants: &str| {
        Error::not_valid(format_args!("{:?} requires a {wants}, got {:?}", kind.as_str(), request.tag))
    };
    match (kind, tag) {
        (HistoryKind::Model, Ok(Tag::Model(uuid))) if uuid == *m => {
            Ok(vec![(StatusOf::Model, kind.as_str())])
        }
        (HistoryKind::Model, _) => Err(wrong("model")),
        (HistoryKind::Application, Ok(Tag::Application(name))) => {
            application::read(&image, m, &name)?;
            Ok(vec![(StatusOf::Application(name), kind.as_str())])
        }
        (HistoryKind::Application, _) => Err(wrong("application")),
        (HistoryKind::Unit | HistoryKind::UnitAgent | HistoryKind::Workload, Ok(Tag::Unit(name))) => {
            unit::read(&image, m, &name)?;
            let workload = (StatusOf::Workload(name.clone()), HistoryKind::Workload.as_str());
            let agent = (StatusOf::Agent(name), HistoryKind::UnitAgent.as_str());
            Ok(match kind {
                HistoryKind::Workload => vec![workload],
                HistoryKind::UnitAgent => vec![agent],
                _ => vec![workload, agent],
            })
        }
        (HistoryKind::Unit | HistoryKind::UnitAgent | HistoryKind::Workload, _) => Err(wrong("unit")),
        (HistoryKind::Machine | HistoryKind::Container, Ok(Tag::Machine(id))) => {
            machine::read(&image, m, &id)?;
            Ok(vec![(StatusOf::Instance(id), kind.as_str())])
        }
        (HistoryKind::MachineAgent | HistoryKind::ContainerAgent, Ok(Tag::Machine(id))) => {
            machine::read(&image, m, &id)?;
            Ok(vec![(StatusOf::Machine(id), kind.as_str())])
        }
        (HistoryKind::RemoteApplication, _) => {
            Err(Error::not_supported("applications of other models are not implemented"))
        }
        (_, _) => Err(wrong("machine")),
    }
}

/// Exactly one of the size, the date and the age says how far back.
fn range(filter: &StatusHistoryFilter, now: Timestamp) -> Result<Range> {
    let wrong =
        |why: &str| Error::not_valid(format_args!("cannot validate status history filter: {why} not valid"));
    match (filter.size, filter.date.0, filter.delta) {
        (0, None, 0) => Err(wrong("missing filter parameters")),
        (size, None, 0) => usize::try_from(size).map(Range::Newest).map_err(|_| wrong("negative size")),
        (0, Some(date), 0) => Ok(Range::Since(date)),
        (0, None, delta) => {
            let since = now.checked_sub(SignedDuration::from_nanos(delta));
            since.map(Range::Since).map_err(|_| wrong("age"))
        }
        (_, Some(_), 0) => Err(wrong("Size and Date together")),
        (_, None, _) => Err(wrong("Size and Delta together")),
        (_, Some(_), _) => Err(wrong("Date and Delta together")),
    }
}

fn detailed(entry: &Entry, of: &[(StatusOf, &'static str)]) -> DetailedStatus {
    let kind = of.iter().find(|(it, _)| it.name() == entry.of).map_or("", |(_, kind)| kind);
    DetailedStatus {
        status: entry.info.status.as_str().to_owned(),
        info: entry.info.message.clone(),
        data: entry.info.data.clone().into_iter().collect(),
        since: Time(entry.info.since),
        kind: kind.to_owned(),
        ..DetailedStatus::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_range() {
        let now = Timestamp::from_second(1000).unwrap();
        let at = Timestamp::from_second(900).unwrap();
        for (size, date, delta, expected) in [
            (20, None, 0, Ok(Range::Newest(20))),
            (0, Some(at), 0, Ok(Range::Since(at))),
            (0, None, 100_000_000_000, Ok(Range::Since(at))),
            (0, None, 0, Err("missing filter parameters")),
            (-1, None, 0, Err("negative size")),
            (1, Some(at), 0, Err("Size and Date together")),
            (1, None, 1, Err("Size and Delta together")),
            (0, Some(at), 1, Err("Date and Delta together")),
        ] {
            let filter = StatusHistoryFilter { size, date: Time(date), delta, exclude: vec![] };
            let expected =
                expected.map_err(|it| format!("cannot validate status history filter: {it} not valid"));
            assert_eq!(range(&filter, now).map_err(|it| it.to_string()), expected);
        }
    }
}
