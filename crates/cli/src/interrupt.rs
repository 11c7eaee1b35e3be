//! Ctrl-C and SIGTERM: they end a command at once, wherever it is, and leave nothing half done.
//!
//! A thread of its own waits for them, so that a command may block: on standard input, on a prompt, on a slow disk.

use std::{
    fs,
    io::{self, IsTerminal, Write, stderr, stdin},
    path::{Path, PathBuf},
    process,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use rustix::{
    process::{Pid, Signal, kill_process},
    termios::{OptionalActions, Termios, tcgetattr, tcsetattr},
};
use tokio::{
    runtime::Builder,
    select,
    signal::unix::{SignalKind, signal},
};

use crate::exit::Exit;

/// Held while something must not be cut off.
static WHOLE: Mutex<()> = Mutex::new(());

/// Files that are not yet what they are to be, and folders that are only for a while.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Processes that must not outlive this one.
static PROCESSES: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// What must be undone that is neither a file nor a process.
static UNDO: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// Whether a prompt or a progress line is on the terminal.
static DRAWN: AtomicBool = AtomicBool::new(false);

/// Lets the program end by Ctrl-C and SIGTERM from now on, with an exit code of its own.
///
/// # Errors
/// When the system refuses to watch for signals.
pub(crate) fn watch() -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let (mut interrupt, mut terminate) = {
        let _inside = runtime.enter();
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    let terminal = tcgetattr(stdin()).ok();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let exit = runtime.block_on(async {
            select! {
                _ = interrupt.recv() => Exit::Interrupted,
                _ = terminate.recv() => Exit::Terminated,
            }
        });
        leave(exit, terminal.as_ref());
    })?;
    Ok(())
}

/// While this lives, signals wait. For moments only: a file that is being replaced.
pub(crate) fn whole() -> MutexGuard<'static, ()> {
    WHOLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on until [`keep`], `draft` goes when the program is ended.
pub(crate) fn discard(draft: &Path) {
    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner).push(draft.to_owned());
}

/// `draft` has become what it was to be, or is gone.
pub(crate) fn keep(draft: &Path) {
    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != draft);
}

/// From now on until [`forget`], `process` ends when the program is ended.
pub(crate) fn take_along(process: u32) {
    PROCESSES.lock().unwrap_or_else(PoisonError::into_inner).push(process);
}

/// `process` has ended by itself.
pub(crate) fn forget(process: u32) {
    PROCESSES.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| *other != process);
}

/// From now on until [`undone`], `work` is done when the program is ended.
pub(crate) fn undo(work: impl FnOnce() + Send + 'static) {
    *UNDO.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(work));
}

/// There is nothing more to undo.
pub(crate) fn undone() {
    UNDO.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// Ends a child that was not waited for yet: its number still is its own.
fn end(process: u32) {
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // One that has ended needs no signal.
        let _ = kill_process(process, Signal::KILL);
    }
}

/// Remembers whether there is something on the terminal that must not be left there.
pub(crate) fn drawn(something: bool) {
    DRAWN.store(something, Ordering::SeqCst);
}

/// Ends the program as Ctrl-C does.
pub(crate) fn leave_now() -> ! {
    leave(Exit::Interrupted, None)
}

/// Removes a folder in which others may still be making files, for a moment.
fn remove_folder(folder: &Path) -> io::Result<()> {
    let removed = || fs::remove_dir_all(folder);
    removed().or_else(|_| removed()).or_else(|_| removed())
}

fn leave(exit: Exit, terminal: Option<&Termios>) -> ! {
    let _nothing_half_done = whole();
    for process in PROCESSES.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        end(*process);
    }
    let undo = UNDO.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(undo) = undo {
        undo();
    }
    for draft in DRAFTS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // What cannot be removed stays: there is nobody left to tell.
        let _ = fs::remove_file(draft).or_else(|_| remove_folder(draft));
    }
    if DRAWN.load(Ordering::SeqCst) && stderr().is_terminal() {
        if let Some(before) = terminal {
            // A terminal that is gone needs nothing.
            let _ = tcsetattr(stdin(), OptionalActions::Now, before);
        }
        // The line is cleared and the cursor shown. Prompts write their own end of line when they are answered.
        let _ = stderr().lock().write_all(b"\r\x1b[2K\x1b[?25h");
    }
    process::exit(i32::from(exit.code()))
}
