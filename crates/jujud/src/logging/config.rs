//! `logging-config`: which records of which modules are kept, in Juju's words (`<root>=INFO;juju.worker=DEBUG`).

use std::collections::BTreeMap;

use tracing::Level;

/// The least level of each module; a module without its own takes its parent's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelConfig {
    root: Rank,
    modules: BTreeMap<String, Rank>,
}

/// A level by its severity; larger is worse. Juju has one more than `tracing`: CRITICAL reads as an error here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(u8);

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("config value expected '=', found {0:?}")]
    NoEquals(String),
    #[error("config value {0:?} has missing module name")]
    NoModule(String),
    #[error("unknown severity level {0:?}")]
    UnknownLevel(String),
}

impl Default for LevelConfig {
    fn default() -> Self {
        LevelConfig { root: rank_of(Level::INFO), modules: BTreeMap::new() }
    }
}

impl LevelConfig {
    /// Whether a record of this module (dotted, as in `juju.worker.uniter`) is kept.
    pub fn enabled(&self, module: &str, level: Level) -> bool {
        let module = module.to_lowercase();
        let mut name = module.as_str();
        let limit = loop {
            if let Some(limit) = self.modules.get(name) {
                break *limit;
            }
            match name.rfind('.') {
                Some(dot) => name = &name[..dot],
                None => break self.root,
            }
        };
        rank_of(level) >= limit
    }

    /// The same, with everything from DEBUG on, as the service's `--debug` asks for at start.
    pub fn debug() -> Self {
        LevelConfig { root: rank_of(Level::DEBUG), modules: BTreeMap::new() }
    }
}

/// Reads a configuration; an empty one is the default.
pub fn parse(text: &str) -> Result<LevelConfig, ParseError> {
    let mut config = LevelConfig::default();
    for part in text.split([';', '\n']).map(str::trim).filter(|it| !it.is_empty()) {
        // A bare level is the root's.
        let (module, level) = match part.split_once('=') {
            Some((module, level)) => (module.trim(), level.trim()),
            None if rank(part).is_some() => ("<root>", part),
            None => return Err(ParseError::NoEquals(part.to_owned())),
        };
        let limit = rank(level).ok_or_else(|| ParseError::UnknownLevel(level.to_owned()))?;
        match module.to_lowercase().as_str() {
            "" => return Err(ParseError::NoModule(part.to_owned())),
            "<root>" => config.root = limit,
            // Labels (`#http`) choose records of a kind that we do not mark.
            label if label.starts_with('#') => {}
            name => {
                config.modules.insert(name.to_owned(), limit);
            }
        }
    }
    Ok(config)
}

fn rank(word: &str) -> Option<Rank> {
    Some(Rank(match word.to_uppercase().as_str() {
        "TRACE" => 1,
        "DEBUG" => 2,
        "INFO" => 3,
        "WARNING" | "WARN" => 4,
        "ERROR" => 5,
        "CRITICAL" => 5,
        _ => return None,
    }))
}

fn rank_of(level: Level) -> Rank {
    Rank(match level {
        Level::TRACE => 1,
        Level::DEBUG => 2,
        Level::INFO => 3,
        Level::WARN => 4,
        Level::ERROR => 5,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_module_decides() {
        let config = parse("<root>=WARNING; juju.worker=INFO;juju.worker.uniter=TRACE").unwrap();
        for (module, level, kept) in [
            ("juju.worker.uniter.operation", Level::TRACE, true),
            ("juju.worker.uniter", Level::DEBUG, true),
            ("juju.worker.uniters", Level::DEBUG, false),
            ("juju.worker.deployer", Level::INFO, true),
            ("juju.worker.deployer", Level::DEBUG, false),
            ("juju.apiserver", Level::INFO, false),
            ("unit", Level::WARN, true),
            ("Juju.Worker", Level::INFO, true),
        ] {
            assert_eq!(config.enabled(module, level), kept, "{module} {level}");
        }
    }

    #[test]
    fn bad_text_is_named() {
        assert_eq!(parse("").unwrap(), LevelConfig::default());
        assert_eq!(parse("DEBUG").unwrap(), LevelConfig::debug());
        assert_eq!(parse("juju.worker"), Err(ParseError::NoEquals("juju.worker".into())));
        assert_eq!(parse("=INFO"), Err(ParseError::NoModule("=INFO".into())));
        assert_eq!(parse("juju=LOUD"), Err(ParseError::UnknownLevel("LOUD".into())));
    }
}
