//! Ranks that are lost: the session starts new ones, and computes again what they had. Its end is theirs.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{all_to_ranks, alone, bits, constant, one_at_a_time, processes};
use pmatrix::error::Error;
use pmatrix::operation::{OpKind, Shape, Side};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;
use tempfile::TempDir;

fn kill(pid: u32) {
    let killed = Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap();
    assert!(killed.success());
}

/// Powers of a matrix, each forced before the next is stated.
fn powers(session: &Session, count: usize, mut between: impl FnMut(usize)) -> Vec<Value> {
    let a = constant(session, 60, 60);
    let mut all = vec![a.clone()];
    for number in 0..count {
        let power = session.binary(OpKind::Multiply, &all[number], &a, "", 0).unwrap();
        // Powers of a matrix of these numbers grow fast.
        let scaled = session.binary(OpKind::Subtract, &power, &all[number], "", 0).unwrap();
        session.wait(&scaled, None).unwrap();
        all.push(scaled);
        between(number);
    }
    all
}

fn expected(count: usize) -> Vec<Vec<u64>> {
    let session = alone();
    powers(&session, count, |_| {}).iter().map(|value| bits(&session, value)).collect()
}

#[test]
fn what_lost_ranks_had_is_computed_again() {
    let Some(_turn) = one_at_a_time() else { return };
    let session = Session::new(&all_to_ranks(2, 16)).unwrap();
    let mut all = powers(&session, 5, |number| {
        if number == 2 {
            kill(processes()[1]);
        }
    });
    assert!(all[1..].iter().all(|value| !value.matrix().unwrap().is_here()));
    // The value in the middle is needed by nobody any more; what comes from it is.
    all.remove(3);
    kill(processes()[0]);
    let found: Vec<_> = all.iter().map(|value| bits(&session, value)).collect();
    let mut expected = expected(5);
    expected.remove(3);
    assert_eq!(found, expected);
    assert_eq!(session.ranks().unwrap().starts, 3);
    // Ranks that give values make progress: a loss after a fetch is the first one again.
    let further: Vec<_> = (0..3).map(|_| powers(&session, 1, |_| {}).remove(1)).collect();
    for value in &further {
        kill(processes()[0]);
        assert_eq!(bits(&session, value), expected[1]);
    }
    assert_eq!(session.ranks().unwrap().starts, 6);
}

#[test]
fn ranks_that_are_lost_at_any_moment_change_no_bit() {
    let Some(_turn) = one_at_a_time() else { return };
    let session = Session::new(&Options { overlap: true, ..all_to_ranks(2, 16) }).unwrap();
    let done = AtomicBool::new(false);
    let found: Vec<_> = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = 12_345_u64;
            for _ in 0..4 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let until = Instant::now() + Duration::from_millis(1500 + (random >> 33) % 1500);
                while Instant::now() < until && !done.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(10));
                }
                if let Some(&pid) = processes().get((random >> 60) as usize % 2) {
                    // It may end by itself meanwhile.
                    _ = Command::new("kill").args(["-KILL", &pid.to_string()]).output();
                }
            }
        });
        let all = powers(&session, 30, |_| {});
        done.store(true, Ordering::Relaxed);
        all.iter().map(|value| bits(&session, value)).collect()
    });
    assert_eq!(found, expected(30));
}

#[test]
fn what_is_given_up_can_be_forced_again() {
    let Some(_turn) = one_at_a_time() else { return };
    let session = Session::new(&Options { overlap: true, ..all_to_ranks(2, 16) }).unwrap();
    let powers = powers(&session, 2, |_| {});
    let a = constant(&session, 700, 700);
    let long =
        (0..3).fold(a.clone(), |power, _| session.binary(OpKind::Multiply, &power, &a, "", 0).unwrap());
    let soon = Some(Instant::now() + Duration::from_millis(100));
    assert!(!session.wait(&long, soon).unwrap());
    session.cancel().unwrap();
    // What the ranks had before is had again.
    assert_eq!(bits(&session, &powers[2]), expected(2)[2]);
    let here = alone();
    let b = constant(&here, 700, 700);
    let same = (0..3).fold(b.clone(), |power, _| here.binary(OpKind::Multiply, &power, &b, "", 0).unwrap());
    let session = Session::new(&all_to_ranks(2, 256)).unwrap();
    let a = constant(&session, 700, 700);
    let long =
        (0..3).fold(a.clone(), |power, _| session.binary(OpKind::Multiply, &power, &a, "", 0).unwrap());
    assert_eq!(bits(&session, &long), bits(&here, &same));
}

