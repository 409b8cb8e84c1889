//! The places of a program at which operations are recorded.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::Site;

/// Numbers of places. Equal places have one number.
#[derive(Debug, Default)]
pub(super) struct Sites {
    sites: Vec<Arc<Site>>,
    unknown: Arc<Site>,
    files: HashMap<String, u32>,
    /// Numbers by the number of the file and the line.
    numbers: HashMap<(u32, u32), u32>,
    /// The file that was named last, since most programs have one file.
    last: (String, u32),
}

impl Sites {
    /// The number of a place.
    pub(super) fn number(&mut self, file: &str, line: u32) -> u32 {
        let file_number = self.file(file);
        *self.numbers.entry((file_number, line)).or_insert_with(|| {
            self.sites.push(Arc::new(Site { file: file.to_owned(), line }));
            self.sites.len() as u32 - 1
        })
    }

    fn file(&mut self, file: &str) -> u32 {
        let (last, number) = &self.last;
        if last == file && !self.files.is_empty() {
            return *number;
        }
        let next = self.files.len() as u32;
        let number = *self.files.entry(file.to_owned()).or_insert(next);
        self.last = (file.to_owned(), number);
        number
    }

    /// The place with a number; an unknown place if there is none.
    pub(super) fn site(&self, number: u32) -> &Arc<Site> {
        self.sites.get(number as usize).unwrap_or(&self.unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_places_share_a_number_and_no_others_do() {
        let mut sites = Sites::default();
        let places = [("", 0), ("a.m", 1), ("a.m", 2), ("b.m", 1), ("", 1)];
        let numbers = places.map(|(file, line)| sites.number(file, line));
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
        assert_eq!(places.map(|(file, line)| sites.number(file, line)), numbers);
        for ((file, line), number) in places.into_iter().zip(numbers) {
            assert_eq!(**sites.site(number), Site { file: file.into(), line });
        }
        assert_eq!(**sites.site(u32::MAX), Site::default());
    }
}
