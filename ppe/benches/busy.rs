//! How much a competing process costs: with a static schedule, and with MEUs that take over from an MEU that
//! has fallen behind.
//!
//! Another process keeps core 0 busy. It takes half of this core, so the ideal time is the time on the quiet
//! machine times cores / (cores - 1/2). Run with `cargo bench -p pmatrix --bench busy` on a quiet machine.

use std::error::Error;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use pmatrix::engine::{self, Engine, Fault, Host};
use pmatrix::lower::{MemoryLimits, Target};
use pmatrix::matrix::Matrix;
use pmatrix::operation::{Class, OpKind, Precision, Shape};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The argument that makes this program the competing process.
const COMPETE: &str = "--compete";

/// Forces a program; rounds are taken in turn, and medians count.
const ROUNDS: usize = 9;

/// An engine whose MEUs keep to the schedule.
#[derive(Debug)]
struct Static(Host);

impl Engine for Static {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn target(&self) -> &Target {
        self.0.target()
    }
    fn room(&mut self, meu: usize) -> usize {
        self.0.room(meu)
    }
    fn offer(&mut self, meu: usize, command: &engine::Command<'_>) {
        self.0.offer(meu, command);
    }
    fn completed(&mut self, meu: usize) -> Result<u64, Fault> {
        self.0.completed(meu)
    }
    fn wait(&mut self, timeout: Duration) {
        self.0.wait(timeout);
    }
    fn stop(&mut self) -> bool {
        self.0.stop()
    }

    fn start(&mut self) -> pmatrix::error::Result<()> {
        self.0.start()
    }
}

struct Competitor(Child);

impl Competitor {
    fn start() -> Outcome<Competitor> {
        Ok(Competitor(Command::new(std::env::current_exe()?).arg(COMPETE).spawn()?))
    }
}

impl Drop for Competitor {
    fn drop(&mut self) {
        // The competitor ends with this process at the latest: nothing is lost if it cannot be stopped.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

fn compete() -> ! {
    // SAFETY: an all-zero set is valid, and CPU_SET stays within it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(0, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
    // SAFETY: a call without conditions.
    let parent = unsafe { libc::getppid() };
    loop {
        for n in 0..100_000_000u32 {
            std::hint::black_box(n);
        }
        // SAFETY: a call without conditions.
        if unsafe { libc::getppid() } != parent {
            std::process::exit(0);
        }
    }
}

/// A program of the benchmark: what it records from one matrix.
type Program = fn(&Session, &Value) -> pmatrix::error::Result<Value>;

const PROGRAMS: [(&str, u32, Program); 3] = [
    ("product", 1500, |session, a| session.binary(OpKind::Multiply, a, a, "bench.m", 1)),
    ("elements", 2000, |session, a| {
        let mut value = a.clone();
        for line in 0..6 {
            value = session.unary(OpKind::Exp, &value, "bench.m", line)?;
            value = session.unary(OpKind::Tanh, &value, "bench.m", line)?;
        }
        Ok(value)
    }),
    ("products", 400, |session, a| {
        let mut value = a.clone();
        for line in 0..20 {
            value = session.binary(OpKind::Multiply, &value, a, "bench.m", line)?;
            value = session.unary(OpKind::Tanh, &value, "bench.m", line)?;
        }
        Ok(value)
    }),
];

fn seconds(session: &Session, side: u32, program: Program) -> Outcome<f64> {
    let shape = Shape { rows: side, columns: side };
    let matrix = Matrix::zeros(shape, Precision::Double, session.pool())?;
    let a = session.constant(matrix, Class::Double)?;
    let start = Instant::now();
    session.force(&program(session, &a)?)?;
    Ok(start.elapsed().as_secs_f64())
}

fn medians(sessions: &[Session; 2], side: u32, program: Program) -> Outcome<[f64; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (session, times) in sessions.iter().zip(&mut times) {
            times.push(seconds(session, side, program)?);
        }
    }
    Ok(times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    }))
}

fn main() -> Outcome<()> {
    if std::env::args().any(|argument| argument == COMPETE) {
        compete();
    }
    let meus = engine::default_meus("host");
    let target = Host::in_memory(meus, MemoryLimits::default());
    let options = Options::default();
    let sessions = [
        Session::with_engine(Box::new(Static(Host::new(target, None)?)), &options)?,
        Session::with_engine(Box::new(Host::new(target, None)?), &options)?,
    ];
    println!("{meus} MEUs; times over the ideal share; the goal is 1.15");
    for (name, side, program) in PROGRAMS {
        let [quiet_static, quiet] = medians(&sessions, side, program)?;
        let competitor = Competitor::start()?;
        let [busy_static, busy] = medians(&sessions, side, program)?;
        drop(competitor);
        let ideal = quiet.min(quiet_static) * meus as f64 / (meus as f64 - 0.5);
        println!(
            "{name:<9} {side:>5}: quiet {:.2} ms, {:.3} of the static schedule; busy: static {:.2}, taking over {:.2}",
            quiet * 1e3,
            quiet / quiet_static,
            busy_static / ideal,
            busy / ideal
        );
    }
    Ok(())
}
