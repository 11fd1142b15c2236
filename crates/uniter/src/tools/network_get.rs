//! `network-get`: the addresses of a binding.

use std::{net::IpAddr, time::Duration};

use async_trait::async_trait;
use juju_wire::facade::uniter::NetworkInfoResult;
use serde_json::{Map, Value, json};
use tokio::{net::lookup_host, time::timeout};

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
        let mut info = context.network_info(&self.binding, self.relation).await?;
        resolve(&mut info).await;
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

/// How long a name server may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Turns host names into addresses: charms are promised numbers. An ingress name without an address is dropped, a bound
/// one keeps its name alone.
async fn resolve(info: &mut NetworkInfoResult) {
    for address in info.bind_addresses.iter_mut().flat_map(|it| &mut it.addresses) {
        if address.value.parse::<IpAddr>().is_err() && !address.value.is_empty() {
            address.hostname = std::mem::take(&mut address.value);
            address.value = look_up(&address.hostname).await.unwrap_or_default();
        }
    }
    let mut ingress = vec![];
    for name in std::mem::take(&mut info.ingress_addresses) {
        match name.parse::<IpAddr>() {
            Ok(_) => ingress.push(name),
            Err(_) => ingress.extend(look_up(&name).await),
        }
    }
    info.ingress_addresses = ingress;
}

/// An address of a host, of version 4 if it has one.
async fn look_up(name: &str) -> Option<String> {
    let found = timeout(PATIENCE, lookup_host((name, 0))).await.ok()?.ok()?;
    let addresses: Vec<_> = found.map(|it| it.ip()).collect();
    addresses.iter().find(|it| it.is_ipv4()).or(addresses.first()).map(IpAddr::to_string)
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

#[cfg(test)]
mod tests {
    use juju_wire::facade::uniter::{InterfaceAddress, NetworkInfo};

    use super::*;

    #[tokio::test]
    async fn names_become_addresses() {
        let address = |value: &str| InterfaceAddress { value: value.into(), ..InterfaceAddress::default() };
        let mut info = NetworkInfoResult {
            bind_addresses: vec![NetworkInfo {
                addresses: vec![address("10.0.0.1"), address("localhost"), address("nowhere.invalid")],
                ..NetworkInfo::default()
            }],
            ingress_addresses: vec!["nowhere.invalid".into(), "localhost".into(), "10.0.0.1".into()],
            ..NetworkInfoResult::default()
        };
        resolve(&mut info).await;
        let bound: Vec<_> = info.bind_addresses[0]
            .addresses
            .iter()
            .map(|it| (it.hostname.as_str(), it.value.as_str()))
            .collect();
        assert_eq!(bound, [("", "10.0.0.1"), ("localhost", "127.0.0.1"), ("nowhere.invalid", "")]);
        assert_eq!(info.ingress_addresses, ["127.0.0.1", "10.0.0.1"]);
    }
}
