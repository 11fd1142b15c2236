//! Whole outputs for whole replies, byte for byte.

use juju_wire::{codec::De, facade::client::FullStatus};

use super::*;
use crate::output::{json, time::Zone, yaml};

/// A model with everything that a table shows, as a Juju 3.6 controller reports it.
const REPLY: &str = r#"{
"model":{"name":"demo","type":"iaas","cloud-tag":"cloud-localhost","region":"localhost","version":"3.6.28",
  "available-version":"","meter-status":{"color":"","message":""},"sla":"unsupported",
  "model-status":{"status":"available","info":"","data":{},"since":"2026-03-02T10:00:00.5Z","kind":"","version":"","life":""}},
"machines":{
 "0":{"agent-status":{"status":"started","info":"","data":{},"since":"2026-03-02T10:02:10Z","kind":"","version":"3.6.28","life":""},
  "instance-status":{"status":"running","info":"Running","data":{},"since":"2026-03-02T10:01:30Z","kind":"","version":"","life":""},
  "modification-status":{"status":"applied","info":"","data":{},"since":"2026-03-02T10:01:31Z","kind":"","version":"","life":""},
  "hostname":"juju-3fa1c2-0","dns-name":"10.8.0.21","ip-addresses":["10.8.0.21"],"instance-id":"juju-3fa1c2-0","display-name":"",
  "base":{"name":"ubuntu","channel":"22.04/stable"},"id":"0","containers":{},"constraints":"arch=amd64",
  "network-interfaces":{"eth0":{"ip-addresses":["10.8.0.21"],"mac-address":"00:16:3e:11:22:33","gateway":"10.8.0.1","space":"alpha","is-up":true}},
  "hardware":"arch=amd64 cores=2 mem=3814M availability-zone=node1","jobs":["JobHostUnits"],"has-vote":false,"wants-vote":false},
 "2":{"agent-status":{"status":"pending","info":"","data":{},"since":"2026-03-02T10:20:00Z","kind":"","version":"","life":""},
  "instance-status":{"status":"pending","info":"","data":{},"since":"2026-03-02T10:20:00Z","kind":"","version":"","life":""},
  "modification-status":{"status":"idle","info":"","data":{},"since":"2026-03-02T10:20:00Z","kind":"","version":"","life":""},
  "dns-name":"","instance-id":"pending","display-name":"","base":{"name":"ubuntu","channel":"22.04/stable"},"id":"2",
  "network-interfaces":{},"containers":{},"constraints":"","hardware":"","jobs":["JobHostUnits"],"has-vote":false,"wants-vote":false}},
"applications":{
 "web":{"charm":"local:web-0","charm-version":"","charm-profile":"","base":{"name":"ubuntu","channel":"22.04/stable"},
  "exposed":true,"life":"","relations":{"db":["pg"]},"can-upgrade-to":"","subordinate-to":[],"units":{
   "web/0":{"agent-status":{"status":"idle","info":"","data":{},"since":"2026-03-02T10:03:01Z","kind":"","version":"3.6.28","life":""},
    "workload-status":{"status":"active","info":"ready","data":{},"since":"2026-03-02T10:03:00Z","kind":"","version":"","life":""},
    "workload-version":"1.2","machine":"0","opened-ports":["8080/tcp"],"public-address":"10.8.0.21","charm":"","leader":true,
    "subordinates":{"log/0":{"agent-status":{"status":"idle","info":"","data":{},"since":"2026-03-02T10:04:01Z","kind":"","version":"3.6.28","life":""},
     "workload-status":{"status":"active","info":"","data":{},"since":"2026-03-02T10:04:00Z","kind":"","version":"","life":""},
     "workload-version":"","machine":"","opened-ports":null,"public-address":"10.8.0.21","charm":"","subordinates":null}}},
   "web/1":{"agent-status":{"status":"allocating","info":"","data":{},"since":"2026-03-02T10:20:01Z","kind":"","version":"","life":""},
    "workload-status":{"status":"waiting","info":"waiting for machine","data":{},"since":"2026-03-02T10:20:00Z","kind":"","version":"","life":""},
    "workload-version":"","machine":"2","opened-ports":null,"public-address":"","charm":"","subordinates":null}},
  "meter-statuses":null,"status":{"status":"active","info":"ready","data":{},"since":"2026-03-02T10:03:00Z","kind":"","version":"","life":""},
  "workload-version":"1.2","endpoint-bindings":{"":"alpha","db":"alpha"},"public-address":""},
 "pg":{"charm":"ch:amd64/jammy/postgresql-345","charm-channel":"14/stable","charm-rev":345,"charm-version":"","charm-profile":"",
  "base":{"name":"ubuntu","channel":"22.04/stable"},"exposed":false,"life":"","relations":{"db":["web"]},"can-upgrade-to":"",
  "subordinate-to":[],"units":{"pg/0":{"agent-status":{"status":"idle","info":"","data":{},"since":"2026-03-02T10:03:01Z","kind":"","version":"3.6.28","life":""},
    "workload-status":{"status":"active","info":"","data":{},"since":"2026-03-02T10:03:00Z","kind":"","version":"","life":""},
    "workload-version":"14.2","machine":"1","opened-ports":["5432/tcp"],"public-address":"10.8.0.22","charm":"","subordinates":null,"leader":true}},
  "meter-statuses":null,"status":{"status":"active","info":"","data":{},"since":"2026-03-02T10:03:00Z","kind":"","version":"","life":""},
  "workload-version":"14.2","endpoint-bindings":null,"public-address":""}},
