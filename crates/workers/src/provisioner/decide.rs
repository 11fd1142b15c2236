//! What is to be done with a machine, by what is known of it.

/// A machine as the controller has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// `alive`, `dying` or `dead`.
    pub life: String,
    pub instance: Option<String>,
    /// The machine agent's status.
    pub status: String,
    pub instance_status: String,
    /// The instance outlives its machine.
    pub keep_instance: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Nothing,
    /// Start an instance.
    Start,
    /// It will never have an instance: nobody else would set it dead.
    SetDead,
    /// Stop its instance, unless that is kept, and let the machine be removed.
    Stop {
        keep: bool,
    },
}

/// Juju 3.6 `worker/provisioner`, `classifyMachine`.
pub fn decide(seen: &Seen) -> Decision {
    match (seen.life.as_str(), &seen.instance) {
        ("dead", _) => Decision::Stop { keep: seen.keep_instance },
        ("dying", None) => Decision::SetDead,
        // One whose start failed waits for `retry-provisioning`.
        ("alive", None) if seen.status == "pending" || seen.instance_status == "allocating" => {
            Decision::Start
        }
        _ => Decision::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_started_and_stopped() {
        let at = |life: &str, instance: Option<&str>, status: &str, instance_status: &str| Seen {
            life: life.into(),
            instance: instance.map(Into::into),
            status: status.into(),
            instance_status: instance_status.into(),
            keep_instance: false,
        };
        for (seen, expected) in [
            (at("alive", None, "pending", "pending"), Decision::Start),
            (at("alive", None, "error", "allocating"), Decision::Start),
            (at("alive", None, "error", "provisioning error"), Decision::Nothing),
            (at("alive", Some("i"), "started", "running"), Decision::Nothing),
            (at("dying", None, "pending", "pending"), Decision::SetDead),
            (at("dying", Some("i"), "started", "running"), Decision::Nothing),
            (at("dead", Some("i"), "stopped", "running"), Decision::Stop { keep: false }),
            (at("dead", None, "pending", "pending"), Decision::Stop { keep: false }),
            (
                Seen { keep_instance: true, ..at("dead", Some("i"), "stopped", "running") },
                Decision::Stop { keep: true },
            ),
        ] {
            assert_eq!(decide(&seen), expected, "{seen:?}");
        }
    }
}
