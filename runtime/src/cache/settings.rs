//! Whether there is a cache, where, and how large.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Cache;

/// The limit where none is set: 1 GiB.
pub const DEFAULT_LIMIT: u64 = 1 << 30;

/// What the environment asks for: `TERRACE_CACHE` (`0` for none), `TERRACE_CACHE_DIR`
/// (else `$XDG_CACHE_HOME/terrace`, else `~/.cache/terrace`) and `TERRACE_CACHE_SIZE`
/// (bytes; `K`, `M` and `G` behind a number are powers of 1024).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub on: bool,
    /// None where no variable tells.
    pub folder: Option<PathBuf>,
    /// In bytes.
    pub limit: u64,
}

impl Settings {
    /// The settings in these variables. Empty ones count as not set, and so do relative
    /// paths in `XDG_CACHE_HOME`, as the XDG base directory specification says.
    ///
    /// # Errors
    /// A value that is none: which one, and what is expected.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Settings, String> {
        let get = |name: &str| variable(name).filter(|v| !v.is_empty());
        let path = |name: &str| get(name).map(PathBuf::from);
        let text = |name: &str| Some(get(name)?.to_string_lossy().trim().to_string());
        let on = match text("TERRACE_CACHE").as_deref() {
            None | Some("1") => true,
            Some("0") => false,
            Some(other) => {
                return Err(format!(
                    "found TERRACE_CACHE=`{}`, expected `1` or `0`",
                    other.escape_debug()
                ));
            }
        };
        let limit = match text("TERRACE_CACHE_SIZE") {
            None => DEFAULT_LIMIT,
            Some(size) => bytes(&size).ok_or_else(|| {
                format!(
                    "found TERRACE_CACHE_SIZE=`{}`, expected a number of bytes, as in `512M` or \
                     `2G`",
                    size.escape_debug()
                )
            })?,
        };
        let folder = path("TERRACE_CACHE_DIR")
            .or_else(|| {
                let base = path("XDG_CACHE_HOME").filter(|p| p.is_absolute());
                base.map(|p| p.join("terrace"))
            })
            .or_else(|| path("HOME").map(|p| p.join(".cache").join("terrace")));
        Ok(Settings { on, folder, limit })
    }

    /// The cache, if there is to be one.
    pub fn cache(&self) -> Option<Cache> {
        let folder = self.folder.clone().filter(|_| self.on)?;
        Some(Cache::new(folder, self.limit))
    }
}

/// `512M` as bytes.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = match text.as_bytes().last()? {
        b'K' | b'k' => (&text[..text.len() - 1], 1 << 10),
        b'M' | b'm' => (&text[..text.len() - 1], 1 << 20),
        b'G' | b'g' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    let digits = number.bytes().all(|b| b.is_ascii_digit());
    let number: u64 = number.parse().ok().filter(|_| digits)?;
    number.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::read(|name| {
            let found = variables.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| value.into())
        })
    }

    #[test]
    fn where_it_is() {
        let folder = |v: &[(&str, &str)]| read(v).unwrap().folder;
        let all = [
            ("TERRACE_CACHE_DIR", "here"),
            ("XDG_CACHE_HOME", "/xdg"),
            ("HOME", "/home/me"),
        ];
        assert_eq!(folder(&all), Some("here".into()));
        assert_eq!(folder(&all[1..]), Some("/xdg/terrace".into()));
        assert_eq!(folder(&all[2..]), Some("/home/me/.cache/terrace".into()));
        let relative = [("XDG_CACHE_HOME", "xdg"), ("HOME", "/h")];
        assert_eq!(folder(&relative), Some("/h/.cache/terrace".into()));
        assert_eq!(folder(&[("TERRACE_CACHE_DIR", "")]), None);
        assert!(read(&[]).unwrap().cache().is_none());
    }

    #[test]
    fn whether_and_how_large() {
        let here = ("TERRACE_CACHE_DIR", "here");
        let off = read(&[here, ("TERRACE_CACHE", "0")]).unwrap();
        assert!(off.cache().is_none());
        let limit = |size| read(&[here, ("TERRACE_CACHE_SIZE", size)]).map(|s| s.limit);
        assert_eq!(read(&[here]).unwrap().limit, 1 << 30);
        assert_eq!(limit("1000"), Ok(1000));
        assert_eq!(limit("64K"), Ok(64 << 10));
        assert_eq!(limit("512M"), Ok(512 << 20));
        assert_eq!(limit("2g"), Ok(2 << 30));
        for wrong in ["M", "-1", "+1", "1.5G", "20000000000G", "ten", "1Ä"] {
            assert_eq!(
                limit(wrong).unwrap_err(),
                format!(
                    "found TERRACE_CACHE_SIZE=`{wrong}`, expected a number of bytes, as in \
                     `512M` or `2G`"
                )
            );
        }
        assert_eq!(
            read(&[("TERRACE_CACHE", "no")]).unwrap_err(),
            "found TERRACE_CACHE=`no`, expected `1` or `0`"
        );
    }
}
