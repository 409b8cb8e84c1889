//! The settings that environment variables choose. The variables are read once, when the library is first
//! used.

use std::sync::OnceLock;
use std::{env, fmt};

use spu_sim::spu::Cpu;

/// SPEs of one chip.
const SPES_OF_A_CHIP: u32 = 8;

/// The simulated machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Usable SPEs: `LIBSPE2_SIM_SPES`, 1 to 128.
    pub(crate) spes: u32,
    /// The processor: `LIBSPE2_SIM_CPU`, `cell` or `celledp`.
    pub(crate) cpu: Cpu,
    /// Whether cycles are counted by the pipeline model and reported at the end: `LIBSPE2_SIM_TIMING=1`.
    pub(crate) timing: bool,
    /// The seed of MFCs that reorder within the rules: `LIBSPE2_SIM_REORDER`.
    pub(crate) reorder: Option<u64>,
    /// Most instructions of one program, which ends with an error then: `LIBSPE2_SIM_LIMIT`.
    pub(crate) limit: u64,
    /// Whether errors of SPE programs are not printed to standard error: `LIBSPE2_SIM_QUIET=1`.
    pub(crate) quiet: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            spes: SPES_OF_A_CHIP,
            cpu: Cpu::PowerXCell8i,
            timing: false,
            reorder: None,
            limit: u64::MAX,
            quiet: false,
        }
    }
}

impl Settings {
    /// Reads the variables by `lookup`, and tells `complain` of each value that is not allowed.
    fn read(lookup: impl Fn(&str) -> Option<String>, mut complain: impl FnMut(String)) -> Settings {
        let mut settings = Settings::default();
        let mut set = |name: &str, valid: &str, store: &mut dyn FnMut(&str) -> Option<()>| {
            if let Some(value) = lookup(name).filter(|value| !value.is_empty())
                && store(&value).is_none()
            {
                complain(format!("{name} has to be {valid}, not \"{value}\""));
            }
        };
        set("LIBSPE2_SIM_SPES", "a number from 1 to 128", &mut |value| {
            settings.spes = value.parse().ok().filter(|spes| (1..=128).contains(spes))?;
            Some(())
        });
        set("LIBSPE2_SIM_CPU", "cell or celledp", &mut |value| {
            settings.cpu = match value {
                "cell" => Cpu::CellBe,
                "celledp" => Cpu::PowerXCell8i,
                _ => return None,
            };
            Some(())
        });
        set("LIBSPE2_SIM_TIMING", "0 or 1", &mut |value| {
            settings.timing = flag(value)?;
            Some(())
        });
        set("LIBSPE2_SIM_REORDER", "a number", &mut |value| {
            settings.reorder = Some(value.parse().ok()?);
            Some(())
        });
        set("LIBSPE2_SIM_LIMIT", "a number of instructions", &mut |value| {
            settings.limit = value.parse().ok()?;
            Some(())
        });
        set("LIBSPE2_SIM_QUIET", "0 or 1", &mut |value| {
            settings.quiet = flag(value)?;
            Some(())
        });
        settings
    }

    /// Number of chips.
    pub(crate) fn nodes(&self) -> u32 {
        self.spes.div_ceil(SPES_OF_A_CHIP)
    }

    /// SPEs of one chip, or of all.
    pub(crate) fn spes_of(&self, node: Option<u32>) -> u32 {
        match node {
            None => self.spes,
            Some(node) => self.spes.saturating_sub(node * SPES_OF_A_CHIP).min(SPES_OF_A_CHIP),
        }
    }
}

fn flag(value: &str) -> Option<bool> {
    match value {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// The settings of this process.
pub(crate) fn settings() -> &'static Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        Settings::read(|name| env::var(name).ok(), |complaint| eprintln!("libspe2-sim: {complaint}"))
    })
}

/// Prints an error of an SPE program that the binary interface has no result for.
pub(crate) fn tell(message: fmt::Arguments<'_>) {
    if !settings().quiet {
        eprintln!("libspe2-sim: {message}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[(&str, &str)]) -> (Settings, Vec<String>) {
        let mut complaints = Vec::new();
        let lookup =
            |name: &str| values.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string());
        let settings = Settings::read(lookup, |complaint| complaints.push(complaint));
        (settings, complaints)
    }

    #[test]
    fn values_are_read() {
        let (settings, complaints) = read(&[
            ("LIBSPE2_SIM_SPES", "6"),
            ("LIBSPE2_SIM_CPU", "cell"),
            ("LIBSPE2_SIM_TIMING", "1"),
            ("LIBSPE2_SIM_REORDER", "17"),
            ("LIBSPE2_SIM_LIMIT", "1000"),
            ("LIBSPE2_SIM_QUIET", ""),
        ]);
        assert!(complaints.is_empty(), "{complaints:?}");
        let expected = Settings {
            spes: 6,
            cpu: Cpu::CellBe,
            timing: true,
            reorder: Some(17),
            limit: 1000,
            quiet: false,
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn bad_values_are_named_and_ignored() {
        let (settings, complaints) = read(&[("LIBSPE2_SIM_SPES", "0"), ("LIBSPE2_SIM_CPU", "spu")]);
        assert_eq!(settings, Settings::default());
        assert_eq!(complaints.len(), 2);
        assert_eq!(complaints[0], "LIBSPE2_SIM_SPES has to be a number from 1 to 128, not \"0\"");
    }

    #[test]
    fn chips_have_eight_spes() {
        let blade = Settings { spes: 16, ..Settings::default() };
        assert_eq!((blade.nodes(), blade.spes_of(None), blade.spes_of(Some(1))), (2, 16, 8));
        let console = Settings { spes: 6, ..Settings::default() };
        assert_eq!((console.nodes(), console.spes_of(Some(0)), console.spes_of(Some(1))), (1, 6, 0));
    }
}
