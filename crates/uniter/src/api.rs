//! What a unit says to the controller, a method a call: bulk calls of one entity, taken apart.

use std::collections::BTreeMap;

use juju_core::UnitName;
use juju_wire::{
    Error, Method,
    facade::uniter::{self as wire, call},
    params::{
        BoolResult, Entities, Entity, EntityStatusArgs, ErrorResult, LifeResult, SetStatus, StatusResult,
        StringResult,
    },
};
use serde_json::Value;

use crate::link::{ApiError, Link};

/// The `Uniter` facade as seen by one unit.
#[derive(Clone)]
pub struct Api {
    link: Link,
    unit: String,
    application: String,
}

type Result<T> = std::result::Result<T, ApiError>;

/// A unit as the controller has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refreshed {
    pub life: String,
    pub resolved: String,
}

impl Api {
    pub fn new(link: Link, unit: &UnitName) -> Self {
        Api { link, unit: unit.to_string(), application: unit.app().to_string() }
    }

    pub fn link(&self) -> &Link {
        &self.link
    }
    /// The unit's name.
    pub fn unit(&self) -> &str {
        &self.unit
    }
    pub fn application(&self) -> &str {
        &self.application
    }
    pub fn unit_tag(&self) -> String {
        unit_tag(&self.unit)
    }
    pub fn application_tag(&self) -> String {
        application_tag(self.application())
    }

    // The unit and its application.

    pub async fn refresh(&self) -> Result<Refreshed> {
        let reply = self.link.call::<call::Refresh>(entity(self.unit_tag())).await?;
        let it = one(reply.results)?;
        // This one is not left out when there is none.
        if !it.error.message.is_empty() || !it.error.code.is_empty() {
            return Err(it.error.into());
        }
        Ok(Refreshed { life: it.life, resolved: it.resolved })
    }
    pub async fn life(&self, tag: String) -> Result<String> {
        Ok(one(self.link.call::<call::Life>(entity(tag)).await?.results)?.ok()?)
    }
    pub async fn charm_url(&self) -> Result<(String, bool)> {
        Ok(one(self.link.call::<call::CharmURL>(entity(self.application_tag())).await?.results)?.ok()?)
    }
    /// The charm that the unit has said it uses, or else the application's.
    pub async fn own_charm_url(&self) -> Result<String> {
        let entities = [self.unit_tag(), self.application_tag()].map(|tag| Entity { tag }).to_vec();
        let results = self.link.call::<call::CharmURL>(Entities { entities }).await?.results;
        let (unit, application) = match <[wire::StringBoolResult; 2]>::try_from(results) {
            Ok([unit, application]) => (unit.ok()?.0, application.ok()?.0),
            Err(_) => return Err(Error::other("expected 2 results of Uniter.CharmURL").into()),
        };
        Ok(if unit.is_empty() { application } else { unit })
    }
    pub async fn charm_modified_version(&self) -> Result<i64> {
        Ok(one(self.link.call::<call::CharmModifiedVersion>(entity(self.application_tag())).await?.results)?
            .ok()?)
    }
    pub async fn charm_sha256(&self, charm: &str) -> Result<String> {
        let urls = vec![juju_wire::params::CharmURL { url: charm.to_owned() }];
        Ok(one(self.link.call::<call::CharmArchiveSha256>(wire::CharmURLs { urls }).await?.results)?.ok()?)
    }
    pub async fn set_charm_url(&self, charm: &str) -> Result<()> {
        let entities = vec![wire::EntityCharmURL { tag: self.unit_tag(), charm_url: charm.to_owned() }];
        self.done::<call::SetCharmURL>(wire::EntitiesCharmURL { entities }).await
    }
    /// The principal's name, of a subordinate.
    pub async fn principal(&self) -> Result<Option<String>> {
        let (tag, ok) =
            one(self.link.call::<call::GetPrincipal>(entity(self.unit_tag())).await?.results)?.ok()?;
        Ok(ok.then(|| unit_name(&tag)))
    }
    pub async fn assigned_machine(&self) -> Result<String> {
        let tag = self.string::<call::AssignedMachine>().await?;
        Ok(tag.strip_prefix("machine-").unwrap_or(&tag).replace('-', "/"))
    }
    pub async fn availability_zone(&self) -> Result<String> {
        self.string::<call::AvailabilityZone>().await
    }
    pub async fn current_model(&self) -> Result<wire::ModelResult> {
        let reply = self.link.call::<call::CurrentModel>(()).await?;
        match reply.error {
            Some(error) => Err(error.into()),
            None => Ok(reply),
        }
    }
    pub async fn clear_resolved(&self) -> Result<()> {
        self.done::<call::ClearResolved>(entity(self.unit_tag())).await
    }
    pub async fn destroy(&self) -> Result<()> {
        self.done::<call::Destroy>(entity(self.unit_tag())).await
    }
    pub async fn destroy_all_subordinates(&self) -> Result<()> {
        self.done::<call::DestroyAllSubordinates>(entity(self.unit_tag())).await
    }
    pub async fn has_subordinates(&self) -> Result<bool> {
        let reply = self.link.call::<call::HasSubordinates>(entity(self.unit_tag())).await?;
        Ok(one(reply.results)?.ok()?)
    }
    pub async fn ensure_dead(&self) -> Result<()> {
        self.done::<call::EnsureDead>(entity(self.unit_tag())).await
    }
    pub async fn set_workload_version(&self, version: String) -> Result<()> {
        let entities = vec![wire::EntityWorkloadVersion { tag: self.unit_tag(), workload_version: version }];
        self.done::<call::SetWorkloadVersion>(wire::EntityWorkloadVersions { entities }).await
    }

