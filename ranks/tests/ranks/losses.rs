//! Ranks that are lost: the session starts new ones, and computes again what they had. Its end is theirs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{all_to_ranks, alone, bits, constant, one_at_a_time, processes};
use pmatrix::operation::OpKind;
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

fn kill(pid: u32) {
    let killed = std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap();
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
                    _ = std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).output();
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
