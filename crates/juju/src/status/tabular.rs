//! `status` as tables, byte for byte as Juju 3.6.

use std::collections::BTreeMap;

use juju_core::CharmUrl;

use super::{model::*, ports, storage};
use crate::{
    cells,
    output::{Cell, Table, Tone, natural},
};

/// What is longer is cut and ends in dots.
const MAX_MESSAGE: usize = 120;
const MAX_VERSION: usize = 15;

/// Renders a whole status.
pub fn render(status: &Status, color: bool) -> String {
    let mut sections = vec![model(status)];
    if !status.remote_applications.is_empty() {
        sections.push(remote_applications(status));
    }
    if !status.applications.is_empty() {
        sections.push(applications(status));
        sections.extend(units(status));
    }
    if !status.machines.is_empty() {
        sections.push(machines(&status.machines));
    }
    if !status.offers.is_empty() {
        sections.push(offers(status));
    }
    if !status.relations.is_empty() {
        sections.push(relations(&status.relations));
    }
    if let Some(storage) = status.storage.as_ref().filter(|it| !it.is_empty()) {
        sections.push(storage::table(storage));
    }
    let sections: Vec<_> = sections.iter().map(|it| it.render(color)).collect();
    sections.join("\n")
}

/// `juju machines`.
pub fn render_machines(of: &BTreeMap<String, Machine>, color: bool) -> String {
    machines(of).render(color)
}

fn model(status: &Status) -> Table {
    let model = &status.model;
    let cloud = match model.region.as_str() {
        "" => model.cloud.clone(),
        region => format!("{}/{region}", model.cloud),
    };
    let mut header = vec!["Model", "Controller", "Cloud/Region", "Version"];
    let mut values =
        Vec::from(cells![model.name.as_str(), model.controller.as_str(), cloud, model.version.as_str()]);
    let mut optional = |name, value: Cell| {
        header.push(name);
        values.push(value);
    };
    if !model.sla.is_empty() {
        optional("SLA", model.sla.as_str().into());
    }
    if let Some(controller) = status.controller.as_ref().filter(|it| !it.timestamp.is_empty()) {
        optional("Timestamp", controller.timestamp.as_str().into());
    }
    if !model.status.message.is_empty() {
        optional("Notes", cut(&model.status.message, MAX_MESSAGE).into());
    } else if !model.available_version.is_empty() {
        optional("Notes", format!("upgrade available: {}", model.available_version).into());
    }
    let mut table = Table::new(&header);
    table.row(values);
    table
}

fn remote_applications(status: &Status) -> Table {
    let mut table = Table::new(&["SAAS", "Status", "Store", "URL"]);
    for name in natural::sorted(status.remote_applications.keys()) {
        let remote = &status.remote_applications[name];
        let (store, url) = remote.url.split_once(':').unwrap_or(("local", &remote.url));
        table.row([name.into(), Cell::status(&remote.status.current), store.into(), url.into()]);
    }
    table
}

fn applications(status: &Status) -> Table {
    let header = ["App", "Version", "Status", "Scale", "Charm", "Channel", "Rev", "Exposed", "Message"];
    let mut table = Table::new(&header).align_right(&[3, 6]);
    for name in natural::sorted(status.applications.keys()) {
        let application = &status.applications[name];
        let version = application.version.lines().next().unwrap_or_default();
        let (scale, short) = status.scale(name);
        let rev = application.charm_rev.to_string();
        table.row([
            name.into(),
            cut(version, MAX_VERSION).into(),
            Cell::status(&application.status.current),
            if short { Cell::toned(scale, Tone::Warning) } else { scale.into() },
            application.charm_name.as_str().into(),
            application.charm_channel.as_str().into(),
            if application.can_upgrade_to.is_empty() { rev.into() } else { Cell::toned(rev, Tone::Warning) },
            if application.exposed { Cell::toned("yes", Tone::Good) } else { "no".into() },
            Cell::toned(cut(&application.status.message, MAX_MESSAGE), Tone::Quiet),
        ]);
    }
    table
}

/// The units of all applications, each with its subordinates below it; none if there are none.
fn units(status: &Status) -> Option<Table> {
    let header = ["Unit", "Workload", "Agent", "Machine", "Public address", "Ports", "Message"];
    let mut table = Table::new(&header);
    let units: BTreeMap<&String, &Unit> =
        status.applications.values().flat_map(|it| &it.units).map(|(name, it)| (name, &it.value)).collect();
    for name in natural::sorted(units.keys().copied()) {
        let unit = units[&name.to_owned()];
        table.row(unit_row(name, unit, 0));
        each_subordinate(unit, 1, &mut |name, unit, depth| table.row(unit_row(name, unit, depth)));
    }
    (!table.is_empty()).then_some(table)
}

fn unit_row(name: &str, unit: &Unit, depth: usize) -> [Cell; 7] {
    let mut message = unit.workload_status.message.clone();
    if unit.juju_status.current == "allocating" && message.is_empty() {
        message.clone_from(&unit.juju_status.message);
    }
    if let Some(doing) = agent_doing(&unit.juju_status) {
        message = format!("({doing}) {message}");
    }
    [
        format!("{:1$}{name}{2}", "", depth * 2, if unit.leader { "*" } else { "" }).into(),
        Cell::status(&unit.workload_status.current),
        Cell::status(&unit.juju_status.current),
        unit.machine.as_str().into(),
        Cell::toned(unit.public_address.as_str(), Tone::Info),
        Cell::toned(ports::grouped(&unit.opened_ports), Tone::Accent),
        Cell::toned(cut(&message, MAX_MESSAGE), Tone::Quiet),
    ]
}

