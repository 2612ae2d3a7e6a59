//! `terrace cache`: what the cache of compiled kernels and tuned schedules holds.

use crate::opt::Outcome;
use crate::run::tuned;
use crate::runtime::cache::{Cache, CacheError, Contents, Listed, Settings};
use std::time::{SystemTime, UNIX_EPOCH};

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Show the size of all of it, and a row for each entry.
    List,
    /// Remove all entries, and say how many bytes they were.
    Clear,
    /// Print the folder that it is in.
    Path,
}

/// Do it to the cache that the environment names. `TERRACE_CACHE=0` keeps programs from
/// using it, not from looking at it.
pub fn cache(action: Action) -> Outcome {
    match act(action) {
        Ok(stdout) => Outcome {
            stdout,
            ..Outcome::default()
        },
        Err(message) => Outcome {
            code: 1,
            stderr: format!("error: {message}\n"),
            ..Outcome::default()
        },
    }
}

fn act(action: Action) -> Result<String, String> {
    let settings = Settings::read(|name| std::env::var_os(name))?;
    let settings = Settings {
        on: true,
        ..settings
    };
    let Some(cache) = settings.cache() else {
        return Err(
            "no folder for the cache: neither TERRACE_CACHE_DIR, XDG_CACHE_HOME nor HOME \
                    is set"
                .to_string(),
        );
    };
    let say = |e: CacheError| e.to_string();
    match action {
        Action::Path => Ok(format!("{}\n", cache.folder().display())),
        Action::Clear => {
            let (mut files, mut bytes) = cache.clear().map_err(say)?;
            #[cfg(feature = "c")]
            {
                let unpacked = crate::c::driver::runtime::remove(cache.folder(), None);
                files += unpacked.0;
                bytes += unpacked.1;
            }
            let entries = if files == 1 { "entry" } else { "entries" };
            Ok(format!("removed {files} {entries}, {bytes} bytes\n"))
        }
        Action::List => Ok(list(&cache, &cache.list().map_err(say)?, settings.limit)),
    }
}

fn list(cache: &Cache, entries: &[Listed], limit: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |d| d.as_secs());
    let bytes: u64 = entries.iter().map(|e| e.bytes).sum();
    let folder = cache.folder().display();
    let n = entries.len();
    let s = if n == 1 { "entry" } else { "entries" };
    let mut out = format!("{folder}: {n} {s}, {bytes} of at most {limit} bytes\n");
    if entries.is_empty() {
        return out;
    }
    let mut rows = vec![["bytes", "for", "made", "used", "kernels"].map(String::from)];
    for e in entries {
        let used = age(e.unused_for);
        rows.push(match &e.contents {
            Some(c) => [
                e.bytes.to_string(),
                c.architecture.clone(),
                age(now.saturating_sub(c.made)),
                used,
                contents(c),
            ],
            None => [
                e.bytes.to_string(),
                "-".to_string(),
                "-".to_string(),
                used,
                "(damaged: written anew when it is needed)".to_string(),
            ],
        });
    }
    let width = |c: usize| rows.iter().map(|r| r[c].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..4).map(width).collect();
    for [bytes, arch, made, used, kernels] in &rows {
        let (a, b, c, d) = (widths[0], widths[1], widths[2], widths[3]);
        out.push_str(&format!(
            "{bytes:>a$}  {arch:<b$}  {made:>c$}  {used:>d$}  {kernels}\n"
        ));
    }
    out
}

/// The names of kernels; of what `terrace tune` keeps, what it is for.
fn contents(c: &Contents) -> String {
    let names = c.kernels.join(" ");
    match c.options.as_str() {
        tuned::OPTIONS => format!("schedule of {names}, for {}", c.driver),
        _ => names,
    }
}

/// `5 min`: how long ago.
fn age(seconds: u64) -> String {
    match seconds {
        s if s < 60 => format!("{s} s"),
        s if s < 3600 => format!("{} min", s / 60),
        s if s < 48 * 3600 => format!("{} h", s / 3600),
        s => format!("{} days", s / 86400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::cache::Key;

    #[test]
    fn entries_are_listed() {
        let name = format!("terrace-cache-list-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let cache = Cache::new(folder.clone(), 1 << 20);
        let empty = list(&cache, &cache.list().unwrap(), 1 << 20);
        let said = format!(
            "{}: 0 entries, 0 of at most 1048576 bytes\n",
            folder.display()
        );
        assert_eq!(empty, said);
        let key = Key::new("text", "sm_90", "1", "");
        let kernels = ["init".to_string(), "step".to_string()];
        assert!(cache.save(&key, &kernels, &[7; 100]));
        std::fs::write(folder.join(format!("{}.kernels", "0".repeat(64))), "x").unwrap();
        let tuned = Key::new("text", "sm_90", "NVIDIA H200", tuned::OPTIONS);
        assert!(cache.save(&tuned, &["@f".into(), "N=5".into()], b"// it"));
        let text = list(&cache, &cache.list().unwrap(), 1 << 20);
        assert!(text.contains(": 3 entries, "), "{text}");
        let said = "  schedule of @f N=5, for NVIDIA H200\n";
        assert!(text.contains(said), "{text}");
        assert!(text.contains("  sm_90  ") && text.contains("  init step\n"));
        assert!(text.contains("(damaged: written anew"), "{text}");
        assert_eq!(cache.clear().unwrap().0, 3);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn ages_are_short() {
        let ages = [0, 59, 60, 3599, 3600, 172_799, 172_800].map(age);
        assert_eq!(
            ages,
            ["0 s", "59 s", "1 min", "59 min", "1 h", "47 h", "2 days"]
        );
    }
}
