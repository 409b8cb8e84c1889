//! The processes of the ranks, as the session sees them: it starts them with mpirun, talks to the first, and ends them.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::Choice;
use crate::error::{Error, Result};
use crate::process;
use crate::wire::VERSION;
use crate::wire::message::{Reply, Request};

/// How long the processes may take to start, and how long they may take to end.
const START_PATIENCE: Duration = Duration::from_secs(60);
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// How long the reason of a loss may take to come.
const REASON_PATIENCE: Duration = Duration::from_secs(3);

/// How often a wait looks whether it should go on.
const LOOK: Duration = Duration::from_millis(20);

/// The last lines of what the processes said, for a message.
const LINES_KEPT: usize = 12;

/// Running ranks.
#[derive(Debug)]
pub(super) struct Job {
    launcher: Child,
    to: UnixStream,
    replies: Receiver<Reply>,
    /// Replies that will come and that nobody waits for any more.
    unwanted: u32,
    said: Arc<Mutex<Vec<String>>>,
    generation: u32,
    /// Holds the socket.
    _folder: tempfile::TempDir,
}

/// Why there is no reply.
#[derive(Debug)]
pub(super) enum Silence {
    /// The caller does not want it any more.
    Stopped,
    /// The processes have ended or cannot go on: why, in words.
    Lost(String),
}

/// An error of the ranks as a whole.
pub(super) fn failed(what: impl ToString) -> Error {
    Error::Engine { engine: "ranks", what: what.to_string() }
}

/// The program of a rank.
fn rank_program(choice: &Choice) -> OsString {
    let chosen = choice.program.clone().map(PathBuf::into_os_string);
    let named = chosen.or_else(|| std::env::var_os("PMATRIX_RANK").filter(|name| !name.is_empty()));
    let beside = || {
        let program = std::env::current_exe().ok()?.with_file_name("pmatrix-rank");
        program.is_file().then(|| program.into_os_string())
    };
    named.or_else(beside).unwrap_or_else(|| "pmatrix-rank".into())
}

/// The command that starts the ranks, and its arguments before the program.
fn launch(choice: &Choice, has_engine: bool) -> Command {
    let settings = settings(choice, has_engine);
    let ranks = choice.ranks.to_string();
    let words = std::env::var("PMATRIX_LAUNCH").ok().filter(|words| !words.trim().is_empty());
    if let Some(words) = words {
        let mut words = words.split_whitespace().map(|word| word.replace("{ranks}", &ranks));
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).envs(settings);
        return command;
    }
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--bind-to", "none", "-n", &ranks]);
    if let Some(hostfile) = &choice.hostfile {
        command.arg("--hostfile").arg(hostfile);
    }
    // mpirun passes on to other machines what it is told to.
    let given = std::env::vars_os().map(|(name, _)| name);
    let given = given.filter(|name| name.to_str().is_some_and(|name| name.starts_with("STARPU_")));
    given
        .chain(settings.iter().map(|(name, _)| name.into()))
        .for_each(|name| _ = command.arg("-x").arg(name));
    command.envs(settings);
    // Open MPI refuses to run as root otherwise. In a container root is the usual user.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

/// What StarPU and MPI read from the environment, and the user has not set. Where ranks have an engine, one worker hands
/// it block operations.
fn settings(choice: &Choice, has_engine: bool) -> Vec<(&'static str, String)> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let workers = match choice.hostfile {
        _ if has_engine => 1,
        None => (cores / choice.ranks).max(1),
        Some(_) => cores,
    };
    let workers = workers.to_string();
    let settings = [
        ("STARPU_SILENT", "1"),
        ("STARPU_NOPENCL", "0"),
        ("STARPU_NCPU", &workers),
        // StarPU would keep a core for the thread of MPI, which has little to do.
        ("STARPU_WORKERS_NOBIND", "1"),
        ("STARPU_MPI_NOBIND", "1"),
        // Microseconds without the end of an operation after which a rank gives up. To execute one takes some
        // milliseconds.
        ("STARPU_WATCHDOG_TIMEOUT", "120000000"),
        ("STARPU_WATCHDOG_CRASH", "1"),
        // Threads that wait for messages leave their cores to others.
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
    ];
    let unset = settings.into_iter().filter(|(name, _)| std::env::var_os(name).is_none());
    unset.map(|(name, value)| (name, value.to_owned())).collect()
}

