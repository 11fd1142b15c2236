//! `Uniter`: a unit's agent about its unit, its application and its relations (Juju 3.6
//! `apiserver/facades/agent/uniter`).
//!
//! Everything is held to the caller: a unit sees itself, its application, its machine and those it is related to, and is
//! answered about anything else as if it had no right to know.

mod caller;
mod commit;
mod config;
mod entity;
mod network;
mod ports;
mod relation;
mod settings;
mod status;
mod watch;

use juju_wire::facade::uniter::call;

use super::{agent, machiner};
use crate::Router;

pub(super) fn register(router: &mut Router) {
    router
        // The unit and its application.
        .on::<call::Refresh>(entity::refresh)
        .on::<call::Life>(entity::life)
        .on::<call::Resolved>(entity::resolved)
        .on::<call::ClearResolved>(entity::clear_resolved)
        .on::<call::Destroy>(entity::destroy)
        .on::<call::DestroyAllSubordinates>(entity::destroy_all_subordinates)
        .on::<call::HasSubordinates>(entity::has_subordinates)
        .on::<call::EnsureDead>(entity::ensure_dead)
        .on::<call::GetPrincipal>(entity::get_principal)
        .on::<call::AssignedMachine>(entity::assigned_machine)
        .on::<call::AvailabilityZone>(entity::availability_zone)
        .on::<call::CharmURL>(entity::charm_url)
        .on::<call::SetCharmURL>(entity::set_charm_url)
        .on::<call::CharmModifiedVersion>(entity::charm_modified_version)
        .on::<call::CharmArchiveSha256>(entity::charm_archive_sha256)
        .on::<call::WorkloadVersion>(entity::workload_version)
        .on::<call::SetWorkloadVersion>(entity::set_workload_version)
        // Statuses.
        .on::<call::SetAgentStatus>(status::set_agent)
        .on::<call::SetUnitStatus>(status::set_unit)
        .on::<call::SetApplicationStatus>(status::set_application)
        .on::<call::UnitStatus>(status::unit)
        .on::<call::ApplicationStatus>(status::application)
        .on::<call::GoalStates>(status::goal_states)
        // What it remembers and commits.
        .on::<call::State>(commit::state)
        .on::<call::SetState>(commit::set_state)
        .on::<call::CommitHookChanges>(commit::commit)
        // Configuration.
        .on::<call::ConfigSettings>(config::settings)
        .on::<call::CurrentModel>(config::current_model)
        .on::<call::ProviderType>(config::provider_type)
        .on::<call::CloudAPIVersion>(config::cloud_api_version)
        .on::<call::SLALevel>(config::sla_level)
        .on::<call::Read>(config::read_leader_settings)
        .on::<call::Merge>(config::merge_leader_settings)
        .on::<call::ModelConfig>(agent::model_config)
        .on::<call::APIAddresses>(machiner::api_addresses)
        .on::<call::APIHostPorts>(machiner::api_host_ports)
        // Relations.
        .on::<call::Relation>(relation::relation)
        .on::<call::RelationById>(relation::relation_by_id)
        .on::<call::RelationsStatus>(relation::relations_status)
        .on::<call::EnterScope>(relation::enter_scope)
        .on::<call::LeaveScope>(relation::leave_scope)
        .on::<call::SetRelationStatus>(relation::set_status)
        .on::<call::ReadSettings>(settings::read)
        .on::<call::ReadLocalApplicationSettings>(settings::read_local_application)
        .on::<call::ReadRemoteSettings>(settings::read_remote)
        // Network and ports.
        .on::<call::NetworkInfo>(network::info)
        .on::<call::PrivateAddress>(network::private_address)
        .on::<call::PublicAddress>(network::public_address)
        .on::<call::OpenedMachinePortRangesByEndpoint>(ports::of_machine)
        .on::<call::OpenedPortRangesByEndpoint>(ports::of_unit)
        // Watchers.
        .on::<call::Watch>(watch::entity)
        .on::<call::WatchConfigSettingsHash>(watch::config_hash)
        .on::<call::WatchTrustConfigSettingsHash>(watch::trust_hash)
        .on::<call::WatchUnitAddressesHash>(watch::addresses_hash)
        .on::<call::WatchUnitRelations>(watch::relations)
        .on::<call::WatchRelationUnits>(watch::relation_units)
        .on::<call::WatchLeadershipSettings>(watch::leader_settings)
        .on::<call::WatchForModelConfigChanges>(agent::watch_model_config)
        .on::<call::WatchAPIHostPorts>(machiner::watch_api_host_ports);
}
