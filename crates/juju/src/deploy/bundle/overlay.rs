//! Overlays: further documents that change a bundle, and files that its options include.

use std::{
    fs,
    path::{Path, PathBuf},
};

use base64::Engine as _;
use serde_json::{Map, Value};

use crate::output::yaml;

/// Merges all documents of all texts in order, each with the directory of its file, and gives one text, whose paths
/// are relative to `dir`.
///
/// An application that is null goes with its relations; maps merge by key; scalars and lists replace.
pub(super) fn merge(texts: &[(String, PathBuf)], dir: &Path) -> Result<String, String> {
    let mut whole = Value::Object(Map::new());
    for (text, own_dir) in texts {
        for document in documents(text) {
            let mut value: Value = yaml::from_str(&document).map_err(|e| e.to_string())?;
            if value.is_null() {
                continue;
            }
            if !value.is_object() {
                return Err("a bundle is a map".to_owned());
            }
            if own_dir != dir {
                rebase(&mut value, own_dir);
            }
            let gone: Vec<_> =
                applications(&value).filter(|it| it.1.is_null()).map(|it| it.0.clone()).collect();
            combine(&mut whole, value);
            for name in gone {
                remove(&mut whole, &name);
            }
        }
    }
    Ok(yaml::to_string(&whole))
}

/// `include-file://path` and `include-base64://path` become what the file holds.
pub(super) fn include(value: &mut Value, dir: &Path) -> Result<(), String> {
    let Value::String(text) = value else { return Ok(()) };
    let read = |path: &str| {
        let path = dir.join(path);
        fs::read(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))
    };
    if let Some(path) = text.strip_prefix("include-file://") {
        let bytes = read(path)?;
        *text = String::from_utf8(bytes).map_err(|_| format!("{path} is not UTF-8"))?;
    } else if let Some(path) = text.strip_prefix("include-base64://") {
        *text = base64::engine::general_purpose::STANDARD.encode(read(path)?);
    }
    Ok(())
}

/// The documents of a text: what stands between lines of `---`.
fn documents(text: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for line in text.lines() {
        match line.strip_prefix("---") {
            Some(rest) if rest.is_empty() || rest.starts_with([' ', '\t']) => documents.push(String::new()),
            _ => {
                let last = documents.last_mut().expect("there is always one");
                last.push_str(line);
                last.push('\n');
            }
        }
    }
    documents
}

fn applications(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.get("applications").and_then(Value::as_object).into_iter().flatten()
}

/// Makes local charms absolute, where they are relative to another directory than the bundle's.
fn rebase(value: &mut Value, dir: &Path) {
    let Some(applications) = value.get_mut("applications").and_then(Value::as_object_mut) else { return };
    for application in applications.values_mut() {
        if let Some(Value::String(charm)) = application.get_mut("charm")
            && charm.starts_with('.')
        {
            *charm = dir.join(&*charm).to_string_lossy().into_owned();
        }
    }
}

fn combine(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                combine(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

fn remove(whole: &mut Value, application: &str) {
    if let Some(applications) = whole.get_mut("applications").and_then(Value::as_object_mut) {
        applications.remove(application);
    }
    let names =
        |endpoint: &Value| endpoint.as_str().is_some_and(|it| it.split(':').next() == Some(application));
    if let Some(relations) = whole.get_mut("relations").and_then(Value::as_array_mut) {
        relations.retain(|pair| !pair.as_array().is_some_and(|pair| pair.iter().any(names)));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(texts: &[&str]) -> Value {
        let texts: Vec<_> = texts.iter().map(|it| ((*it).to_owned(), PathBuf::from("/b"))).collect();
        yaml::from_str(&merge(&texts, Path::new("/b")).unwrap()).unwrap()
    }

    #[test]
    fn overlays_merge_replace_and_remove() {
        let bundle = "applications:\n  web: {charm: ./web, num_units: 1, options: {a: 1, b: 2}, to: ['0']}\n  \
                      pg: {charm: ./pg}\nrelations: [[web:db, pg], [web, log]]\n---\napplications: {web: {options: {b: 3}}}\n";
        let overlay = "applications: {web: {num_units: 2, to: ['1', '2']}, pg: null}";
        assert_eq!(
            merged(&[bundle, overlay]),
            json!({"applications": {"web": {"charm": "./web", "num_units": 2, "options": {"a": 1, "b": 3}, "to": ["1", "2"]}},
                   "relations": [["web", "log"]]})
        );
    }

    #[test]
    fn charms_of_an_overlay_are_where_it_is() {
        let texts = [("applications: {a: {charm: ./a}}", "/b"), ("applications: {c: {charm: ./c}}", "/o")]
            .map(|(text, dir)| (text.to_owned(), PathBuf::from(dir)));
        let value: Value = yaml::from_str(&merge(&texts, Path::new("/b")).unwrap()).unwrap();
        assert_eq!(value["applications"]["a"]["charm"], "./a");
        assert_eq!(value["applications"]["c"]["charm"], "/o/./c");
    }

    #[test]
    fn options_may_include_files() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("f"), "text\n").unwrap();
        let get = |text: &str| {
            let mut value = json!(text);
            include(&mut value, dir.path()).map(|()| value)
        };
        assert_eq!(get("include-file://f"), Ok(json!("text\n")));
        assert_eq!(get("include-base64://f"), Ok(json!("dGV4dAo=")));
        assert_eq!(get("plain"), Ok(json!("plain")));
        assert!(get("include-file://gone").unwrap_err().contains("gone"));
    }

    #[test]
    fn what_is_no_map_is_no_bundle() {
        assert!(merge(&[("- a".to_owned(), PathBuf::new())], Path::new("")).is_err());
    }
}
