//! Notices on standard error.

use std::fmt::Arguments;
use std::io::Write;

/// Writes on standard error. What cannot be written is lost: whoever closed it did not ask
/// for the program to end, as `eprint!` would have it by a panic.
pub(crate) fn write(text: Arguments) {
    let _ = std::io::stderr().lock().write_fmt(text);
}

/// A notice that is a line, as by `eprintln!`.
macro_rules! say {
    ($($what:tt)*) => {
        $crate::notice::write(format_args!("{}\n", format_args!($($what)*)))
    };
}

pub(crate) use say;
