//! A proxy in front of the server that can lose a connection at the moment of a commit, and hold answers back.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, tcp::OwnedReadHalf, tcp::OwnedWriteHalf},
    sync::watch,
};

/// What happens to the next commit, or to the next release of a savepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Mood {
    /// Everything passes.
    Calm,
    /// It never reaches the server.
    LoseRequest,
    /// The server makes it, and its answer is lost.
    LoseAnswer,
    /// As before, and the server cannot be reached any more.
    LoseAll,
    /// Nobody gets through.
    Closed,
    /// The server refuses the release.
    SpoilRelease,
}

const MOODS: [Mood; 6] = [Mood::Calm, Mood::LoseRequest, Mood::LoseAnswer, Mood::LoseAll, Mood::Closed, Mood::SpoilRelease];

/// A message that releases the savepoint of a request which is kept, and one that names another savepoint.
const RELEASE: &[u8] = b"Q\0\0\0\x14RELEASE request\0";
const SPOILT: &[u8] = b"Q\0\0\0\x14RELEASE nothing\0";
/// The savepoint that begins a request, and a message that runs a prepared statement.
const SAVEPOINT: &[u8] = b"SAVEPOINT request\0";
const EXECUTE: &[u8] = b"E\0\0\0\x09\0\0\0\0\0";

/// A proxy on a loopback port of its own.
#[derive(Clone, Debug)]
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    mood: Arc<AtomicU8>,
    /// How many statements the next request is to have on their way before an answer passes.
    together: Arc<AtomicUsize>,
    /// How many of them are still to come. While there are any, no answer passes.
    missing: watch::Sender<usize>,
}

impl Proxy {
    pub(crate) async fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let mood = Arc::new(AtomicU8::new(Mood::Calm as u8));
        let proxy = Self { address, mood, together: Arc::default(), missing: watch::Sender::new(0) };
        let own = proxy.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if own.mood() != Mood::Closed {
                    tokio::spawn(own.clone().serve(client, server));
                }
            }
        });
        proxy
    }

    pub(crate) fn set(&self, mood: Mood) {
        self.mood.store(mood as u8, Ordering::SeqCst);
    }

    pub(crate) fn mood(&self) -> Mood {
        MOODS[usize::from(self.mood.load(Ordering::SeqCst))]
    }

    /// From the savepoint of the next request on, lets no answer pass before the client has sent so many statements.
    pub(crate) fn hold_answers(&self, statements: usize) {
        self.together.store(statements, Ordering::SeqCst);
    }

    /// Whether a request has sent what [`Proxy::hold_answers`] asked for.
    pub(crate) fn has_held(&self) -> bool {
        self.together.load(Ordering::SeqCst) == 0 && *self.missing.borrow() == 0
    }

    fn notice(&self, sent: &[u8]) {
        let count = |message: &[u8]| sent.windows(message.len()).filter(|window| *window == message).count();
        if count(SAVEPOINT) > 0 {
            let statements = self.together.swap(0, Ordering::SeqCst);
            self.missing.send_modify(|missing| *missing += statements);
        }
        self.missing.send_modify(|missing| *missing = missing.saturating_sub(count(EXECUTE)));
    }

    async fn serve(self, client: TcpStream, server: SocketAddr) {
        let server = TcpStream::connect(server).await.expect("the server listens");
        let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
        tokio::select! {
            () = self.requests(from_client, to_server) => {}
            () = answers(from_server, to_client, self.missing.subscribe()) => {}
        }
    }

    async fn requests(&self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
        let mut bytes = vec![0; 65536];
        while let Ok(n @ 1..) = from.read(&mut bytes).await {
            self.notice(&bytes[..n]);
            let commits = bytes[..n].windows(7).any(|window| window == b"COMMIT\0");
            let release = bytes[..n].windows(RELEASE.len()).position(|window| window == RELEASE);
            if let Some(at) = release.filter(|_| self.mood() == Mood::SpoilRelease) {
                bytes[at..at + SPOILT.len()].copy_from_slice(SPOILT);
                self.set(Mood::Calm);
            }
            let mood = if commits { self.mood() } else { Mood::Calm };
            match mood {
                Mood::Calm | Mood::SpoilRelease => to.write_all(&bytes[..n]).await.expect("the server reads"),
                Mood::LoseRequest | Mood::Closed => {
                    self.set(Mood::Calm);
                    return;
                }
                Mood::LoseAnswer | Mood::LoseAll => {
                    self.set(if mood == Mood::LoseAll { Mood::Closed } else { Mood::Calm });
                    to.write_all(&bytes[..n]).await.expect("the server reads");
                    return;
                }
            }
        }
    }
}

async fn answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut missing: watch::Receiver<usize>) {
    let mut bytes = vec![0; 65536];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        // Either side may close.
        if missing.wait_for(|missing| *missing == 0).await.is_err() || to.write_all(&bytes[..n]).await.is_err() {
            return;
        }
    }
}
