//! What ranks tell the first of them at the end of a trace, and what all of them hear of it.

use std::io;

use pmatrix::wire::message::Fault;

use super::insert::Inserted;
use super::rank::wrong;
use super::shim::Ranks;

/// Bytes of a rank's report: hash of the operations, bytes sent, time of insertion, MEUs lost, bytes of what it says of these, and its first
/// failure: the operation, whether it is one of domain, and the text, cut off.
const BYTES: usize = FAULT + 4 + 1 + TEXT_BYTES;
const FAULT: usize = 8 + 8 + 8 + 4 + 4;
const TEXT_BYTES: usize = 235;

/// What the reports of all ranks say together.
#[derive(Debug)]
pub(super) struct Report {
    /// The first failure.
    pub(super) fault: Option<Fault>,
    /// Bytes of shards that ranks have sent to each other. Only the first rank has this and what follows.
    pub(super) sent_bytes: u64,
    /// CPU time that the slowest rank took to lower and insert, in nanoseconds.
    pub(super) insert_ns: u64,
    /// MEUs that the ranks' engines have lost.
    pub(super) meus_lost: u32,
    /// What is to be said of those that were lost since the last report.
    pub(super) losses: Vec<String>,
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The reports of all ranks, each of which tells what it has inserted, the CPU time that this took, and its own first
/// failure. All of them hear which failure is the first of all.
///
/// # Errors
/// When ranks have inserted different operations: a mistake of ours.
pub(super) fn report(
    ranks: &Ranks,
    inserted: Inserted,
    insert_ns: u64,
    fault: Option<Fault>,
) -> io::Result<Report> {
    let (mine_lost, mine_losses) = ranks.own.as_ref().map_or((0, Vec::new()), |engine| engine.take_losses());
    let said = mine_losses.join("\0").into_bytes();
    let mut mine = Vec::with_capacity(BYTES);
    mine.extend(inserted.hash.to_le_bytes());
    mine.extend(ranks.sent_bytes().to_le_bytes());
    mine.extend(insert_ns.to_le_bytes());
    mine.extend(mine_lost.to_le_bytes());
    mine.extend((said.len() as u32).to_le_bytes());
    mine.extend(fault.as_ref().map_or(u32::MAX, |fault| fault.operation).to_le_bytes());
    mine.push(u8::from(fault.as_ref().is_some_and(|fault| fault.is_domain)));
    let what = fault.map_or(String::new(), |fault| fault.what);
    mine.extend(what.bytes().take(TEXT_BYTES));
    mine.resize(BYTES, 0);
    let all = ranks.gather(&mine);
    if !ranks.is_first() && !said.is_empty() {
        ranks.send(&said, 0);
    }
    let (mut verdict, mut losses) = (Vec::new(), Vec::new());
    let (mut sent_bytes, mut slowest_ns, mut meus_lost) = (0, insert_ns, 0);
    if ranks.is_first() {
        let all = || all.chunks_exact(BYTES);
        for (rank, its) in all().enumerate() {
            sent_bytes += number(&its[8..16]);
            slowest_ns = number(&its[16..24]).max(slowest_ns);
            meus_lost += number(&its[24..28]) as u32;
            let mut text = vec![0; number(&its[28..32]) as usize];
            match rank {
                0 => text.clone_from(&said),
                _ if text.is_empty() => {}
                _ => ranks.receive(&mut text, rank as u32),
            }
            let text = String::from_utf8_lossy(&text);
            losses.extend(text.split_terminator('\0').map(|line| format!("rank {rank}: {line}")));
        }
        let first = all().min_by_key(|its| number(&its[FAULT..FAULT + 4])).unwrap_or(&mine);
        let diverged = all().any(|its| number(&its[..8]) != inserted.hash);
        verdict = [&[u8::from(diverged)], &first[FAULT..]].concat();
    }
    ranks.broadcast(&mut verdict);
    if verdict[0] != 0 {
        return Err(wrong("ranks have inserted different operations"));
    }
    let operation = number(&verdict[1..5]) as u32;
    let text = verdict[6..].split(|&byte| byte == 0).next().unwrap_or_default();
    let what = String::from_utf8_lossy(text).into_owned();
    let fault = (operation != u32::MAX).then_some(Fault { operation, is_domain: verdict[5] != 0, what });
    Ok(Report { fault, sent_bytes, insert_ns: slowest_ns, meus_lost, losses })
}
