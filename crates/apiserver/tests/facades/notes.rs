//! `Annotations` and `Block`.

use juju_wire::facade::{
    annotations::{self, AnnotationsSet, EntityAnnotations},
    application::{self, ApplicationExpose, DestroyApplicationParams, DestroyApplicationsParams},
    block::{self, BlockSwitchParams},
    machine_manager::{self, AddMachines},
};

use crate::{
    common::id,
    world::{World, app, entities, failed, pair, texts},
};

#[tokio::test]
async fn annotations_are_kept_and_taken_away() {
    let world = World::with_charms().await;
    world.deploy(app("web", "local:web-0")).await.unwrap();
    let set = |entity: &str, notes: &[(&str, &str)]| EntityAnnotations {
        entity: entity.into(),
        annotations: texts(notes),
    };
    let args = AnnotationsSet {
        annotations: vec![
            set("application-web", &[("gui-x", "10"), ("gui-y", "20")]),
            set("application-nope", &[("a", "b")]),
            set("application-web", &[("a.b", "c")]),
        ],
    };
    let got = world.user.call::<annotations::call::Set>(args).await.unwrap();
    let errors: Vec<_> = got.results.iter().map(|it| it.error.as_ref().map(|it| it.code.as_str())).collect();
    assert_eq!(errors, [None, Some("not found"), Some("not valid")]);
    assert_eq!(
        world.model.annotations(&id("application-web")).unwrap(),
        texts(&[("gui-x", "10"), ("gui-y", "20")])
    );

    let args = AnnotationsSet { annotations: vec![set("application-web", &[("gui-x", "")])] };
    world.user.call::<annotations::call::Set>(args).await.unwrap();
    let got =
        world.user.call::<annotations::call::Get>(entities(&["application-web", "nonsense"])).await.unwrap();
    assert_eq!(
        (got.results[0].entity.as_str(), &got.results[0].annotations),
        ("application-web", &texts(&[("gui-y", "20")]))
    );
    let error = got.results[1].error.clone().unwrap().error.unwrap();
    assert_eq!(error.message, "\"nonsense\" is not a valid tag");
    world.stop().await;
}

#[tokio::test]
async fn blocks_keep_users_from_mistakes() {
    let world = World::with_charms().await;
    world.deploy(app("web", "local:web-0")).await.unwrap();
    let user = &world.user;
    let switch =
        |kind: &str, message: &str| BlockSwitchParams { type_: kind.into(), message: message.into() };
    let on = user.call::<block::call::SwitchBlockOn>(switch("BlockRemove", "not on Fridays")).await.unwrap();
    assert_eq!(on.error, None);
    let twice = user.call::<block::call::SwitchBlockOn>(switch("BlockRemove", "")).await.unwrap();
    assert_eq!(twice.error.unwrap().message, "block BlockRemove is already ON");
    let unknown = user.call::<block::call::SwitchBlockOn>(switch("BlockAll", "")).await.unwrap();
    assert_eq!(unknown.error.unwrap().message, "unknown block type \"BlockAll\"");

    let got = user.call::<block::call::List>(()).await.unwrap();
    let it = &got.results[0].result;
    assert_eq!((it.type_.as_str(), it.message.as_str()), ("BlockRemove", "not on Fridays"));
    assert_eq!(it.tag, format!("model-{}", world.model.uuid()));

    let application =
        DestroyApplicationParams { application_tag: "application-web".into(), ..Default::default() };
    let destroy = DestroyApplicationsParams { applications: vec![application] };
    let refused = failed(user.call::<application::call::DestroyApplication>(destroy).await);
    assert_eq!(refused, pair("operation is blocked", "not on Fridays"));
    let expose = ApplicationExpose { application: "web".into(), ..ApplicationExpose::default() };
    user.call::<application::call::Expose>(expose.clone()).await.unwrap();

    user.call::<block::call::SwitchBlockOn>(switch("BlockChange", "")).await.unwrap();
    let refused = failed(user.call::<application::call::Expose>(expose).await);
    assert_eq!(refused, pair("operation is blocked", "the operation has been blocked"));
    let refused = failed(user.call::<machine_manager::call::AddMachines>(AddMachines::default()).await);
    assert_eq!(refused.0, "operation is blocked");

    for kind in ["BlockRemove", "BlockChange"] {
        assert_eq!(user.call::<block::call::SwitchBlockOff>(switch(kind, "")).await.unwrap().error, None);
    }
    assert!(world.model.blocks().unwrap().is_empty());
    let off = user.call::<block::call::SwitchBlockOff>(switch("BlockChange", "")).await.unwrap();
    assert_eq!(off.error.unwrap().message, "block BlockChange is already OFF");
    world.stop().await;
}
