//! Which controller and which model a command means. Pure: what was typed and what is stored, in; names out.

use crate::{
    cli::Env,
    error::{Error, Result},
    store::{Controllers, Models},
};

/// A model as the user names it, on a controller that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub controller: String,
    /// `name`, `owner/name`, or the beginning of a UUID.
    pub model: String,
}

pub const NO_CONTROLLERS: &str = "No controllers registered.\n\nPlease either create a new controller using \"juju \
                                  bootstrap\" or connect to\nanother controller that you have been given access to \
                                  using \"juju register\".";
const NO_CURRENT_CONTROLLER: &str =
    "No selected controller.\n\nPlease use \"juju switch\" to select a controller.";
const NO_MODEL: &str = "No model in focus.\n\nPlease use \"juju models\" to see models available to you.\nYou can set \
                        current model by running \"juju switch\"\nor specify any other model on the command line using \
                        the \"-m\" option.";

/// `-c`, else `JUJU_CONTROLLER`, else the one that `JUJU_MODEL` names, else the current one.
pub fn controller(flag: Option<&str>, env: &Env, controllers: &Controllers) -> Result<String> {
    if let Some(name) = flag {
        return known(name, controllers);
    }
    let from_model = env.model.as_deref().and_then(|it| split(it).0);
    if let (Some(a), Some(b)) = (from_model, env.controller.as_deref())
        && a != b
    {
        return Err(conflict("JUJU_MODEL", a, b));
    }
    if let Some(name) = env.controller.as_deref().or(from_model) {
        return known(name, controllers);
    }
    match controllers.current() {
        Some(name) => Ok(name.to_owned()),
        None if controllers.controllers.is_empty() => Err(Error::failed(NO_CONTROLLERS)),
        None => Err(Error::failed(NO_CURRENT_CONTROLLER)),
    }
}

/// `-m`, else `JUJU_MODEL`, else the current model of the controller meant.
pub fn model(flag: Option<&str>, env: &Env, controllers: &Controllers, models: &Models) -> Result<Target> {
    let (named_controller, named_model) = match flag.or(env.model.as_deref()) {
        Some(text) => split(text),
        None => (None, ""),
    };
    let controller = match named_controller.filter(|_| flag.is_some()) {
        Some(name) => known(name, controllers)?,
        // With `-m` alone, `JUJU_MODEL` does not choose the controller.
        None if flag.is_some() => controller(None, &Env { model: None, ..env.clone() }, controllers)?,
        None => controller(None, env, controllers)?,
    };
    let model = match named_model {
        "" => models.current(&controller).ok_or_else(|| Error::failed(NO_MODEL))?,
        name => name,
    };
    Ok(Target { model: model.to_owned(), controller })
}

/// `[controller:]model` taken apart.
pub fn split(text: &str) -> (Option<&str>, &str) {
    match text.split_once(':') {
        Some(("", model)) => (None, model),
        Some((controller, model)) => (Some(controller), model),
        None => (None, text),
    }
}

fn known(name: &str, controllers: &Controllers) -> Result<String> {
    if controllers.controllers.contains_key(name) {
        return Ok(name.to_owned());
    }
    Err(Error::failed(format!("controller {name} not found")))
}

fn conflict(variable: &str, a: &str, b: &str) -> Error {
    Error::failed(format!(
        "controller name from {variable:?} ({a}) conflicts with value in \"JUJU_CONTROLLER\" ({b})"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::yaml;

    fn stored() -> (Controllers, Models) {
        let controllers = "controllers: {lab: {}, box: {}, empty: {}}\ncurrent-controller: lab\n";
        let models = "controllers:\n  lab: {models: {admin/demo: {uuid: u}}, current-model: admin/demo}\n  \
                      box: {models: {admin/x: {uuid: v}}, current-model: admin/x}\n";
        (yaml::from_str(controllers).unwrap(), yaml::from_str(models).unwrap())
    }

    fn env(model: &str, controller: &str) -> Env {
        let set = |it: &str| (!it.is_empty()).then(|| it.to_owned());
        Env { model: set(model), controller: set(controller), ..Env::default() }
    }

    #[test]
    fn models_are_chosen_as_juju_does() {
        let (controllers, models) = stored();
        for (flag, env_model, env_controller, want) in [
            (None, "", "", "lab:admin/demo"),
            (Some("web"), "", "", "lab:web"),
            (Some("box:web"), "", "", "box:web"),
            (Some("box:"), "", "", "box:admin/x"),
            (Some(":web"), "", "", "lab:web"),
            (Some("a:b:c"), "", "", "controller a not found"),
            (None, "web", "", "lab:web"),
            (None, "box:web", "", "box:web"),
            (None, "", "box", "box:admin/x"),
            (None, "web", "box", "box:web"),
            (Some("y"), "box:web", "", "lab:y"),
            (Some("lab:y"), "web", "box", "lab:y"),
            (None, "lab:web", "box", "controller name from \"JUJU_MODEL\" (lab) conflicts with value in"),
            (Some("nope:x"), "", "", "controller nope not found"),
            (Some("empty:"), "", "", "No model in focus."),
            (Some(""), "", "", "lab:admin/demo"),
        ] {
            let got = match model(flag, &env(env_model, env_controller), &controllers, &models) {
                Ok(target) => format!("{}:{}", target.controller, target.model),
                Err(e) => e.to_string(),
            };
            assert!(got.starts_with(want), "{flag:?} {env_model:?} {env_controller:?}: {got}");
        }
    }

    #[test]
    fn controllers_are_chosen_as_juju_does() {
        let (mut controllers, _) = stored();
        let get = |controllers: &_, flag, env_model, env_controller| {
            controller(flag, &env(env_model, env_controller), controllers).unwrap_or_else(|e| e.to_string())
        };
        assert_eq!(get(&controllers, None, "", ""), "lab");
        assert_eq!(get(&controllers, Some("box"), "", "lab"), "box");
        assert_eq!(get(&controllers, None, "box:x", ""), "box");
        assert_eq!(get(&controllers, None, "", "gone"), "controller gone not found");
        controllers.current_controller.clear();
        assert!(get(&controllers, None, "", "").starts_with("No selected controller."));
        assert!(get(&Controllers::default(), None, "", "").starts_with("No controllers registered."));
    }
}
