//! `models.yaml`: the models seen on each controller, by `owner/name`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Other, StoreFile};

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Models {
    pub controllers: BTreeMap<String, ControllerModels>,
    #[serde(flatten)]
    pub other: Other,
}

/// The models of one controller.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct ControllerModels {
    /// By `owner/name`.
    pub models: BTreeMap<String, Model>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub current_model: String,
    #[serde(flatten)]
    pub other: Other,
}

/// One model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Model {
    pub uuid: String,
    #[serde(rename = "type")]
    pub model_type: String,
    /// Always empty, and always written by Juju 3.6.
    pub branch: String,
    #[serde(flatten)]
    pub other: Other,
}

/// A UUID's beginning that several models have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is the beginning of the UUIDs of several models")]
pub struct AmbiguousModel(pub String);

impl StoreFile for Models {
    const NAME: &'static str = "models.yaml";
}

impl Model {
    pub fn new(uuid: impl Into<String>, model_type: impl Into<String>) -> Self {
        Self { uuid: uuid.into(), model_type: model_type.into(), ..Self::default() }
    }
}

impl Models {
    pub fn of(&self, controller: &str) -> Option<&ControllerModels> {
        self.controllers.get(controller)
    }

    /// The current model of a controller, if it is still known.
    pub fn current(&self, controller: &str) -> Option<&str> {
        let models = self.of(controller)?;
        Some(models.current_model.as_str()).filter(|it| models.models.contains_key(*it))
    }
}

impl ControllerModels {
    /// Finds a model by `name` (of `user`), `owner/name`, UUID, or at least six characters of one.
    pub fn find(&self, wanted: &str, user: &str) -> Result<Option<(&str, &Model)>, AmbiguousModel> {
        let named = self.models.get_key_value(&qualify(wanted, user));
        if let Some((name, model)) = named {
            return Ok(Some((name, model)));
        }
        if wanted.len() < 6 || wanted.contains('/') {
            return Ok(None);
        }
        let mut found = self.models.iter().filter(|(_, it)| it.uuid.starts_with(wanted));
        match (found.next(), found.next()) {
            (Some((name, model)), None) => Ok(Some((name, model))),
            (Some(_), Some(_)) => Err(AmbiguousModel(wanted.to_owned())),
            (None, _) => Ok(None),
        }
    }

    /// Takes over what the controller said, all of it: models it did not name are gone.
    pub fn replace(&mut self, models: BTreeMap<String, Model>) {
        self.models = models;
        if !self.models.contains_key(&self.current_model) {
            self.current_model.clear();
        }
    }

    /// Forgets a model, and that it was current.
    pub fn remove(&mut self, name: &str) {
        self.models.remove(name);
        if self.current_model == name {
            self.current_model.clear();
        }
    }
}

/// `owner/name`, where the owner of a bare name is `user`.
pub fn qualify(name: &str, user: &str) -> String {
    if name.contains('/') { name.to_owned() } else { format!("{user}/{name}") }
}

/// Lower-case letters, digits and hyphens, and no hyphen first.
pub fn is_model_name(name: &str) -> bool {
    let ok = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.starts_with(ok) && name.chars().all(|c| ok(c) || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::yaml;

    const JUJU: &str = "\
controllers:
  lab:
    models:
      admin/controller:
        uuid: 77aa1c5e-1f53-4fd1-8e2b-0d1e2f3a4b5c
        type: iaas
        branch: \"\"
      admin/demo:
        uuid: 5d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f
        type: iaas
        branch: \"\"
      bob/demo:
        uuid: 5d9f6e5a-aaaa-4a56-8a53-1a2b3c4d5e6f
        type: iaas
        branch: \"\"
    current-model: admin/demo
";

    #[test]
    fn the_file_of_juju_writes_back_byte_for_byte() {
        let file: Models = yaml::from_str(JUJU).unwrap();
        assert_eq!(yaml::to_string(&file), JUJU);
    }

    #[test]
    fn models_are_found_by_name_owner_and_uuid() {
        let file: Models = yaml::from_str(JUJU).unwrap();
        let lab = file.of("lab").unwrap();
        let find = |wanted: &str| lab.find(wanted, "admin").map(|it| it.map(|it| it.0.to_owned()));
        for (wanted, found) in [
            ("demo", Some("admin/demo")),
            ("admin/demo", Some("admin/demo")),
            ("bob/demo", Some("bob/demo")),
            ("77aa1c", Some("admin/controller")),
            ("77aa1", None),
            ("5d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f", Some("admin/demo")),
            ("5d9f6e5a-a", Some("bob/demo")),
            ("nope", None),
            ("", None),
            ("/", None),
            ("admin/", None),
        ] {
            assert_eq!(find(wanted), Ok(found.map(String::from)), "{wanted:?}");
        }
        assert_eq!(find("5d9f6e5a"), Err(AmbiguousModel("5d9f6e5a".into())));
    }

    #[test]
    fn a_current_model_must_exist() {
        let mut file: Models = yaml::from_str(JUJU).unwrap();
        assert_eq!(file.current("lab"), Some("admin/demo"));
        let lab = file.controllers.get_mut("lab").unwrap();
        lab.replace(BTreeMap::from([("admin/controller".to_owned(), Model::new("u", "iaas"))]));
        assert_eq!(lab.current_model, "");
        assert_eq!((file.current("lab"), file.current("other")), (None, None));
    }

    #[test]
    fn names_of_models() {
        for (name, ok) in
            [("a", true), ("0a-b", true), ("-a", false), ("A", false), ("a_b", false), ("", false)]
        {
            assert_eq!(is_model_name(name), ok, "{name:?}");
        }
    }
}
