//! Hand-analysed sequences with their exact cycles. The first instruction of a program issues in cycle 1; the
//! code begins at address 0, an even word.

use std::sync::Arc;

use super::*;
use crate::{
    instruction::encode::{blank, encode, encode_hint},
    instruction::isa::Opcode::*,
    memory::Ram,
    spe::{Spe, SpeConfig, StopReason},
};

fn rr(opcode: Opcode, t: u8, a: u8, b: u8) -> u32 {
    encode(&Instruction { t, a, b, ..blank(opcode) })
}

fn rrr(opcode: Opcode, t: u8, a: u8, b: u8, c: u8) -> u32 {
    encode(&Instruction { t, a, b, c, ..blank(opcode) })
}

fn imm(opcode: Opcode, t: u8, a: u8, immediate: i32) -> u32 {
    encode(&Instruction { t, a, immediate, ..blank(opcode) })
}

fn nop() -> u32 {
    encode(&blank(Nop))
}

fn lnop() -> u32 {
    encode(&blank(Lnop))
}

/// Runs code placed at address 0 until its `stop`; gives the pipeline.
fn run(cpu: Cpu, code: &[u32]) -> Pipeline {
    let mut spe = Spe::new(&SpeConfig { cpu, ..SpeConfig::default() }, Arc::new(Ram::new(0, 128)));
    for (at, &word) in (0..).step_by(4).zip(code) {
        spe.ls().store_word(at, word);
    }
    let mut pipeline = Pipeline::with_profile(cpu);
    assert_eq!(spe.run_observed(&mut pipeline, 1_000_000), StopReason::Stop(0));
    assert_eq!(pipeline.counts().cycles(), pipeline.cycle(), "every cycle has a cause");
    pipeline
}

/// The cycle in which the final `stop` of straight-line code issues.
fn cycles(cpu: Cpu, code: &[u32]) -> u64 {
    let mut code = code.to_vec();
    code.push(0);
    run(cpu, &code).cycle()
}

const BOTH: [Cpu; 2] = [Cpu::CellBe, Cpu::PowerXCell8i];

#[test]
fn an_even_then_odd_pair_issues_together() {
    for cpu in BOTH {
        // Pairs in cycles 1 and 2, stop in 3.
        assert_eq!(cycles(cpu, &[rr(A, 3, 4, 5), lnop(), rr(A, 6, 4, 5), lnop()]), 3);
    }
}

#[test]
fn other_orders_issue_one_a_cycle() {
    for cpu in BOTH {
        // Odd before even.
        assert_eq!(cycles(cpu, &[lnop(), nop(), lnop(), nop()]), 5);
        // The pair straddles two doublewords: nop, nop+lnop is not a pair, as the first is at an odd word.
        assert_eq!(cycles(cpu, &[nop(), nop(), lnop(), lnop()]), 5);
        // Both of one pipe.
        assert_eq!(cycles(cpu, &[nop(), nop(), nop(), nop()]), 5);
    }
}

#[test]
fn a_dependent_pair_splits() {
    // il in 1; shufb waits for its result until 3; stop in 4.
    assert_eq!(cycles(Cpu::CellBe, &[imm(Il, 3, 0, 1), rrr(Shufb, 4, 3, 3, 3)]), 4);
}

#[test]
fn chains_take_the_latency_of_their_class() {
    // Each case: an instruction that reads and writes register 3; three of them in a chain, with lnops
    // between.
    let chain = |cpu, word| cycles(cpu, &[word, lnop(), word, lnop(), word, lnop()]);
    for cpu in BOTH {
        for (word, latency) in [
            (rr(A, 3, 3, 3), 2),
            (rr(Shl, 3, 3, 3), 4),
            (rr(Avgb, 3, 3, 3), 4),
            (rr(Fa, 3, 3, 3), 6),
            (rrr(Fma, 3, 3, 3, 3), 6),
            (rr(Mpy, 3, 3, 3), 7),
            (rr(Fi, 3, 3, 3), 7),
        ] {
            // Issues in 1, 1 + latency, 1 + 2 latency; the stop a cycle later.
            assert_eq!(chain(cpu, word), 2 + 2 * latency, "{word:#x}");
        }
        // On the odd pipe: shuffles 4, loads 6.
        let odd = |word| cycles(cpu, &[nop(), word, nop(), word, nop(), word]);
        assert_eq!(odd(rr(Rotqby, 3, 3, 3)), 1 + 2 * 4 + 1);
        assert_eq!(odd(imm(Lqd, 3, 3, 0)), 1 + 2 * 6 + 1);
    }
    let double = rr(Dfa, 3, 3, 3);
    assert_eq!(chain(Cpu::PowerXCell8i, double), 2 + 2 * 9);
    // On a Cell BE the lnop after the last one waits out the stall of 6 cycles: 1, 14, 27; lnop 34; stop 35.
    assert_eq!(chain(Cpu::CellBe, double), 35);
}

