//! The architectures that a program's kernels are made for.

use crate::targets::machine::{self, Arch, Variant};

/// Architectures, oldest first, at least one.
///
/// Code for the oldest runs on all newer devices, so that a program need not be built where
/// it runs; what newer ones do better has a version of its own for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archs(Vec<String>);

/// Where no option names any: the oldest of nvcc 13, and the one with the fastest kernels of
/// matrix products. Each more takes about as long to compile.
pub(crate) const DEFAULT: [&str; 2] = ["sm_75", "sm_90"];

impl Default for Archs {
    fn default() -> Archs {
        Archs(DEFAULT.map(str::to_string).to_vec())
    }
}

impl Archs {
    /// A list such as `sm_75,sm_90`, in any order.
    ///
    /// # Errors
    ///
    /// All that is wrong with it.
    pub fn parse(list: &str) -> Result<Archs, String> {
        let mut wrong = Vec::new();
        let mut found: Vec<String> = Vec::new();
        for (i, word) in list.split(',').enumerate() {
            let name = word.trim();
            if name.is_empty() {
                let what = match list.trim().is_empty() {
                    true => "found nothing".to_string(),
                    false => format!("found nothing as architecture {}", i + 1),
                };
                wrong.push(format!("{what}, expected one, or several as sm_75,sm_90"));
            } else if let Err(m) = machine::by_name(name) {
                wrong.push(m);
            } else if found.iter().any(|n| n == name) {
                wrong.push(format!("found {name} twice"));
            } else {
                found.push(name.to_string());
            }
        }
        match wrong.is_empty() {
            true => Ok(Archs::of(found).unwrap_or_default()),
            false => Err(wrong.join("; ")),
        }
    }

    /// These, known ones, each once; none of none.
    pub(crate) fn of(mut names: Vec<String>) -> Option<Archs> {
        names.sort_by_key(|n| age(n));
        names.dedup();
        (!names.is_empty()).then_some(Archs(names))
    }

    pub(crate) fn oldest(&self) -> &str {
        self.0.first().map_or(DEFAULT[0], String::as_str)
    }

    /// All but the oldest.
    pub(crate) fn newer(&self) -> &[String] {
        self.0.get(1..).unwrap_or_default()
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.0
    }
}

/// What sorts architectures; of one number those later that run on fewer devices.
fn age(name: &str) -> (u16, u8) {
    name.parse::<Arch>().map_or((0, 0), |a| {
        let reach = match a.variant {
            Variant::Portable => 0,
            Variant::Family => 1,
            Variant::Specific => 2,
        };
        (a.sm, reach)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        let names = |list: &str| Archs::parse(list).map(|a| a.names().join(" "));
        assert_eq!(names("sm_80"), Ok("sm_80".into()));
        let all = "sm_90a, sm_100,sm_75,sm_90";
        assert_eq!(names(all), Ok("sm_75 sm_90 sm_90a sm_100".into()));
        assert_eq!(Archs::default().names(), DEFAULT);
    }

    #[test]
    fn all_that_is_wrong_is_named() {
        let said = |list: &str| Archs::parse(list).unwrap_err();
        assert_eq!(
            said(" "),
            "found nothing, expected one, or several as sm_75,sm_90"
        );
        let all = said("sm_80,,sm_1,sm_80");
        for part in [
            "found nothing as architecture 2, expected",
            "unknown architecture 'sm_1'; known are sm_70",
            "found sm_80 twice",
        ] {
            assert!(all.contains(part), "{all}");
        }
    }
}
