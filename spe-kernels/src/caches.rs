//! The caches of this machine, and how products in main memory are cut, so that caches hold what is read
//! again.

use std::path::Path;
use std::sync::OnceLock;

use crate::sys;

/// Sides of the blocks of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProductSides {
    /// Rows of a block of the result.
    pub rows: usize,
    /// Columns of a block of the result, in single and in double precision.
    pub columns: [usize; 2],
    /// Longest part of the inner side in single precision. The bits of a product depend on it, so it is the
    /// same on every machine.
    pub inner: usize,
    /// The number of columns of a block is a multiple of this where that is possible: all widths of tiles
    /// divide it.
    pub tile_columns: usize,
}

/// A second-level cache where the system tells of none.
const USUAL_CACHE_BYTES: u64 = 512 << 10;

/// The sides that suit the second-level cache of this machine.
#[must_use]
pub fn product_sides() -> ProductSides {
    sides(caches()[0].unwrap_or(USUAL_CACHE_BYTES))
}

/// Bytes of the largest cache between a core and main memory. None where the system does not tell.
#[must_use]
pub fn last_cache_bytes() -> Option<u64> {
    let [second, third] = caches();
    third.or(second)
}

/// Bytes of the caches of the second and the third level. Each session asks, so they are looked up once.
fn caches() -> [Option<u64>; 2] {
    static CACHES: OnceLock<[Option<u64>; 2]> = OnceLock::new();
    *CACHES.get_or_init(|| [2, 3].map(cache_bytes))
}

/// What the system says of the first processor's caches. The C library, which is asked where there is no such folder,
/// says of some AMD processors what all caches of the socket have together.
fn cache_bytes(level: u32) -> Option<u64> {
    in_folder(Path::new("/sys/devices/system/cpu/cpu0/cache"), level)
        // SAFETY: the function only asks the system.
        .or_else(|| Some(unsafe { sys::meu_host_cache_bytes(level) }))
        .filter(|&bytes| bytes > 0)
}

/// The bytes of the cache of this level, which Linux describes in a folder: each cache has a folder with its level, its
/// type, and its size, as in 512K.
fn in_folder(folder: &Path, level: u32) -> Option<u64> {
    let caches = std::fs::read_dir(folder).ok()?;
    caches.flatten().find_map(|cache| {
        let read = |name| std::fs::read_to_string(cache.path().join(name)).ok();
        let holds_data = read("type")?.trim() != "Instruction";
        let size = read("size").filter(|_| holds_data)?;
        let is_level = read("level")?.trim().parse() == Ok(level);
        let kilobytes: u64 = size.trim().strip_suffix('K')?.parse().ok()?;
        is_level.then_some(kilobytes.saturating_mul(1024))
    })
}

/// The columns of B that a block reads again and again, over one step of the inner side, take as much as the
/// cache has. Tiles ask for B ahead, so the part of it that panels of A drive out of this cache comes from the
/// next cache in time. Fewer columns would mean that each panel of A is copied more often, which costs more.
fn sides(cache_bytes: u64) -> ProductSides {
    let (inner, tile_columns) = (256, 24);
    let columns = |step_bytes: u64| {
        let most = (cache_bytes / step_bytes) as usize;
        (most / tile_columns * tile_columns).clamp(4 * tile_columns, 42 * tile_columns)
    };
    let (single, double) = (4 * inner as u64, 8 * u64::from(sys::MEMORY_STEP_LENGTH));
    ProductSides { rows: 240, columns: [columns(single), columns(double)], inner, tile_columns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_cache_gives_wider_blocks_and_no_other_bits() {
        let mut before = sides(0);
        for shift in 15..25 {
            let sides = sides(1 << shift);
            assert_eq!((sides.inner, sides.tile_columns), (before.inner, before.tile_columns));
            for (columns, before) in sides.columns.into_iter().zip(before.columns) {
                assert!(columns >= before && columns.is_multiple_of(sides.tile_columns), "{sides:?}");
            }
            before = sides;
        }
        assert!(before.columns[0] > sides(0).columns[0]);
    }

    #[test]
    fn linux_says_how_large_the_caches_of_one_processor_are() {
        let folder = std::env::temp_dir().join(format!("pmatrix-caches-{}", std::process::id()));
        let caches = [
            ("1", "Instruction", "32K"),
            ("1", "Data", "48K"),
            ("2", "Unified", "1024K"),
            ("3", "Unified", "?"),
        ];
        for (number, (level, kind, size)) in caches.into_iter().enumerate() {
            let cache = folder.join(format!("index{number}"));
            std::fs::create_dir_all(&cache).expect("a folder");
            for (name, text) in [("level", level), ("type", kind), ("size", size)] {
                std::fs::write(cache.join(name), format!("{text}\n")).expect("a file");
            }
        }
        let found = [0, 1, 2, 3].map(|level| in_folder(&folder, level));
        std::fs::remove_dir_all(&folder).expect("the folder can be removed");
        assert_eq!(found, [None, Some(48 << 10), Some(1 << 20), None]);
        assert_eq!(in_folder(&folder, 1), None);
    }
}
