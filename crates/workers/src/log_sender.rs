//! `log-sender`: streams the agent's log records to the controller (Juju 3.6 `worker/logsender`).

use juju_agent::conf::ConfFile;
use juju_engine::{Scope, Transient};
use juju_rpc::{
    DialConfig,
    stream::{self, JsonStream, StreamError},
};

use crate::{
    Ended,
    log_buffer::{LogBuffer, Record},
};

pub async fn run(conf: ConfFile, buffer: LogBuffer, scope: Scope) -> anyhow::Result<()> {
    let Some(opened) = scope.until_cancelled(open(&conf)).await else { return Ok(()) };
    let mut stream =
        opened.map_err(|err| Transient::new(anyhow::Error::new(err).context("logsender dial failed")))?;
    scope.publish(());
    loop {
        tokio::select! {
            () = scope.cancelled() => break,
            // The server says nothing on this stream; to listen is what answers its pings.
            said = stream.next::<()>() => match said {
                Ok(()) => {}
                Err(StreamError::Closed { .. }) => return Err(Ended::LogStreamClosed.into()),
                Err(err) => return Err(Transient::new(err).into()),
            },
            (record, dropped) = buffer.next() => send(&mut stream, &buffer, record, dropped).await?,
        }
    }
    // The stream is going away in any case.
    let _ = stream.close().await;
    Ok(())
}

async fn send(
    stream: &mut JsonStream,
    buffer: &LogBuffer,
    record: Record,
    dropped: u64,
) -> anyhow::Result<()> {
    if dropped > 0 {
        let lost = Record {
            time: record.time,
            module: "juju.worker.logsender".to_owned(),
            level: "WARNING".to_owned(),
            message: format!("{dropped} log messages dropped due to lack of API connectivity"),
            ..Record::default()
        };
        stream.send(&lost).await.map_err(Transient::new)?;
    }
    if let Err(err) = stream.send(&record).await {
        buffer.put_back(record);
        return Err(Transient::new(err).into());
    }
    Ok(())
}

async fn open(conf: &ConfFile) -> Result<JsonStream, StreamError> {
    let conf = conf.current();
    let addresses = conf.api_info().map(|it| it.addresses).unwrap_or_default();
    let mut headers = stream::credentials(&conf.tag, conf.api_password.expose(), &conf.nonce);
    headers.push(("X-Juju-ClientVersion".to_owned(), juju_core::version::CURRENT.to_string()));
    let config = DialConfig {
        path: format!("/model/{}/logsink?version=1", conf.model),
        headers,
        ..DialConfig::controller(addresses, conf.ca_cert.clone())
    };
    JsonStream::open(&config).await
}