    // Statuses.

    pub async fn set_agent_status(
        &self,
        status: &str,
        info: &str,
        data: BTreeMap<String, Value>,
    ) -> Result<()> {
        self.done::<call::SetAgentStatus>(self.status(status, info, data)).await
    }
    pub async fn set_unit_status(&self, status: &str, info: &str) -> Result<()> {
        self.done::<call::SetUnitStatus>(self.status(status, info, BTreeMap::new())).await
    }
    /// The application's status; it is the unit's tag that travels.
    pub async fn set_application_status(&self, status: &str, info: &str) -> Result<()> {
        self.done::<call::SetApplicationStatus>(self.status(status, info, BTreeMap::new())).await
    }
    pub async fn unit_status(&self) -> Result<StatusResult> {
        Ok(one(self.link.call::<call::UnitStatus>(entity(self.unit_tag())).await?.results)?.ok()?)
    }
    pub async fn application_status(&self) -> Result<wire::ApplicationStatusResult> {
        Ok(one(self.link.call::<call::ApplicationStatus>(entity(self.unit_tag())).await?.results)?.ok()?)
    }

    // Saved state.

    pub async fn state(&self) -> Result<wire::UnitStateResult> {
        Ok(one(self.link.call::<call::State>(entity(self.unit_tag())).await?.results)?.ok()?)
    }
    /// Fields that are absent stay as they are.
    pub async fn set_state(&self, state: wire::SetUnitStateArg) -> Result<()> {
        let args = vec![wire::SetUnitStateArg { tag: self.unit_tag(), ..state }];
        self.done::<call::SetState>(wire::SetUnitStateArgs { args }).await
    }
    /// Carries out what a hook has changed, with the unit's state that says so.
    ///
    /// Once the answer is lost nobody knows whether it was done, and to do it twice may be wrong: ports that another
    /// unit has opened since, data that the leader has overwritten. So the state is read first, which the same
    /// transaction has written.
    pub async fn commit(&self, changes: wire::CommitHookChangesArg, state: &str) -> Result<()> {
        let args = wire::CommitHookChangesArgs { args: vec![changes] };
        loop {
            if let Some(reply) = self.link.once::<call::CommitHookChanges>(args.clone()).await? {
                return Ok(one(reply.results)?.ok()?);
            }
            if self.state().await?.uniter_state.as_deref() == Some(state) {
                return Ok(());
            }
        }
    }

    // Relations.

