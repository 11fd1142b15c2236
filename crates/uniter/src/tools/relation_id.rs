//! `-r`: which relation a tool speaks of.

use super::{
    Here,
    args::{Args, Flag, UsageError, invalid_value},
};

pub(crate) const RELATION: Flag = Flag::value(&["r", "relation"], "", "Specify a relation by id");

/// The relation that was named, or the hook's own. Only what follows the last `:` counts.
pub(crate) fn parse(args: &Args, here: &Here) -> Result<Option<i64>, UsageError> {
    let Some(given) = args.value("relation") else { return Ok(here.relation) };
    let text = given.value.trim();
    // A charm that passes on an empty variable means the hook's own.
    if text.is_empty() && here.relation.is_some() {
        return Ok(here.relation);
    }
    let number = text.rsplit(':').next().unwrap_or_default();
    let id: i64 = number.parse().map_err(|_| invalid_value(given, "invalid relation id"))?;
    match here.relations.contains_key(&id) {
        true => Ok(Some(id)),
        false => Err(invalid_value(given, "relation not found")),
    }
}

/// Like [`parse`], for tools that cannot do without.
pub(crate) fn require(args: &Args, here: &Here) -> Result<i64, UsageError> {
    parse(args, here)?.ok_or_else(|| UsageError::new("no relation id specified"))
}

#[cfg(test)]
mod tests {
    use super::{super::args::Asked, *};

    #[test]
    fn ids_are_known_relations() {
        let inside = Here {
            relations: [(4, "db".to_owned()), (7, "db".to_owned())].into(),
            relation: Some(4),
            ..Here::default()
        };
        let outside = Here { relation: None, ..inside.clone() };
        for (here, line, want) in [
            (&inside, vec![], Ok(4)),
            (&outside, vec![], Err("no relation id specified")),
            (&inside, vec!["-r", "7"], Ok(7)),
            (&outside, vec!["-r", "db:7"], Ok(7)),
            (&outside, vec!["--relation=other:thing:7"], Ok(7)),
            (&inside, vec!["-r", ""], Ok(4)),
            (&outside, vec!["-r", ""], Err("invalid value \"\" for option -r: invalid relation id")),
            (&inside, vec!["-r", "db:9"], Err("invalid value \"db:9\" for option -r: relation not found")),
            (
                &inside,
                vec!["--relation", "x"],
                Err("invalid value \"x\" for option --relation: invalid relation id"),
            ),
        ] {
            let words = line.iter().map(|it| it.to_string()).collect();
            let Ok(Asked::Run(args)) = Args::parse(&[&RELATION], words) else { panic!() };
            assert_eq!(
                require(&args, here).map_err(|it| it.to_string()),
                want.map_err(str::to_owned),
                "{line:?}"
            );
        }
    }
}
