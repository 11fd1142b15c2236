//! Which endpoints a relation is between, when people name only the applications (Juju 3.6 `state/relation`).

use juju_charm::RelationScope;
use juju_core::{ApplicationName, ModelUuid};
use juju_store::Image;

use super::Endpoint;
use crate::{Error, Result, application, charm};

/// The endpoints that `app` or `app:endpoint` may mean, and whether the application is a subordinate one.
fn candidates(image: &Image, m: &ModelUuid, text: &str) -> Result<(Vec<Endpoint>, bool)> {
    let (name, endpoint) = match text.split_once(':') {
        Some((name, endpoint)) => (name, Some(endpoint)),
        None => (text, None),
    };
    if endpoint.is_some_and(|it| it.is_empty() || it.contains(':')) {
        return Err(Error::not_valid(format!("invalid endpoint {text:?}")));
    }
    let name: ApplicationName =
        name.parse().map_err(|_| Error::not_valid(format!("{name:?} is not a valid application name")))?;
    let application = application::read(image, m, &name)?;
    let charm = charm::describe(image, m, &application.charm_url)?;
    let mut all = charm::endpoints(&charm, &name);
    if let Some(endpoint) = endpoint {
        all.retain(|it| it.name == endpoint);
        if all.is_empty() {
            return Err(Error::NoSuch(format!("application \"{name}\" has no {endpoint:?} relation")));
        }
    }
    Ok((all, application.subordinate))
}

/// The one pair of endpoints, the requirer first, that can be related. Endpoints that every charm has count only if
/// there are no others.
pub fn infer(image: &Image, m: &ModelUuid, one: &str, other: &str) -> Result<(Endpoint, Endpoint)> {
    let ((firsts, sub_a), (seconds, sub_b)) = (candidates(image, m, one)?, candidates(image, m, other)?);
    let pairs = pairs(&firsts, &seconds, sub_a || sub_b);
    choose(pairs).map_err(|found| {
        if found.is_empty() {
            return Error::NoSuch("no relations found".into());
        }
        let keys: Vec<String> = found.iter().map(|it| format!("{it:?}")).collect();
        Error::not_valid(format!("ambiguous relation: \"{one} {other}\" could refer to {}", keys.join("; ")))
    })
}

/// All pairs that can be related, the requirer first. Where one is of container scope, one application must be a
/// subordinate.
fn pairs(firsts: &[Endpoint], seconds: &[Endpoint], subordinate: bool) -> Vec<(Endpoint, Endpoint)> {
    let mut pairs = Vec::new();
    for first in firsts {
        for second in seconds.iter().filter(|it| first.fits(it)) {
            let container = [first, second].iter().any(|it| it.scope == RelationScope::Container);
            if container && !subordinate {
                continue;
            }
            pairs.push(match first.role {
                juju_charm::Role::Requirer => (first.clone(), second.clone()),
                _ => (second.clone(), first.clone()),
            });
        }
    }
    pairs
}

/// The one that is meant, or the keys of all that may be.
fn choose(mut pairs: Vec<(Endpoint, Endpoint)>) -> Result<(Endpoint, Endpoint), Vec<String>> {
    let explicit = |(a, b): &(Endpoint, Endpoint)| !a.is_implicit() && !b.is_implicit();
    if pairs.len() > 1 && pairs.iter().filter(|it| explicit(it)).count() == 1 {
        pairs.retain(explicit);
    }
    if pairs.len() == 1
        && let Some(pair) = pairs.pop()
    {
        return Ok(pair);
    }
    let mut keys: Vec<String> = pairs.iter().map(|(a, b)| format!("{a} {b}")).collect();
    keys.sort();
    Err(keys)
}

#[cfg(test)]
mod tests {
    use juju_charm::Role::{self, Provider, Requirer};

    use super::*;
    use crate::testing::id;

    fn endpoint(text: &str, role: Role, interface: &str, scope: RelationScope) -> Endpoint {
        let (application, name) = text.split_once(':').unwrap();
        let (application, name) = (id(application), id(name));
        Endpoint { application, name, role, interface: interface.into(), optional: false, limit: 0, scope }
    }

    #[test]
    fn the_one_that_is_possible() {
        use RelationScope::{Container, Global};
        let wp = [
            endpoint("wp:db", Requirer, "mysql", Global),
            endpoint("wp:site", Provider, "http", Global),
            endpoint("wp:juju-info", Provider, "juju-info", Global),
        ];
        let db = [
            endpoint("db:server", Provider, "mysql", Global),
            endpoint("db:admin", Provider, "mysql", Global),
            endpoint("db:juju-info", Provider, "juju-info", Global),
        ];
        let log = [
            endpoint("log:info", Requirer, "juju-info", Container),
            endpoint("log:juju-info", Provider, "juju-info", Global),
        ];
        let logs = [
            endpoint("logs:logs", Provider, "log", Container),
            endpoint("logs:juju-info", Provider, "juju-info", Global),
        ];
        let logged = [
            endpoint("app:log", Requirer, "log", Global),
            endpoint("app:info", Requirer, "juju-info", Global),
            endpoint("app:juju-info", Provider, "juju-info", Global),
        ];
        for (first, second, subordinate, expected) in [
            (&wp[..], &db[..1], false, Ok("wp:db db:server")),
            (&db[..1], &wp[..], false, Ok("wp:db db:server")),
            (&wp[..], &db[..], false, Err(vec!["wp:db db:admin", "wp:db db:server"])),
            (&wp[..], &log[..], true, Ok("log:info wp:juju-info")),
            (&wp[..], &log[..], false, Err(vec![])),
            (&wp[..], &wp[..], false, Err(vec![])),
            // The one that says so is meant, and not the one that every charm has.
            (&logged[..], &logs[..], true, Ok("app:log logs:logs")),
        ] {
            let got = choose(pairs(first, second, subordinate)).map(|(a, b)| format!("{a} {b}"));
            let expected =
                expected.map(str::to_owned).map_err(|it| it.into_iter().map(str::to_owned).collect());
            assert_eq!(got, expected);
        }
    }
}
