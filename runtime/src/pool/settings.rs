//! How many threads there are, and whether each keeps to a core.

use super::{MAX_THREADS, PoolError, affinity};

/// The environment variable with the number of threads of the process's pool.
pub const THREADS_VARIABLE: &str = "TERRACE_NUM_THREADS";
/// The environment variable that keeps each of them on a core.
pub const PIN_VARIABLE: &str = "TERRACE_PIN_THREADS";
/// The environment variable that takes subnormal numbers for zero in code for the cores.
pub const FLUSH_VARIABLE: &str = "TERRACE_FLUSH_SUBNORMALS";

/// What a pool is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// The number of threads, the calling one included: 1 to 4096.
    pub threads: usize,
    /// Whether each thread of the pool keeps to one of the cores that the process may use. The
    /// calling thread is the program's own, and stays where the system puts it.
    pub pin: bool,
}

impl PoolSettings {
    /// This many threads, on any cores.
    pub fn of(threads: usize) -> PoolSettings {
        PoolSettings {
            threads,
            pin: false,
        }
    }

    /// As the environment's variables say.
    ///
    /// # Errors
    /// A value that is none: which one, and those that there are.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<PoolSettings, PoolError> {
        Ok(PoolSettings {
            threads: threads_from(variable(THREADS_VARIABLE).as_deref())?,
            pin: switch(PIN_VARIABLE, variable(PIN_VARIABLE).as_deref())?,
        })
    }
}

/// A variable of this process, as text.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|v| v.to_string_lossy().into_owned())
}

/// Whether the environment takes subnormal numbers for zero in code for the cores.
///
/// # Errors
/// A value that is none.
pub fn flush_from(setting: Option<&str>) -> Result<bool, PoolError> {
    switch(FLUSH_VARIABLE, setting)
}

/// A setting that is on or off.
fn switch(name: &str, setting: Option<&str>) -> Result<bool, PoolError> {
    match setting.map(str::trim) {
        None | Some("" | "0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(PoolError(format!(
            "found {name}=`{}`, expected `1` or `0`",
            other.escape_debug()
        ))),
    }
}

/// Whether the process has one thread for regions: it was asked for, or there is one core. A mistake
/// in the setting is for others to find.
pub(crate) fn is_one_core() -> bool {
    match variable(THREADS_VARIABLE) {
        Some(text) if !text.trim().is_empty() => threads_from(Some(&text)).is_ok_and(|n| n == 1),
        _ => affinity::allowed().len() == 1,
    }
}

/// The number of threads that a setting asks for: all cores where it is unset or
/// empty.
///
/// # Errors
/// When it is not a number of 1 to 4096.
pub fn threads_from(setting: Option<&str>) -> Result<usize, PoolError> {
    let setting = setting.unwrap_or_default().trim();
    if setting.is_empty() {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        return Ok(cores.min(MAX_THREADS));
    }
    match setting.parse() {
        Ok(threads) if (1..=MAX_THREADS).contains(&threads) => Ok(threads),
        _ => Err(PoolError(format!(
            "found {THREADS_VARIABLE}=`{}`, expected a number of threads, 1 to {MAX_THREADS}",
            setting.escape_debug()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<PoolSettings, PoolError> {
        PoolSettings::read(|name| {
            let found = variables.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn settings_are_checked() {
        assert_eq!(threads_from(Some(" 3 ")), Ok(3));
        assert!(threads_from(None).unwrap() >= 1);
        assert_eq!(threads_from(Some("")), threads_from(None));
        for wrong in ["0", "-1", "many", "4097", "1e3"] {
            let error = threads_from(Some(wrong)).unwrap_err().to_string();
            assert!(
                error.contains(&format!("TERRACE_NUM_THREADS=`{wrong}`")),
                "{error}"
            );
        }
        let both = [("TERRACE_NUM_THREADS", "3"), ("TERRACE_PIN_THREADS", " 1 ")];
        assert_eq!(
            read(&both),
            Ok(PoolSettings {
                threads: 3,
                pin: true
            })
        );
        assert_eq!(read(&both[..1]), Ok(PoolSettings::of(3)));
        assert_eq!(
            read(&[("TERRACE_PIN_THREADS", "close")])
                .unwrap_err()
                .to_string(),
            "found TERRACE_PIN_THREADS=`close`, expected `1` or `0`"
        );
        assert_eq!(flush_from(Some("1")), Ok(true));
        assert_eq!(flush_from(Some("0")), Ok(false));
        assert_eq!(
            flush_from(Some("yes")).unwrap_err().to_string(),
            "found TERRACE_FLUSH_SUBNORMALS=`yes`, expected `1` or `0`"
        );
    }
}
