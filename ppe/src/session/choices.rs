//! The table of options: one name and one check each, for the command line, the environment, C and Octave.

use std::ffi::OsString;

use super::ENGINES;
use crate::error::{Error, Result};
use crate::schedule::schedulers;
use crate::time::ppe::MOST_FACTOR;

/// More MEUs than this are more threads than any machine can use.
pub const MOST_MEUS: u64 = 4096;

/// Cells of a blade.
pub const MOST_CELLS: u64 = 2;

/// More ranks than this are more than StarPU and MPI have been tried with.
pub const MOST_RANKS: u64 = 4096;

/// Some thirty years: nothing is worth sending to ranks.
pub const MOST_WORK_MS: f64 = 1e12;

/// The largest limit. Every whole number up to it is exact in a double, and no machine has so much memory.
pub const MOST_COUNT: u64 = 1 << 52;

/// What an option may be.
#[derive(Debug, Clone, Copy)]
enum Allowed {
    /// A whole number from 1 to this.
    Count(u64),
    /// A number from 0 to this.
    Number(f64),
    /// One of these names.
    Names(fn() -> Vec<&'static str>),
    Switch,
    /// The name of a file. The file is checked when it is read or written.
    File,
}

/// The options by their names in p_config. The command line has hyphens instead of underscores, and
/// environment variables begin with `PMATRIX_`.
const TABLE: [(&str, Allowed); 31] = [
    ("engine", Allowed::Names(|| ENGINES.to_vec())),
    ("meus", Allowed::Count(MOST_MEUS)),
    ("scheduler", Allowed::Names(|| schedulers().iter().map(|scheduler| scheduler.name()).collect())),
    ("overlap", Allowed::Switch),
    ("immediate", Allowed::Switch),
    ("common", Allowed::Switch),
    ("model", Allowed::File),
    ("max_operations", Allowed::Count(MOST_COUNT)),
    ("max_depth", Allowed::Count(MOST_COUNT)),
    ("max_bytes", Allowed::Count(MOST_COUNT)),
    ("chunk", Allowed::Count(1 << 24)),
    ("block_elements", Allowed::Count(1 << 24)),
    ("divisor", Allowed::Count(1 << 14)),
    ("chain", Allowed::Count(1 << 15)),
    ("stretch", Allowed::Switch),
    ("cpu", Allowed::Names(|| vec!["cell", "celledp"])),
    ("arithmetic", Allowed::Names(|| vec!["ieee", "spu"])),
    ("timing", Allowed::Switch),
    ("cells", Allowed::Count(MOST_CELLS)),
    ("ppe_factor", Allowed::Number(MOST_FACTOR)),
    ("poison", Allowed::Switch),
    ("profile", Allowed::File),
    ("ranks", Allowed::Count(MOST_RANKS)),
    ("hostfile", Allowed::File),
    ("shard", Allowed::Count(1 << 15)),
    ("ranks_work_ms", Allowed::Number(MOST_WORK_MS)),
    ("ranks_memory", Allowed::Count(MOST_COUNT)),
    // Options of the Octave package alone.
    ("small", Allowed::Switch),
    ("synchronous", Allowed::Switch),
    ("warnings", Allowed::Switch),
    ("progress", Allowed::Switch),
];

/// Where the value of an option comes from, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A program: through p_config, C or Rust.
    Program,
    /// The command line.
    Argument,
    /// An environment variable.
    Variable,
}

impl Source {
    fn name(self, option: &str) -> String {
        match self {
            Source::Program => option.to_owned(),
            Source::Argument => format!("--{}", option.replace('_', "-")),
            Source::Variable => format!("the environment variable {}", variable(option)),
        }
    }
}

/// A checked value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Setting {
    /// The value of a count.
    Count(u64),
    /// The value of a number.
    Number(f64),
    /// The value of a switch.
    Switch(bool),
    /// The value of an option that is a name.
    Text,
}

/// A value that was given for an option.
#[derive(Debug, Clone)]
pub struct Given {
    /// The option's name in the table.
    pub option: &'static str,
    /// The value as text.
    pub value: OsString,
    /// Where it comes from.
    pub source: Source,
}

fn variable(option: &str) -> String {
    format!("PMATRIX_{}", option.to_uppercase())
}

