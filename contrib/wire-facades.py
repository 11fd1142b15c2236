#!/usr/bin/env python3
"""Writes a first version of facade files for the `wire` crate from JSON schemas in Juju's form.

    wire-facades.py OUT SCHEMA.json… -- FACADE…

Types that one of the facades uses alone stand in `OUT/facade/<name>.rs` with its declaration; those that several use
go to `OUT/params/<topic>.rs`. What it writes is a starting point: the files are edited by hand afterwards, and a
released type never changes.
"""
import collections
import json
import keyword
import os
import re
import sys

RUST = {"type", "ref", "move", "use", "match", "in", "as", "final", "macro", "mod", "fn", "self", "where", "loop"}
# Pointers in Juju's own types where "absent" and "empty" differ.
OPTIONAL = {
    ("Constraints", "*"), ("SetUnitStateArg", "*"), ("DestroyModelParams", "destroy-storage"), ("DestroyModelParams", "force"),
    ("DestroyControllerArgs", "destroy-storage"), ("DestroyControllerArgs", "force"), ("ApplicationUpdate", "*"),
    ("UnitStateResult", "*"), ("ModelStatus", "*"), ("DestroyApplicationParams", "max-wait"),
    ("CommitHookChangesArg", "*"),
}
BYTES = {("*", "secret-key"), ("RegisterRequest", "nonce")}
TOPICS = [
    ("status", "Status|History"), ("secret", "Secret"), ("action", "Action|Operation"), ("storage", "Storage|Volume|Filesystem|BlockDevice"),
    ("charm", "Charm|LXDProfile"), ("relation", "Relation|Endpoint|Scope|Offer|Remote"), ("network", "Address|Network|Space|Subnet|HostPort|Port|Interface|Fan|CIDR"),
    ("machine", "Machine|Instance|Hardware|Provision|Container|Placement|Base|Tools|Version"), ("unit", "Unit|Hook|Lead"),
    ("application", "Application|Constraints"), ("model", "Model|Cloud|Credential|Config|User|Macaroon|Controller"), ("watch", "Watch|Changes?"),
]


# What a user needs, where it is more than reading the model.
HANDLER_CHECKS = {"Admin", "Pinger", "Cloud", "ModelManager", "UserManager", "Controller"}
READS = re.compile(
    "^(Get|List|Watch|Full|Status|Charm(Relations|Config|Info)|Config|ApplicationsInfo|UnitsInfo|Leader|InstanceTypes"
    "|ResolveCharms|AreApplicationsConfigured|IsMetered|CheckCharmPlacement|CheckPlacement|ModelGet|ModelConfig|Sequences"
    "|SLALevel|BestFacade|MergeBindingsDryRun|Next|Stop|ReadOnly)")
ADMIN = {"KeyManager.AddKeys", "KeyManager.DeleteKeys", "KeyManager.ImportKeys", "ModelConfig.SetSLALevel"}


def need_of(facade, method):
    if facade in HANDLER_CHECKS:
        return "Login"
    if f"{facade}.{method}" in ADMIN:
        return "Admin"
    return "Read" if READS.search(method) or facade == "AllWatcher" else "Write"


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def topic(name):
    for file, pattern in TOPICS:
        if re.search(pattern, name):
            return file
    return "common"