    pub async fn relation(&self, key: &str) -> Result<wire::RelationResultV2> {
        let params = wire::RelationUnits { relation_units: vec![self.relation_unit(relation_tag(key))] };
        Ok(one(self.link.call::<call::Relation>(params).await?.results)?.ok()?)
    }
    pub async fn relations_status(&self) -> Result<Vec<wire::RelationUnitStatus>> {
        Ok(one(self.link.call::<call::RelationsStatus>(entity(self.unit_tag())).await?.results)?.ok()?)
    }
    pub async fn enter_scope(&self, key: &str) -> Result<()> {
        let params = wire::RelationUnits { relation_units: vec![self.relation_unit(relation_tag(key))] };
        self.done::<call::EnterScope>(params).await
    }
    pub async fn leave_scope(&self, key: &str) -> Result<()> {
        let params = wire::RelationUnits { relation_units: vec![self.relation_unit(relation_tag(key))] };
        self.done::<call::LeaveScope>(params).await
    }
    pub async fn set_relation_status(&self, id: i64, status: &str) -> Result<()> {
        let arg = wire::RelationStatusArg {
            unit_tag: self.unit_tag(),
            relation_id: id,
            status: status.to_owned(),
            message: String::new(),
        };
        self.done::<call::SetRelationStatus>(wire::RelationStatusArgs { args: vec![arg] }).await
    }
    pub async fn own_settings(&self, key: &str) -> Result<BTreeMap<String, String>> {
        let params = wire::RelationUnits { relation_units: vec![self.relation_unit(relation_tag(key))] };
        Ok(one(self.link.call::<call::ReadSettings>(params).await?.results)?.ok()?)
    }
    pub async fn own_application_settings(&self, key: &str) -> Result<BTreeMap<String, String>> {
        let params = self.relation_unit(relation_tag(key));
        Ok(self.link.call::<call::ReadLocalApplicationSettings>(params).await?.ok()?)
    }
    /// The data of a unit or application, by tag.
    pub async fn remote_settings(&self, key: &str, tag: String) -> Result<BTreeMap<String, String>> {
        let pair = wire::RelationUnitPair {
            relation: relation_tag(key),
            local_unit: self.unit_tag(),
            remote_unit: tag,
        };
        let params = wire::RelationUnitPairs { relation_unit_pairs: vec![pair] };
        Ok(one(self.link.call::<call::ReadRemoteSettings>(params).await?.results)?.ok()?)
    }

    // What hooks ask for.

    pub async fn config_settings(&self) -> Result<BTreeMap<String, Value>> {
        Ok(one(self.link.call::<call::ConfigSettings>(entity(self.unit_tag())).await?.results)?.ok()?)
    }
    pub async fn network_info(
        &self,
        binding: &str,
        relation: Option<i64>,
    ) -> Result<Option<wire::NetworkInfoResult>> {
        let params = wire::NetworkInfoParams {
            bindings: vec![binding.to_owned()],
            relation_id: relation,
            unit: self.unit_tag(),
        };
        let mut reply = self.link.call::<call::NetworkInfo>(params).await?;
        match reply.results.remove(binding) {
            Some(wire::NetworkInfoResult { error: Some(error), .. }) => Err(error.into()),
            info => Ok(info),
        }
    }
    pub async fn private_address(&self) -> Result<String> {
        self.string::<call::PrivateAddress>().await
    }
    pub async fn public_address(&self) -> Result<String> {
        self.string::<call::PublicAddress>().await
    }
    pub async fn leader_settings(&self) -> Result<BTreeMap<String, String>> {
        Ok(one(self.link.call::<call::Read>(entity(self.application_tag())).await?.results)?.ok()?)
    }
    pub async fn merge_leader_settings(&self, settings: BTreeMap<String, String>) -> Result<()> {
        let param = wire::MergeLeadershipSettingsParam {
            application_tag: self.application_tag(),
            unit_tag: self.unit_tag(),
            settings,
        };
        self.done::<call::Merge>(wire::MergeLeadershipSettingsBulkParams { params: vec![param] }).await
    }
    pub async fn goal_state(&self) -> Result<wire::GoalState> {
        let it = one(self.link.call::<call::GoalStates>(entity(self.unit_tag())).await?.results)?;
        match it.error.message.is_empty() && it.error.code.is_empty() {
            true => Ok(it.result),
            false => Err(it.error.into()),
        }
    }
    pub async fn api_addresses(&self) -> Result<Vec<String>> {
        let reply = self.link.call::<call::APIAddresses>(()).await?;
        match reply.error {
            Some(error) => Err(error.into()),
            None => Ok(reply.result),
        }
    }
    pub async fn sla_level(&self) -> Result<String> {
        Ok(self.link.call::<call::SLALevel>(()).await?.ok()?)
    }
    pub async fn cloud_api_version(&self) -> Result<String> {
        Ok(self.link.call::<call::CloudAPIVersion>(()).await?.ok()?)
    }
    pub async fn model_config(&self) -> Result<BTreeMap<String, Value>> {
        Ok(self.link.call::<call::ModelConfig>(()).await?.config)
    }
    /// Open ports of the machine's units: by unit's name, by endpoint.
    pub async fn machine_ports(
        &self,
        machine: &str,
    ) -> Result<BTreeMap<String, Vec<wire::OpenUnitPortRangesByEndpoint>>> {
        let tag = format!("machine-{}", machine.replace('/', "-"));
        let reply = self.link.call::<call::OpenedMachinePortRangesByEndpoint>(entity(tag)).await?;
        let ranges = one(reply.results)?.ok()?;
        Ok(ranges.into_iter().map(|(tag, it)| (unit_name(&tag), it)).collect())
    }