/// A program that starts a rank after these commands of a shell, which have a folder of each rank as `$d`.
pub(crate) fn rank_after(commands: &str, folder: &TempDir) -> PathBuf {
    let (program, path) = (env!("CARGO_BIN_EXE_pmatrix-rank"), folder.path().display());
    let script = format!(
        "#!/bin/sh\nd={path}/$OMPI_COMM_WORLD_RANK\nmkdir -p $d\n{commands}\nexec {program} \"$@\"\n"
    );
    let file = folder.path().join("rank");
    std::fs::write(&file, script).unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
    file
}

#[test]
fn a_rank_may_end_at_any_operation() {
    let Some(_turn) = one_at_a_time() else { return };
    let expected = expected(6);
    // A rank has 8 of 16 shards, so this is half of the operations of 6 products and 6 differences.
    let operations = 6 * 2 * 8;
    let all = std::env::var_os("PMATRIX_TEST_LOSSES").is_some_and(|value| value == "all");
    for (rank, step) in [(0, 45), (1, 40)].map(|(rank, step)| (rank, if all { 10 } else { step })) {
        for last in (1..=operations).step_by(step) {
            let folder = tempfile::tempdir().unwrap();
            // The ranks that come after it stay.
            let commands = format!(
                "[ $OMPI_COMM_WORLD_RANK = {rank} ] && mkdir $d/once 2>&- && export PMATRIX_RANK_ENDS_AT={last}"
            );
            let program = Some(rank_after(&commands, &folder));
            let session = Session::new(&Options { rank_program: program, ..all_to_ranks(2, 16) }).unwrap();
            let found = powers(&session, 6, |_| {});
            let found: Vec<_> = found.iter().map(|value| bits(&session, value)).collect();
            assert!(found == expected, "rank {rank}, operation {last}");
            assert_eq!(session.ranks().unwrap().starts, 2, "rank {rank}, operation {last}");
        }
    }
}

#[test]
fn ranks_end_with_their_session_and_without_work_they_sleep() {
    let Some(_turn) = one_at_a_time() else { return };
    let session = Session::new(&all_to_ranks(2, 16)).unwrap();
    powers(&session, 1, |_| {});
    assert_eq!(processes().len(), 2);
    let ticks = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields: Vec<_> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        [11, 12].map(|field| fields[field].parse::<u64>().unwrap()).iter().sum::<u64>()
    };
    let before: u64 = processes().iter().map(ticks).sum();
    std::thread::sleep(Duration::from_secs(2));
    let after: u64 = processes().iter().map(ticks).sum();
    // Hundredths of a second: one rank that looks for work all the time would take 200.
    assert!(after - before < 60, "{} ticks", after - before);
    drop(session);
    assert_eq!(processes(), []);
}

#[test]
fn without_its_program_an_error_says_what_is_missing() {
    let Some(_turn) = one_at_a_time() else { return };
    let rank_program = Some("/nowhere/pmatrix-rank".into());
    let session = Session::new(&Options { rank_program, ..all_to_ranks(2, 16) }).unwrap();
    let a = constant(&session, 60, 60);
    let square = session.binary(OpKind::Multiply, &a, &a, "", 0).unwrap();
    let error = session.force(&square).unwrap_err().to_string();
    assert!(
        error.starts_with("ranks engine: the ranks did not start: ") && error.contains("/nowhere/"),
        "{error}"
    );
}

#[test]
fn the_fetch_of_a_value_can_be_stopped_and_nothing_is_lost() {
    let Some(_turn) = one_at_a_time() else { return };
    let session = Session::new(&all_to_ranks(2, 256)).unwrap();
    let a = constant(&session, 2048, 1024);
    let sum = session.binary(OpKind::Add, &a, &a, "", 0).unwrap();
    session.wait(&sum, None).unwrap();
    // The ranks are stopped, so the elements do not come before the question does.
    let ranks = processes();
    let signal = |name: &str| {
        let pids = ranks.iter().map(u32::to_string);
        assert!(Command::new("kill").arg(name).args(pids).status().unwrap().success());
    };
    signal("-STOP");
    session.set_interrupt(Some(Box::new(|| true)));
    assert!(matches!(session.force(&sum).unwrap_err(), Error::Cancelled));
    session.set_interrupt(None);
    signal("-CONT");
    // The reply that nobody has waited for is not taken for another one.
    let row = session.record(|recorder| recorder.reduce(OpKind::Sum, &sum, Side::Row, "", 0)).unwrap();
    assert_eq!(session.force(&row).unwrap().shape(), Shape { rows: 2048, columns: 1 });
    let expected = session.force(&a).unwrap();
    let found = session.force(&sum).unwrap();
    assert!(found.values().zip(expected.values()).all(|(found, a)| found == 2.0 * a));
    assert_eq!(session.ranks().unwrap().starts, 1);
}
