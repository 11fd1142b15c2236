//! `jujud local-supervisor`: keeps the agents of one local controller's machines running.

use std::{io, path::PathBuf};

use anyhow::Context as _;
use juju_provider::local::{dirs::Dirs, supervisor};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::layer::SubscriberExt as _;

use super::Failure;
use crate::logging::{LevelConfig, Router, Sink};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The directory of the controller's machines
    #[arg(long)]
    dir: PathBuf,
}

pub(super) fn run(args: Args) -> Result<(), Failure> {
    let router = Router::new(Sink::stderr(LevelConfig::default()));
    // Fails only if there is one already.
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(router));
    // One thread: it reaps all children of its process and does little else.
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start")?;
    let dirs = Dirs::open(&args.dir).map_err(anyhow::Error::new)?;
    runtime.block_on(async {
        let stop = CancellationToken::new();
        let supervise = async {
            let ended = supervisor::run(supervisor::Config::new(&dirs), stop.clone()).await;
            stop.cancel();
            ended
        };
        let watch = async {
            if let Some(signalled) = stop.run_until_cancelled(terminated()).await {
                stop.cancel();
                signalled?;
            }
            Ok::<_, io::Error>(())
        };
        let (supervised, watched) = tokio::join!(supervise, watch);
        watched.context("cannot handle signals")?;
        supervised.map_err(anyhow::Error::new)
    })?;
    Ok(())
}

async fn terminated() -> io::Result<()> {
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
    Ok(())
}
