//! What is logged, for `--debug` and `--show-log`. Without them nothing is, and nothing is set up.

use std::{fs::OpenOptions, sync::Mutex};

use tracing_subscriber::{EnvFilter, fmt::MakeWriter};

use crate::{
    cli::{Env, flags::Global},
    error::{Error, Result},
};

/// Sets logging up as the flags say.
pub(crate) fn init(global: &Global, env: &Env) -> Result {
    let config = global.logging_config.as_deref().or(env.logging_config.as_deref());
    if !global.debug && !global.show_log && global.log_file.is_none() {
        return Ok(());
    }
    let filter = match config {
        _ if global.debug => "debug".to_owned(),
        Some(config) => filter(config),
        None => "info".to_owned(),
    };
    let filter = EnvFilter::try_new(&filter)
        .map_err(|_| Error::usage(format!("invalid logging config {:?}", config.unwrap_or_default())))?;
    match &global.log_file {
        None => install(filter, std::io::stderr),
        Some(path) => {
            let file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
                .map_err(|e| Error::failed(format!("cannot open {}: {e}", path.display())))?;
            install(filter, Mutex::new(file));
        }
    }
    Ok(())
}

fn install(filter: EnvFilter, writer: impl for<'a> MakeWriter<'a> + Send + Sync + 'static) {
    let subscriber =
        tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(writer).finish();
    // Only tests set up logging twice; the first one stays then.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// `<root>=INFO;juju.rpc=DEBUG` in the words of the filter: `info,juju_rpc=debug`.
fn filter(config: &str) -> String {
    let parts = config.split([';', ',']).map(str::trim).filter(|it| !it.is_empty());
    let parts = parts.map(|part| match part.split_once('=') {
        Some(("<root>", level)) => level.to_lowercase(),
        Some((module, level)) => format!("{}={}", module.replace('.', "_"), level.to_lowercase()),
        None => part.to_lowercase(),
    });
    parts.map(|it| it.replace("warning", "warn").replace("critical", "error")).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_in_jujus_words_are_understood() {
        assert_eq!(filter("<root>=WARNING;juju.rpc=TRACE"), "warn,juju_rpc=trace");
        assert!(EnvFilter::try_new(filter("<root>=INFO; juju.x=DEBUG")).is_ok());
    }
}