#[test]
fn independent_doubles() {
    let code = [rr(Dfma, 3, 10, 11), lnop(), rr(Dfma, 4, 10, 11), lnop(), rr(Dfma, 5, 10, 11), lnop()];
    // PowerXCell 8i: one a cycle, dual-issued.
    assert_eq!(cycles(Cpu::PowerXCell8i, &code), 4);
    // Cell BE: dfma 1, lnop 8; dfma 9, lnop 16; dfma 17, lnop 24; stop 25.
    assert_eq!(cycles(Cpu::CellBe, &code), 25);
    // Without the lnops one in seven cycles: 1, 8, 15, stop 22.
    let dense = [rr(Dfma, 3, 10, 11), rr(Dfma, 4, 10, 11), rr(Dfma, 5, 10, 11)];
    assert_eq!(cycles(Cpu::CellBe, &dense), 22);
}

#[test]
fn a_load_delays_its_use() {
    // lqd in 1, fa in 7, stqd of the sum in 13, stop in 14.
    let code = [nop(), imm(Lqd, 3, 9, 0x200), rr(Fa, 4, 3, 3), imm(Stqd, 4, 9, 0x210)];
    assert_eq!(cycles(Cpu::CellBe, &code), 14);
}

#[test]
fn an_unhinted_taken_branch_costs_the_miss() {
    // br to the stop at 0x10: it issues in 1, the stop 18 cycles later than the next cycle.
    let code = [imm(Br, 0, 0, 16), nop(), nop(), nop(), 0];
    assert_eq!(run(Cpu::CellBe, &code).cycle(), 1 + 1 + BRANCH_MISS);
}

#[test]
fn a_branch_not_taken_is_free() {
    // brz does not jump, as register 3 is 1: il 1, brz 3, stop 4.
    assert_eq!(cycles(Cpu::CellBe, &[imm(Il, 3, 0, 1), imm(Brz, 3, 0, 64)]), 4);
}

/// A hint, `filler` instructions in pairs of nop and lnop, and the branch to a stop.
fn hinted(filler: usize, target: i32) -> Vec<u32> {
    let branch = 8 + 4 * filler as i32;
    let hint = encode_hint(&Instruction { immediate: 0x100 - 4, ..blank(Hbrr) }, branch - 4);
    let mut code = vec![nop(), hint];
    code.extend((0..filler).map(|index| if index % 2 == 0 { nop() } else { lnop() }));
    code.push(imm(Br, 0, 0, target - branch));
    code.resize(0x200 / 4, 0);
    code
}

#[test]
fn hints() {
    let cycle = |filler, target| run(Cpu::CellBe, &hinted(filler, target)).cycle();
    // Far enough ahead: hint 1, 32 instructions in 2..17, branch 18, stop 19.
    assert_eq!(cycle(32, 0x100), 19);
    // 10 instructions: hint 1, branch in 7 but for the hint, which is effective in 16; stop 17.
    assert_eq!(cycle(10, 0x100), 17);
    // 6 instructions: the hint is not seen; branch 5, stop 5 + 1 + 18.
    assert_eq!(cycle(6, 0x100), 24);
    // A wrong hint costs the miss, too: branch 18, stop 18 + 1 + 18.
    assert_eq!(cycle(32, 0x180), 37);
}

