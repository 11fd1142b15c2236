//! `Application`: deploying, configuring, refreshing, exposing.

use juju_core::{ApplicationName, Placement};
use juju_state::constraints::Of;
use juju_wire::{
    facade::application::{
        self, ApplicationCharmRelations, ApplicationConfigUnsetArgs, ApplicationDeploy, ApplicationExpose,
        ApplicationGet, ApplicationGetArgs, ApplicationMergeBindings, ApplicationMergeBindingsArgs,
        ApplicationSetCharm, ApplicationUnexpose, ApplicationUnset, ConfigSet, ConfigSetArgs,
    },
    params::{self, Constraints, ExposedEndpoint, SetConstraints, UpdateChannelArg, UpdateChannelArgs},
};
use serde_json::json;

use crate::{
    common::id,
    world::{LOG, WEB, WEB_CONFIG, World, app, entities, failed, only, origin, pair, shown, texts},
};

fn name(text: &str) -> ApplicationName {
    id(text)
}

#[tokio::test]
async fn deploy_stores_all_that_is_asked_for() {
    let world = World::with_charms().await;
    let wanted = ApplicationDeploy {
        num_units: 2,
        config: texts(&[("port", "8080"), ("trust", "true")]),
        config_yaml: "shop:\n  title: Shop\n  port: 81\n".into(),
        constraints: Constraints { mem: Some(2048), ..Constraints::default() },
        placement: vec![params::Placement { scope: "lxd".into(), directive: String::new() }],
        endpoint_bindings: texts(&[("db", "alpha")]),
        ..app("shop", "local:web-0")
    };
    world.deploy(wanted).await.unwrap();
    let model = &world.model;
    let doc = model.application(&name("shop")).unwrap();
    assert_eq!(
        (doc.charm_url.to_string().as_str(), doc.base.display().as_str()),
        ("local:web-0", "ubuntu@22.04")
    );
    assert_eq!(
        (doc.charm_origin.source.as_str(), doc.charm_origin.platform.architecture.as_str()),
        ("local", "amd64")
    );
    // Pairs beat the file.
    let config = model.application_config(&name("shop")).unwrap();
    assert_eq!(json!(config), json!({ "port": 8080, "title": "Shop" }));
    assert_eq!(model.application_trust(&name("shop")).unwrap(), Some(true));
    assert_eq!(model.constraints(Of::Application(&name("shop"))).unwrap().to_string(), "mem=2048M");
    assert_eq!(model.bindings(&name("shop")).unwrap()["db"].as_str(), "alpha");
    let units: Vec<_> =
        model.application_units(&name("shop")).unwrap().iter().map(|it| it.name.to_string()).collect();
    assert_eq!(units, ["shop/0", "shop/1"]);
    assert_eq!(model.assign_unit(&id("shop/0")).await.unwrap().to_string(), "0/lxd/0");
    assert_eq!(model.application_relations(&name("shop")).unwrap()[0].key.to_string(), "shop:ring");
    world.stop().await;
}

