//! `juju controllers`.

use juju_wire::{facade::controller, params::Entities, params::Entity};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::whoami::unqualified;
use crate::{
    Context,
    api::{Open, call, refresh_models},
    cells,
    cli::{
        About, Command,
        flags::{OutputFlags, Positional},
    },
    context::block_on,
    error::{Context as _, Error, Result},
    output::{Cell, Format, Table, Tone},
    select::NO_CONTROLLERS,
    store::{Accounts, Controllers, Models},
};

#[derive(clap::Args)]
pub struct Args {
    /// Ask every controller for what is new
    #[arg(long)]
    refresh: bool,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    positional: Positional,
}

/// What is shown of one controller.
#[derive(Debug, PartialEq)]
struct Row {
    name: String,
    current_model: Option<String>,
    user: String,
    access: String,
    uuid: String,
    endpoints: Vec<String>,
    ca_cert: String,
    cloud: String,
    region: String,
    version: String,
    models: Option<usize>,
    machines: Option<i64>,
    controllers: (i64, i64),
}

impl Command for Args {
    const ABOUT: About = About {
        name: "controllers",
        aliases: &["list-controllers"],
        purpose: "List all controllers.",
        details: "The current controller is marked with an asterisk. What is shown comes from the client store; with \
                  --refresh every controller is asked.",
        examples: &[("juju controllers", ""), ("juju controllers --refresh --format json", "")],
        see_also: &["bootstrap", "models", "switch"],
        formats: &["tabular", "json", "yaml"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.positional.none()?;
        let output = self.output.check(&Self::ABOUT)?;
        // In a store that cannot be written they stay; that is no reason not to list the others.
        let _ = super::try_charm::prune(ctx);
        if self.refresh {
            refresh(ctx)?;
        }
        let read = "cannot read the client store";
        let controllers: Controllers = ctx.store.read().context(read)?;
        if controllers.controllers.is_empty() && output.format == Format::Tabular {
            return Err(Error::failed(NO_CONTROLLERS));
        }
        let rows = rows(&controllers, &ctx.store.read().context(read)?, &ctx.store.read().context(read)?);
        let current = controllers.current_controller.as_str();
        let set =
            Set { rows: &rows, current, keys: if output.format == Format::Yaml { &YAML } else { &JSON } };
        let hint = !self.refresh;
        ctx.printer.value(&output, &set, |_, color| {
            let hint = if hint {
                "Use --refresh option with this command to see the latest information.\n\n"
            } else {
                ""
            };
            format!("{hint}{}", table(&rows, current).render(color))
        })
    }
}

/// Asks each controller; one that does not answer keeps what was known of it.
fn refresh(ctx: &mut Context) -> Result {
    let controllers: Controllers = ctx.store.read().context("cannot read the client store")?;
    let names: Vec<_> = controllers.controllers.keys().cloned().collect();
    let failures = block_on(async {
        let mut failures = vec![];
        for name in names {
            if let Err(e) = refresh_one(ctx, &name).await {
                failures.push(format!("error updating cached details for {name:?}: {e}"));
            }
        }
        Ok(failures)
    })?;
    for failure in failures {
        ctx.printer.warning(failure);
    }
    Ok(())
}

async fn refresh_one(ctx: &Context, name: &str) -> Result {
    let session = Open::controller(ctx, name)?.connect().await?;
    refresh_models(&ctx.store, &session).await?;
    let models = session.connection.call::<controller::call::AllModels>(()).await;
    let models = call(models, "cannot list models")?.user_models;
    let tags = models.iter().map(|it| Entity { tag: format!("model-{}", it.model.uuid) }).collect();
    let status = session.connection.call::<controller::call::ModelStatus>(Entities { entities: tags }).await;
    let status = call(status, "cannot get the status of models")?.models;
    let version = session.server_version.clone();
    session.close().await;
    let machines = status.iter().map(|it| it.hosted_machine_count).sum::<i64>();
    let of_controller = models.iter().position(|it| it.model.name == "controller");
    let voters = of_controller.and_then(|it| status.get(it)?.machines.as_ref()).map(|machines| {
        let wanting = machines.iter().filter(|it| it.wants_vote).count();
        let having = machines.iter().filter(|it| it.has_vote).count();
        (having as i64, wanting as i64)
    });
    ctx.store
        .update(|file: &mut Controllers| {
            let Some(controller) = file.controllers.get_mut(name) else { return };
            controller.machine_count = Some(machines);
            controller.agent_version = version;
            if let Some((active, total)) = voters {
                controller.active_controller_machine_count = active;
                controller.controller_machine_count = total;
            }
        })
        .context("cannot update the client store")
}

fn rows(controllers: &Controllers, models: &Models, accounts: &Accounts) -> Vec<Row> {
    let row = |(name, it): (&String, &crate::store::Controller)| {
        let account = accounts.controllers.get(name);
        let user = account.map(|it| it.user.clone()).unwrap_or_default();
        Row {
            name: name.clone(),
            current_model: models.current(name).map(|it| unqualified(it, &user).to_owned()),
            access: account.map(|it| it.last_known_access.clone()).unwrap_or_default(),
            user,
            uuid: it.uuid.clone(),
            endpoints: it.endpoints().to_vec(),
            ca_cert: it.ca_cert.clone(),
            cloud: it.cloud.clone(),
            region: it.region.clone(),
            version: it.agent_version.clone(),
            models: models.of(name).map(|it| it.models.len()).filter(|it| *it > 0),
            machines: it.machine_count,
            controllers: (it.active_controller_machine_count, it.controller_machine_count),
        }
    };
    controllers.controllers.iter().map(row).collect()
}

fn table(rows: &[Row], current: &str) -> Table {
    let header =
        ["Controller", "Model", "User", "Access", "Cloud/Region", "Models", "Nodes", "HA", "Version"];
    let mut table = Table::new(&header).align_right(&[5, 6, 7]);
    for row in rows {
        let or_dash =
            |text: Option<String>| text.filter(|it| !it.is_empty()).unwrap_or_else(|| "-".to_owned());
        let name = if row.name == current {
            Cell::toned(format!("{}*", row.name), Tone::Good)
        } else {
            row.name.as_str().into()
        };
        let access = match (row.user.as_str(), row.access.as_str()) {
            ("", _) => "-",
            (_, "") => "(unknown)",
            (_, access) => access,
        };
        let cloud =
            if row.region.is_empty() { row.cloud.clone() } else { format!("{}/{}", row.cloud, row.region) };
        let ha = match row.controllers {
            (_, 0) => "-".to_owned(),
            (_, 1) => "none".to_owned(),
            (active, total) => format!("{active}/{total}"),
        };
        let mut cells = vec![name];
        cells.extend(cells![
            or_dash(row.current_model.clone()),
            or_dash(Some(row.user.clone())),
            access,
            cloud,
            or_dash(row.models.map(|it| it.to_string())),
            or_dash(row.machines.map(|it| it.to_string())),
            ha,
            if row.version.is_empty() { "(unknown)" } else { &row.version },
            "",
        ]);
        table.row(cells);
    }
    table
}

/// Names that JSON and YAML do not share.
struct Keys {
    uuid: &'static str,
    active: &'static str,
    total: &'static str,
}

const JSON: Keys = Keys { uuid: "uuid", active: "Active", total: "Total" };
const YAML: Keys = Keys { uuid: "controller-uuid", active: "active", total: "total" };

struct Set<'a> {
    rows: &'a [Row],
    current: &'a str,
    keys: &'a Keys,
}