/// The hook or action that an agent says it runs: `running config-changed hook`, `running action dump`.
fn agent_doing(status: &InfoContents) -> Option<&str> {
    if status.current != "executing" {
        return None;
    }
    let (_, running) = status.message.split_once("running ")?;
    if let Some(action) = running.strip_prefix("action ") {
        return Some(action);
    }
    running.split_once(" hook").map(|it| it.0).filter(|it| !it.contains(' '))
}

fn machines(machines: &BTreeMap<String, Machine>) -> Table {
    let mut table = Table::new(&["Machine", "State", "Address", "Inst id", "Base", "AZ", "Message"]);
    machine_rows(&mut table, machines);
    table
}

fn machine_rows(table: &mut Table, machines: &BTreeMap<String, Machine>) {
    for name in natural::sorted(machines.keys()) {
        let machine = &machines[name];
        let (state, message) = machine_state(machine);
        let zone = machine.hardware.split(' ').find_map(|it| it.strip_prefix("availability-zone="));
        let instance =
            if machine.display_name.is_empty() { &machine.instance_id } else { &machine.display_name };
        table.row([
            machine.id.as_str().into(),
            Cell::status(state),
            Cell::toned(machine.dns_name.as_str(), Tone::Info),
            instance.as_str().into(),
            machine.base.as_ref().map(Base::display).unwrap_or_default().into(),
            zone.unwrap_or_default().into(),
            Cell::toned(cut(message, MAX_MESSAGE), Tone::Quiet),
        ]);
        machine_rows(table, &machine.containers);
    }
}

/// The agent's state and the instance's message, or what went wrong with changing the instance.
pub(super) fn machine_state(machine: &Machine) -> (&str, &str) {
    if machine.modification_status.current == "error" {
        (&machine.modification_status.current, &machine.modification_status.message)
    } else {
        (&machine.juju_status.current, &machine.machine_status.message)
    }
}

fn offers(status: &Status) -> Table {
    let header = ["Offer", "Application", "Charm", "Rev", "Connected", "Endpoint", "Interface", "Role"];
    let mut table = Table::new(&header);
    for name in natural::sorted(status.offers.keys()) {
        let offer = &status.offers[name];
        let charm = offer.charm.parse::<CharmUrl>().ok();
        let connected = format!("{}/{}", offer.active_connected, offer.total_connected);
        for (n, (endpoint, of)) in offer.endpoints.iter().enumerate() {
            let [interface, role] = [of.interface.as_str(), of.role.as_str()];
            if n > 0 {
                table.row(cells!["", "", "", "", "", endpoint.as_str(), interface, role]);
                continue;
            }
            let charm_name = charm.as_ref().map_or("", CharmUrl::name);
            let revision = charm.as_ref().and_then(|it| it.revision).map_or(-1, i64::from).to_string();
            table.row(cells![
                name,
                offer.application.as_str(),
                charm_name,
                revision,
                connected.as_str(),
                endpoint.as_str(),
                interface,
                role
            ]);
        }
    }
    table
}

fn relations(relations: &[Relation]) -> Table {
    let mut sorted: Vec<_> = relations.iter().collect();
    sorted.sort_by(|a, b| (&a.provider, &a.requirer).cmp(&(&b.provider, &b.requirer)));
    let mut table = Table::new(&["Integration provider", "Requirer", "Interface", "Type", "Message"]);
    for relation in sorted {
        let mut row = Vec::from(cells![
            relation.provider.as_str(),
            relation.requirer.as_str(),
            relation.interface.as_str(),
            relation.relation_type
        ]);
        if relation.status == "joined" {
            row.push("".into());
        } else {
            let tone = match relation.status.as_str() {
                "error" => Tone::Bad,
                _ => Tone::Warning,
            };
            row.push(Cell::toned(relation.status.as_str(), tone));
            row.push(Cell::toned(cut(&relation.message, MAX_MESSAGE), Tone::Quiet));
        }
        table.row(row);
    }
    table
}

/// At most `max` characters; what is cut ends in dots.
fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max - 3).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_does() {
        for (current, message, want) in [
            ("executing", "running config-changed hook", Some("config-changed")),
            ("executing", "running db-relation-joined hook for pg/0", Some("db-relation-joined")),
            ("executing", "running action dump", Some("dump")),
            ("executing", "", None),
            ("idle", "running config-changed hook", None),
        ] {
            let info =
                InfoContents { current: current.into(), message: message.into(), ..Default::default() };
            assert_eq!(agent_doing(&info), want, "{message}");
        }
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut("a bit too long a version", MAX_VERSION), "a bit too lo...");
        assert_eq!(cut("just fits in it", MAX_VERSION), "just fits in it");
        assert_eq!(cut(&"ä".repeat(200), MAX_MESSAGE).chars().count(), MAX_MESSAGE);
    }
}