#[tokio::test]
async fn deploy_refuses_with_juju_s_words() {
    let world = World::with_charms().await;
    world.deploy(app("taken", "local:web-0")).await.unwrap();
    let storage = "{name: disks, summary: s, description: d, storage: {data: {type: filesystem}}}";
    world.charm(storage, "options: {}").await;
    let demanding = "{name: future, summary: s, description: d, assumes: [juju >= 99]}";
    world.charm(demanding, "options: {}").await;
    world.model.set_agent_version(&id("3.6.28")).await.unwrap();
    let deploy = |change: fn(&mut ApplicationDeploy)| {
        let mut app = app("web", "local:web-0");
        change(&mut app);
        app
    };
    for (wanted, code, text) in [
        (deploy(|it| it.charm_url = "local:web".into()), "", "charm url must include revision"),
        (deploy(|it| it.charm_url = "local:web-9".into()), "not found", "charm \"local:web-9\" not found"),
        (
            deploy(|it| it.charm_url = "local:juju-controller-0".into()),
            "not supported",
            "manual deploy of the controller charm not supported",
        ),
        (
            deploy(|it| it.application = "taken".into()),
            "already exists",
            "cannot add application \"taken\": application already exists",
        ),
        (
            deploy(|it| it.application = "Bad".into()),
            "not valid",
            "cannot add application \"Bad\": invalid name",
        ),
        (deploy(|it| it.config = texts(&[("nope", "1")])), "not valid", "unknown option \"nope\""),
        (
            deploy(|it| {
                it.num_units = 2;
                it.attach_storage = vec!["data/0".into()];
            }),
            "",
            "AttachStorage is non-empty, but NumUnits is 2",
        ),
        (deploy(|it| it.config_yaml = "other: {}".into()), "not valid", "no settings found for \"web\""),
        (
            deploy(|it| it.charm_url = "local:disks-0".into()),
            "not supported",
            "deploying with storage (the charm requires \"data\") is not implemented",
        ),
        (
            deploy(|it| it.charm_url = "local:future-0".into()),
            "not supported",
            "Charm cannot be deployed because:\n  - charm requires Juju version >= 99.0.0, model has version 3.6.28\n",
        ),
        (
            deploy(|it| {
                it.charm_origin.as_mut().unwrap().base.as_mut().unwrap().channel = "20.04/stable".into()
            }),
            "incompatible base",
            "base \"ubuntu@20.04\" not supported by charm, the charm supported bases are: ubuntu@22.04",
        ),
        (
            deploy(|it| {
                it.charm_url = "local:log-0".into();
                it.num_units = 1;
            }),
            "not valid",
            "subordinate application must be deployed without units",
        ),
    ] {
        let url = wanted.charm_url.clone();
        let error = world.deploy(wanted).await.unwrap_err();
        assert_eq!(shown(&error), (code, text), "{url}");
    }
    assert_eq!(world.model.applications().unwrap().len(), 1, "nothing is half deployed");
    // Force takes what the charm does not say that it can.
    let forced = deploy(|it| {
        it.charm_url = "local:future-0".into();
        it.force = true;
    });
    world.deploy(forced).await.unwrap();
    world.stop().await;
}

#[tokio::test]
async fn options_are_set_shown_and_reset() {
    let world = World::with_charms().await;
    world
        .deploy(ApplicationDeploy { config: texts(&[("port", "8080")]), ..app("web", "local:web-0") })
        .await
        .unwrap();
    let set = |config: &[(&str, &str)], yaml: &str| ConfigSetArgs {
        args: vec![ConfigSet {
            application: "web".into(),
            config: texts(config),
            config_yaml: yaml.into(),
            generation: "master".into(),
        }],
    };
    let user = &world.user;
    let args = set(&[("trust", "true"), ("debug", "true")], "web:\n  title: Hi\n");
    only(user.call::<application::call::SetConfigs>(args).await.unwrap()).unwrap();

    let got = user
        .call::<application::call::Get>(ApplicationGet { application: "web".into(), branch: "master".into() })
        .await
        .unwrap();
    assert_eq!((got.application.as_str(), got.charm.as_str()), ("web", "web"));
    assert_eq!(
        json!(got.config),
        json!({
            "port": {"value": 8080, "default": 80, "source": "user", "type": "int", "description": "where it listens"},
            "title": {"value": "Hi", "source": "user", "type": "string", "description": "what it shows"},
            "debug": {"value": true, "default": false, "source": "user", "type": "boolean", "description": ""},
        })
    );
    assert_eq!(
        json!(got.application_config),
        json!({"trust": {
            "value": true, "default": false, "source": "user", "type": "bool",
            "description": "Does this application have access to trusted credentials",
        }})
    );
    assert_eq!(got.base, origin().base.unwrap());
    assert_eq!(got.endpoint_bindings["admin"], "alpha");

    let args = ApplicationConfigUnsetArgs {
        args: vec![ApplicationUnset {
            application: "web".into(),
            options: ["port", "title", "trust"].map(str::to_owned).into(),
            ..ApplicationUnset::default()
        }],
    };
    only(user.call::<application::call::UnsetApplicationsConfig>(args).await.unwrap()).unwrap();
    assert_eq!(json!(world.model.application_config(&name("web")).unwrap()), json!({ "debug": true }));
    assert_eq!(world.model.application_trust(&name("web")).unwrap(), None);

    let by_tag = user.call::<application::call::GetConfig>(entities(&["application-web"])).await.unwrap();
    let by_name = user
        .call::<application::call::CharmConfig>(ApplicationGetArgs {
            args: vec![ApplicationGet { application: "web".into(), ..ApplicationGet::default() }],
        })
        .await
        .unwrap();
    assert_eq!(by_tag, by_name);
    let config = &by_tag.results[0].config;
    assert_eq!((&config["port"]["value"], &config["port"]["source"]), (&json!(80), &json!("default")));
    assert_eq!((config["title"].get("value"), &config["title"]["source"]), (None, &json!("unset")));

    for (config, yaml, text) in [
        (&[("port", "x")][..], "", "option \"port\" expected int, got \"x\""),
        (&[], "web: {port: [1]}", "option \"port\" expected int, got [1]"),
        (&[], "web: [", "cannot parse settings data"),
    ] {
        let error =
            only(user.call::<application::call::SetConfigs>(set(config, yaml)).await.unwrap()).unwrap_err();
        assert!(error.message.starts_with(text), "{error}");
    }
    let missing = user.call::<application::call::GetConfig>(entities(&["application-nope"])).await.unwrap();
    assert_eq!(
        shown(missing.results[0].error.as_ref().unwrap()),
        ("not found", "application \"nope\" not found")
    );
    world.stop().await;
}