    fn relation_unit(&self, relation: String) -> wire::RelationUnit {
        wire::RelationUnit { relation, unit: self.unit_tag() }
    }

    fn status(&self, status: &str, info: &str, data: BTreeMap<String, Value>) -> SetStatus {
        let (tag, status, info) = (self.unit_tag(), status.to_owned(), info.to_owned());
        SetStatus { entities: vec![EntityStatusArgs { tag, status, info, data }] }
    }

    async fn done<M>(&self, params: M::Params) -> Result<()>
    where
        M: Method<Reply = juju_wire::params::ErrorResults>,
        M::Params: Clone,
    {
        Ok(one(self.link.call::<M>(params).await?.results)?.ok()?)
    }

    async fn string<M>(&self) -> Result<String>
    where
        M: Method<Params = Entities, Reply = juju_wire::params::StringResults>,
    {
        Ok(one(self.link.call::<M>(entity(self.unit_tag())).await?.results)?.ok()?)
    }
}

pub(crate) fn unit_tag(name: &str) -> String {
    format!("unit-{}", name.replace('/', "-"))
}
pub(crate) fn application_tag(name: &str) -> String {
    format!("application-{name}")
}
/// `relation-shop.db#mysql.server`, of the key `shop:db mysql:server`.
pub(crate) fn relation_tag(key: &str) -> String {
    format!("relation-{}", key.replace(':', ".").replace(' ', "#"))
}
pub(crate) fn relation_key(tag: &str) -> String {
    tag.strip_prefix("relation-").unwrap_or(tag).replace('.', ":").replace('#', " ")
}
pub(crate) fn unit_name(tag: &str) -> String {
    let text = tag.strip_prefix("unit-").unwrap_or(tag);
    text.rsplit_once('-')
        .map_or_else(|| text.to_owned(), |(application, number)| format!("{application}/{number}"))
}
pub(crate) fn entity(tag: String) -> Entities {
    Entities { entities: vec![Entity { tag }] }
}

/// The one result of a bulk call of one entity.
pub(crate) fn one<T>(results: Vec<T>) -> std::result::Result<T, Error> {
    let count = results.len();
    match <[T; 1]>::try_from(results) {
        Ok([it]) => Ok(it),
        Err(_) => Err(Error::other(format_args!("expected 1 result, got {count}"))),
    }
}

/// A result that carries either an error or a value.
pub(crate) trait Outcome {
    type Value;
    fn ok(self) -> std::result::Result<Self::Value, Error>;
}

macro_rules! outcomes {
    ($($ty:ty: |$it:ident| $value:expr => $out:ty;)*) => { $(
        impl Outcome for $ty {
            type Value = $out;
            fn ok(self) -> std::result::Result<$out, Error> {
                let mut $it = self;
                match $it.error.take() {
                    Some(error) => Err(error),
                    None => Ok($value),
                }
            }
        }
    )* };
}
outcomes! {
    ErrorResult: |_it| () => ();
    BoolResult: |it| it.result => bool;
    StringResult: |it| it.result => String;
    LifeResult: |it| it.life => String;
    StatusResult: |it| it => StatusResult;
    wire::IntResult: |it| it.result => i64;
    wire::StringBoolResult: |it| (it.result, it.ok) => (String, bool);
    wire::UnitStateResult: |it| it => wire::UnitStateResult;
    wire::RelationResultV2: |it| it => wire::RelationResultV2;
    wire::RelationUnitStatusResult: |it| it.results => Vec<wire::RelationUnitStatus>;
    wire::SettingsResult: |it| it.settings => BTreeMap<String, String>;
    wire::GetLeadershipSettingsResult: |it| it.settings => BTreeMap<String, String>;
    wire::ConfigSettingsResult: |it| it.settings => BTreeMap<String, Value>;
    wire::ApplicationStatusResult: |it| it => wire::ApplicationStatusResult;
    wire::OpenPortRangesByEndpointResult: |it| it.unit_port_ranges
        => BTreeMap<String, Vec<wire::OpenUnitPortRangesByEndpoint>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_names() {
        assert_eq!(unit_tag("my-shop/0"), "unit-my-shop-0");
        assert_eq!(unit_name("unit-my-shop-0"), "my-shop/0");
        for (key, tag) in [("shop:db mysql:server", "relation-shop.db#mysql.server"), ("a:p", "relation-a.p")]
        {
            assert_eq!(relation_tag(key), tag);
            assert_eq!(relation_key(tag), key);
        }
    }
}
