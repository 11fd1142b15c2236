//! `relation-set`: what the unit, or its application, tells a relation. Written when the hook succeeds.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::{
    Call, Context, Definition, Failure, Io,
    args::Flag,
    key_values::{self, FILE},
    relation_id::{self, RELATION},
};

const APP: Flag =
    Flag::bool(&["app"], "pick whether you are setting \"application\" settings or \"unit\" settings");
/// Charms of the past pass it.
const FORMAT: Flag = Flag::value(&["format"], "", "deprecated format flag");

pub(super) const DEFINITION: Definition = Definition {
    name: "relation-set",
    args: "key=value [key=value ...]",
    summary: "Set relation settings.",
    details: "Values are text; an empty one removes its key. --file names a YAML map of further settings, \"-\"\n\
              standard input; arguments win over it. With --app, which only the leader may use, the settings are\n\
              the application's.",
    flags: &[&APP, &FILE, &FORMAT, &RELATION],
    parse: |args, here| {
        let relation = relation_id::require(args, here)?;
        let (app, format) = (args.is_set("app"), args.value("format").is_some_and(|it| !it.value.is_empty()));
        let file = args.value("file").map(|it| it.value.clone()).filter(|it| !it.is_empty());
        let settings = key_values::parse(args.rest())?;
        Ok(Box::new(RelationSet { relation, app, file, format, settings }))
    },
};

struct RelationSet {
    relation: i64,
    app: bool,
    file: Option<String>,
    format: bool,
    settings: BTreeMap<String, String>,
}

#[async_trait]
impl Call for RelationSet {
    fn reads_stdin(&self) -> bool {
        self.file.as_deref() == Some("-")
    }

    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure> {
        if self.format {
            io.stderr.extend(b"--format flag deprecated for command \"relation-set\"");
        }
        let mut settings = match &self.file {
            Some(file) => key_values::read(file, io).await?,
            None => BTreeMap::new(),
        };
        settings.extend(self.settings);
        match self.app {
            true => Ok(context.set_application_settings(self.relation, settings).await?),
            false => Ok(context.set_own_settings(self.relation, settings).await?),
        }
    }
}