#[tokio::test]
async fn a_file_may_trust() {
    let world = World::with_charms().await;
    let yaml = "web:\n  trust: 'True'\n  port: '81'\n";
    world.deploy(ApplicationDeploy { config_yaml: yaml.into(), ..app("web", "local:web-0") }).await.unwrap();
    assert_eq!(world.model.application_trust(&name("web")).unwrap(), Some(true));
    assert_eq!(world.model.application_config(&name("web")).unwrap()["port"], 81);
    world.stop().await;
}

#[tokio::test]
async fn refresh_carries_the_values_over() {
    let world = World::with_charms().await;
    world
        .deploy(ApplicationDeploy { config: texts(&[("port", "8080")]), ..app("web", "local:web-0") })
        .await
        .unwrap();
    let next = world.charm(WEB, WEB_CONFIG).await;
    assert_eq!(next.to_string(), "local:web-1");
    let args = ApplicationSetCharm {
        application: "web".into(),
        charm_url: next.to_string(),
        charm_origin: Some(params::CharmOrigin { revision: Some(1), ..origin() }),
        config_settings: texts(&[("title", "New")]),
        generation: "master".into(),
        ..ApplicationSetCharm::default()
    };
    world.user.call::<application::call::SetCharm>(args.clone()).await.unwrap();
    let doc = world.model.application(&name("web")).unwrap();
    assert_eq!((doc.charm_url.clone(), doc.charm_modified_version), (next.clone(), 1));
    let config = world.model.application_config(&name("web")).unwrap();
    assert_eq!(json!(config), json!({ "port": 8080, "title": "New" }));

    let get = ApplicationGet { application: "web".into(), ..ApplicationGet::default() };
    let got = world.user.call::<application::call::GetCharmURLOrigin>(get.clone()).await.unwrap();
    assert_eq!((got.url.as_str(), got.charm_origin.revision), ("local:web-1", Some(1)));
    assert_eq!(got.charm_origin.base, origin().base);
    let missing = ApplicationGet { application: "nope".into(), ..get };
    let got = world.user.call::<application::call::GetCharmURLOrigin>(missing).await.unwrap();
    assert_eq!(got.error.unwrap().code, "not found");

    world
        .charm(
            &WEB.replace("name: web", "name: other").replace("ring: web-ring", "circle: web-ring"),
            WEB_CONFIG,
        )
        .await;
    let breaking = ApplicationSetCharm { charm_url: "local:other-0".into(), ..args.clone() };
    let (_, text) = failed(world.user.call::<application::call::SetCharm>(breaking).await);
    assert!(text.contains("would break relation \"web:ring\""), "{text}");
    world.charm(LOG, "options: {}").await;
    let subordinate = ApplicationSetCharm { charm_url: "local:log-0".into(), ..args };
    let (_, text) = failed(world.user.call::<application::call::SetCharm>(subordinate).await);
    assert_eq!(text, "cannot change an application's subordinacy");
    world.stop().await;
}