impl Job {
    /// Starts the ranks, each with an engine of its own or with the kernels of the host, and waits until they are there, or
    /// `stop` is true.
    ///
    /// # Errors
    /// [`Error::Engine`] says what is missing, and what the processes said; [`Error::Cancelled`].
    pub(super) fn start(choice: &Choice, has_engine: bool, stop: &dyn Fn() -> bool) -> Result<Job> {
        let folder = tempfile::Builder::new().prefix("pmatrix-").tempdir().map_err(failed)?;
        let socket: PathBuf = folder.path().join("session");
        let listener = UnixListener::bind(&socket).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let mut command = launch(choice, has_engine);
        command
            .arg(rank_program(choice))
            .arg(&socket)
            .args(choice.memory_bytes.map(|bytes| bytes.to_string()));
        // A group of its own: Ctrl-C in a terminal is for the session, which knows what to do.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let mut launcher = command.spawn().map_err(|error| {
            let program = command.get_program().to_string_lossy().into_owned();
            failed(format!(
                "'{program}' does not start: {error} (scripts/setup ranks installs what is missing)"
            ))
        })?;
        let said = Arc::default();
        if let Some(errors) = launcher.stderr.take() {
            listen(errors, &said);
        }
        let begun = Instant::now();
        let to = loop {
            let is_stopped = stop();
            match listener.accept() {
                Ok((stream, _)) => break stream,
                Err(_)
                    if !is_stopped
                        && begun.elapsed() < START_PATIENCE
                        && matches!(launcher.try_wait(), Ok(None)) =>
                {
                    thread::sleep(LOOK);
                }
                Err(_) => {
                    end(&mut launcher, Duration::ZERO);
                    if is_stopped {
                        return Err(Error::Cancelled);
                    }
                    return Err(failed(format!("the ranks did not start{}", text(&said))));
                }
            }
        };
        to.set_nonblocking(false).map_err(failed)?;
        let mut from = BufReader::new(to.try_clone().map_err(failed)?);
        let (sender, replies) = channel();
        let read = move || {
            while let Ok(reply) = Reply::receive(&mut from) {
                if sender.send(reply).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new().name("pmatrix-ranks".into()).spawn(read).map_err(failed)?;
        let mut job = Job {
            launcher,
            to,
            replies,
            unwanted: 0,
            said,
            generation: process::generation(),
            _folder: folder,
        };
        match job.reply(stop) {
            Ok(Reply::Hello { version: VERSION, ranks, .. }) if ranks as usize == choice.ranks => {
                log::info!("{ranks} ranks have started in {:.1} s", begun.elapsed().as_secs_f64());
                Ok(job)
            }
            Ok(Reply::Hello { version, ranks, .. }) => Err(failed(format!(
                "{ranks} ranks of version {version} have started: they belong to another pmatrix"
            ))),
            Ok(other) => Err(failed(format!("the first reply of the ranks is {other:?}"))),
            Err(Silence::Lost(what)) => Err(failed(what)),
            Err(Silence::Stopped) => {
                job.kill();
                Err(Error::Cancelled)
            }
        }
    }

    /// Sends a request. That the ranks are gone is noticed with the reply.
    pub(super) fn send(&mut self, request: &Request) {
        if let Err(error) = request.send(&mut self.to) {
            log::debug!("a request does not reach the ranks: {error}");
        }
    }

    /// Waits for the next reply, until `stop` says that nobody needs it.
    ///
    /// # Errors
    /// [`Silence`]
    pub(super) fn reply(&mut self, stop: &dyn Fn() -> bool) -> Result<Reply, Silence> {
        loop {
            match self.replies.recv_timeout(LOOK) {
                Ok(Reply::Failed(what)) => return Err(Silence::Lost(what)),
                Ok(_) if self.unwanted > 0 => self.unwanted -= 1,
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Timeout) if stop() => return Err(Silence::Stopped),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    // What mpirun says of the loss comes up to two seconds after it.
                    let since = Instant::now();
                    while reasons(&self.said).is_empty() && since.elapsed() < REASON_PATIENCE {
                        thread::sleep(LOOK);
                    }
                    return Err(Silence::Lost(format!("a rank has ended{}", text(&self.said))));
                }
            }
        }
    }

    /// Nobody waits for the reply to the last request any more.
    pub(super) fn disown_reply(&mut self) {
        self.unwanted += 1;
    }

    /// Ends the processes at once.
    pub(super) fn kill(mut self) {
        end(&mut self.launcher, Duration::ZERO);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // A forked child has the socket of its parent, and none of its processes.
        if process::generation() == self.generation && matches!(self.launcher.try_wait(), Ok(None)) {
            self.send(&Request::Stop);
            end(&mut self.launcher, STOP_PATIENCE);
        }
    }
}

/// Waits for the end of the launcher, then ends it and all processes of its group.
fn end(launcher: &mut Child, patience: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < patience {
        match launcher.try_wait() {
            Ok(None) => thread::sleep(LOOK),
            _ => return,
        }
    }
    if let Ok(group) = i32::try_from(launcher.id()) {
        process::end_group(group);
    }
    _ = launcher.wait();
}

/// Keeps the last lines of what the processes say.
fn listen(errors: ChildStderr, said: &Arc<Mutex<Vec<String>>>) {
    let said = Arc::clone(said);
    let read = move || {
        for line in BufReader::new(errors).lines().map_while(std::io::Result::ok) {
            log::debug!("ranks: {line}");
            let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
            if !line.trim_matches(|c: char| c == '-' || c.is_whitespace()).is_empty() {
                said.push(line);
            }
            let surplus = said.len().saturating_sub(LINES_KEPT);
            said.drain(..surplus);
        }
    };
    // Without the thread there is no text; the ranks go on.
    _ = thread::Builder::new().name("pmatrix-ranks-err".into()).spawn(read);
}

/// The lines that say why processes have ended, from the first on. Before it, a process that crashes says what helps its
/// developers alone.
fn reasons(said: &Mutex<Vec<String>>) -> Vec<String> {
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    let is_reason = |line: &&String| line.starts_with("pmatrix-rank:") || line.starts_with("mpirun");
    said.iter().skip_while(|line| !is_reason(line)).cloned().collect()
}

/// What the processes said, for the end of a message.
fn text(said: &Mutex<Vec<String>>) -> String {
    let mut lines = reasons(said);
    if lines.is_empty() {
        lines.clone_from(&said.lock().unwrap_or_else(PoisonError::into_inner));
    }
    if lines.is_empty() { String::new() } else { format!(": {}", lines.join("; ")) }
}
