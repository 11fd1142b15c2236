//! `unit-get`: the unit's own addresses.

use async_trait::async_trait;

use super::{
    Call, Context, Definition, Failure, Io,
    args::{UsageError, quote},
    output::{FORMAT, OUTPUT, Output},
};

pub(super) const DEFINITION: Definition = Definition {
    name: "unit-get",
    args: "<setting>",
    summary: "Print public-address or private-address.",
    details: "Prints the unit's private or public address. network-get knows more and should be preferred.",
    flags: &[&FORMAT, &OUTPUT],
    parse: |args, _| {
        let output = Output::parse(args)?;
        let setting = args.next().ok_or_else(|| UsageError::new("no setting specified"))?;
        let public = match setting.as_str() {
            "private-address" => false,
            "public-address" => true,
            other => return Err(UsageError::new(format!("unknown setting {}", quote(other)))),
        };
        args.finish()?;
        Ok(Box::new(UnitGet { public, output }))
    },
};

struct UnitGet {
    public: bool,
    output: Output,
}

#[async_trait]
impl Call for UnitGet {
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        let address = match self.public {
            true => context.public_address().await?,
            false => match bound_address(context).await {
                Some(address) => address,
                None => context.private_address().await?,
            },
        };
        self.output.write(io, &address.into()).await
    }
}

/// The first address of the default binding; the host name it was resolved from, if it was.
async fn bound_address(context: &mut Context) -> Option<String> {
    let info = context.network_info("", None).await.ok()?;
    let address = info.bind_addresses.first()?.addresses.first()?;
    let name = if address.hostname.is_empty() { &address.value } else { &address.hostname };
    Some(name.clone())
}