#[tokio::test]
async fn constraints_bindings_and_base() {
    let world = World::with_charms().await;
    world.deploy(app("web", "local:web-0")).await.unwrap();
    world.deploy(app("log", "local:log-0")).await.unwrap();
    let user = &world.user;
    let cores = Constraints { cores: Some(4), ..Constraints::default() };
    let args = SetConstraints { application: "web".into(), constraints: cores.clone() };
    user.call::<application::call::SetConstraints>(args).await.unwrap();
    let got = user
        .call::<application::call::GetConstraints>(entities(&["application-web", "application-nope"]))
        .await
        .unwrap();
    assert_eq!(got.results[0].constraints, cores);
    assert_eq!(got.results[1].error.as_ref().unwrap().code, "not found");
    let args = SetConstraints { application: "log".into(), constraints: cores };
    let refused = failed(user.call::<application::call::SetConstraints>(args).await);
    assert_eq!(refused, pair("not supported", "constraints do not apply to subordinate applications"));

    let bind = |pairs: &[(&str, &str)]| ApplicationMergeBindingsArgs {
        args: vec![ApplicationMergeBindings {
            application_tag: "application-web".into(),
            bindings: texts(pairs),
            force: false,
        }],
    };
    only(user.call::<application::call::MergeBindings>(bind(&[("db", "alpha")])).await.unwrap()).unwrap();
    assert_eq!(world.model.bindings(&name("web")).unwrap()["db"].as_str(), "alpha");
    let error = only(user.call::<application::call::MergeBindings>(bind(&[("db", "dmz")])).await.unwrap())
        .unwrap_err();
    assert_eq!(error.message, "space \"dmz\" not found");

    let update = |channel: &str, force| UpdateChannelArgs {
        args: vec![UpdateChannelArg {
            channel: channel.into(),
            force,
            tag: params::Entity { tag: "application-web".into() },
        }],
    };
    let refused =
        only(user.call::<application::call::UpdateApplicationBase>(update("24.04", false)).await.unwrap());
    assert_eq!(refused.unwrap_err().code, "incompatible base");
    only(user.call::<application::call::UpdateApplicationBase>(update("24.04", true)).await.unwrap())
        .unwrap();
    assert_eq!(world.model.application(&name("web")).unwrap().base.display(), "ubuntu@24.04");
    let empty = only(user.call::<application::call::UpdateApplicationBase>(update("", true)).await.unwrap());
    assert_eq!(shown(&empty.unwrap_err()), ("bad request", "channel missing from args"));
    world.stop().await;
}

