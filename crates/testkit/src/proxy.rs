//! A line between a server and its database that can be made worse.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::{JoinHandle, JoinSet},
};

/// How the line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// As good as any.
    Good,
    /// Whatever the server sends arrives this much later.
    Slow(Duration),
    /// Connections stay, and new ones are taken, but nothing arrives any more in either direction.
    Silent,
    /// Connections are cut, and new ones as soon as they are made.
    Cut,
}

/// A TCP proxy on a loopback port. It ends when dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    line: watch::Sender<Line>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Begins to forward to `target`, on a good line.
    pub async fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let address = listener.local_addr().expect("an address");
        let (line, quality) = watch::channel(Line::Good);
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(forward(client, target, quality.clone()));
                while connections.try_join_next().is_some() {}
            }
        });
        Self { address, line, task }
    }

    /// Where to connect.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes the line, for connections that exist and those to come.
    pub fn set(&self, line: Line) {
        self.line.send_replace(line);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Carries one connection until one side ends it or the line is cut.
async fn forward(client: TcpStream, target: SocketAddr, line: watch::Receiver<Line>) {
    let mut cut = line.clone();
    let carry = async {
        let Ok(server) = TcpStream::connect(target).await else { return };
        for stream in [&client, &server] {
            // Otherwise small packets wait for each other, which is no part of the experiment.
            let _ = stream.set_nodelay(true);
        }
        let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
        tokio::select! {
            () = copy(from_client, to_server, line.clone(), true) => {}
            () = copy(from_server, to_client, line, false) => {}
        }
    };
    tokio::select! {
        () = carry => {}
        _ = cut.wait_for(|line| *line == Line::Cut) => {}
    }
}

/// Carries one direction until it ends.
async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut line: watch::Receiver<Line>, delayed: bool) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        let now = *line.borrow_and_update();
        match now {
            Line::Slow(delay) if delayed => tokio::time::sleep(delay).await,
            _ => {}
        }
        // What was sent into the silence arrives when it is over, as after a lost route.
        if line.wait_for(|line| *line != Line::Silent).await.is_err() {
            return;
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
