//! The name of a part.

use std::fmt;
use std::ops::Deref;

/// Room for the bytes of a name.
const ROOM: usize = 63;

/// The name of a part, as in `H200 SXM`: a short text that is copied with the description.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Part {
    bytes: [u8; ROOM],
    length: u8,
}

impl Part {
    /// A name that is known to be short; one of more than 63 bytes is none, and so is
    /// rejected where it is a constant.
    pub const fn new(name: &str) -> Option<Part> {
        let from = name.as_bytes();
        if from.len() > ROOM {
            return None;
        }
        let mut bytes = [0; ROOM];
        let mut i = 0;
        while i < from.len() {
            bytes[i] = from[i];
            i += 1;
        }
        Some(Part {
            bytes,
            length: from.len() as u8,
        })
    }
}

impl Deref for Part {
    type Target = str;

    fn deref(&self) -> &str {
        // It was made of all bytes of a text.
        str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn short_names_only() {
        let long = "x".repeat(64);
        assert_eq!(Part::new(&long), None);
        let longest = Part::new(&long[1..]).unwrap();
        assert_eq!(&*longest, &long[1..]);
        assert_eq!(format!("{:>6}|", Part::new("T4").unwrap()), "    T4|");
        assert_eq!(&*Part::new("").unwrap(), "");
    }
}
