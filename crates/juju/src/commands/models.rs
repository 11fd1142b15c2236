//! `juju models`.

use jiff::Timestamp;
use juju_core::{CredentialId, TagId};
use juju_wire::{
    codec::Time,
    facade::model_manager::{ModelSummariesRequest, ModelSummary, ModelSummaryResult, call},
};
use serde::Serialize;

use super::whoami::unqualified;
use crate::{
    Context,
    api::{self, Session},
    cells,
    cli::{
        About, Command,
        flags::{ControllerFlags, OutputFlags, Positional},
    },
    context::block_on,
    error::{Context as _, Result},
    output::{Cell, Format, Table, Tone, time::relative},
    store::{Model, Models},
};

#[derive(clap::Args)]
pub struct Args {
    /// List all models, whoever may use them
    #[arg(long)]
    all: bool,
    /// Show whole times
    #[arg(long)]
    exact_time: bool,
    /// The user whose models are listed
    #[arg(long, value_name = "USER", default_value = "")]
    user: String,
    /// Show UUIDs
    #[arg(long)]
    uuid: bool,
    #[command(flatten)]
    controller: ControllerFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "models",
        aliases: &["list-models"],
        purpose: "List models a user can access on a controller.",
        details: "The model in focus is marked with an asterisk.",
        examples: &[("juju models", ""), ("juju models -c mycontroller --uuid", "")],
        see_also: &["add-model", "switch"],
        formats: &["tabular", "json", "yaml"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.positional.clone().none()?;
        let output = self.output.clone().check(&Self::ABOUT)?;
        let set = block_on(fetch(ctx, &self))?;
        let is_empty = set.models.is_empty();
        ctx.printer.value(&output, &set, |set, color| {
            format!("Controller: {}\n\n{}", set.controller, table(set, self.uuid).render(color))
        })?;
        if is_empty && output.format == Format::Tabular {
            ctx.printer.info(
                "There are no models available. You can add models with\n\"juju add-model\", or you can ask an \
                 administrator or owner\nof a model to grant access to that model with \"juju grant\".",
            );
        }
        Ok(())
    }
}

async fn fetch(ctx: &Context, args: &Args) -> Result<Set> {
    let session = Session::controller(ctx, args.controller.controller.as_deref()).await?;
    let user = if args.user.is_empty() { session.user.clone() } else { args.user.clone() };
    let request = ModelSummariesRequest { all: args.all, user_tag: format!("user-{user}") };
    let reply = session.connection.call::<call::ListModelSummaries>(request).await;
    let results = api::call(reply, "cannot list models")?.results;
    let models: Vec<_> = results
        .into_iter()
        .filter_map(|ModelSummaryResult { result, error }| match (result, error) {
            (Some(result), _) => Some(result),
            (None, error) => {
                tracing::warn!(error = error.map(|it| it.message), "a model cannot be shown");
                None
            }
        })
        .collect();
    // What everybody may see is not what this user may use: only an own list is kept.
    if user == session.user && !args.all {
        remember(ctx, &session.controller, &models)?;
    }
    let stored: Models = ctx.store.read().context("cannot read the client store")?;
    let current = stored.current(&session.controller).map(String::from);
    let shown = models.iter().map(|it| shown(it, &session.controller, ctx.now(), args.exact_time)).collect();
    let set = Set { models: shown, current_model: current, controller: session.controller.clone(), user };
    session.close().await;
    Ok(set)
}

fn remember(ctx: &Context, controller: &str, models: &[ModelSummary]) -> Result {
    let models = models
        .iter()
        .map(|it| (format!("{}/{}", owner(it), it.name), Model::new(&it.uuid, &it.type_)))
        .collect();
    ctx.store
        .update(|file: &mut Models| {
            file.controllers.entry(controller.to_owned()).or_default().replace(models)
        })
        .context("cannot update the models in the client store")
}

