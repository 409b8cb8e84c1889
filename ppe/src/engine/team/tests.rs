mod model;

use std::time::Duration;

use super::*;

/// Counts how often it is executed, and lives no longer than the call that shares it.
struct Counted {
    left: AtomicUsize,
    done: AtomicUsize,
}

impl Shared for Counted {
    fn take_part(&self, _name: &str, _caller: &mut Caller) -> u64 {
        let mut count = 0;
        while self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
            self.done.fetch_add(1, Ordering::SeqCst);
            count += 1;
        }
        count
    }
}

#[test]
fn helpers_leave_a_job_before_it_ends() {
    let pool = Pool::new(0, true);
    let mut team = Team::new(3, &pool).unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..20_000 {
        let pieces = random.usize(0..6);
        let counted = Box::new(Counted { left: AtomicUsize::new(pieces), done: AtomicUsize::new(0) });
        team.share(&*counted, random.usize(1..6), random.bool());
        // The box is freed now: a helper that came too late would use what is no longer there.
        assert_eq!(counted.done.into_inner(), pieces);
        if random.u32(0..1000) == 0 {
            std::thread::sleep(2 * LOOK);
        }
    }
}

#[test]
fn a_helper_that_is_woken_in_vain_is_left_asleep() {
    let pool = Pool::new(0, true);
    let mut team = Team::new(1, &pool).unwrap();
    let nothing = Counted { left: AtomicUsize::new(0), done: AtomicUsize::new(0) };
    let mut pauses = Vec::new();
    for _ in 0..40 {
        while !team.helpers[0].presence.sleeps.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_micros(50));
        }
        team.share(&nothing, 2, true);
        if pauses.last() != Some(&team.helpers[0].pause) {
            pauses.push(team.helpers[0].pause);
        }
    }
    assert_eq!(pauses, [0, 1, 2, 4, 8, 16, 32]);
}

/// Panics in helpers.
struct Panics(AtomicUsize);

impl Shared for Panics {
    fn take_part(&self, name: &str, _caller: &mut Caller) -> u64 {
        if name != "the calling thread" {
            self.0.fetch_add(1, Ordering::SeqCst);
            std::panic::resume_unwind(Box::new("sabotage"));
        }
        // The helpers come meanwhile.
        std::thread::sleep(Duration::from_millis(2));
        0
    }
}

#[test]
fn a_helper_that_panics_is_not_waited_for() {
    let pool = Pool::new(0, true);
    let mut panicked = 0;
    while panicked == 0 {
        let mut team = Team::new(2, &pool).unwrap();
        for _ in 0..3 {
            let work = Panics(AtomicUsize::new(0));
            team.share(&work, 3, true);
            panicked += work.0.into_inner();
        }
        let counted = Counted { left: AtomicUsize::new(5), done: AtomicUsize::new(0) };
        team.share(&counted, 3, true);
        assert_eq!(counted.done.into_inner(), 5);
    }
}
