//! Where descriptions of measured machines are kept: beside the compiled kernels.

use crate::runtime::cache::Settings;
use crate::targets::machine::{Arch, Machine, read};
use std::path::{Path, PathBuf};

/// The end of a file's name.
const ENDING: &str = ".machine";

/// The folder: that of compiled kernels, `terrace cache path`. None where no variable of the
/// environment tells one.
///
/// # Errors
///
/// A setting that is none.
pub fn folder() -> Result<Option<PathBuf>, String> {
    Ok(Settings::read(|name| std::env::var_os(name))?.folder)
}

/// The file of a device: of its name and architecture.
pub fn path(folder: &Path, device: &str, arch: Arch) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = device.chars().take(63).map(plain).collect();
    folder.join(format!("{name}-{arch}{ENDING}"))
}

/// The description of a device that was measured, if there is one.
///
/// # Errors
///
/// A file that cannot be read, or holds no description: which, where and why.
pub fn load(folder: &Path, device: &str, arch: Arch) -> Result<Option<Machine>, String> {
    load_file(&path(folder, device, arch))
}

/// The description in a file, if there is one.
///
/// # Errors
///
/// As [`load`].
pub fn load_file(path: &Path) -> Result<Option<Machine>, String> {
    let shown = path.display();
    match std::fs::read_to_string(path) {
        Ok(text) => match read(&text) {
            Ok(m) => Ok(Some(m)),
            Err(errors) => {
                let lines: Vec<String> = errors.iter().map(|e| format!("{shown}:{e}")).collect();
                Err(lines.join("\n"))
            }
        },
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(format!("cannot read '{shown}': {e}")),
    }
}

/// The description of the last machine measured of an architecture, or of any, for compiling
/// where it is not at hand; by the times of the files.
///
/// # Errors
///
/// As [`load`].
pub fn newest(folder: &Path, arch: Option<Arch>) -> Result<Option<Machine>, String> {
    let ending = match arch {
        Some(arch) => format!("-{arch}{ENDING}"),
        None => ENDING.to_string(),
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(None);
    };
    let ours = entries.flatten().filter_map(|e| {
        let name = e.file_name();
        name.to_str().filter(|n| n.ends_with(&ending))?;
        Some((e.metadata().and_then(|m| m.modified()).ok()?, e.path()))
    });
    match ours.max() {
        Some((_, path)) => load_file(&path),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::machine::{by_name, write};

    #[test]
    fn descriptions_are_found_again() {
        let name = format!("terrace-machines-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let arch = Arch::sm(90);
        assert_eq!(newest(&folder, Some(arch)), Ok(None));
        std::fs::create_dir_all(&folder).unwrap();
        let mut m = *by_name("sm_90").unwrap();
        m.sms = 7;
        let file = path(&folder, "NVIDIA H200 / x", arch);
        assert!(file.ends_with("NVIDIA-H200---x-sm_90.machine"));
        std::fs::write(&file, write(&m)).unwrap();
        assert_eq!(load(&folder, "NVIDIA H200 / x", arch), Ok(Some(m)));
        assert_eq!(load(&folder, "other", arch), Ok(None));
        assert_eq!(newest(&folder, Some(arch)), Ok(Some(m)));
        assert_eq!(newest(&folder, Some(Arch::sm(80))), Ok(None));
        assert_eq!(newest(&folder, None), Ok(Some(m)));
        std::fs::write(&file, "arch = sm_90\nsms = -3\n").unwrap();
        let e = newest(&folder, Some(arch)).unwrap_err();
        assert!(e.contains("x-sm_90.machine:2:"), "{e}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
