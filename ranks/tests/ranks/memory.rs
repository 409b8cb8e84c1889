//! Ranks with little memory: what one cannot hold several can, or a disk; and what no rank can hold is an error.

use std::process::Command;

use crate::losses::rank_after;
use crate::{all_to_ranks, alone, bits, constant, one_at_a_time, processes};
use pmatrix::matrix::Constructor;
use pmatrix::operation::{Class, OpKind, Shape, Side};
use pmatrix::session::{Options, Session};
use tempfile::TempDir;

const SIDE: u32 = 1200;

/// Bytes of a matrix of this side.
const BYTES: u64 = (SIDE as u64) * (SIDE as u64) * 8;

/// The sums of the columns of a product: one row, so that the first rank need not have all of the product at once.
fn sums_of_product(session: &Session) -> Result<Vec<u64>, String> {
    let (a, b) = (constant(session, SIDE, SIDE), constant(session, SIDE, SIDE));
    let product = session.binary(OpKind::Multiply, &a, &b, "f.m", 7).unwrap();
    let sums =
        session.record(|recorder| recorder.reduce(OpKind::Sum, &product, Side::Column, "", 0)).unwrap();
    session.wait(&sums, None).map_err(|error| error.to_string())?;
    Ok(bits(session, &sums))
}

/// Ranks that may hold so many bytes each, with shards of 128 x 128 elements.
fn limited(ranks: usize, ranks_memory: u64) -> Options {
    Options { ranks_memory, ..all_to_ranks(ranks, 128) }
}

#[test]
fn what_does_not_fit_a_rank_fits_four_or_a_disk() {
    let Some(_turn) = one_at_a_time() else { return };
    let expected = sums_of_product(&alone());
    // A rank of four owns three quarters of a matrix, and one that had all that it reads would hold five quarters.
    let unlimited = Session::new(&all_to_ranks(4, 128)).unwrap();
    assert_eq!(sums_of_product(&unlimited), expected);
    let four = Session::new(&limited(4, BYTES)).unwrap();
    assert_eq!(sums_of_product(&four), expected);
    // Copies that have been given up are sent again.
    let sent = |session: &Session| session.ranks().unwrap().sent_bytes;
    assert!(sent(&four) > sent(&unlimited), "{} bytes, {} without a limit", sent(&four), sent(&unlimited));
    for (ranks, memory) in [(1, 2 * BYTES), (1, BYTES / 2), (2, BYTES / 2)] {
        let session = Session::new(&limited(ranks, memory)).unwrap();
        assert_eq!(sums_of_product(&session), expected, "{ranks} ranks with {memory} bytes");
        assert_eq!(session.ranks().unwrap().starts, 1);
    }
}

#[test]
fn a_rank_takes_no_more_memory_than_it_may() {
    let Some(_turn) = one_at_a_time() else { return };
    let (side, limit) = (3000, 32 << 20);
    let session = Session::new(&Options { shard: 256, ..limited(1, limit) }).unwrap();
    let shape = Shape { rows: side, columns: side };
    let [a, b] =
        [1, 2].map(|seed| session.constructed(Constructor::Rand(seed), shape, Class::Double).unwrap());
    let sum = session.binary(OpKind::Add, &a, &b, "", 0).unwrap();
    session.wait(&sum, None).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", processes()[0])).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    // A rank without matrices takes 31 MB where it has a disk. Three matrices are 216 MB.
    assert!(peak << 10 < limit + (40 << 20), "{peak} KiB");
    let element = |seed| Constructor::Rand(seed).element(2999, 7);
    assert_eq!(session.force(&sum).unwrap().value(2999, 7), element(1) + element(2));
}

#[test]
fn what_no_rank_can_hold_is_an_error_of_its_line_and_nothing_else_is_lost() {
    let Some(_turn) = one_at_a_time() else { return };
    let session = Session::new(&limited(2, 1 << 20)).unwrap();
    let error = sums_of_product(&session).unwrap_err();
    assert!(error.contains("reads and writes 2") && error.contains("a rank may hold 1048576"), "{error}");
    assert!(error.contains("f.m") && error.contains('7'), "{error}");
    let a = constant(&session, 100, 100);
    let sum = session.binary(OpKind::Add, &a, &a, "", 0).unwrap();
    assert_eq!(session.force(&sum).unwrap().value(3, 4), 2.0 * session.force(&a).unwrap().value(3, 4));
    assert_eq!(session.ranks().unwrap().starts, 1);
}

/// A file system of so many megabytes, which ends with this.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// None where this process may not mount file systems.
    fn new(megabytes: u32) -> Option<SmallDisk> {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={megabytes}m");
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", &size, "pmatrix-test"]).arg(folder.path()).output();
        if !mounted.is_ok_and(|output| output.status.success()) {
            assert!(std::env::var_os("REQUIRE_ALL").is_none(), "a small disk needs the right to mount it");
            eprintln!("skipped: a small disk needs the right to mount it");
            return None;
        }
        Some(SmallDisk(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_is_an_error_that_says_so_and_what_fits_is_computed_then() {
    let Some(_turn) = one_at_a_time() else { return };
    let megabyte = 1 << 20;
    // StarPU measures the speed of a disk with 16 megabytes; the product and its operands take 34.
    for (disk, reason) in [(20, "a rank has ended: "), (4, "the ranks did not start: ")] {
        let Some(disk) = SmallDisk::new(disk) else { return };
        let folder = tempfile::tempdir().unwrap();
        let swap = disk.0.path().display();
        let program = rank_after(&format!("export STARPU_DISK_SWAP={swap}; rm -f {swap}/*"), &folder);
        let session =
            Session::new(&Options { rank_program: Some(program), ..limited(1, 6 * megabyte) }).unwrap();
        let error = sums_of_product(&session).unwrap_err();
        let expected = format!("ranks engine: {reason}pmatrix-rank: no room on the disk of {swap} for ");
        assert!(error.starts_with(&expected) && error.contains("No space left on device"), "{error}");
        // What fits is computed by new ranks.
        if reason.starts_with("a rank") {
            let a = constant(&session, 900, 900);
            let sum = session.binary(OpKind::Add, &a, &a, "", 0).unwrap();
            session.wait(&sum, None).unwrap();
            let (found, a) = (session.force(&sum).unwrap(), session.force(&a).unwrap());
            assert!(found.values().zip(a.values()).all(|(found, a)| found == 2.0 * a));
        }
        drop(session);
        assert_eq!(processes(), []);
    }
}

#[test]
fn a_limit_that_hangs_without_a_disk_ends_with_an_error() {
    let Some(_turn) = one_at_a_time() else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = Some(rank_after("export STARPU_LIMIT_CPU_MEM=16 STARPU_WATCHDOG_TIMEOUT=3000000", &folder));
    let session = Session::new(&Options { rank_program: program, ..all_to_ranks(2, 128) }).unwrap();
    let error = sums_of_product(&session).unwrap_err();
    assert!(error.starts_with("ranks engine: a rank has ended: mpirun noticed that process rank"), "{error}");
}
