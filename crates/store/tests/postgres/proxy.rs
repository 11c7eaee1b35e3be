//! A proxy in front of the server that can lose a connection at the moment of a commit.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, tcp::OwnedReadHalf, tcp::OwnedWriteHalf},
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

/// A proxy on a loopback port of its own.
#[derive(Clone, Debug)]
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    mood: Arc<AtomicU8>,
}

impl Proxy {
    pub(crate) async fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let proxy = Self { address, mood: Arc::new(AtomicU8::new(Mood::Calm as u8)) };
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

    async fn serve(self, client: TcpStream, server: SocketAddr) {
        let server = TcpStream::connect(server).await.expect("the server listens");
        let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
        tokio::select! {
            () = self.requests(from_client, to_server) => {}
            () = answers(from_server, to_client) => {}
        }
    }

    async fn requests(&self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
        let mut bytes = vec![0; 65536];
        while let Ok(n @ 1..) = from.read(&mut bytes).await {
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

async fn answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
    // Either side may close.
    _ = tokio::io::copy(&mut from, &mut to).await;
}
