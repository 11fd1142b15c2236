//! `Cloud`: the clouds of the controller and its users' credentials for them (Juju 3.6 `apiserver/facades/client/cloud`).

use juju_core::{CloudName, CredentialId, Tag, UserName};
use juju_state::{
    V,
    access::{Access, Object},
    cloud::{self, CloudDoc},
    credential::{self, CredentialDoc},
    model,
};
use juju_wire::{
    facade::cloud::{
        Cloud, CloudRegion, CloudResult, CloudResults, CloudsResult, TaggedCredential, TaggedCredentials,
        UpdateCredentialArgs, UpdateCredentialModelResult, UpdateCredentialResult, UpdateCredentialResults,
        UserCloud, UserClouds, call,
    },
    params::*,
};

use crate::{
    Ctx, Error, Result, Router,
    bulk::{FromOutcome, FromResults as _, each, tags},
};

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::Clouds>(clouds)
        .on::<call::Cloud>(one_cloud)
        .on::<call::UserCredentials>(user_credentials)
        .on::<call::AddCredentials>(add_credentials)
        .on::<call::UpdateCredentialsCheckModels>(update_credentials);
}

/// The clouds on which the user may make models.
async fn clouds(ctx: Ctx, (): ()) -> Result<CloudsResult> {
    let mut clouds = CloudsResult::default();
    for doc in cloud::all(&ctx.state().image())? {
        if sees(&ctx, &doc.name)? {
            clouds.clouds.insert(Tag::from(doc.name.clone()).to_string(), to_wire(&ctx, &doc)?);
        }
    }
    Ok(clouds)
}

fn sees(ctx: &Ctx, name: &CloudName) -> Result<bool> {
    let user = ctx.user()?;
    let object = Object::Cloud(name.clone());
    let access = ctx.state().access(&object, &user.name)?;
    Ok(user.is_superuser() || access.is_some_and(|it| object.includes(it, Access::AddModel)))
}

impl FromOutcome<Cloud> for CloudResult {
    fn value(cloud: Cloud) -> Self {
        CloudResult { cloud: Some(cloud), error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        CloudResult { cloud: None, error: Some(error) }
    }
}

async fn one_cloud(ctx: Ctx, args: Entities) -> Result<CloudResults> {
    let one = async |tag: String| {
        let Ok(Tag::Cloud(name)) = tag.parse() else {
            return Err(Error::bad_request(format!("{tag:?} is not a valid cloud tag")));
        };
        let doc = cloud::read(&ctx.state().image(), &name)?;
        if !sees(&ctx, &name)? {
            return Err(Error::not_found(format!("cloud {:?}", name.as_str())));
        }
        to_wire(&ctx, &doc)
    };
    Ok(CloudResults { results: each(tags(args), one).await })
}

fn to_wire(ctx: &Ctx, doc: &CloudDoc) -> Result<Cloud> {
    let region = |it: &cloud::Region| CloudRegion {
        name: it.name.clone(),
        endpoint: it.endpoint.clone(),
        identity_endpoint: it.identity_endpoint.clone(),
        storage_endpoint: it.storage_endpoint.clone(),
    };
    Ok(Cloud {
        type_: doc.kind.clone(),
        auth_types: doc.auth_types.clone(),
        endpoint: doc.endpoint.clone(),
        identity_endpoint: doc.identity_endpoint.clone(),
        storage_endpoint: doc.storage_endpoint.clone(),
        regions: doc.regions.iter().map(region).collect(),
        ca_certificates: doc.ca_certificates.clone(),
        skip_tls_verify: doc.skip_tls_verify,
        is_controller_cloud: ctx.state().controller()?.cloud == doc.name,
        ..Cloud::default()
    })
}

/// The credentials of a user for a cloud: his own, or anybody's for a superuser.
async fn user_credentials(ctx: Ctx, args: UserClouds) -> Result<StringsResults> {
    let one = async |it: UserCloud| {
        let (Ok(Tag::User(owner)), Ok(Tag::Cloud(name))) = (it.user_tag.parse(), it.cloud_tag.parse()) else {
            return Err(Error::bad_request(format!(
                "{:?} and {:?} are no user and cloud",
                it.user_tag, it.cloud_tag
            )));
        };
        check_owner(&ctx, &owner)?;
        let found = credential::all(&ctx.state().image(), &name, &owner)?;
        Ok(found.iter().map(|it| Tag::from(it.id.clone()).to_string()).collect::<Vec<_>>())
    };
    Ok(StringsResults::from_results(each(args.user_clouds, one).await))
}

async fn add_credentials(ctx: Ctx, args: TaggedCredentials) -> Result<ErrorResults> {
    let one = async |it: TaggedCredential| put(&ctx, it).await.map(drop);
    Ok(ErrorResults::from_results(each(args.credentials, one).await))
}

/// Replaces credentials, and says which models use each.
async fn update_credentials(ctx: Ctx, args: UpdateCredentialArgs) -> Result<UpdateCredentialResults> {
    let mut results = vec![];
    for it in args.credentials {
        let tag = it.tag.clone();
        results.push(match put(&ctx, it).await {
            Ok(id) => UpdateCredentialResult { tag, models: users_of(&ctx, &id)?, error: None },
            Err(err) => {
                UpdateCredentialResult { tag, error: Some(err.into()), ..UpdateCredentialResult::default() }
            }
        });
    }
    Ok(UpdateCredentialResults { results })
}

async fn put(ctx: &Ctx, it: TaggedCredential) -> Result<CredentialId> {
    let id = credential_id(&it.tag)?;
    check_owner(ctx, id.owner())?;
    let doc = CredentialDoc {
        v: V,
        id: id.clone(),
        auth_type: it.credential.auth_type,
        attributes: it.credential.attrs,
        revoked: false,
        invalid: None,
    };
    ctx.state().put_credential(&doc).await?;
    Ok(id)
}

fn users_of(ctx: &Ctx, id: &CredentialId) -> Result<Vec<UpdateCredentialModelResult>> {
    let all = model::all(&ctx.state().image())?;
    let using = all.iter().filter(|it| it.credential.as_ref() == Some(id));
    let one = |it: &std::sync::Arc<model::ModelDoc>| UpdateCredentialModelResult {
        uuid: it.uuid.to_string(),
        name: it.name.to_string(),
        errors: vec![],
    };
    Ok(using.map(one).collect())
}

fn check_owner(ctx: &Ctx, owner: &UserName) -> Result<()> {
    let user = ctx.user()?;
    if user.is_superuser() || user.name == *owner { Ok(()) } else { Err(Error::unauthorized()) }
}

pub(super) fn credential_id(tag: &str) -> Result<CredentialId> {
    match tag.parse() {
        Ok(Tag::Credential(id)) => Ok(id),
        _ => Err(Error::bad_request(format!("{tag:?} is not a valid cloudcred tag"))),
    }
}
