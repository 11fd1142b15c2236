#!/usr/bin/env bash
# The command line on a local controller, from bootstrap to destroy, with values asserted on the way.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/local/lib.sh

charms=$PWD/examples/charms

step "the README's first command"
juju try "$charms/hello-bash" --timeout 60s
[ -z "$(processes)" ] || fail "juju try left processes behind: $(processes)"
juju controllers --format json | query '"try-" not in str(d)' || fail "juju try left its controller registered"

step "bootstrap"
bootstrap suite
shows '^User: *admin$' juju whoami
juju status --format json -m controller | query 'd["machines"]["0"]["juju-status"]["current"] == "started"'

step "deploy goes active"
juju add-model demo
juju deploy "$charms/hello-bash" server -n 2 --config greeting=ahoy
juju deploy "$charms/hello-consumer" consumer
eventually 60 'all(u["workload-status"]["current"] == "active" for u in d["applications"]["server"]["units"].values())'
eventually 60 'd["applications"]["consumer"]["units"]["consumer/0"]["juju-status"]["current"] == "idle"'
juju status --format json | query '"ahoy" in d["applications"]["server"]["units"]["server/0"]["workload-status"]["message"]'
juju status --format json | query 'sum(bool(u.get("leader")) for u in d["applications"]["server"]["units"].values()) == 1'
shows '^server ' juju status

step "integrate, configure, expose"
juju integrate consumer server
eventually 60 'd["applications"]["consumer"]["units"]["consumer/0"]["workload-status"]["current"] == "active"'
juju config server greeting=hello
[ "$(juju config server greeting)" = hello ]
eventually 60 'all("hello" in u["workload-status"]["message"] for u in d["applications"]["server"]["units"].values())'
juju config server --reset greeting
juju expose server
juju status --format json | query 'd["applications"]["server"]["exposed"] is True'
juju unexpose server
shows 'workload-version\|opened-ports' juju show-unit server/0
shows '^server:' juju show-application server

step "a unit more, a unit less"
juju add-unit server
eventually 60 'len(d["applications"]["server"]["units"]) == 3 and all(u["workload-status"]["current"] == "active" for u in d["applications"]["server"]["units"].values())'
juju remove-unit server/0 --no-prompt
eventually 60 '"server/0" not in d["applications"]["server"]["units"]'
eventually 60 '"0" not in d["machines"]'

step "refresh"
juju refresh server --path "$charms/hello-bash"
eventually 60 'd["applications"]["server"]["charm-rev"] == 1'

step "machines"
juju add-machine
eventually 60 'any(m["juju-status"]["current"] == "started" and m["instance-id"] != "pending" for i, m in d["machines"].items() if i == "4")'
juju remove-machine 4 --no-prompt
eventually 60 '"4" not in d["machines"]'

step "removal"
juju remove-relation consumer server
juju remove-application consumer --no-prompt
eventually 60 '"consumer" not in d["applications"]'
shows . juju debug-log --replay --limit 5
juju destroy-model demo --no-prompt
juju models --format json | query 'all("demo" not in m["name"] for m in d["models"])'

step "errors are told"
expect_error 'no charm was found at' juju deploy ./nowhere
expect_error 'already exists' juju bootstrap local suite
juju add-model other
expect_error 'application "nothing" not found' juju config nothing
expect_error 'has no hooks nor dispatch file' juju deploy "$(bad_charm)"

step "destroy"
finish suite
echo "local suite: 1 passed, 0 failed"
