//! Which description of a machine choices are made by.

use super::store;
use crate::targets::machine::{Arch, Cores, Machine};
use std::path::{Path, PathBuf};

/// The word for the built-in description, where a file could be named.
pub const BUILT_IN: &str = "built-in";

/// Whose figures the cost model uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum MachineChoice {
    /// Those that terrace has of the architecture.
    #[default]
    BuiltIn,
    /// Those that `terrace calibrate` measured and kept: of the device at hand, or where
    /// none is at hand of the last one of the architecture that was measured. The built-in
    /// ones where there are none.
    Kept,
    /// Those in a file, as `terrace calibrate` writes it.
    File(PathBuf),
}

impl MachineChoice {
    /// From the command line, where nothing means [`MachineChoice::Kept`].
    pub fn parse(option: Option<&str>) -> MachineChoice {
        match option {
            None => MachineChoice::Kept,
            Some(BUILT_IN) => MachineChoice::BuiltIn,
            Some(file) => MachineChoice::File(file.into()),
        }
    }

    /// The description for code of an architecture that runs on `device`, where that is
    /// known; none where the built-in one is to be taken.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, that holds no description, or one of another
    /// architecture: which, and what is wrong with it.
    pub fn find(&self, device: Option<&str>, arch: &str) -> Result<Option<Machine>, String> {
        let of = arch.parse::<Arch>().map_err(|e| e.to_string())?;
        match self {
            MachineChoice::BuiltIn => Ok(None),
            MachineChoice::File(file) => {
                let found = named(file)?;
                match found.arch.sm == of.sm {
                    true => Ok(Some(found)),
                    false => Err(format!(
                        "'{}' describes a machine of {}, but code is made for {arch}",
                        file.display(),
                        found.arch
                    )),
                }
            }
            MachineChoice::Kept => {
                let Some(folder) = store::folder()? else {
                    return Ok(None);
                };
                // Files are named for what `newest_for` gives.
                let of = Arch::sm(of.sm);
                match device {
                    Some(name) => store::load(&folder, name, of),
                    None => store::newest(&folder, Some(of)),
                }
            }
        }
    }
}

/// The description in a file that was named.
///
/// # Errors
///
/// A file that cannot be read, or holds none.
pub fn named(file: &Path) -> Result<Machine, String> {
    let found = store::load_file(file)?;
    found.ok_or_else(|| format!("there is no file '{}'", file.display()))
}

/// The description of cores in a file that was named.
///
/// # Errors
///
/// A file that cannot be read, or holds none: which, where and why.
pub fn cores_in(file: &Path) -> Result<Cores, String> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|e| format!("cannot read '{shown}': {e}"))?;
    Cores::read(&text).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(|e| format!("{shown}:{e}")).collect();
        lines.join("\n")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::machine::{by_name, write};

    #[test]
    fn a_file_is_of_its_architecture() {
        assert_eq!(MachineChoice::parse(None), MachineChoice::Kept);
        assert_eq!(
            MachineChoice::parse(Some("built-in")),
            MachineChoice::BuiltIn
        );
        let file = std::env::temp_dir().join(format!("choice-{}.machine", std::process::id()));
        let m = *by_name("sm_90").unwrap();
        std::fs::write(&file, write(&m)).unwrap();
        let choice = MachineChoice::parse(file.to_str());
        assert_eq!(choice.find(None, "sm_90a"), Ok(Some(m)));
        let e = choice.find(None, "sm_80").unwrap_err();
        assert!(
            e.ends_with("describes a machine of sm_90, but code is made for sm_80"),
            "{e}"
        );
        std::fs::remove_file(&file).unwrap();
        let e = choice.find(None, "sm_90").unwrap_err();
        assert!(e.starts_with("there is no file '"), "{e}");
    }

    #[test]
    fn cores_are_read_from_the_file_that_is_named() {
        let file = std::env::temp_dir().join(format!("cores-{}.machine", std::process::id()));
        std::fs::write(&file, "kind = x86_64\nl1_bytes = 49152\n").unwrap();
        assert_eq!(cores_in(&file).unwrap().l1_bytes, 49152);
        std::fs::write(&file, "kind = x86_64\nl1_bytes = 0\n").unwrap();
        let e = cores_in(&file).unwrap_err();
        assert!(
            e.contains(".machine:2:12: found '0', expected a whole number"),
            "{e}"
        );
        std::fs::remove_file(&file).unwrap();
        let e = cores_in(&file).unwrap_err();
        assert!(e.starts_with("cannot read '"), "{e}");
    }
}
