//! Where the lines of the log go.

use std::{
    fs::File,
    io::{self, Write},
    os::fd::AsFd,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// What a pipe takes as a whole, in bytes, whoever else writes to it (`PIPE_BUF`, pipe(7)).
const WHOLE: usize = 4096;
/// How long a line waits at most for others to be written with.
const PAUSE: Duration = Duration::from_millis(10);

/// Writes whole lines to a file, from any number of threads. A line that comes alone, and each warning, is written at once.
/// Lines that follow one another within 10 ms are written together, as many as a pipe takes as a whole: each write may wake
/// whoever reads the log, which takes as long as some requests.
#[derive(Clone, Debug)]
pub struct Lines {
    shared: Arc<Shared>,
    /// Tells the thread that writes what has waited long enough. It ends with the last of these.
    bell: SyncSender<()>,
}

#[derive(Debug)]
struct Shared {
    file: File,
    waiting: Mutex<Waiting>,
}

/// What is not written yet: at most [`WHOLE`] bytes.
#[derive(Debug)]
struct Waiting {
    lines: Vec<u8>,
    /// When something was written last.
    written: Option<Instant>,
}

/// Writes one line.
#[derive(Debug)]
pub struct Line<'l> {
    lines: &'l Lines,
    at_once: bool,
}

impl Lines {
    /// To an open file.
    ///
    /// # Errors
    /// When there cannot be another handle of it, or another thread.
    pub fn to(file: impl AsFd) -> io::Result<Self> {
        let file = file.as_fd().try_clone_to_owned()?.into();
        let waiting = Mutex::new(Waiting { lines: Vec::with_capacity(WHOLE), written: None });
        let shared = Arc::new(Shared { file, waiting });
        let (bell, rings) = sync_channel(1);
        let late = Arc::clone(&shared);
        thread::Builder::new().name("log".to_owned()).spawn(move || write_late(&late, &rings))?;
        Ok(Self { shared, bell })
    }

    /// Writes what waits.
    ///
    /// # Errors
    /// Whatever the file answers; what waited is lost.
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.shared.flush(&mut self.shared.waiting())
    }

    fn write(&self, line: &[u8], at_once: bool) -> io::Result<()> {
        let mut waiting = self.shared.waiting();
        let comes_alone = waiting.lines.is_empty() && waiting.written.is_none_or(|written| written.elapsed() >= PAUSE);
        let at_once = at_once || comes_alone || line.len() > WHOLE;
        let mut outcome = Ok(());
        if at_once || waiting.lines.len() + line.len() > WHOLE {
            // What cannot be written does not keep this line from being tried.
            outcome = self.shared.flush(&mut waiting);
        }
        if at_once {
            outcome = outcome.and((&self.shared.file).write_all(line));
            waiting.written = Some(Instant::now());
            return outcome;
        }
        if waiting.lines.is_empty() {
            // It may have been told already.
            _ = self.bell.try_send(());
        }
        waiting.lines.extend_from_slice(line);
        outcome
    }
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn flush(&self, waiting: &mut Waiting) -> io::Result<()> {
        if waiting.lines.is_empty() {
            return Ok(());
        }
        let outcome = (&self.file).write_all(&waiting.lines);
        waiting.lines.clear();
        waiting.written = Some(Instant::now());
        outcome
    }
}

/// Writes what has waited long enough, whenever something waits.
fn write_late(shared: &Shared, rings: &Receiver<()>) {
    while rings.recv().is_ok() {
        thread::sleep(PAUSE);
        // There is nowhere to tell that the log cannot be written.
        _ = shared.flush(&mut shared.waiting());
    }
}

impl Write for Line<'_> {
    /// Takes a line, all of it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lines.write(line, self.at_once).map(|()| line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lines.flush()
    }
}

impl<'l> MakeWriter<'l> for Lines {
    type Writer = Line<'l>;

    fn make_writer(&'l self) -> Line<'l> {
        Line { lines: self, at_once: true }
    }

    fn make_writer_for(&'l self, event: &Metadata<'_>) -> Line<'l> {
        Line { lines: self, at_once: *event.level() <= Level::WARN }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead, BufReader, PipeReader},
        sync::mpsc::{RecvTimeoutError, channel},
    };

    use super::*;

    fn pipe() -> (PipeReader, Lines) {
        let (reader, writer) = io::pipe().expect("a pipe");
        (reader, Lines::to(&writer).expect("is open"))
    }

    #[test]
    fn lines_stay_whole_in_a_pipe() {
        let (reader, lines) = pipe();
        let read = thread::spawn(move || BufReader::new(reader).lines().map_while(Result::ok).collect::<Vec<_>>());
        thread::scope(|scope| {
            for (letter, length) in [("a", 10), ("b", 4000), ("c", 5000), ("d", 200_000)] {
                for at_once in [true, false] {
                    let (lines, line) = (&lines, letter.repeat(length) + "\n");
                    scope.spawn(move || (0..50).for_each(|_| lines.write(line.as_bytes(), at_once).expect("writes")));
                }
            }
        });
        // What waits is written all the same.
        drop(lines);
        let read = read.join().expect("reads");
        assert_eq!(read.len(), 400);
        for line in read {
            assert!(line.bytes().all(|byte| line.as_bytes().first() == Some(&byte)), "mixed");
            assert!([10, 4000, 5000, 200_000].contains(&line.len()), "{} bytes", line.len());
        }
    }

    #[test]
    fn what_comes_alone_and_what_warns_does_not_wait() {
        let (reader, lines) = pipe();
        let (told, tells) = channel();
        thread::spawn(move || BufReader::new(reader).lines().map_while(Result::ok).try_for_each(|line| told.send(line)));
        let read = |count: usize| (0..count).map(|_| tells.recv().expect("is written")).collect::<Vec<_>>();
        // Nobody writes what waits in this test but the lines that follow.
        let lines = Lines { bell: sync_channel(0).0, ..lines };
        lines.write(b"alone\n", false).expect("writes");
        assert_eq!(read(1), ["alone"]);
        for line in ["second\n", "third\n"] {
            lines.shared.waiting().written = Some(Instant::now() + Duration::from_hours(1));
            lines.write(line.as_bytes(), false).expect("waits");
        }
        assert_eq!(tells.recv_timeout(2 * PAUSE), Err(RecvTimeoutError::Timeout));
        lines.write(b"warning\n", true).expect("writes");
        assert_eq!(read(3), ["second", "third", "warning"]);
    }

    #[test]
    fn what_waits_is_written_soon() {
        let (reader, lines) = pipe();
        let mut reader = BufReader::new(reader);
        lines.shared.waiting().written = Some(Instant::now() + Duration::from_hours(1));
        for line in ["first\n", "second\n"] {
            lines.write(line.as_bytes(), false).expect("waits");
            let mut read = String::new();
            reader.read_line(&mut read).expect("reads");
            assert_eq!(read, line);
            lines.shared.waiting().written = Some(Instant::now() + Duration::from_hours(1));
        }
    }
}
