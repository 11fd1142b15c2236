//! Bundles: read, overlaid, verified.

use serde_json::json;

use super::*;
use crate::{Charm, Config, Meta};

const GOOD: &str = "
default-base: ubuntu@22.04
applications:
  web:
    charm: ./web
    num_units: 3
    to: [0, 'lxd:db/0', new]
    options: {port: 80, motto: include-file://motto.txt}
    constraints: mem=2G
    expose: true
    annotations: {gui-x: 609}
  db: {charm: postgresql, channel: 14/stable, revision: 5, scale: 1, bindings: {'': alpha}}
machines:
  0: {constraints: cores=2, base: ubuntu@22.04}
relations:
- [web:db, db]
";

fn errors(text: &str) -> Vec<String> {
    Bundle::parse(text).unwrap().verify().err().map(|it| it.0).unwrap_or_default()
}

#[test]
fn good() {
    let bundle = Bundle::parse(GOOD).unwrap();
    assert_eq!(bundle.verify(), Ok(()));
    let web = &bundle.applications["web"];
    assert_eq!((web.num_units, web.is_local(), web.expose), (3, true, true));
    assert_eq!(web.annotations["gui-x"], "609", "scalars are texts where texts are wanted");
    assert_eq!([0, 1, 2, 7].map(|it| web.placement(it).unwrap()), ["0", "lxd:db/0", "new", "new"]);
    let db = &bundle.applications["db"];
    assert_eq!((db.num_units, db.revision, db.is_local(), db.placement(0)), (1, Some(5), false, None));
    let written = yaml::to_string(&bundle).unwrap();
    assert_eq!(Bundle::parse(&written).unwrap(), bundle);
}

#[test]
fn files_are_included() {
    let mut bundle = Bundle::parse(GOOD).unwrap();
    bundle.applications.get_mut("web").unwrap().options.insert("key".into(), json!("include-base64://key"));
    let read = |path: &str| match path {
        "motto.txt" => Ok(b"Ad astra.\n".to_vec()),
        "key" => Ok(vec![0, 255]),
        _ => Err(std::io::ErrorKind::NotFound.into()),
    };
    bundle.resolve_includes(read).unwrap();
    let options = &bundle.applications["web"].options;
    assert_eq!(json!(options), json!({"port": 80, "motto": "Ad astra.\n", "key": "AP8="}));
    let mut missing =
        Bundle::parse("applications: {a: {charm: a, options: {x: include-file://nope}}}").unwrap();
    assert_eq!(missing.resolve_includes(read).unwrap_err().to_string(), "cannot read nope");
}

#[test]
fn overlays() {
    let overlay = "
applications:
  db:
  web:
    num_units: 1
    to: [new]
    options: {port: 8080, extra: yes}
    annotations:
    offers: {site: {endpoints: [http], acl: {admin: admin}}}
    exposed-endpoints: {http: {expose-to-cidrs: [10.0.0.0/8]}}
  cache: {charm: memcached}
machines:
relations: [[web, cache]]
";
    let bundle = Bundle::parse_with_overlays(GOOD, &[overlay]).unwrap();
    assert_eq!(bundle.applications.keys().collect::<Vec<_>>(), ["cache", "web"]);
    let web = &bundle.applications["web"];
    assert_eq!((web.charm.as_str(), web.num_units, &web.to[..]), ("./web", 1, &["new".to_owned()][..]));
    assert_eq!(json!(web.options), json!({"port": 8080, "motto": "include-file://motto.txt", "extra": true}));
    assert!(web.annotations.is_empty() && web.exposed_endpoints.contains_key("http"));
    assert_eq!(bundle.relations, [["web", "cache"]], "the relations of what is removed go too");
    assert_eq!(bundle.machines.len(), 1, "a key without a value says nothing of machines");
    let in_one = Bundle::parse(&format!("{GOOD}---\n{overlay}")).unwrap();
    assert_eq!(in_one, bundle);
}

#[test]
fn what_is_no_bundle() {
    for (text, error) in [
        (
            "applications: {a: {offers: {x: {endpoints: []}}}}",
            "applications.a.offers can only appear in an overlay section",
        ),
        ("applications: {a: }", r#"base application "a" has no body"#),
    ] {
        assert_eq!(Bundle::parse(text).unwrap_err().to_string(), error);
    }
    let broken = Bundle::parse("applications: [").unwrap_err().to_string();
    assert!(broken.starts_with("bundle.yaml: line 1, column 15: "), "{broken}");
    let error = Bundle::parse("").unwrap().verify().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the provided bundle has the following errors:\nat least one application must be specified"
    );
}

#[test]
fn all_that_is_wrong_is_told() {
    let text = r#"
bundle: docker
default-base: invalidbase
series: 9wrong
machines:
  0: {constraints: bad constraints, series: 3bad}
  bogus:
  3:
applications:
  mediawiki: {charm: 'bogus:precise/mediawiki-10', num_units: -4, resources: {'': 1, x: [1]}, revision: 3}
  mysql: {charm: mysql, num_units: 2, to: [0, mediawiki/0, nowhere/3, 2, bad placement], constraints: bad constraints}
  ceph: {charm: ceph, storage: {valid-storage: '3,10G', no_underscores: 123}, base: x}
  Bad: {}
relations:
- [mediawiki:db, mysql:db]
- [arble:bar]
- [arble:bar, mediawiki:db]
- [mysql:foo, mysql:bar]
- [mysql:db, mediawiki:db]
- [mediawiki/db, mysql:db]
"#;
    assert_eq!(
        errors(text),
        [
            r#"bundle has an invalid type "docker""#,
            r#"bundle declares an invalid base "invalidbase""#,
            r#"bundle declares an invalid series "9wrong""#,
            r#"invalid constraints "bad constraints" in machine "0": malformed constraint "bad""#,
            r#"invalid series 3bad for machine "0""#,
            r#"invalid machine id "bogus" found in machines"#,
            r#"invalid application name "Bad""#,
            r#"empty charm path for application "Bad""#,
            r#"invalid base "x" for application "ceph""#,
            r#"invalid storage name "no_underscores" in application "ceph""#,
            r#"invalid charm URL in application "mediawiki": cannot parse URL "bogus:precise/mediawiki-10": schema "bogus" not valid"#,
            r#"application "mediawiki" with a revision requires a channel for future upgrades, please use channel"#,
            r#"missing resource name on application "mediawiki""#,
            r#"resource revision "mediawiki" is not int or string"#,
            r#"negative number of units specified on application "mediawiki""#,
            r#"invalid constraints "bad constraints" in application "mysql": malformed constraint "bad""#,
            r#"too many units specified in unit placement for application "mysql""#,
            r#"placement "mediawiki/0" specifies a unit greater than the -4 unit(s) started by the target application"#,
            r#"placement "nowhere/3" refers to an application not defined in this bundle"#,
            r#"placement "2" refers to a machine not defined in this bundle"#,
            r#"invalid placement syntax "bad placement""#,
            r#"relation ["arble:bar"] has 1 endpoint(s), not 2"#,
            r#"relation ["arble:bar" "mediawiki:db"] refers to application "arble" not defined in this bundle"#,
            r#"relation ["mysql:foo" "mysql:bar"] relates an application to itself"#,
            r#"relation ["mysql:db" "mediawiki:db"] is defined more than once"#,
            r#"invalid relation syntax "mediawiki/db""#,
            r#"machine "3" is not referred to by a placement directive"#,
            r#"machine "bogus" is not referred to by a placement directive"#,
        ]
    );
}

fn charm(name: &str, rest: &str, config: &str) -> Charm {
    Charm {
        meta: Meta::parse(&format!("name: {name}\nsummary: s\ndescription: d\n{rest}")).unwrap(),
        config: Config::parse(config).unwrap(),
        manifest: None,
        actions: Default::default(),
        lxd_profile: None,
        revision: 0,
        version: String::new(),
    }
}

#[test]
fn against_charms() {
    let none = "options: {}";
    let charms = [
        (
            "web".to_owned(),
            charm(
                "web",
                "requires: {db: sql, backup: sql}\nprovides: {site: http}",
                "options: {port: {type: int}}",
            ),
        ),
        (
            "db".to_owned(),
            charm(
                "db",
                "provides: {server: sql}\nrequires: {up: http, other: ftp}\npeers: {ring: sql}",
                none,
            ),
        ),
        (
            "log".to_owned(),
            charm(
                "log",
                "subordinate: true\nrequires: {info: {interface: juju-info, scope: container}}",
                none,
            ),
        ),
    ]
    .into();
    let check = |text: &str| {
        Bundle::parse(text).unwrap().verify_with(&charms).err().map(|it| it.0).unwrap_or_default()
    };
    let apps =
        "applications: {web: {charm: web, num_units: 1}, db: {charm: db, num_units: 1}, log: {charm: log}}";
    for (relations, expected) in [
        ("[[web:db, db:server], [web:site, db], [log, web], [log:info, db:juju-info]]", &[][..]),
        (
            "[[web:db, db], [db:server, web:db]]",
            &[r#"relation ["db:server" "web:db"] is defined more than once"#],
        ),
        ("[[web, log:nope]]", &["cannot infer endpoint between web and log:nope: no relations found"]),
        ("[[web:db, db:nope]]", &[r#"charm "db" used by application "db" does not define relation "nope""#]),
        ("[[web:db, db:ring]]", &[r#"charm "db" used by application "db" does not define relation "ring""#]),
        ("[[web:site, db:server]]", &[r#"relation "web:site" to "db:server" relates provider to provider"#]),
        ("[[web:db, db:up]]", &[r#"relation "web:db" to "db:up" relates requirer to requirer"#]),
        (
            "[[db:other, web:site]]",
            &[r#"mismatched interface between "web:site" and "db:other" ("http" vs "ftp")"#],
        ),
        (
            "[[web, db]]",
            &[
                r#"cannot infer endpoint between web and db: ambiguous relation: "web db" could refer to "db:up web:site"; "web:backup db:server"; "web:db db:server""#,
            ],
        ),
    ] {
        assert_eq!(check(&format!("{apps}\nrelations: {relations}")), expected, "{relations}");
    }
    assert_eq!(
        check(
            "applications:\n  web: {charm: web, options: {port: eighty, nope: 1}, bindings: {site: dmz, '': a, x: b}}\n  \
             log: {charm: log, num_units: 1, to: [new]}\n  gone: {charm: gone}"
        ),
        [
            r#"application "gone" refers to non-existent charm "gone""#,
            r#"application "log" is subordinate but specifies unit placement"#,
            r#"application "log" is subordinate but has non-zero num_units"#,
            r#"cannot validate application "web": configuration option "nope" not found in charm "web""#,
            r#"cannot validate application "web": option "port" expected int, got "eighty""#,
            r#"application "web" wants to bind endpoint "x" to space "b", but the endpoint is not defined by the charm"#,
        ]
    );
}