"remote-applications":{"mon":{"offer-url":"lab:admin/obs.mon","offer-name":"mon","endpoints":[{"name":"m","role":"provider","interface":"metrics","limit":0}],
  "life":"","relations":{},"status":{"status":"active","info":"","data":{},"since":null,"kind":"","version":"","life":""}}},
"offers":{},
"relations":[{"id":1,"key":"web:db pg:db","interface":"pgsql","scope":"global",
  "endpoints":[{"application":"web","name":"db","role":"requirer","subordinate":false},{"application":"pg","name":"db","role":"provider","subordinate":false}],
  "status":{"status":"joined","info":"","data":{},"since":"2026-03-02T10:02:50Z","kind":"","version":"","life":""}}],
"controller-timestamp":"2026-03-02T10:20:30.1Z","branches":{}}"#;

fn reply(text: &str) -> FullStatus {
    serde_json::from_str::<De<FullStatus>>(text).unwrap().0
}

fn options(relations: bool, storage: bool) -> Options {
    let zone = Zone { iso: false, local: jiff::tz::TimeZone::UTC };
    Options { controller: "lab".into(), zone, relations, storage }
}

/// Compares a table with `want`, whose lines may not end in blanks in this file: `|` ends them.
fn check(got: &str, want: &str) {
    let want: Vec<_> = want.trim_start_matches('\n').lines().map(|it| it.trim_end_matches('|')).collect();
    let got: Vec<_> = got.lines().collect();
    assert_eq!(got, want, "\n{}", got.join("|\n"));
}

#[test]
fn tables_are_those_of_juju() {
    let status = convert(&reply(REPLY), &options(true, false));
    check(
        &tabular::render(&status, false),
        "
Model  Controller  Cloud/Region         Version  SLA          Timestamp
demo   lab         localhost/localhost  3.6.28   unsupported  10:20:30Z

SAAS  Status  Store  URL
mon   active  lab    admin/obs.mon

App  Version  Status  Scale  Charm       Channel    Rev  Exposed  Message
pg   14.2     active      1  postgresql  14/stable  345  no       |
web  1.2      active    1/2  web                      0  yes      ready

Unit     Workload  Agent       Machine  Public address  Ports     Message
pg/0*    active    idle        1        10.8.0.22       5432/tcp  |
web/0*   active    idle        0        10.8.0.21       8080/tcp  ready
  log/0  active    idle                 10.8.0.21                 |
web/1    waiting   allocating  2                                  waiting for machine

Machine  State    Address    Inst id        Base          AZ     Message
0        started  10.8.0.21  juju-3fa1c2-0  ubuntu@22.04  node1  Running
2        pending             pending        ubuntu@22.04         |

Integration provider  Requirer  Interface  Type     Message
pg:db                 web:db    pgsql      regular  |
",
    );
}

#[test]
fn relations_and_storage_are_shown_when_asked_for() {
    let status = convert(&reply(REPLY), &options(false, false));
    let text = tabular::render(&status, false);
    assert!(!text.contains("Integration") && !text.contains("Storage"), "{text}");
}

