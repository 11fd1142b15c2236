//! Meta, good and bad.

use serde_json::json;

use super::*;

const HEAD: &str = "name: web\nsummary: s\ndescription: d\n";

fn parse(rest: &str) -> std::result::Result<Meta, String> {
    Meta::parse(&format!("{HEAD}{rest}")).map_err(|it| it.to_string())
}

#[test]
fn all_that_can_be_said() {
    let text = "
subordinate: true
provides:
  site: http
  admin: {interface: http, limit: 2, optional: true}
requires:
  db: {interface: pgsql, limit: null}
  juju-info: {interface: juju-info, scope: container}
peers: {ring: web-ring}
extra-bindings: {cluster: , public: null}
categories: [a]
tags: [b, c]
storage:
  data: {type: filesystem, location: /srv, minimum-size: 1G, multiple: {range: 0-3}, properties: [transient]}
  disk: {type: block, shared: yes, read-only: no, description: Raw., multiple: {range: 2+}}
  one: {type: block, multiple: {range: 2}}
devices: {gpu: {type: nvidia.com/gpu, countmin: 1, countmax: 2}}
payloads: {monitor: {type: docker}}
resources:
  app: {type: file, filename: app.tgz, description: The app.}
  image: {type: oci-image}
terms: [lorem/1]
containers:
  web: {resource: image, mounts: [{storage: data, location: /data}], uid: 10000}
  bare:
assumes: [juju >= 3.1]
charm-user: non-root
unknown-key: {x: y}
";
    let metadata = parse(text).unwrap();
    let admin = &metadata.provides["admin"];
    assert_eq!((admin.limit, admin.optional, admin.role), (2, true, Role::Provider));
    assert_eq!(metadata.requires["juju-info"].scope, RelationScope::Container);
    assert_eq!(metadata.peers["ring"].interface, "web-ring");
    let counts: Vec<_> =
        metadata.storage.values().map(|it| (it.count_min, it.count_max, it.minimum_size)).collect();
    assert_eq!(counts, [(0, 3, 1024), (2, -1, 0), (2, 2, 0)]);
    assert!(metadata.storage["disk"].shared && !metadata.storage["disk"].read_only);
    assert_eq!(
        metadata.bindable().into_iter().collect::<Vec<_>>(),
        ["admin", "cluster", "db", "juju-info", "public", "ring", "site"]
    );
    let hooks = metadata.hooks();
    for hook in [
        "install",
        "db-relation-changed",
        "ring-relation-created",
        "data-storage-attached",
        "web-pebble-ready",
    ] {
        assert!(hooks.contains(hook), "{hook}");
    }
    assert!(!hooks.contains("helper"));
    let stored = serde_json::to_value(&metadata).unwrap();
    assert_eq!(
        stored["provides"]["site"],
        json!({"name": "site", "role": "provider", "interface": "http", "optional": false, "limit": 0, "scope": "global"})
    );
    assert_eq!(serde_json::from_value::<Meta>(stored).unwrap(), metadata);
}

#[test]
fn every_charm_provides_juju_info() {
    let metadata = parse("requires: {db: pgsql}").unwrap();
    let info = metadata.relation("juju-info").unwrap();
    assert!(info.is_implicit() && info.role == Role::Provider);
    assert!(!metadata.relation("db").unwrap().is_implicit());
    assert_eq!(metadata.relation("nope"), None);
    assert_eq!(metadata.relations().count(), 1);
}

