//! The commands, a file each.
//!
//! A file holds what was typed (`Args`), what it means once it is checked (`Request`, where that is more than a
//! few lines), what runs it, and how its result looks, which is a pure function with a test. [`ALL`] is the
//! table that parsing, help and suggestions come from.

pub mod add_machine;
pub mod add_model;
pub mod add_unit;
pub mod bootstrap;
pub mod clouds;
pub mod config;
pub mod config_values;
pub mod controllers;
pub mod debug_log;
pub mod deploy;
pub mod destroy_controller;
pub mod destroy_model;
pub mod expose;
pub mod integrate;
pub mod kill_controller;
pub mod machines;
pub mod models;
pub mod refresh;
pub mod removal;
pub mod remove_application;
pub mod remove_machine;
pub mod remove_relation;
pub mod remove_unit;
pub mod resolved;
pub mod show_application;
pub mod show_unit;
pub mod status;
pub mod switch;
pub mod try_charm;
pub mod unexpose;
pub mod version;
pub mod whoami;

use crate::cli::Definition;

/// Every command there is.
pub const ALL: &[Definition] = &[
    Definition::of::<add_machine::Args>(),
    Definition::of::<add_model::Args>(),
    Definition::of::<add_unit::Args>(),
    Definition::of::<bootstrap::Args>(),
    Definition::of::<clouds::Args>(),
    Definition::of::<config::Args>(),
    Definition::of::<controllers::Args>(),
    Definition::of::<debug_log::Args>(),
    Definition::of::<deploy::Args>(),
    Definition::of::<destroy_controller::Args>(),
    Definition::of::<destroy_model::Args>(),
    Definition::of::<expose::Args>(),
    Definition::of::<integrate::Args>(),
    Definition::of::<kill_controller::Args>(),
    Definition::of::<machines::Args>(),
    Definition::of::<models::Args>(),
    Definition::of::<refresh::Args>(),
    Definition::of::<remove_application::Args>(),
    Definition::of::<remove_machine::Args>(),
    Definition::of::<remove_relation::Args>(),
    Definition::of::<remove_unit::Args>(),
    Definition::of::<resolved::Args>(),
    Definition::of::<show_application::Args>(),
    Definition::of::<show_unit::Args>(),
    Definition::of::<status::Args>(),
    Definition::of::<switch::Args>(),
    Definition::of::<try_charm::Args>(),
    Definition::of::<unexpose::Args>(),
    Definition::of::<version::Args>(),
    Definition::of::<whoami::Args>(),
];