/// Checks a value by the table.
///
/// # Errors
/// [`Error::Argument`] says the option, the value, and what is allowed.
pub fn check(option: &str, value: &str, source: Source) -> Result<Setting> {
    let Some((_, allowed)) = TABLE.into_iter().find(|(name, _)| *name == option) else {
        return Err(Error::Argument(format!("there is no option named '{option}'")));
    };
    let setting = match allowed {
        Allowed::Count(most) => {
            value.parse().ok().filter(|count| (1..=most).contains(count)).map(Setting::Count)
        }
        Allowed::Number(most) => {
            value.parse().ok().filter(|number| (0.0..=most).contains(number)).map(Setting::Number)
        }
        Allowed::Names(names) => names().contains(&value).then_some(Setting::Text),
        Allowed::Switch => match value {
            "1" | "on" | "true" => Some(Setting::Switch(true)),
            "0" | "off" | "false" => Some(Setting::Switch(false)),
            _ => None,
        },
        Allowed::File => Some(Setting::Text),
    };
    setting.ok_or_else(|| {
        let allowed = match allowed {
            Allowed::Count(most) => format!("a whole number from 1 to {most}"),
            Allowed::Number(most) => format!("a number from 0 to {most}"),
            Allowed::Names(names) => format!("one of {}", names().join(", ")),
            Allowed::Switch | Allowed::File => "true or false, on or off, 1 or 0".to_owned(),
        };
        Error::Argument(format!("{} is '{value}': it must be {allowed}", source.name(option)))
    })
}

/// Checks the value of an environment variable by the table, where the variable is set and not empty.
///
/// # Errors
/// As [`check`].
pub fn check_variable(name: &str) -> Result<Option<Setting>> {
    let Some((option, _)) = TABLE.into_iter().find(|(option, _)| variable(option) == name) else {
        return Err(Error::Argument(format!("there is no variable named '{name}'")));
    };
    let value = std::env::var_os(name).filter(|value| !value.is_empty());
    value.map(|value| check(option, &value.to_string_lossy(), Source::Variable)).transpose()
}

/// The options that are given by environment variables. `value_of` tells the value of a variable; an empty
/// value counts as absent.
pub fn variables(value_of: impl Fn(&str) -> Option<OsString>) -> Vec<Given> {
    let given = TABLE.iter().filter_map(|&(option, _)| {
        let value = value_of(&variable(option)).filter(|value| !value.is_empty())?;
        Some(Given { option, value, source: Source::Variable })
    });
    given.collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn messages_say_option_value_and_what_is_allowed() {
        let text = |option, value, source| check(option, value, source).unwrap_err().to_string();
        for value in ["0", "-1", "4097", "100000", "18446744073709551616", "two", "", "1.5", " 1", "NaN"] {
            let expected = format!("is '{value}': it must be a whole number from 1 to 4096");
            assert_eq!(text("meus", value, Source::Program), format!("meus {expected}"));
            assert_eq!(text("meus", value, Source::Argument), format!("--meus {expected}"));
            let variable = format!("the environment variable PMATRIX_MEUS {expected}");
            assert_eq!(text("meus", value, Source::Variable), variable);
        }
        assert_eq!(check("meus", "4096", Source::Program).unwrap(), Setting::Count(4096));
        let engines = "engine is 'abacus': it must be one of host, cell, sim, reference, null";
        assert!(text("engine", "abacus", Source::Program).starts_with(engines));
        let arithmetic = "--arithmetic is 'nonsense': it must be one of ieee, spu";
        assert_eq!(text("arithmetic", "nonsense", Source::Argument), arithmetic);
        let depth = "--max-depth is '0': it must be a whole number from 1 to 4503599627370496";
        assert_eq!(text("max_depth", "0", Source::Argument), depth);
        assert_eq!(
            text("overlap", "2", Source::Program),
            "overlap is '2': it must be true or false, on or off, 1 or 0"
        );
        assert_eq!(check("small", "off", Source::Program).unwrap(), Setting::Switch(false));
        for value in ["-1", "1001", "NaN", "inf", "fast", ""] {
            let expected = format!("--ppe-factor is '{value}': it must be a number from 0 to 1000");
            assert_eq!(text("ppe_factor", value, Source::Argument), expected);
        }
        assert_eq!(check("ppe_factor", "0.5", Source::Program).unwrap(), Setting::Number(0.5));
        assert_eq!(text("speed", "1", Source::Program), "there is no option named 'speed'");
    }

    #[test]
    fn variables_are_those_of_the_table_and_empty_ones_do_not_count() {
        let value_of = |name: &str| match name {
            "PMATRIX_MAX_BYTES" => Some("abc".into()),
            "PMATRIX_MODEL" => Some("".into()),
            _ => None,
        };
        let given = variables(value_of);
        assert_eq!(given.len(), 1);
        assert_eq!((given[0].option, given[0].source), ("max_bytes", Source::Variable));
    }
}
