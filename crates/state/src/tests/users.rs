//! Users and what they may do.

use crate::{
    Error,
    access::{self, Access, Object},
    testing::{Fixture, id},
};

#[tokio::test]
async fn users_come_and_go() {
    let fixture = Fixture::new().await;
    let state = &fixture.state;
    let (bob, admin) = (id("bob"), id("admin"));
    state.add_user(&bob, "Bob", "secret", &admin).await.unwrap();
    assert!(matches!(state.add_user(&id("Bob"), "", "x", &admin).await, Err(Error::AlreadyExists(_))));
    assert_eq!(state.access(&Object::Controller, &bob).unwrap(), Some(Access::Login));
    assert_eq!(state.authenticate_user(&id("BOB"), "secret").await.unwrap().display_name, "Bob");
    for (name, password) in [("bob", "Secret"), ("nobody", "secret"), ("bob", "")] {
        assert!(matches!(state.authenticate_user(&id(name), password).await, Err(Error::Unauthorized)));
    }
    state.set_user_disabled(&bob, true).await.unwrap();
    assert!(state.authenticate_user(&bob, "secret").await.is_err());
    state.set_user_disabled(&bob, false).await.unwrap();
    state.set_user_password(&bob, "other").await.unwrap();
    assert!(state.authenticate_user(&bob, "other").await.is_ok());
    let model = fixture.model("m").await;
    state.grant(&Object::Model(model.uuid().clone()), &bob, Access::Write, &admin).await.unwrap();
    state.remove_user(&bob).await.unwrap();
    assert!(state.authenticate_user(&bob, "other").await.is_err());
    assert_eq!(crate::user::all(&state.image()).unwrap().len(), 1);
    state.add_user(&bob, "Another Bob", "new", &admin).await.unwrap();
    assert_eq!(state.access(&Object::Model(model.uuid().clone()), &bob).unwrap(), None, "he begins anew");
}

#[tokio::test]
async fn levels_include_each_other() {
    let fixture = Fixture::new().await;
    let (state, model) = (&fixture.state, fixture.model("m").await);
    let (bob, admin) = (id("bob"), id("admin"));
    state.add_user(&bob, "", "secret", &admin).await.unwrap();
    let object = Object::Model(model.uuid().clone());
    assert!(crate::model::for_user(&state.image(), &bob).unwrap().is_empty());
    state.grant(&object, &bob, Access::Write, &admin).await.unwrap();
    let error = state.grant(&object, &bob, Access::Read, &admin).await.unwrap_err();
    assert_eq!(error.to_string(), "user already has \"read\" access or greater");
    assert_eq!(crate::model::for_user(&state.image(), &bob).unwrap().len(), 1);
    assert_eq!(crate::model::for_user(&state.image(), &admin).unwrap().len(), 2);
    assert!(state.revoke(&object, &bob, Access::Admin).await.is_err());
    state.revoke(&object, &bob, Access::Write).await.unwrap();
    assert_eq!(state.access(&object, &bob).unwrap(), Some(Access::Read));
    state.revoke(&object, &bob, Access::Read).await.unwrap();
    assert_eq!(state.access(&object, &bob).unwrap(), None);
    assert!(state.grant(&object, &id("nobody"), Access::Read, &admin).await.unwrap_err().is_not_found());
    state.grant(&object, &id("eve@idm"), Access::Read, &admin).await.unwrap();
    assert_eq!(access::all(&state.image(), &object).unwrap().len(), 2);
    state.grant(&Object::Controller, &bob, Access::Superuser, &admin).await.unwrap();
    assert_eq!(state.access(&object, &bob).unwrap(), Some(Access::Admin), "a superuser may do everything");
    assert!(object.level("superuser").is_err());
    assert_eq!(object.level("admin").unwrap(), Access::Admin);
}