#[test]
fn what_must_be_said() {
    for (text, error) in [
        ("", "metadata: expected map, got nothing"),
        ("[]", "metadata: expected map, got list"),
        ("just text", r#"metadata: expected map, got string("just text")"#),
        ("summary: s\ndescription: d", "metadata: name: expected string, got nothing"),
        ("name: web\ndescription: d", "metadata: summary: expected string, got nothing"),
        ("name: web\nsummary: s", "metadata: description: expected string, got nothing"),
        ("name: 7\nsummary: s\ndescription: d", "metadata: name: expected string, got int(7)"),
        ("name: yes\nsummary: s\ndescription: d", "metadata: name: expected string, got bool(true)"),
        ("name: Web\nsummary: s\ndescription: d", r#"name "Web" not valid"#),
        ("name: ../x\nsummary: s\ndescription: d", r#"name "../x" not valid"#),
        ("name: web-3\nsummary: s\ndescription: d", r#"name "web-3" not valid"#),
        ("name: web\nsummary: s\ndescription: [d", "metadata.yaml: line 3, column 14: unclosed bracket '['"),
        (
            "name: web\nname: web\nsummary: s\ndescription: d",
            "metadata.yaml: line 2, column 1: duplicate mapping key: name",
        ),
    ] {
        assert_eq!(Meta::parse(text).unwrap_err().to_string(), error);
    }
}

#[test]
fn what_must_not_be_said() {
    for (text, error) in [
        ("provides: [x]", "metadata: provides: expected map, got list"),
        ("provides:", "metadata: provides: expected map, got nothing"),
        ("provides: {x: 7}", "metadata: provides.x: expected map, got int(7)"),
        ("provides: {x: {}}", "metadata: provides.x.interface: expected string, got nothing"),
        (
            "provides: {x: {interface: z, scope: wide}}",
            r#"metadata: provides.x.scope: unexpected value string("wide")"#,
        ),
        (
            "provides: {x: {interface: z, limit: -1}}",
            "metadata: provides.x.limit: expected a limit of at least 0, got int(-1)",
        ),
        ("provides: {X: z}", r#"charm "web" using an invalid relation name: "X""#),
        ("provides: {db: x}\nrequires: {db: x}", r#"charm "web" using a duplicated relation name: "db""#),
        ("provides: {juju-y: x}", r#"charm "web" using a reserved relation name: "juju-y""#),
        ("requires: {juju: x}", r#"charm "web" using a reserved relation name: "juju""#),
        (
            "requires: {juju-info: {interface: juju-info, scope: container}}",
            r#"charm "web" using a reserved relation name: "juju-info""#,
        ),
        ("provides: {x: juju-y}", r#"charm "web" relation "x" using a reserved interface: "juju-y""#),
        ("peers: {x: juju}", r#"charm "web" relation "x" using a reserved interface: "juju""#),
        ("subordinate: true", r#"subordinate charm "web" lacks "requires" relation with container scope"#),
        ("subordinate: maybe", r#"metadata: subordinate: expected bool, got string("maybe")"#),
        ("extra-bindings: {x: z}", r#"metadata: extra-bindings.x: expected nothing, got string("z")"#),
        (
            "requires: {x: z}\nextra-bindings: {x: }",
            r#"charm "web" has invalid extra bindings: relation names (x) cannot be used in extra bindings"#,
        ),
        ("series: [Jammy]", r#"charm "web" declares invalid series: "Jammy""#),
        ("series: jammy", r#"metadata: series: expected list, got string("jammy")"#),
        ("storage: {x: {}}", "metadata: storage.x.type: unexpected value <nil>"),
        ("storage: {x: {type: tape}}", r#"metadata: storage.x.type: unexpected value string("tape")"#),
        (
            "storage: {x: {type: block, location: /x}}",
            r#"charm "web" storage "x": location may not be specified for "type: block""#,
        ),
        (
            "storage: {x: {type: block, multiple: {range: 0}}}",
            "metadata: storage.x.multiple.range: invalid count 0",
        ),
        (
            "storage: {x: {type: block, multiple: {range: many}}}",
            r#"metadata: storage.x.multiple.range: value "many" does not match 'm', 'm-n', or 'm+'"#,
        ),
        (
            "storage: {x: {type: block, multiple: {range: 1-0}}}",
            r#"charm "web" storage "x": invalid maximum count 0"#,
        ),
        (
            "storage: {x: {type: block, multiple: {range: 3-2}}}",
            r#"charm "web" storage "x": invalid count range 3-2"#,
        ),
        (
            "storage: {x: {type: block, minimum-size: big}}",
            r#"metadata: storage.x.minimum-size: expected a non-negative number with optional multiplier suffix, got "big""#,
        ),
        (
            "storage: {x: {type: block, properties: [fast]}}",
            r#"metadata: storage.x.properties[0]: unexpected value string("fast")"#,
        ),
        ("storage: {X: {type: block}}", r#"charm "web" storage "X": name not valid"#),
        ("resources: {x: {type: file}}", r#"resource "x": resource missing filename"#),
        (
            "resources: {x: {type: file, filename: a/b}}",
            r#"resource "x": filename cannot contain "/" (got "a/b")"#,
        ),
        ("resources: {x: {type: tape}}", r#"metadata: resources.x: unsupported resource type "tape""#),
        ("devices: {x: {type: gpu, countmax: 0}}", r#"charm "web" device "x": invalid maximum count 0"#),
        ("payloads: {x: {}}", "metadata: payloads.x.type: expected string, got nothing"),
        ("containers: {x: {resource: z}}", r#"referenced resource "z" not found"#),
        ("containers: {x: {mounts: [{storage: z}]}}", r#"container "x": storage "z" not valid"#),
        ("containers: {x: {uid: 1001}}", "metadata: containers.x.uid: cannot be in reserved range 1000-9999"),
        ("charm-user: bob", r#"metadata: charm-user: unexpected value string("bob")"#),
        (
            "min-juju-version: new",
            r#"metadata: min-juju-version: invalid min-juju-version: invalid version "new""#,
        ),
        ("assumes: juju", r#"metadata: malformed "assumes" block; expected an expression list"#),
        (
            "series: [jammy]\nassumes: [juju]",
            r#"ambiguous metadata: keys "series" cannot be used with "assumes""#,
        ),
        (
            "min-juju-version: 3.0.0\ncontainers: {}",
            r#"ambiguous metadata: keys "min-juju-version" cannot be used with "containers""#,
        ),
    ] {
        assert_eq!(parse(text), Err(error.to_owned()), "{text}");
    }
}

#[test]
fn jujus_own_charms_may_use_its_names() {
    let text = "name: juju-controller\nsummary: s\ndescription: d\nprovides: {juju-x: juju-y}";
    assert!(Meta::parse(text).is_ok());
}
