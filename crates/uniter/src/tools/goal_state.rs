//! `goal-state`: the units and relations that there will be once all is settled.

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::{
    Call, Context, Definition, Failure, Io,
    output::{FORMAT_YAML, OUTPUT, Output},
};

pub(super) const DEFINITION: Definition = Definition {
    name: "goal-state",
    args: "",
    summary: "Print the status of the charm's peers and related units.",
    details: "Lists this application's units and, by endpoint, the related applications and their units, each with\n\
              its status and the time since when it has it.",
    flags: &[&FORMAT_YAML, &OUTPUT],
    parse: |args, _| {
        let output = Output::parse_yaml(args)?;
        args.finish()?;
        Ok(Box::new(GoalState { output }))
    },
};

struct GoalState {
    output: Output,
}

#[async_trait]
impl Call for GoalState {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let goal = context.goal_state().await?;
        let relations =
            goal.relations.iter().map(|(endpoint, members)| (endpoint.clone(), statuses(members)));
        let relations: Map<_, _> = relations.collect();
        let value = json!({ "units": statuses(&goal.units), "relations": relations });
        self.output.write(io, &value).await
    }
}

fn statuses(
    members: &std::collections::BTreeMap<String, juju_wire::facade::uniter::GoalStateStatus>,
) -> Value {
    let of = |it: &juju_wire::facade::uniter::GoalStateStatus| {
        // Juju's own format: a space where RFC 3339 has a T.
        let since = it.since.0.map(|at| at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()).unwrap_or_default();
        json!({ "status": it.status, "since": since })
    };
    Value::Object(members.iter().map(|(name, it)| (name.clone(), of(it))).collect())
}
