//! `status --format oneline`: a line a unit.

use super::{model::*, ports};
use crate::output::{Tone, natural};

pub fn render(status: &Status, color: bool) -> String {
    let mut text = String::from("\n");
    for name in natural::sorted(status.applications.keys()) {
        let application = &status.applications[name];
        for name in natural::sorted(application.units.keys()) {
            let unit = &application.units[name].value;
            text.push_str(&line(name, unit, 0, color));
            each_subordinate(unit, 1, &mut |name, unit, depth| {
                text.push_str(&line(name, unit, depth, color))
            });
        }
    }
    text
}

fn line(name: &str, unit: &Unit, depth: usize, color: bool) -> String {
    let paint = |text: &str, tone: Option<Tone>| match tone.filter(|_| color) {
        Some(tone) => tone.paint(text),
        None => text.to_owned(),
    };
    let indent = depth * 2;
    let status = |info: &Info| paint(&info.current, Tone::of_status(&info.current));
    let mut text = format!(
        "{:indent$}- {}: {} (agent:{}, workload:{})",
        "",
        paint(name, Some(Tone::Good)),
        paint(&unit.public_address, Some(Tone::Info)),
        status(&unit.juju_status),
        status(&unit.workload_status),
    );
    if !unit.opened_ports.is_empty() {
        text.push(' ');
        text.push_str(&ports::grouped(&unit.opened_ports));
    }
    text.push('\n');
    text
}