#[test]
fn a_hinted_loop_runs_without_bubbles() {
    // ila count; hbrr; 16 pairs of fma and lnop, the last with the counted branch.
    let mut code = vec![imm(Il, 3, 0, 100), nop()];
    let hint_at = 8;
    let body = 16;
    let branch = body + 16 * 8 - 4;
    let hint =
        encode_hint(&Instruction { immediate: body - (hint_at + 4), ..blank(Hbrr) }, branch - (hint_at + 4));
    code.extend([nop(), hint]);
    for k in 0..16u8 {
        code.push(if k == 2 { imm(Ai, 3, 3, -1) } else { rrr(Fma, 10 + k, 40, 41, 10 + k) });
        code.push(if k == 15 { imm(Brnz, 3, 0, body - branch) } else { lnop() });
    }
    code.push(0);
    let pipeline = run(Cpu::CellBe, &code);
    // il 1, nop 2, nop + hint 3; 100 rounds of 16 cycles from 4 on; the last branch is missed; stop.
    // In the first round the branch would issue in 19, after the hint has become effective in 18.
    assert_eq!(pipeline.cycle(), 3 + 100 * 16 + 1 + BRANCH_MISS);
    assert_eq!(pipeline.counts().stalls[Stall::Hint as usize], 0);
}

#[test]
fn a_dense_fma_loop_does_eight_flop_a_cycle() {
    // 63 independent fmas and a counter in straight-line pairs; the branch is hinted.
    let rounds = 1000;
    let mut code = vec![imm(Il, 3, 0, rounds), nop()];
    let body = 16i32;
    let pairs = 64u8;
    let branch = body + i32::from(pairs) * 8 - 4;
    let hint = encode_hint(&Instruction { immediate: body - 12, ..blank(Hbrr) }, branch - 12);
    code.extend([nop(), hint]);
    for k in 0..pairs {
        code.push(if k == 0 { imm(Ai, 3, 3, -1) } else { rrr(Fma, 10 + k, 100, 101, 10 + k) });
        code.push(if k + 1 == pairs { imm(Brnz, 3, 0, body - branch) } else { lnop() });
    }
    code.push(0);
    let pipeline = run(Cpu::PowerXCell8i, &code);
    let flop = f64::from(rounds) * f64::from(pairs - 1) * 8.0;
    let rate = flop / pipeline.cycle() as f64;
    // One slot of 64 is the loop counter's.
    assert!(rate > 8.0 * 63.0 / 64.0 * 0.998, "{rate}");
    assert!(rate <= 8.0);
}

#[test]
fn loads_in_every_cycle_starve_the_instruction_fetch() {
    let load = |slot: u32| if slot.is_multiple_of(2) { nop() } else { imm(Lqd, 20, 9, 0) };
    let starved: Vec<u32> = (0..96).map(load).collect();
    let stalls = |mut code: Vec<u32>| {
        code.push(0);
        run(Cpu::CellBe, &code).counts().stalls[Stall::Fetch as usize]
    };
    // Lines 2, 3 and the stop's wait for a free cycle each, then for the fetch.
    assert_eq!(stalls(starved.clone()), 3 * INLINE_FETCH);
    // One free slot a line cures it, and so does hbrp.
    let mut relieved = starved.clone();
    let mut prefetched = starved;
    let inline_prefetch = encode(&blank(Hbr)) | 1 << 20;
    for line in 0..3 {
        relieved[line * 32 + 9] = lnop();
        prefetched[line * 32 + 9] = inline_prefetch;
    }
    assert_eq!(stalls(relieved), 0);
    assert_eq!(stalls(prefetched), 0);
}

#[test]
fn the_mfc_delays_a_load_by_a_cycle() {
    let mut pipeline = Pipeline::new(Cpu::CellBe);
    let spe = Spe::new(&SpeConfig::default(), Arc::new(Ram::new(0, 128)));
    pipeline.take_local_store(1);
    let load = crate::instruction::decode::decode(imm(Lqd, 3, 9, 0));
    assert_eq!(pipeline.issue(spe.spu(), &load), 2);
}