#[test]
fn json_has_the_keys_of_juju() {
    let status = convert(&reply(REPLY), &options(true, true));
    let text = json::to_string(&status);
    let want = r#"{"model":{"name":"demo","type":"iaas","controller":"lab","cloud":"localhost","region":"localhost","version":"3.6.28","model-status":{"current":"available","since":"02 Mar 2026 10:00:00Z"},"sla":"unsupported"},"machines":{"0":{"juju-status":{"current":"started","since":"02 Mar 2026 10:02:10Z","version":"3.6.28"},"hostname":"juju-3fa1c2-0","dns-name":"10.8.0.21","ip-addresses":["10.8.0.21"],"instance-id":"juju-3fa1c2-0","machine-status":{"current":"running","message":"Running","since":"02 Mar 2026 10:01:30Z"},"modification-status":{"current":"applied","since":"02 Mar 2026 10:01:31Z"},"base":{"name":"ubuntu","channel":"22.04"},"network-interfaces":{"eth0":{"ip-addresses":["10.8.0.21"],"mac-address":"00:16:3e:11:22:33","gateway":"10.8.0.1","space":"alpha","is-up":true}},"constraints":"arch=amd64","hardware":"arch=amd64 cores=2 mem=3814M availability-zone=node1"},"2":{"juju-status":{"current":"pending","since":"02 Mar 2026 10:20:00Z"},"instance-id":"pending","machine-status":{"current":"pending","since":"02 Mar 2026 10:20:00Z"},"modification-status":{"current":"idle","since":"02 Mar 2026 10:20:00Z"},"base":{"name":"ubuntu","channel":"22.04"}}},"applications":{"pg":{"charm":"postgresql","base":{"name":"ubuntu","channel":"22.04"},"charm-origin":"charmhub","charm-name":"postgresql","charm-rev":345,"charm-channel":"14/stable","exposed":false,"application-status":{"current":"active","since":"02 Mar 2026 10:03:00Z"},"relations":{"db":[{"related-application":"web","interface":"pgsql","scope":"global"}]},"units":{"pg/0":{"workload-status":{"current":"active","since":"02 Mar 2026 10:03:00Z"},"juju-status":{"current":"idle","since":"02 Mar 2026 10:03:01Z","version":"3.6.28"},"leader":true,"machine":"1","open-ports":["5432/tcp"],"public-address":"10.8.0.22"}},"version":"14.2"},"web":{"charm":"local:web-0","base":{"name":"ubuntu","channel":"22.04"},"charm-origin":"local","charm-name":"web","charm-rev":0,"exposed":true,"application-status":{"current":"active","message":"ready","since":"02 Mar 2026 10:03:00Z"},"relations":{"db":[{"related-application":"pg","interface":"pgsql","scope":"global"}]},"units":{"web/0":{"workload-status":{"current":"active","message":"ready","since":"02 Mar 2026 10:03:00Z"},"juju-status":{"current":"idle","since":"02 Mar 2026 10:03:01Z","version":"3.6.28"},"leader":true,"machine":"0","open-ports":["8080/tcp"],"public-address":"10.8.0.21","subordinates":{"log/0":{"workload-status":{"current":"active","since":"02 Mar 2026 10:04:00Z"},"juju-status":{"current":"idle","since":"02 Mar 2026 10:04:01Z","version":"3.6.28"},"public-address":"10.8.0.21"}}},"web/1":{"workload-status":{"current":"waiting","message":"waiting for machine","since":"02 Mar 2026 10:20:00Z"},"juju-status":{"current":"allocating","since":"02 Mar 2026 10:20:01Z"},"machine":"2"}},"version":"1.2","endpoint-bindings":{"":"alpha","db":"alpha"}}},"application-endpoints":{"mon":{"url":"lab:admin/obs.mon","endpoints":{"m":{"interface":"metrics","role":"provider"}},"application-status":{"current":"active"}}},"storage":{},"controller":{"timestamp":"10:20:30Z"}}"#;
    assert_eq!(text, want);
}

#[test]
fn yaml_says_the_same() {
    let status = convert(&reply(REPLY), &options(true, true));
    let text = yaml::to_string(&status);
    assert!(text.starts_with("model:\n  name: demo\n  type: iaas\n  controller: lab\n"), "{text}");
    let back: serde_json::Value = yaml::from_str(&text).unwrap();
    assert_eq!(back, serde_json::to_value(&status).unwrap());
}