impl Serialize for Set<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let controllers: Map<String, Value> =
            self.rows.iter().map(|it| (it.name.clone(), self.one(it))).collect();
        json!({ "controllers": controllers, "current-controller": self.current }).serialize(to)
    }
}

impl Set<'_> {
    fn one(&self, row: &Row) -> Value {
        let mut map = Map::new();
        let mut set = |key: &str, value: Value| {
            if !(value.is_null() || value == "") {
                map.insert(key.to_owned(), value);
            }
        };
        set("current-model", json!(row.current_model));
        set("user", json!(row.user));
        set("access", json!(row.access));
        set("recent-server", json!(row.endpoints.first()));
        set(self.keys.uuid, json!(row.uuid));
        set("api-endpoints", json!(row.endpoints));
        set("ca-cert", json!(row.ca_cert));
        set("cloud", json!(row.cloud));
        set("region", json!(row.region));
        set("agent-version", json!(row.version));
        set("model-count", json!(row.models));
        set("machine-count", json!(row.machines));
        let (active, total) = row.controllers;
        if total > 0 {
            set("controller-machines", json!({ self.keys.active: active, self.keys.total: total }));
        }
        Value::Object(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{json as write_json, yaml};

    fn example() -> Vec<Row> {
        let controllers: Controllers = yaml::from_str(
            "controllers:\n  lab: {uuid: c1, api-endpoints: ['127.0.0.1:1'], ca-cert: PEM, cloud: local, region: default, \
             agent-version: 3.6.28, controller-machine-count: 1, active-controller-machine-count: 1, machine-count: 2}\n  \
             big: {uuid: c2, cloud: x, controller-machine-count: 3, active-controller-machine-count: 2}\n",
        )
        .unwrap();
        let models: Models = yaml::from_str(
            "controllers: {lab: {models: {admin/controller: {uuid: a}, admin/demo: {uuid: b}}, current-model: admin/demo}}",
        )
        .unwrap();
        let accounts: Accounts = yaml::from_str(
            "controllers: {lab: {user: admin, last-known-access: superuser}, big: {user: bob}}",
        )
        .unwrap();
        rows(&controllers, &models, &accounts)
    }

    #[test]
    fn the_table_is_jujus() {
        let text = table(&example(), "lab").render(false);
        assert_eq!(
            text,
            "\
Controller  Model  User   Access     Cloud/Region   Models  Nodes    HA  Version
big         -      bob    (unknown)  x                   -      -   2/3  (unknown)  
lab*        demo   admin  superuser  local/default       2      2  none  3.6.28     
"
        );
    }

    #[test]
    fn json_and_yaml_name_things_differently() {
        let rows = example();
        let set = |keys| Set { rows: &rows, current: "lab", keys };
        let value: Value = serde_json::from_str(&write_json::to_string(&set(&JSON))).unwrap();
        assert_eq!(value["current-controller"], "lab");
        assert_eq!(
            value["controllers"]["lab"],
            json!({"current-model": "demo", "user": "admin", "access": "superuser", "recent-server": "127.0.0.1:1",
                "uuid": "c1", "api-endpoints": ["127.0.0.1:1"], "ca-cert": "PEM", "cloud": "local", "region": "default",
                "agent-version": "3.6.28", "model-count": 2, "machine-count": 2,
                "controller-machines": {"Active": 1, "Total": 1}})
        );
        let value: Value = yaml::from_str(&yaml::to_string(&set(&YAML))).unwrap();
        assert_eq!(value["controllers"]["lab"]["controller-uuid"], "c1");
        assert_eq!(value["controllers"]["lab"]["controller-machines"], json!({"active": 1, "total": 1}));
    }
}
