//! `DATA/admin.sock`: how `provost admin` reaches a running server. One JSON request line, one JSON answer line.
//!
//! Whoever can connect is the user that runs the server, and nobody else: the file is 0600 and the peer's user id is
//! compared.

use std::{
    fs,
    io::{self, ErrorKind},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::Operators;

/// What `provost admin` asks for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub(crate) enum Request {
    /// An operator token that lives this long.
    Token {
        /// Seconds from now.
        ttl_seconds: u64,
    },
}

/// What the server answers.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// The token.
    Token(String),
    /// Why there is none.
    Error(String),
}

/// The listening socket. Its file goes when the server ends.
#[derive(Debug)]
pub(crate) struct AdminSocket {
    listener: UnixListener,
    path: PathBuf,
    /// The user that runs the server: the owner of the socket that it has just made.
    owner: u32,
}

/// Longest request line in bytes.
const REQUEST_LIMIT: u64 = 4096;
/// Longest answer line in bytes.
const ANSWER_LIMIT: u64 = 64 * 1024;
/// How long either side waits for the other's line.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where the socket of a data folder is.
pub(crate) fn path_in(data: &Path) -> PathBuf {
    data.join("admin.sock")
}

impl AdminSocket {
    /// Listens in `data`. The caller holds the store's lock, so that a socket left there is a dead server's.
    pub(crate) fn bind(data: &Path) -> io::Result<Self> {
        let path = path_in(data);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        let owner = fs::symlink_metadata(&path)?.uid();
        Ok(Self { listener, path, owner })
    }

    /// Answers until `shutdown`.
    pub(crate) async fn serve(self, operators: Arc<Operators>, shutdown: CancellationToken) {
        let calls = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                () = shutdown.cancelled() => break,
                accepted = self.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    let (operators, owner) = (Arc::clone(&operators), self.owner);
                    calls.spawn(async move {
                        if let Err(error) = answer(stream, owner, &operators).await {
                            tracing::warn!(%error, "admin socket: call failed");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "admin socket: cannot accept");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
        calls.close();
        calls.wait().await;
        let _ = fs::remove_file(&self.path);
    }
}

async fn answer(stream: UnixStream, owner: u32, operators: &Operators) -> io::Result<()> {
    let peer = stream.peer_cred()?.uid();
    let (reader, mut writer) = stream.into_split();
    let answer = if peer == owner {
        let mut line = String::new();
        let mut reader = BufReader::new(reader.take(REQUEST_LIMIT));
        timeout(PATIENCE, reader.read_line(&mut line)).await??;
        match serde_json::from_str(&line) {
            Ok(Request::Token { ttl_seconds }) => {
                match operators.token(Duration::from_secs(ttl_seconds), &peer.to_string()).await {
                    Ok(token) => Answer::Token(token.expose().clone()),
                    Err(error) => Answer::Error(error.message().to_owned()),
                }
            }
            Err(error) => Answer::Error(format!("the request cannot be read: {error}")),
        }
    } else {
        Answer::Error(format!("only the user that runs the server may ask, not user {peer}"))
    };
    let mut line = serde_json::to_vec(&answer)?;
    line.push(b'\n');
    timeout(PATIENCE, writer.write_all(&line)).await?
}

/// Asks the server that runs on `data`; `None` when none does.
///
/// # Errors
/// When the server is there but cannot be talked to.
pub(crate) async fn ask(data: &Path, request: &Request) -> io::Result<Option<Answer>> {
    let stream = match UnixStream::connect(path_in(data)).await {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => return Ok(None),
        Err(error) => return Err(error),
    };
    let (reader, mut writer) = stream.into_split();
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    writer.write_all(&line).await?;
    let mut text = String::new();
    timeout(PATIENCE, BufReader::new(reader.take(ANSWER_LIMIT)).read_line(&mut text)).await??;
    if text.is_empty() {
        return Err(io::Error::new(ErrorKind::UnexpectedEof, "the server hung up without an answer"));
    }
    Ok(Some(serde_json::from_str(&text)?))
}