#[test]
fn utc_writes_times_as_iso() {
    let mut options = options(true, true);
    options.zone.iso = true;
    let text = json::to_string(&convert(&reply(REPLY), &options));
    assert!(
        text.contains(r#""since":"2026-03-02 10:02:10Z""#) && text.contains(r#""timestamp":"10:20:30Z""#)
    );
}

#[test]
fn an_empty_model_has_its_three_maps() {
    let reply = reply(
        r#"{"model":{"name":"demo","type":"iaas","cloud-tag":"cloud-local","version":"3.6.28"},"machines":null,
            "applications":null,"relations":null,"controller-timestamp":null}"#,
    );
    let status = convert(&reply, &options(true, true));
    check(
        &tabular::render(&status, false),
        "
Model  Controller  Cloud/Region  Version
demo   lab         local         3.6.28
",
    );
    let text = json::to_string(&status);
    assert_eq!(
        text,
        r#"{"model":{"name":"demo","type":"iaas","controller":"lab","cloud":"local","version":"3.6.28","model-status":{}},"machines":{},"applications":{},"storage":{}}"#
    );
}

#[test]
fn a_failed_part_is_replaced_by_its_error() {
    let reply = reply(
        r#"{"model":{"name":"demo","cloud-tag":"cloud-local"},
            "applications":{"web":{"charm":"local:web-0","err":{"message":"no charm","code":""}},
             "pg":{"charm":"local:pg-1","units":{"pg/0":{"workload-status":{"err":{"message":"no status","code":""}}}}}}}"#,
    );
    let value = serde_json::to_value(convert(&reply, &options(true, true))).unwrap();
    assert_eq!(value["applications"]["web"], serde_json::json!({"status-error": "no charm"}));
    assert_eq!(
        value["applications"]["pg"]["units"]["pg/0"],
        serde_json::json!({"status-error": "no status"})
    );
}

#[test]
fn containers_errors_and_hooks_show() {
    let reply = reply(
        r#"{"model":{"name":"demo","cloud-tag":"cloud-local","region":"default","version":"3.6.28",
             "model-status":{"status":"available","info":"migrating: exporting"}},
            "machines":{"0":{"id":"0","agent-status":{"status":"down"},"instance-id":"i-0","display-name":"box",
              "instance-status":{"info":"Running"},
              "modification-status":{"status":"error","info":"profile not applied"},
              "containers":{"0/lxd/1":{"id":"0/lxd/1","agent-status":{"status":"started"},"instance-id":"c1",
                "dns-name":"10.0.0.3","base":{"name":"ubuntu","channel":"24.04/edge"},
                "instance-status":{"info":"Container started"}}}}},
            "applications":{"web":{"charm":"local:web-7","workload-version":"a bit too long a version","units":{
              "web/10":{"agent-status":{"status":"executing","info":"running config-changed hook"},
                "workload-status":{"status":"maintenance","info":"changing"},"machine":"0"},
              "web/9":{"agent-status":{"status":"idle"},"machine":"0",
                "workload-status":{"status":"error","info":"hook failed: \"db-relation-changed\"","data":{"relation-id":1}}}},
              "status":{"status":"error","info":"hook failed"}}},
            "offers":{"pg":{"offer-name":"pg","application-name":"pg","charm":"ch:amd64/jammy/postgresql-345",
              "active-connected-count":1,"total-connected-count":2,
              "endpoints":{"db":{"name":"db","role":"provider","interface":"pgsql"},"admin":{"name":"db-admin","role":"provider","interface":"pgsql"}}}},
            "relations":[{"id":1,"key":"web:db pg:db","interface":"pgsql","scope":"global",
              "endpoints":[{"application":"web","name":"db","role":"requirer"},{"application":"pg","name":"db","role":"provider"}],
              "status":{"status":"suspended","info":"by admin"}},
             {"id":2,"key":"web:ring","interface":"ring","scope":"global",
              "endpoints":[{"application":"web","name":"ring","role":"peer"}],"status":{"status":"joined"}}]}"#,
    );
    let status = convert(&reply, &options(true, false));
    check(
        &tabular::render(&status, false),
        "
Model  Controller  Cloud/Region   Version  Notes
demo   lab         local/default  3.6.28   migrating: exporting

App  Version          Status  Scale  Charm  Channel  Rev  Exposed  Message
web  a bit too lo...  error       2  web               7  no       hook failed

Unit    Workload     Agent      Machine  Public address  Ports  Message
web/9   error        idle       0                               hook failed: \"db-relation-changed\" for pg:db
web/10  maintenance  executing  0                               (config-changed) changing

Machine  State    Address   Inst id  Base               AZ  Message
0        error              box                             profile not applied
0/lxd/1  started  10.0.0.3  c1       ubuntu@24.04/edge      Container started

Offer  Application  Charm       Rev  Connected  Endpoint  Interface  Role
pg     pg           postgresql  345  1/2        admin     pgsql      provider
                                                db        pgsql      provider

Integration provider  Requirer  Interface  Type     Message
pg:db                 web:db    pgsql      regular  suspended  by admin
web:ring              web:ring  ring       peer     |
",
    );
}

