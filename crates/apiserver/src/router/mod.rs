//! The facade table: which handler serves which declared method, and who may reach it.
//!
//! What a facade is called, which versions it has, on which connections it is and for whom are columns of the
//! declaration in `juju-wire`; a handler comes after all of that has been checked and never repeats it. What is not
//! served is answered as Juju answers what it does not have, and is not listed at login.

mod dump;

use std::{
    collections::{BTreeMap, HashMap},
    future::Future,
    ops::RangeInclusive,
    sync::Arc,
};

use futures_util::{FutureExt as _, future::BoxFuture};
use juju_wire::{
    Info, Method, Need, Place, code,
    codec::{De, Ser},
    facade,
    facade::admin::FacadeVersions,
};
use serde_json::value::{RawValue, to_raw_value};

use crate::{Ctx, Entity, Error, Result};

/// Serves one method: an async function of the context and the parameters.
pub trait Handler<M: Method>: Send + Sync + 'static {
    fn call(&self, ctx: Ctx, params: M::Params) -> impl Future<Output = Result<M::Reply>> + Send + 'static;
}

impl<M, F, W, E> Handler<M> for F
where
    M: Method,
    F: Fn(Ctx, M::Params) -> W + Send + Sync + 'static,
    W: Future<Output = Result<M::Reply, E>> + Send + 'static,
    E: Into<Error> + 'static,
{
    fn call(&self, ctx: Ctx, params: M::Params) -> impl Future<Output = Result<M::Reply>> + Send + 'static {
        self(ctx, params).map(|it| it.map_err(Into::into))
    }
}

/// The table.
#[derive(Default)]
pub struct Router {
    facades: BTreeMap<&'static str, Facade>,
}

struct Facade {
    info: &'static Info,
    routes: HashMap<&'static str, Vec<Route>>,
}

struct Route {
    versions: RangeInclusive<u32>,
    need: Need,
    serve: Box<Serve>,
}

type Serve = dyn Fn(Ctx, Option<Box<RawValue>>) -> BoxFuture<'static, Result<Box<RawValue>>> + Send + Sync;

impl Router {
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves the method `M` with a handler.
    pub fn on<M: Method>(&mut self, handler: impl Handler<M>) -> &mut Self {
        let handler = Arc::new(handler);
        let serve: Box<Serve> = Box::new(move |ctx, params| {
            let handler = handler.clone();
            async move {
                let De(params) = serde_json::from_str(params.as_deref().map_or("null", RawValue::get))
                    .map_err(Error::bad_request)?;
                let reply = handler.call(ctx, params).await?;
                to_raw_value(&Ser(&reply)).map_err(|err| Error::internal("cannot write the reply", &err))
            }
            .boxed()
        });
        let info = *facade::ALL
            .iter()
            .find(|it| it.name == M::FACADE)
            .expect("a facade is declared in the list of facades before it is served");
        let facade = self.facades.entry(M::FACADE).or_insert_with(|| Facade { info, routes: HashMap::new() });
        let routes = facade.routes.entry(M::NAME).or_default();
        assert!(
            !routes.iter().any(|it| it.versions.contains(M::VERSIONS.start())),
            "{}.{} is served twice",
            M::FACADE,
            M::NAME
        );
        routes.push(Route { versions: M::VERSIONS, need: M::NEED, serve });
        self
    }