#[tokio::test]
async fn expose_and_unexpose() {
    let world = World::with_charms().await;
    world.deploy(app("web", "local:web-0")).await.unwrap();
    let user = &world.user;
    let all = ApplicationExpose { application: "web".into(), ..ApplicationExpose::default() };
    user.call::<application::call::Expose>(all).await.unwrap();
    let doc = world.model.application(&name("web")).unwrap();
    assert!(doc.exposed);
    assert_eq!(doc.exposed_endpoints[""].cidrs, ["0.0.0.0/0", "::/0"]);

    let expose = |endpoint: &str, cidrs: &[&str]| ApplicationExpose {
        application: "web".into(),
        exposed_endpoints: [(
            endpoint.to_owned(),
            ExposedEndpoint {
                expose_to_cidrs: cidrs.iter().map(|it| (*it).into()).collect(),
                expose_to_spaces: vec![],
            },
        )]
        .into(),
    };
    user.call::<application::call::Expose>(expose("site", &["10.0.0.0/8"])).await.unwrap();
    user.call::<application::call::Expose>(expose("db", &[])).await.unwrap();
    let info =
        user.call::<application::call::ApplicationsInfo>(entities(&["application-web"])).await.unwrap();
    let info = info.results[0].result.clone().unwrap();
    assert_eq!(info.exposed_endpoints["site"].expose_to_cidrs, ["10.0.0.0/8"]);
    assert_eq!(info.exposed_endpoints["db"].expose_to_cidrs, ["0.0.0.0/0", "::/0"]);
    let (code, _) = failed(user.call::<application::call::Expose>(expose("nope", &[])).await);
    assert_eq!(code, "not found");

    let unexpose = |endpoints: &[&str]| ApplicationUnexpose {
        application: "web".into(),
        exposed_endpoints: endpoints.iter().map(|it| (*it).into()).collect(),
    };
    user.call::<application::call::Unexpose>(unexpose(&["site"])).await.unwrap();
    let doc = world.model.application(&name("web")).unwrap();
    assert_eq!((doc.exposed, doc.exposed_endpoints.contains_key("site")), (true, false));
    user.call::<application::call::Unexpose>(unexpose(&[])).await.unwrap();
    let doc = world.model.application(&name("web")).unwrap();
    assert_eq!((doc.exposed, doc.exposed_endpoints.len()), (false, 0));
    world.stop().await;
}

#[tokio::test]
async fn what_is_known_of_applications() {
    let world = World::with_charms().await;
    world
        .deploy(ApplicationDeploy {
            constraints: Constraints { arch: Some("amd64".into()), ..Constraints::default() },
            ..app("shop", "local:web-0")
        })
        .await
        .unwrap();
    let tags = entities(&["application-shop", "application-nope", "unit-shop-0"]);
    let got = world.user.call::<application::call::ApplicationsInfo>(tags).await.unwrap();
    let info = got.results[0].result.clone().unwrap();
    assert_eq!(
        (info.tag.as_str(), info.charm.as_str(), info.life.as_str(), info.principal, info.exposed),
        ("application-shop", "web", "alive", true, false)
    );
    assert_eq!(info.constraints.unwrap().arch.as_deref(), Some("amd64"));
    assert_eq!(info.base, origin().base);
    assert_eq!(
        info.endpoint_bindings.keys().collect::<Vec<_>>(),
        ["", "admin", "db", "proxy", "ring", "site"]
    );
    assert_eq!(
        shown(got.results[1].error.as_ref().unwrap()),
        ("not found", "application \"nope\" not found")
    );
    assert_eq!(
        got.results[2].error.as_ref().unwrap().message,
        "\"unit-shop-0\" is not a valid application tag"
    );

    let args = ApplicationCharmRelations { application: "shop".into() };
    let got = world.user.call::<application::call::CharmRelations>(args).await.unwrap();
    assert_eq!(got.charm_relations, ["site", "db", "proxy", "ring", "juju-info"]);
    world.stop().await;
}

#[tokio::test]
async fn placements_are_held_to_the_model() {
    let world = World::with_charms().await;
    let machine = juju_state::machine::NewMachine::new(id("ubuntu@24.04"));
    let noble = world.model.add_machine(&machine).await.unwrap();
    let on = Placement::Machine(noble);
    let placement = vec![params::Placement { scope: on.scope().into(), directive: on.directive().into() }];
    let wanted = ApplicationDeploy { num_units: 1, placement, ..app("web", "local:web-0") };
    let error = world.deploy(wanted).await.unwrap_err();
    assert!(error.message.starts_with("cannot deploy to machine 0: base does not match"), "{error}");
    world.stop().await;
}