#[test]
fn a_line_a_unit() {
    let status = convert(&reply(REPLY), &options(true, false));
    assert_eq!(
        oneline::render(&status, false),
        "\n- pg/0: 10.8.0.22 (agent:idle, workload:active) 5432/tcp\n\
         - web/0: 10.8.0.21 (agent:idle, workload:active) 8080/tcp\n  \
         - log/0: 10.8.0.21 (agent:idle, workload:active)\n\
         - web/1:  (agent:allocating, workload:waiting)\n"
    );
}

#[test]
fn a_summary_counts() {
    let status = convert(&reply(REPLY), &options(true, false));
    let text = summary::render(&status);
    let words: Vec<_> = text.lines().map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        words,
        [
            "Running on subnets: 10.8.0.21/8",
            "Utilizing ports: 5432/tcp, 8080/tcp",
            "",
            "# Machines: (2)",
            "pending: 1",
            "started: 1",
            "",
            "# Units: (4)",
            "active: 3",
            "waiting: 1",
            "",
            "# Applications: (2)",
            "pg 0/1 exposed",
            "web 1/1 exposed",
            "",
            "# Remote: (1)",
            "mon lab:admin/obs.mon",
        ]
    );
}

#[test]
fn storage_is_a_section_and_an_object() {
    let reply = reply(
        r#"{"model":{"name":"demo","cloud-tag":"cloud-local"},
            "storage":[{"storage-tag":"storage-data-0","owner-tag":"unit-web-0","kind":2,"persistent":false,
              "status":{"status":"attached","info":"","since":"2026-03-02T10:00:00Z"},
              "attachments":{"unit-web-0":{"storage-tag":"storage-data-0","unit-tag":"unit-web-0","machine-tag":"machine-0","location":"/srv/data"}}}],
            "filesystems":[{"filesystem-tag":"filesystem-0-1","info":{"filesystem-id":"fs","size":1024,"pool":"rootfs"},
              "status":{"status":"attached"},"machine-attachments":{"machine-0":{"mount-point":"/srv/data","read-only":false}},
              "storage":{"storage-tag":"storage-data-0","attachments":{"unit-web-0":{"machine-tag":"machine-0","location":"/srv/data"}}}}]}"#,
    );
    let status = convert(&reply, &options(true, true));
    let text = tabular::render(&status, false);
    let section: Vec<_> = text.lines().skip(3).collect();
    assert_eq!(
        section,
        [
            "Storage Unit  Storage ID  Type        Pool    Mountpoint  Size     Status    Message",
            "web/0         data/0      filesystem  rootfs  /srv/data   1.0 GiB  attached  ",
        ]
    );
    let value = serde_json::to_value(&status).unwrap();
    assert_eq!(
        value["storage"],
        serde_json::json!({
            "storage": {"data/0": {"kind": "filesystem", "persistent": false,
                "status": {"current": "attached", "since": "02 Mar 2026 10:00:00Z"},
                "attachments": {"units": {"web/0": {"machine": "0", "location": "/srv/data"}}}}},
            "filesystems": {"0/1": {"provider-id": "fs", "storage": "data/0", "pool": "rootfs", "size": 1024,
                "status": {"current": "attached"},
                "attachments": {"machines": {"0": {"mount-point": "/srv/data", "read-only": false}},
                    "units": {"web/0": {"machine": "0", "location": "/srv/data"}}}}},
        })
    );
}
