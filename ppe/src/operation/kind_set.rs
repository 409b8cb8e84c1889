//! Sets of kinds of operations.

use std::str::FromStr;

use super::OpKind;

/// Some of the kinds of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindSet(u128);

impl KindSet {
    /// Every kind.
    pub const ALL: KindSet = KindSet((1 << OpKind::ALL.len()) - 1);

    /// The kinds of the paper (appendix C), and the conversion.
    pub const PAPER: KindSet = KindSet((1 << (OpKind::Convert as u32 + 1)) - 1);

    /// The kinds that the program of an SPE executes.
    pub const SPE: KindSet = {
        let (mut kinds, mut number) = (0, 0);
        while number < OpKind::ALL.len() {
            kinds |= (OpKind::ALL[number].is_on_spe() as u128) << number;
            number += 1;
        }
        KindSet(kinds)
    };

    /// The kinds that are in both sets.
    #[must_use]
    pub const fn and(self, other: KindSet) -> KindSet {
        KindSet(self.0 & other.0)
    }

    /// Whether the set contains a kind.
    #[must_use]
    pub const fn contains(self, kind: OpKind) -> bool {
        self.0 >> kind as u32 & 1 != 0
    }
}

impl FromIterator<OpKind> for KindSet {
    fn from_iter<I: IntoIterator<Item = OpKind>>(kinds: I) -> KindSet {
        KindSet(kinds.into_iter().fold(0, |set, kind| set | 1 << kind as u32))
    }
}

/// There is no kind of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no operation '{0}'")]
pub struct UnknownKind(pub String);

impl FromStr for KindSet {
    type Err = UnknownKind;

    /// "all", "paper", or names of kinds with commas between them.
    fn from_str(text: &str) -> Result<KindSet, UnknownKind> {
        match text {
            "all" => Ok(KindSet::ALL),
            "paper" => Ok(KindSet::PAPER),
            names => names
                .split(',')
                .map(|name| OpKind::from_name(name).ok_or_else(|| UnknownKind(name.to_owned())))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_form_sets() {
        for kind in OpKind::ALL {
            assert!(KindSet::ALL.contains(kind));
            assert_eq!(KindSet::PAPER.contains(kind), kind <= OpKind::Convert, "{}", kind.name());
            assert!(KindSet::SPE.contains(kind) || !KindSet::PAPER.contains(kind), "{}", kind.name());
        }
        let two: KindSet = "sin,multiply".parse().unwrap();
        assert_eq!(OpKind::ALL.into_iter().filter(|&kind| two.contains(kind)).count(), 2);
        assert!(two.contains(OpKind::Multiply) && two.contains(OpKind::Sin));
        assert_eq!("paper".parse::<KindSet>().unwrap(), KindSet::PAPER);
        let error = "sin,sinc".parse::<KindSet>().unwrap_err().to_string();
        assert_eq!(error, "there is no operation 'sinc'");
    }
}
