//! `Cloud`.

use juju_state::{
    access::{Access, Object},
    credential,
};
use juju_wire::{
    facade::cloud::{self, TaggedCredential, TaggedCredentials, UpdateCredentialArgs, UserCloud, UserClouds},
    params::CloudCredential,
};

use crate::{
    common::{id, login},
    world::{World, entities, only, shown, texts},
};

#[tokio::test]
async fn clouds_are_shown_to_those_who_may_use_them() {
    let world = World::new().await;
    let root = world.it.admin(None).await;
    let got = root.call::<cloud::call::Clouds>(()).await.unwrap().clouds;
    let it = &got["cloud-local"];
    assert_eq!(
        (it.type_.as_str(), it.auth_types.as_slice(), it.is_controller_cloud),
        ("local", &["empty".to_owned()][..], true)
    );
    assert_eq!(it.regions[0].name, "localhost");
    let got = root
        .call::<cloud::call::Cloud>(entities(&["cloud-local", "cloud-moon", "moon"]))
        .await
        .unwrap()
        .results;
    assert_eq!(got[0].cloud.as_ref().unwrap(), it);
    assert_eq!(shown(got[1].error.as_ref().unwrap()), ("not found", "cloud \"moon\" not found"));
    assert_eq!(got[2].error.as_ref().unwrap().message, "\"moon\" is not a valid cloud tag");

    world.it.state.add_user(&id("bob"), "", "bobspassword", &id("admin")).await.unwrap();
    let bob = world.it.connect(None).await;
    login(&bob, "user-bob", "bobspassword", "").await.unwrap();
    assert!(bob.call::<cloud::call::Clouds>(()).await.unwrap().clouds.is_empty());
    let hidden = bob.call::<cloud::call::Cloud>(entities(&["cloud-local"])).await.unwrap().results;
    assert_eq!(hidden[0].error.as_ref().unwrap().code, "not found");
    world
        .it
        .state
        .grant(&Object::Cloud(id("local")), &id("bob"), Access::AddModel, &id("admin"))
        .await
        .unwrap();
    assert_eq!(bob.call::<cloud::call::Clouds>(()).await.unwrap().clouds.len(), 1);
    world.stop().await;
}

#[tokio::test]
async fn credentials_are_kept_for_their_owners() {
    let world = World::new().await;
    let root = world.it.admin(None).await;
    let tagged = |tag: &str, kind: &str| TaggedCredential {
        tag: tag.into(),
        credential: CloudCredential {
            auth_type: kind.into(),
            attrs: texts(&[("key", "v")]),
            redacted: vec![],
        },
    };
    let args = TaggedCredentials { credentials: vec![tagged("cloudcred-local_admin_main", "empty")] };
    only(root.call::<cloud::call::AddCredentials>(args).await.unwrap()).unwrap();
    let stored = credential::read(&world.it.state.image(), &id("local/admin/main")).unwrap();
    assert_eq!((stored.auth_type.as_str(), stored.attributes["key"].as_str()), ("empty", "v"));
    let ask = || UserClouds {
        user_clouds: vec![UserCloud { user_tag: "user-admin".into(), cloud_tag: "cloud-local".into() }],
    };
    let got = root.call::<cloud::call::UserCredentials>(ask()).await.unwrap();
    assert_eq!(got.results[0].result, ["cloudcred-local_admin_main"]);

    let args = UpdateCredentialArgs {
        credentials: vec![
            tagged("cloudcred-local_admin_main", "empty"),
            tagged("cloudcred-local_admin_main", "userpass"),
            tagged("nonsense", "empty"),
        ],
        force: false,
    };
    let got = root.call::<cloud::call::UpdateCredentialsCheckModels>(args).await.unwrap().results;
    assert_eq!((got[0].tag.as_str(), &got[0].error), ("cloudcred-local_admin_main", &None));
    assert_eq!(got[1].error.as_ref().unwrap().code, "not valid");
    assert_eq!(got[2].error.as_ref().unwrap().code, "bad request");

    world.it.state.add_user(&id("bob"), "", "bobspassword", &id("admin")).await.unwrap();
    let bob = world.it.connect(None).await;
    login(&bob, "user-bob", "bobspassword", "").await.unwrap();
    let args = TaggedCredentials { credentials: vec![tagged("cloudcred-local_admin_main", "empty")] };
    let denied = only(bob.call::<cloud::call::AddCredentials>(args).await.unwrap()).unwrap_err();
    assert_eq!(denied.code, "unauthorized access");
    let got = bob.call::<cloud::call::UserCredentials>(ask()).await.unwrap();
    assert_eq!(got.results[0].error.as_ref().unwrap().code, "unauthorized access");
    world.stop().await;
}