def refs(schema):
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rsplit("/", 1)[-1]
        for value in schema.values():
            yield from refs(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from refs(value)


def main():
    cut = sys.argv.index("--")
    out, files, names = sys.argv[1], sys.argv[2:cut], sys.argv[cut + 1:]
    facades, defs = {}, {}
    clients = set()
    for file in files:
        for facade in json.load(open(file)):
            if "user" in " ".join(facade["AvailableTo"]) and "client" in os.path.basename(file):
                clients.add(facade["Name"])
            # Juju's `constraints.Value`; `Value` alone is JSON's here.
            facade = json.loads(json.dumps(facade).replace('#/definitions/Value"', '#/definitions/Constraints"'))
            definitions = facade["Schema"].get("definitions", {})
            if "Value" in definitions:
                definitions["Constraints"] = definitions.pop("Value")
            facades[facade["Name"]] = facade
            defs.update(facade["Schema"].get("definitions", {}))
    plain = {n for n, s in defs.items() if s.get("type") == "string"} | {"ModelTag"}
    raw = {"Macaroon"}
    users = collections.defaultdict(set)

    def walk(name, facade):
        if name in plain or name in raw or facade in users[name]:
            return
        users[name].add(facade)
        for ref in refs(defs[name]):
            walk(ref, facade)

    roles = {}
    for name in names:
        for method, parts in facades[name]["Schema"].get("properties", {}).items():
            for part, schema in parts.get("properties", {}).items():
                for ref in refs(schema):
                    walk(ref, name)
                    role = "Parameters" if part == "Params" else "Result"
                    roles.setdefault(ref, f"{role} of `{name}.{method}`")
    for name in users:
        for other in users:
            if other != name and name in refs(defs[other]):
                roles.setdefault(name, f"Part of [`{other}`]")

    def rust(schema, required, holder, key):
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[-1]
            if name in plain:
                return "String"
            if name in raw:
                return "Value"
            return name if required else f"Option<{name}>"
        kind = schema.get("type")
        if kind == "array":
            ty = f"Vec<{rust(schema['items'], True, holder, None)}>"
        elif kind == "object":
            if "patternProperties" in schema:
                ty = f"BTreeMap<String, {rust(next(iter(schema['patternProperties'].values())), True, holder, None)}>"
            else:
                return "Value"
        elif (holder, key) in BYTES or ("*", key) in BYTES:
            ty = "Bytes"
        elif schema.get("format") == "date-time":
            ty = "Time"
            if not required:
                return "Option<Time>"
        else:
            ty = {"string": "String", "boolean": "bool", "integer": "i64", "number": "f64"}[kind]
        if not required and (kind in ("integer", "number") or (holder, key) in OPTIONAL or (holder, "*") in OPTIONAL):
            return f"Option<{ty}>"
        return ty

    def struct(name):
        schema = defs[name]
        required = set(schema.get("required", ()))
        lines = [f"/// {roles.get(name, 'Part of the API')}.", "#[derive(Clone, Debug, Default, PartialEq, Wire)]"]
        properties = schema.get("properties", {})
        if not properties:
            return "\n".join(lines) + f"\npub struct {name} {{}}\n"
        lines.append(f"pub struct {name} {{")
        for key, value in properties.items():
            field = snake(key.replace("-", "_"))
            if field in RUST or keyword.iskeyword(field):
                field += "_"
            attrs = []
            if field.rstrip("_").replace("_", "-") != key:
                attrs.append(f'"{key}"')
            if key not in required:
                attrs.append("omit")
            if attrs:
                lines.append(f"    #[wire({', '.join(attrs)})]")
            lines.append(f"    pub {field}: {rust(value, key in required, name, key)},")
        lines.append("}")
        return "\n".join(lines) + "\n"

    def header(body, own):
        uses = []
        if "BTreeMap<" in body:
            uses.append("use std::collections::BTreeMap;\n")
        uses.append("use juju_wire_derive::Wire;")
        if re.search(r"\bValue\b", body):
            uses.append("use serde_json::Value;")
        codec = [t for t in ("Bytes", "Time") if re.search(rf"\b{t}\b", body)]
        if codec:
            uses.append(f"use crate::codec::{{{', '.join(codec)}}};")
        return uses

    os.makedirs(f"{out}/facade", exist_ok=True)
    os.makedirs(f"{out}/params", exist_ok=True)
    shared = collections.defaultdict(list)
    for name, by in sorted(users.items()):
        if len(by) > 1:
            shared[topic(name)].append(name)
    for file, types in shared.items():
        body = "\n".join(struct(n) for n in types)
        uses = "\n".join(header(body, types))
        with open(f"{out}/params/{file}.rs", "w") as f:
            f.write(f"//! Types about {file} that several facades share.\n\n{uses}\n\n#[allow(unused_imports)]\nuse super::*;\n\n{body}")
    with open(f"{out}/params/mod.rs", "w") as f:
        f.write("//! The types that several facades share, by topic; all are re-exported here.\n\n")
        for file in sorted(shared):
            f.write(f"mod {file};\n")
        f.write("\n" + "".join(f"pub use {file}::*;\n" for file in sorted(shared)))
    who = {"controller-machine-agent": "Controller", "machine-agent": "Machine", "unit-agent": "Unit", "controller-user": "User", "model-user": "User"}
    controller_only = {"AllModelWatcher", "ApplicationOffers", "Cloud", "Controller", "ModelManager", "ModelUpgrader", "SecretBackends", "UserManager"}
    both = {"Pinger", "Bundle", "HighAvailability", "NotifyWatcher", "ModelConfig", "Admin"}
    for name in names:
        facade = facades[name]
        own = [n for n, by in sorted(users.items()) if by == {name}]
        body = "\n".join(struct(n) for n in own)
        place = "Controller" if name in controller_only else "Both" if name in both else "Model"
        kinds = list(dict.fromkeys(who[w] for w in facade["AvailableTo"]))
        # Juju lists many facades for everybody and refuses in their constructors; here the list is the rule.
        if name not in ("Admin", "Pinger"):
            kinds = ["User"] if name in clients else [k for k in kinds if k != "User"]
        decl = [f'facade! {{\n    "{name}" {facade["Version"]}..={facade["Version"]}, on {place}, for [{", ".join(kinds)}] {{']
        for method, parts in sorted(facade["Schema"].get("properties", {}).items()):
            parts = parts.get("properties", {})
            types = [rust(parts[p], True, name, None) if p in parts else "()" for p in ("Params", "Result")]
            need = need_of(name, method) if name in clients else "Login"
            decl.append(f"        {method}({types[0]}) -> {types[1]}, {need};")
        decl.append("    }\n}\n")
        decl = "\n".join(decl)
        uses = header(body + decl, own) if body else ([u for u in header(decl, own) if "derive" not in u])
        # Names of methods and of types may collide; methods live in a module of their own.
        with open(f"{out}/facade/{snake(name)}.rs", "w") as f:
            f.write(f"//! The `{name}` facade.\n\n" + "\n".join(uses) + "\n\n#[allow(unused_imports)]\nuse crate::{facade, params::*};\n\n" + decl + ("\n" + body if body else ""))
            clash = {n for n in own} & set(facade["Schema"].get("properties", {}))
            if clash:
                print("clash", name, clash)
    with open(f"{out}/facade/mod.rs", "w") as f:
        f.write("//! A file a facade.\n\n" + "".join(f"pub mod {snake(n)};\n" for n in sorted(names)))


main()
