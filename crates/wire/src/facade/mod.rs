//! A file a facade; [`ALL`] lists them.

use crate::method::Info;

pub mod admin;
pub mod agent;
pub mod agent_life_flag;
pub mod all_watcher;
pub mod annotations;
pub mod application;
pub mod block;
pub mod charms;
pub mod client;
pub mod cloud;
pub mod controller;
pub mod credential_validator;
pub mod deployer;
pub mod key_manager;
pub mod leadership_service;
pub mod logger;
pub mod machine_manager;
pub mod machiner;
pub mod migration_flag;
pub mod model_config;
pub mod model_manager;
pub mod pinger;
pub mod provisioner;
pub mod resources;
pub mod retry_strategy;
pub mod unit_assigner;
pub mod uniter;
pub mod upgrader;
pub mod user_manager;
pub mod watchers;

/// Every facade of the API that this crate declares, by name.
pub const ALL: &[&Info] = &[
    &admin::INFO,
    &agent::INFO,
    &agent_life_flag::INFO,
    &all_watcher::INFO,
    &annotations::INFO,
    &application::INFO,
    &block::INFO,
    &charms::INFO,
    &client::INFO,
    &cloud::INFO,
    &controller::INFO,
    &credential_validator::INFO,
    &deployer::INFO,
    &key_manager::INFO,
    &leadership_service::INFO,
    &logger::INFO,
    &machine_manager::INFO,
    &machiner::INFO,
    &migration_flag::INFO,
    &model_config::INFO,
    &model_manager::INFO,
    &pinger::INFO,
    &provisioner::INFO,
    &resources::INFO,
    &retry_strategy::INFO,
    &unit_assigner::INFO,
    &uniter::INFO,
    &upgrader::INFO,
    &user_manager::INFO,
    &watchers::notify::INFO,
    &watchers::strings::INFO,
    &watchers::entities::INFO,
    &watchers::relation_units::INFO,
    &watchers::relation_status::INFO,
];
