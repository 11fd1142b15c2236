//! The served part of the table as JSON Schema, in the form in which Juju publishes its own.

use juju_wire::{Who, method::MethodInfo, schema::Defs};
use serde_json::{Map, Value, json};

use super::{Facade, Router};

impl Router {
    /// An object a facade version: name, version, who may call it, and the shapes of its methods that are served.
    pub fn dump_facades(&self) -> Value {
        let all = self.facades.values().flat_map(|it| it.served().map(move |version| it.dump(version)));
        all.collect()
    }
}

impl Facade {
    fn dump(&self, version: u32) -> Value {
        let mut defs = Defs::default();
        let mut methods = Map::new();
        for method in self.info.methods.iter().filter(|it| self.serves_method(it, version)) {
            let (params, result) = (method.schema)(&mut defs);
            let mut parts = Map::new();
            // A method that takes or gives nothing leaves that part out.
            parts.extend((!params.is_null()).then(|| ("Params".to_owned(), params)));
            parts.extend((!result.is_null()).then(|| ("Result".to_owned(), result)));
            let mut schema = json!({ "type": "object" });
            if !parts.is_empty() {
                schema["properties"] = Value::Object(parts);
            }
            methods.insert(method.name.to_owned(), schema);
        }
        let mut schema = json!({ "type": "object", "properties": methods });
        if !defs.0.is_empty() {
            schema["definitions"] = json!(defs.0);
        }
        let info = self.info;
        let available: Vec<_> = info.who.iter().flat_map(|it| words(*it, info.place)).collect();
        json!({ "Name": info.name, "Version": version, "AvailableTo": available, "Schema": schema })
    }

    fn serves_method(&self, method: &MethodInfo, version: u32) -> bool {
        let routes = self.routes.get(method.name);
        method.versions.contains(&version)
            && routes.is_some_and(|it| it.iter().any(|route| route.versions.contains(&version)))
    }
}

fn words(who: Who, place: juju_wire::Place) -> &'static [&'static str] {
    use juju_wire::Place;
    match (who, place) {
        (Who::Controller, _) => &["controller-machine-agent"],
        (Who::Machine, _) => &["machine-agent"],
        (Who::Unit, _) => &["unit-agent"],
        (Who::User, Place::Controller) => &["controller-user"],
        (Who::User, Place::Model) => &["model-user"],
        (Who::User, Place::Both) => &["controller-user", "model-user"],
    }
}
