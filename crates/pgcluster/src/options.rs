//! What a cluster is like.

use std::fmt::Display;

/// What a cluster is like. By default what it acknowledges survives the death of the server, but not that of the machine:
/// nothing waits for the disk.
#[derive(Clone, Debug, Default)]
pub struct Options {
    durable: bool,
    settings: Vec<(String, String)>,
}

impl Options {
    /// Commits reach the disk before they are acknowledged, as in production. Starting, stopping and new databases take
    /// seconds then.
    #[must_use]
    pub fn durable(mut self) -> Self {
        self.durable = true;
        self
    }

    /// A setting of `postgresql.conf`.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl Display) -> Self {
        self.settings.push((name.to_owned(), value.to_string()));
        self
    }

    /// The text of `postgresql.conf`.
    pub(crate) fn text(&self) -> String {
        let ours = [
            ("listen_addresses", "127.0.0.1"),
            ("unix_socket_directories", ""),
            // Shared memory in files of the folder, so that it goes with the folder.
            ("dynamic_shared_memory_type", "mmap"),
            ("shared_buffers", "32MB"),
            ("password_encryption", "md5"),
            ("log_line_prefix", "%m [%p] %d "),
            ("max_wal_size", "256MB"),
            ("hot_standby", "on"),
        ];
        let fsync = ("fsync", if self.durable { "on" } else { "off" });
        let settings = ours.into_iter().chain([fsync]).map(|(name, value)| (name.to_owned(), value.to_owned()));
        // PostgreSQL takes the last of several lines for one setting.
        let lines = settings.chain(self.settings.iter().cloned()).map(|(name, value)| format!("{name} = '{value}'\n"));
        lines.collect::<Vec<_>>().concat()
    }
}