fn owner(model: &ModelSummary) -> &str {
    model.owner_tag.strip_prefix("user-").unwrap_or(&model.owner_tag)
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Set {
    models: Vec<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_model: Option<String>,
    #[serde(skip)]
    controller: String,
    #[serde(skip)]
    user: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Shown {
    /// `owner/name`.
    name: String,
    short_name: String,
    model_uuid: String,
    model_type: String,
    controller_uuid: String,
    controller_name: String,
    is_controller: bool,
    owner: String,
    cloud: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    region: String,
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    provider_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    credential: Option<Credential>,
    life: String,
    status: Status,
    access: String,
    last_connection: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    sla: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    agent_version: String,
    #[serde(skip)]
    counts: Counts,
}

#[derive(Debug, Serialize)]
struct Credential {
    name: String,
    owner: String,
    cloud: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Status {
    current: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    since: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    migration: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    migration_start: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    migration_end: String,
}

#[derive(Debug, Default)]
struct Counts {
    machines: Option<i64>,
    cores: Option<i64>,
    units: Option<i64>,
}

fn shown(model: &ModelSummary, controller: &str, now: Timestamp, exact: bool) -> Shown {
    let when = |at: Timestamp| if exact { at.to_string() } else { relative(at, now) };
    let optional = |at: Option<Time>| at.and_then(|it| it.0).map(when).unwrap_or_default();
    let count = |what: &str| model.counts.iter().find(|it| it.entity == what).map(|it| it.count);
    let status = model.status.clone().unwrap_or_default();
    let migration = model.migration.clone().unwrap_or_default();
    let credential = CredentialId::from_tag(&model.cloud_credential_tag).ok().map(|it| Credential {
        name: it.name().to_owned(),
        owner: it.owner().to_string(),
        cloud: it.cloud().to_string(),
    });
    Shown {
        name: format!("{}/{}", owner(model), model.name),
        short_name: model.name.clone(),
        model_uuid: model.uuid.clone(),
        model_type: model.type_.clone(),
        controller_uuid: model.controller_uuid.clone(),
        controller_name: controller.to_owned(),
        is_controller: model.is_controller,
        owner: owner(model).to_owned(),
        cloud: model.cloud_tag.strip_prefix("cloud-").unwrap_or_default().to_owned(),
        region: model.cloud_region.clone(),
        provider_type: model.provider_type.clone(),
        credential,
        life: model.life.clone(),
        status: Status {
            current: status.status,
            message: status.info,
            reason: status.data.get("reason").and_then(|it| it.as_str()).unwrap_or_default().to_owned(),
            since: status.since.0.map(when).unwrap_or_default(),
            migration: migration.status,
            migration_start: migration.start.0.map(when).unwrap_or_default(),
            migration_end: optional(migration.end),
        },
        access: model.user_access.clone(),
        last_connection: model.last_connection.0.map_or_else(|| "never connected".to_owned(), when),
        sla: model.sla.level.clone(),
        agent_version: model.agent_version.clone(),
        counts: Counts { machines: count("machines"), cores: count("cores"), units: count("units") },
    }
}

fn table(set: &Set, uuid: bool) -> Table {
    let mut header = vec!["Model"];
    header.extend(uuid.then_some("UUID"));
    header.extend([
        "Cloud/Region",
        "Type",
        "Status",
        "Machines",
        "Cores",
        "Units",
        "Access",
        "Last connection",
    ]);
    let first_number = 4 + usize::from(uuid);
    let mut table = Table::new(&header).align_right(&[first_number, first_number + 1, first_number + 2]);
    for model in &set.models {
        let name = unqualified(&model.name, &set.user);
        let is_current = set.current_model.as_deref() == Some(&model.name);
        let mut row =
            vec![if is_current { Cell::toned(format!("{name}*"), Tone::Good) } else { name.into() }];
        row.extend(uuid.then(|| model.model_uuid.as_str().into()));
        let cloud = if model.region.is_empty() {
            model.cloud.clone()
        } else {
            format!("{}/{}", model.cloud, model.region)
        };
        let number = |n: Option<i64>, none: &str| n.map_or(none.to_owned(), |it| it.to_string());
        row.extend(cells![cloud, model.provider_type.as_str()]);
        row.push(Cell::status(&model.status.current));
        row.extend(cells![
            number(model.counts.machines, "0"),
            number(model.counts.cores, "-"),
            number(model.counts.units, "-"),
            model.access.as_str(),
            model.last_connection.as_str(),
        ]);
        table.row(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use juju_wire::codec::De;

    use super::*;
    use crate::output::json;

    fn example() -> Set {
        let text = r#"[{"name":"controller","uuid":"77aa","type":"iaas","controller-uuid":"0c2b","is-controller":true,
            "owner-tag":"user-admin","cloud-tag":"cloud-local","cloud-region":"default","provider-type":"local","life":"alive",
            "status":{"status":"available","info":"","since":"2026-03-02T08:00:00Z"},"user-access":"admin",
            "counts":[{"entity":"machines","count":1},{"entity":"units","count":1}],"sla":{"level":"","owner":"admin"},
            "last-connection":"2026-03-02T09:59:59.5Z","agent-version":"3.6.28"},
            {"name":"demo","uuid":"5d9f","type":"iaas","controller-uuid":"0c2b","owner-tag":"user-bob","cloud-tag":"cloud-local",
            "cloud-credential-tag":"cloudcred-local_admin_default","life":"alive","counts":null,"user-access":"read",
            "last-connection":null,"status":{"status":"available","info":"","since":"2026-03-02T09:00:00Z"},"agent-version":"3.6.28"}]"#;
        let models: Vec<De<ModelSummary>> = serde_json::from_str(text).unwrap();
        let now = "2026-03-02T10:00:00Z".parse().unwrap();
        Set {
            models: models.iter().map(|it| shown(&it.0, "lab", now, false)).collect(),
            current_model: Some("admin/controller".into()),
            controller: "lab".into(),
            user: "admin".into(),
        }
    }

    #[test]
    fn the_table_is_jujus() {
        assert_eq!(
            table(&example(), false).render(false),
            "\
Model        Cloud/Region   Type   Status     Machines  Cores  Units  Access  Last connection
controller*  local/default  local  available         1      -      1  admin   just now
bob/demo     local                 available         0      -      -  read    never connected
"
        );
        assert!(table(&example(), true).render(false).starts_with("Model        UUID  Cloud/Region"));
    }

    #[test]
    fn json_has_jujus_keys() {
        let value: serde_json::Value = serde_json::from_str(&json::to_string(&example())).unwrap();
        assert_eq!(value["current-model"], "admin/controller");
        assert_eq!(
            value["models"][1],
            serde_json::json!({"name": "bob/demo", "short-name": "demo", "model-uuid": "5d9f", "model-type": "iaas",
                "controller-uuid": "0c2b", "controller-name": "lab", "is-controller": false, "owner": "bob",
                "cloud": "local", "credential": {"name": "default", "owner": "admin", "cloud": "local"},
                "life": "alive", "status": {"current": "available", "since": "1 hour ago"}, "access": "read",
                "last-connection": "never connected", "agent-version": "3.6.28"})
        );
    }
}
