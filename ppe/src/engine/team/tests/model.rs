//! All interleavings of the calling thread and its helpers, if each step sees the steps before it. That the code sees
//! what it has to see is modelled in `engine/tests.rs`.
//!
//! A mistake that is made on purpose is found: the model can fail.

use std::collections::HashSet;

/// What is done wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    Nothing,
    /// A helper reads the pointer to the job before it counts itself as inside.
    EntersLate,
    /// The calling thread does not wait until nobody is inside.
    DoesNotWait,
    /// A helper looks for a job, and only then notes that it sleeps.
    LooksEarly,
    /// The team unparks its helpers, and only then tells them to stop.
    StopsLate,
    /// A helper that panics stays inside.
    PanicsInside,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    Look,
    Sleep,
    LookAgain,
    Stop,
    Park,
    Wake,
    See,
    Enter,
    Read,
    Use,
    Leave,
    Panic,
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Helper {
    step: Step,
    seen: u8,
    sleeps: bool,
    token: bool,
    /// The job whose pointer it has read; 0 for none.
    job: u8,
}

/// What the calling thread does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Caller {
    Open,
    Count,
    Call(usize),
    Work,
    Close,
    Wait,
    Stop(usize),
    Join,
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct State<const HELPERS: usize> {
    caller: Caller,
    helpers: [Helper; HELPERS],
    /// The pointer to the job; 0 for none.
    job: u8,
    /// The job that lives on the stack of the calling thread.
    alive: u8,
    opened: u8,
    inside: u8,
    stop: bool,
}

const JOBS: u8 = 2;

impl<const HELPERS: usize> State<HELPERS> {
    fn new() -> State<HELPERS> {
        let helper = Helper { step: Step::Look, seen: 0, sleeps: false, token: false, job: 0 };
        let helpers = [helper; HELPERS];
        State { caller: Caller::Open, helpers, job: 0, alive: 0, opened: 0, inside: 0, stop: false }
    }

    /// The state after the next step of the calling thread; None while it waits.
    fn step_caller(mut self, mistake: Mistake) -> Option<State<HELPERS>> {
        self.caller = match self.caller {
            Caller::Open => {
                (self.alive, self.job) = (self.opened + 1, self.opened + 1);
                Caller::Count
            }
            Caller::Count => {
                self.opened += 1;
                Caller::Call(0)
            }
            Caller::Call(number) if number == HELPERS => Caller::Work,
            Caller::Call(number) => {
                self.helpers[number].token |= self.helpers[number].sleeps;
                Caller::Call(number + 1)
            }
            Caller::Work => Caller::Close,
            Caller::Close => {
                self.job = 0;
                Caller::Wait
            }
            Caller::Wait if self.inside > 0 && mistake != Mistake::DoesNotWait => return None,
            Caller::Wait => {
                self.alive = 0;
                if self.opened < JOBS { Caller::Open } else { Caller::Stop(0) }
            }
            Caller::Stop(number) => {
                let late = mistake == Mistake::StopsLate;
                self.stop |= !late || number == HELPERS;
                if let Some(helper) = self.helpers.get_mut(number) {
                    helper.token = true;
                }
                if number == HELPERS { Caller::Join } else { Caller::Stop(number + 1) }
            }
            Caller::Join if self.helpers.iter().any(|helper| helper.step != Step::Ended) => return None,
            Caller::Join => Caller::Ended,
            Caller::Ended => return None,
        };
        Some(self)
    }

    /// The states after the next step of a helper: none while it sleeps.
    fn step_helper(self, number: usize, mistake: Mistake) -> Vec<State<HELPERS>> {
        let mut next = self;
        let helper = &mut next.helpers[number];
        let (late, early) = (mistake == Mistake::EntersLate, mistake == Mistake::LooksEarly);
        helper.step = match helper.step {
            // It looks for as long as it likes.
            Step::Look if early => Step::LookAgain,
            Step::Look => Step::Sleep,
            Step::Sleep => {
                helper.sleeps = true;
                if early { Step::Stop } else { Step::LookAgain }
            }
            Step::LookAgain if self.opened != helper.seen => Step::Wake,
            Step::LookAgain if early && !helper.sleeps => Step::Sleep,
            Step::LookAgain => Step::Stop,
            Step::Stop if self.stop => Step::Ended,
            Step::Stop => Step::Park,
            Step::Park if helper.token => {
                helper.token = false;
                Step::LookAgain
            }
            Step::Park | Step::Ended => return Vec::new(),
            Step::Wake => {
                helper.sleeps = false;
                Step::See
            }
            Step::See => {
                helper.seen = self.opened;
                if late { Step::Read } else { Step::Enter }
            }
            Step::Enter => {
                next.inside += 1;
                if late { Step::Use } else { Step::Read }
            }
            Step::Read => {
                helper.job = self.job;
                match (late, self.job) {
                    (true, _) => Step::Enter,
                    (false, 0) => Step::Leave,
                    (false, _) => Step::Use,
                }
            }
            Step::Use => {
                let mut panics = next;
                panics.helpers[number].step = Step::Panic;
                next.helpers[number].step = Step::Leave;
                return vec![next, panics];
            }
            Step::Leave => {
                next.inside -= 1;
                Step::Look
            }
            Step::Panic => {
                next.inside -= u8::from(mistake != Mistake::PanicsInside);
                Step::Ended
            }
        };
        vec![next]
    }

    /// What is wrong with this state.
    fn wrong(&self) -> Option<&'static str> {
        for helper in &self.helpers {
            if matches!(helper.step, Step::Use | Step::Leave | Step::Panic)
                && helper.job != 0
                && helper.job != self.alive
            {
                return Some("a job is used that has ended");
            }
            let misses = helper.step == Step::Park && !helper.token && helper.seen != self.opened;
            if misses && matches!(self.caller, Caller::Work | Caller::Close) {
                return Some("a helper sleeps although it has been called");
            }
        }
        None
    }
}

/// Visits every state. Returns how many there are, or what is wrong with one of them.
fn explore<const HELPERS: usize>(mistake: Mistake) -> Result<usize, &'static str> {
    let first = State::<HELPERS>::new();
    let (mut seen, mut open) = (HashSet::from([first]), vec![first]);
    while let Some(state) = open.pop() {
        if let Some(wrong) = state.wrong() {
            return Err(wrong);
        }
        let mut next: Vec<_> = state.step_caller(mistake).into_iter().collect();
        next.extend((0..HELPERS).flat_map(|number| state.step_helper(number, mistake)));
        if next.is_empty() && state.caller != Caller::Ended {
            return Err("nobody can go on");
        }
        open.extend(next.into_iter().filter(|state| seen.insert(*state)));
    }
    Ok(seen.len())
}

#[test]
fn no_interleaving_uses_a_job_that_has_ended_or_waits_for_ever() {
    assert!(explore::<1>(Mistake::Nothing).unwrap() > 100);
    assert!(explore::<2>(Mistake::Nothing).unwrap() > 10_000);
}

#[test]
fn mistakes_of_the_protocol_are_found() {
    let wrong = |mistake| explore::<2>(mistake).unwrap_err();
    assert_eq!(wrong(Mistake::EntersLate), "a job is used that has ended");
    assert_eq!(wrong(Mistake::DoesNotWait), "a job is used that has ended");
    assert_eq!(wrong(Mistake::LooksEarly), "a helper sleeps although it has been called");
    assert_eq!(wrong(Mistake::StopsLate), "nobody can go on");
    assert_eq!(wrong(Mistake::PanicsInside), "nobody can go on");
}