    /// Finds the handler and runs it, if this entity may on this connection.
    pub(crate) fn call(
        &self,
        ctx: Ctx,
        target: Target<'_>,
        params: Option<Box<RawValue>>,
    ) -> Result<BoxFuture<'static, Result<Box<RawValue>>>> {
        let route = self.find(ctx.entity(), ctx.is_controller_only(), target)?;
        Ok((route.serve)(ctx, params))
    }

    fn find(&self, entity: &Entity, controller_only: bool, target: Target<'_>) -> Result<&Route> {
        let Target { facade: name, version, method } = target;
        check_place(name, controller_only)?;
        let facade = self.facades.get(name).ok_or_else(|| unknown_facade(name))?;
        let version = u32::try_from(version)
            .ok()
            .filter(|it| facade.serves(*it))
            .ok_or_else(|| unknown_version(name, version))?;
        if !entity.is_one_of(facade.info.who) {
            return Err(Error::unauthorized());
        }
        let routes = facade.routes.get(method).map(Vec::as_slice).unwrap_or_default();
        let route = routes
            .iter()
            .find(|it| it.versions.contains(&version))
            .ok_or_else(|| unknown_method(name, version, method))?;
        if entity.meets(route.need) { Ok(route) } else { Err(Error::unauthorized()) }
    }

    /// What a login reply lists: the facades of this kind of connection, each with the versions that are served.
    pub fn listed(&self, controller_only: bool) -> Vec<FacadeVersions> {
        let here = |it: &&Facade| match it.info.place {
            Place::Both => true,
            Place::Controller => controller_only,
            Place::Model => !controller_only,
        };
        let versions = |it: &Facade| it.served().map(i64::from).collect();
        // The way in is not listed: who reads the list is in.
        let facades = self.facades.values().filter(here).filter(|it| it.info.name != facade::admin::NAME);
        facades.map(|it| FacadeVersions { name: it.info.name.to_owned(), versions: versions(it) }).collect()
    }

    /// The declared methods without a handler, as `Facade.Method`.
    pub fn missing(&self) -> Vec<String> {
        let all = facade::ALL.iter().flat_map(|info| info.methods.iter().map(move |it| (info, it)));
        let missing = all.filter(|(info, method)| {
            let routes = self.facades.get(info.name).and_then(|it| it.routes.get(method.name));
            !routes.is_some_and(|it| it.iter().any(|route| route.versions == method.versions))
        });
        missing.map(|(info, method)| format!("{}.{}", info.name, method.name)).collect()
    }
}

impl Facade {
    /// The versions in which there is something to call.
    fn served(&self) -> impl Iterator<Item = u32> + '_ {
        self.info.versions.clone().filter(|it| self.serves(*it))
    }

    /// Whether there is a method to call in this version.
    fn serves(&self, version: u32) -> bool {
        self.info.versions.contains(&version)
            && self.routes.values().flatten().any(|it| it.versions.contains(&version))
    }
}

/// Which method is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub(crate) facade: &'a str,
    pub(crate) version: i64,
    pub(crate) method: &'a str,
}

/// What Juju 3.6 has on connections to the controller alone (`apiserver/restrict_controller.go`), whether or not it is
/// served here: on such a connection everything else is "not supported", on all others these are.
const CONTROLLER_FACADES: &[&str] = &[
    "AllModelWatcher",
    "ApplicationOffers",
    "Cloud",
    "Controller",
    "CrossController",
    "MigrationTarget",
    "ModelManager",
    "ModelSummaryWatcher",
    "ModelUpgrader",
    "SecretBackends",
    "UserManager",
];
/// What is on both kinds.
const COMMON_FACADES: &[&str] =
    &["Admin", "Pinger", "Bundle", "HighAvailability", "NotifyWatcher", "ModelConfig"];

fn check_place(name: &str, controller_only: bool) -> Result<()> {
    let here = COMMON_FACADES.contains(&name) || CONTROLLER_FACADES.contains(&name) == controller_only;
    let kind = if controller_only { "controller" } else { "model" };
    let refusal =
        || Error::not_supported(format_args!("facade {name:?} not supported for {kind} API connection"));
    if here { Ok(()) } else { Err(refusal()) }
}

pub(crate) fn unknown_facade(name: &str) -> Error {
    Error::new(code::NOT_IMPLEMENTED, format_args!("unknown object type {name:?}"))
}
fn unknown_version(name: &str, version: i64) -> Error {
    Error::new(code::NOT_IMPLEMENTED, format_args!("unknown version ({version}) of interface {name:?}"))
}
pub(crate) fn unknown_method(name: &str, version: u32, method: &str) -> Error {
    let why = format_args!("no such request - method {name}({version}).{method} is not implemented");
    Error::new(code::NOT_IMPLEMENTED, why)
}

#[cfg(test)]
mod tests;
