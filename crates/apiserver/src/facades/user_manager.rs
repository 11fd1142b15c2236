//! `UserManager`: the users of the controller (Juju 3.6 `apiserver/facades/client/usermanager`).

use juju_core::{Tag, UserName};
use juju_state::{
    access::Object,
    user::{self, UserDoc},
};
use juju_wire::{
    Bytes, Time,
    facade::user_manager::{
        AddUser, AddUserResult, AddUserResults, AddUsers, UserInfo, UserInfoRequest, UserInfoResult,
        UserInfoResults, call,
    },
    params::*,
};

use crate::{
    Ctx, Error, Result, Router,
    bulk::{FromOutcome, FromResults as _, each, tags},
};

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::UserInfo>(user_info)
        .on::<call::AddUser>(add_user)
        .on::<call::SetPassword>(set_password)
        .on::<call::EnableUser>(enable)
        .on::<call::DisableUser>(disable)
        .on::<call::RemoveUser>(remove);
}

fn require_superuser(ctx: &Ctx) -> Result<()> {
    if ctx.user()?.is_superuser() { Ok(()) } else { Err(Error::unauthorized()) }
}

fn user(tag: &str) -> Result<UserName> {
    match tag.parse() {
        Ok(Tag::User(name)) => Ok(name),
        _ => Err(Error::bad_request(format!("{tag:?} is not a valid user tag"))),
    }
}

impl FromOutcome<UserInfo> for UserInfoResult {
    fn value(result: UserInfo) -> Self {
        UserInfoResult { result: Some(result), error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        UserInfoResult { result: None, error: Some(error) }
    }
}

/// Of the users asked for, or of all. Who is no superuser sees himself alone.
async fn user_info(ctx: Ctx, args: UserInfoRequest) -> Result<UserInfoResults> {
    let caller = ctx.user()?.clone();
    let image = ctx.state().image();
    let show = |doc: &UserDoc| -> Result<UserInfo> {
        let access = ctx.state().access(&Object::Controller, &doc.name)?;
        Ok(UserInfo {
            username: doc.name.to_string(),
            display_name: doc.display_name.clone(),
            access: access.map(|it| it.as_str().to_owned()).unwrap_or_default(),
            created_by: doc.created_by.to_string(),
            date_created: doc.created.into(),
            last_connection: user::last_login(&image, &doc.name)?.map(Time::from),
            disabled: doc.disabled,
        })
    };
    if args.entities.is_empty() {
        let all = user::all(&image)?;
        let seen = all.iter().filter(|it| caller.is_superuser() || it.name == caller.name);
        let seen = seen.filter(|it| args.include_disabled || !it.disabled);
        let results = seen.map(|it| crate::bulk::outcome(show(it))).collect();
        return Ok(UserInfoResults { results });
    }
    let one = async |it: Entity| {
        let name = user(&it.tag)?;
        if !caller.is_superuser() && caller.name != name {
            return Err(Error::unauthorized());
        }
        show(&*user::read(&image, &name)?)
    };
    Ok(UserInfoResults { results: each(args.entities, one).await })
}

impl FromOutcome<(String, Vec<u8>)> for AddUserResult {
    fn value((tag, secret): (String, Vec<u8>)) -> Self {
        AddUserResult { tag, secret_key: Bytes(secret), error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        AddUserResult { error: Some(error), ..Default::default() }
    }
}

/// A user without a password would register with a secret key; registration is not served yet.
async fn add_user(ctx: Ctx, args: AddUsers) -> Result<AddUserResults> {
    require_superuser(&ctx)?;
    let by = ctx.user()?.name.clone();
    let one = async |it: AddUser| {
        let name: UserName = it
            .username
            .parse()
            .map_err(|_| Error::bad_request(format!("invalid username {:?}", it.username)))?;
        if it.password.is_empty() {
            return Err(Error::not_supported("adding a user without a password is not implemented"));
        }
        ctx.state().add_user(&name, &it.display_name, &it.password, &by).await?;
        Ok((Tag::from(name).to_string(), vec![]))
    };
    Ok(AddUserResults { results: each(args.users, one).await })
}

/// One's own, or anybody's for a superuser.
async fn set_password(ctx: Ctx, args: EntityPasswords) -> Result<ErrorResults> {
    let caller = ctx.user()?.clone();
    let one = async |it: EntityPassword| {
        let name = user(&it.tag)?;
        if !caller.is_superuser() && caller.name != name {
            return Err(Error::unauthorized());
        }
        if it.password.is_empty() {
            return Err(Error::not_valid("cannot use an empty password"));
        }
        Ok(ctx.state().set_user_password(&name, &it.password).await?)
    };
    Ok(ErrorResults::from_results(each(args.changes, one).await))
}

async fn enable(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    set_disabled(ctx, args, false).await
}

async fn disable(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    set_disabled(ctx, args, true).await
}

async fn set_disabled(ctx: Ctx, args: Entities, disabled: bool) -> Result<ErrorResults> {
    require_superuser(&ctx)?;
    let one = async |tag: String| Ok(ctx.state().set_user_disabled(&user(&tag)?, disabled).await?);
    Ok(ErrorResults::from_results(each(tags(args), one).await))
}

async fn remove(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    require_superuser(&ctx)?;
    let caller = ctx.user()?.name.clone();
    let one = async |tag: String| {
        let name = user(&tag)?;
        if name == caller {
            return Err(Error::not_valid("cannot remove yourself"));
        }
        Ok(ctx.state().remove_user(&name).await?)
    };
    Ok(ErrorResults::from_results(each(tags(args), one).await))
}
