//! Where the lines of the log go.

use std::{
    fs::File,
    io::{self, Write},
    os::fd::AsFd,
    sync::{PoisonError, RwLock},
};

use tracing_subscriber::fmt::MakeWriter;

/// What a pipe takes as a whole, in bytes, whoever else writes to it (`PIPE_BUF`, pipe(7)).
const WHOLE: usize = 4096;

/// Writes whole lines to a file, from any number of threads. The library of the language has a lock on standard error, for which
/// threads wait while one of them writes: here the system keeps lines apart, and only what is longer than Linux promises
/// for pipes is written alone.
#[derive(Debug)]
pub(crate) struct Lines {
    file: File,
    alone: RwLock<()>,
}

impl Lines {
    /// To an open file.
    pub(crate) fn to(file: impl AsFd) -> io::Result<Self> {
        Ok(Self { file: file.as_fd().try_clone_to_owned()?.into(), alone: RwLock::default() })
    }
}

impl Write for &Lines {
    /// Writes a line, all of it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut file = &self.file;
        if line.len() <= WHOLE {
            let _with_others = self.alone.read().unwrap_or_else(PoisonError::into_inner);
            file.write_all(line)?;
        } else {
            let _alone = self.alone.write().unwrap_or_else(PoisonError::into_inner);
            file.write_all(line)?;
        }
        Ok(line.len())
    }

    /// Everything is written already.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Lines {
    type Writer = &'w Self;

    fn make_writer(&'w self) -> Self::Writer {
        self
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead, BufReader},
        thread,
    };

    use super::*;

    #[test]
    fn lines_stay_whole_in_a_pipe() {
        let (reader, writer) = io::pipe().expect("a pipe");
        let lines = Lines::to(&writer).expect("is open");
        drop(writer);
        let read = thread::spawn(move || BufReader::new(reader).lines().map_while(Result::ok).collect::<Vec<_>>());
        thread::scope(|scope| {
            for (letter, length) in [("a", 10), ("b", 4000), ("c", 5000), ("d", 200_000)] {
                let (mut lines, line) = (&lines, letter.repeat(length) + "\n");
                scope.spawn(move || (0..50).for_each(|_| lines.write_all(line.as_bytes()).expect("writes")));
            }
        });
        drop(lines);
        let read = read.join().expect("reads");
        assert_eq!(read.len(), 200);
        for line in read {
            assert!(line.bytes().all(|byte| line.as_bytes().first() == Some(&byte)), "mixed");
            assert!([10, 4000, 5000, 200_000].contains(&line.len()), "{} bytes", line.len());
        }
    }
}
