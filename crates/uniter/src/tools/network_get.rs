//! `network-get`: the addresses of a binding.

use async_trait::async_trait;
use juju_wire::facade::uniter::NetworkInfoResult;
use serde_json::{Map, Value, json};

use super::{
    Call, Context, Definition, Failure, Io,
    args::{Flag, UsageError, quote},
    output::{FORMAT, Format, OUTPUT, Output},
    relation_id::{self, RELATION},
};

const BIND: Flag =
    Flag::bool(&["bind-address"], "get the address for the binding on which the unit should listen");
const EGRESS: Flag = Flag::bool(&["egress-subnets"], "get the egress subnets for the binding");
const INGRESS: Flag = Flag::bool(&["ingress-address"], "get the ingress address for the binding");
const PRIMARY: Flag =
    Flag::bool(&["primary-address"], "(deprecated) get the primary address for the binding");

pub(super) const DEFINITION: Definition = Definition {
    name: "network-get",
    args: "<binding-name> [--ingress-address] [--bind-address] [--egress-subnets]",
    summary: "Get network config.",
    details: "A binding is an endpoint or an extra binding of the charm. With one flag its value is printed, with\n\
              several a map of them, without any all that is known. -r makes ingress and egress those of a\n\
              relation.",
    flags: &[&BIND, &EGRESS, &FORMAT, &INGRESS, &OUTPUT, &PRIMARY, &RELATION],
    parse: |args, here| {
        let output = Output::parse(args)?;
        let relation = relation_id::parse(args, here)?;
        let binding = args.next().ok_or_else(|| UsageError::new("no arguments specified"))?;
        if binding.is_empty() {
            return Err(UsageError::new("no binding name specified"));
        }
        args.finish()?;
        Ok(Box::new(NetworkGet {
            binding,
            relation,
            bind: args.is_set("bind-address"),
            egress: args.is_set("egress-subnets"),
            ingress: args.is_set("ingress-address"),
            primary: args.is_set("primary-address"),
            output,
        }))
    },
};

struct NetworkGet {
    binding: String,
    relation: Option<i64>,
    bind: bool,
    egress: bool,
    ingress: bool,
    primary: bool,
    output: Output,
}

#[async_trait]
impl Call for NetworkGet {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let info = context.network_info(&self.binding, self.relation).await?;
        let value = self.value(&info)?;
        self.output.write(io, &value).await
    }
}

impl NetworkGet {
    fn value(&self, info: &NetworkInfoResult) -> Result<Value, Failure> {
        let first = info.bind_addresses.iter().find_map(|it| it.addresses.first()).map(|it| it.value.clone());
        if self.primary {
            if self.bind || self.egress || self.ingress {
                return Err(Failure::new("--primary-address must be the only flag specified"));
            }
            let none = || Failure::new(format!("no addresses attached to binding {}", quote(&self.binding)));
            return first.map(Value::from).ok_or_else(none);
        }
        let mut asked = Map::new();
        if self.bind {
            asked.insert("bind-address".to_owned(), json!(first.unwrap_or_default()));
        }
        if self.egress {
            asked.insert("egress-subnets".to_owned(), json!(info.egress_subnets));
        }
        if self.ingress {
            let ingress = info.ingress_addresses.first().cloned().unwrap_or_default();
            asked.insert("ingress-address".to_owned(), json!(ingress));
        }
        Ok(match asked.len() {
            0 => everything(info, self.output.format != Format::Json),
            1 => asked.into_iter().next().map(|(_, value)| value).unwrap_or_default(),
            _ => Value::Object(asked),
        })
    }
}

/// All that is known; in YAML also under the keys of old, which Juju still writes there.
fn everything(info: &NetworkInfoResult, legacy: bool) -> Value {
    let device = |it: &juju_wire::facade::uniter::NetworkInfo| {
        let address = |it: &juju_wire::facade::uniter::InterfaceAddress| {
            let mut out = json!({ "hostname": it.hostname, "value": it.value, "cidr": it.cidr });
            if legacy {
                out["address"] = json!(it.value);
            }
            out
        };
        let addresses: Vec<_> = it.addresses.iter().map(address).collect();
        let mut out = json!({ "mac-address": it.mac_address, "interface-name": it.interface_name, "addresses": addresses });
        if legacy {
            out["macaddress"] = json!(it.mac_address);
            out["interfacename"] = json!(it.interface_name);
        }
        out
    };
    let mut out = Map::new();
    if !info.bind_addresses.is_empty() {
        out.insert("bind-addresses".to_owned(), info.bind_addresses.iter().map(device).collect());
    }
    if !info.egress_subnets.is_empty() {
        out.insert("egress-subnets".to_owned(), json!(info.egress_subnets));
    }
    if !info.ingress_addresses.is_empty() {
        out.insert("ingress-addresses".to_owned(), json!(info.ingress_addresses));
    }
    Value::Object(out)
}
