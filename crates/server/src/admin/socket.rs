//! `DATA/admin.sock`: how `provost admin` reaches a running server, in the words of [`super::protocol`].
//!
//! Whoever can connect is the user that runs the server, and nobody else: the file is 0600 and the peer's user id is
//! compared.

use std::{
    fs,
    io::{self, ErrorKind},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{
        UnixListener, UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::mpsc,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    Admin, Failure,
    protocol::{Line, Request, Told, Update},
};

/// The listening socket. Its file goes when the server ends.
#[derive(Debug)]
pub(crate) struct AdminSocket {
    listener: UnixListener,
    path: PathBuf,
    /// The user that runs the server: the owner of the socket that it has just made.
    owner: u32,
}

/// Longest request line in bytes.
const REQUEST_LIMIT: u64 = 16 * 1024;
/// Longest line of an answer in bytes.
const ANSWER_LIMIT: u64 = 1024 * 1024;
/// How long either side waits for the other's line, or for its own line to be taken.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the server is silent while it works.
const SILENCE: Duration = Duration::from_secs(5);

/// Where the socket of a data folder is.
#[must_use]
pub fn path_in(data: &Path) -> PathBuf {
    data.join("admin.sock")
}

impl AdminSocket {
    /// Listens in `data`. The caller has made sure that no server runs on it, so that a socket left there is a dead one's.
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

    /// Answers until `shutdown`; calls under way are cut off then.
    pub(crate) async fn serve(self, admin: Arc<Admin>, shutdown: CancellationToken) {
        let calls = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                () = shutdown.cancelled() => break,
                accepted = self.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    let (admin, owner, shutdown) = (Arc::clone(&admin), self.owner, shutdown.clone());
                    calls.spawn(async move {
                        let answered = tokio::select! {
                            answered = answer(stream, owner, &admin) => answered,
                            () = shutdown.cancelled() => Err(io::Error::other("the server stops")),
                        };
                        if let Err(error) = answered {
                            tracing::warn!(%error, "admin socket: call failed");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "admin socket: cannot accept");
                    sleep(Duration::from_millis(100)).await;
                }
            }
        }
        calls.close();
        calls.wait().await;
        let _ = fs::remove_file(&self.path);
    }
}

async fn answer(stream: UnixStream, owner: u32, admin: &Admin) -> io::Result<()> {
    let peer = stream.peer_cred()?.uid();
    let (reader, mut writer) = stream.into_split();
    let failed = |message: String| Line::Failed(Failure::failed(message));
    let last = if peer == owner {
        let mut line = String::new();
        let mut reader = BufReader::new(reader.take(REQUEST_LIMIT));
        if timeout(PATIENCE, reader.read_line(&mut line)).await?? == 0 {
            // Somebody wanted to know whether a server runs here: see `is_answered`.
            return Ok(());
        }
        match serde_json::from_str(&line) {
            Ok(request) => match work(admin, request, &peer.to_string(), &mut writer).await? {
                Ok(value) => Line::Done(value),
                Err(failure) => Line::Failed(failure),
            },
            Err(error) => failed(format!("the server cannot read the request; are both of one version? {error}")),
        }
    } else {
        failed(format!("only the user that runs the server may ask, not user {peer}"))
    };
    write(&mut writer, &last).await
}

/// Does what is asked and tells how it gets on. Ends early when nobody listens any more.
async fn work(
    admin: &Admin,
    request: Request,
    asked_by: &str,
    writer: &mut OwnedWriteHalf,
) -> io::Result<Result<Value, Failure>> {
    let (updates, mut told) = mpsc::channel(4);
    let mut outcome = pin!(admin.perform(request, asked_by, updates));
    loop {
        let line = tokio::select! {
            biased;
            Some(update) = told.recv() => Line::from(update),
            outcome = &mut outcome => {
                while let Ok(update) = told.try_recv() {
                    write(writer, &update.into()).await?;
                }
                return Ok(outcome);
            }
            () = sleep(SILENCE) => Line::Waiting,
        };
        write(writer, &line).await?;
    }
}

async fn write(writer: &mut OwnedWriteHalf, line: &Line) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    timeout(PATIENCE, writer.write_all(&text)).await?
}

/// Whether a server runs on `data`.
pub async fn is_answered(data: &Path) -> bool {
    UnixStream::connect(path_in(data)).await.is_ok()
}

/// Asks the server that runs on `data`; `None` when none does. What the server tells before the outcome goes to `updates`.
///
/// # Errors
/// When the server is there but cannot be talked to, or `updates` is closed.
pub async fn ask(data: &Path, request: &Request, updates: &mpsc::Sender<Update>) -> io::Result<Option<Result<Value, Failure>>> {
    let stream = match UnixStream::connect(path_in(data)).await {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => return Ok(None),
        Err(error) => return Err(error),
    };
    let (reader, mut writer) = stream.into_split();
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    writer.write_all(&line).await?;
    let mut reader = BufReader::new(reader);
    loop {
        match next(&mut reader).await? {
            Told::Waiting => {}
            Told::Update(update) => updates.send(update).await.map_err(io::Error::other)?,
            Told::Outcome(outcome) => return Ok(Some(outcome)),
        }
    }
}

async fn next(reader: &mut BufReader<OwnedReadHalf>) -> io::Result<Told> {
    let mut text = String::new();
    timeout(PATIENCE, reader.take(ANSWER_LIMIT).read_line(&mut text)).await??;
    if text.is_empty() {
        return Err(io::Error::new(ErrorKind::UnexpectedEof, "the server hung up before the end of its answer"));
    }
    Line::read(&text).ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "the server's answer cannot be read"))
}
