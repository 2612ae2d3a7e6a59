//! Names of architectures.

use std::fmt;
use std::str::FromStr;

/// How far code for an architecture runs on others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Variant {
    /// On this and every later one.
    #[default]
    Portable,
    /// On this one only (`a`), with its specific features.
    Specific,
    /// On this family (`f`).
    Family,
}

/// A GPU architecture, for example `sm_90a`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arch {
    /// The number after `sm_`.
    pub sm: u16,
    pub variant: Variant,
}

impl Arch {
    /// The portable architecture of a number.
    pub const fn sm(sm: u16) -> Arch {
        Arch {
            sm,
            variant: Variant::Portable,
        }
    }

    /// The first PTX version that has it as a target.
    pub const fn ptx_version(self) -> (u8, u8) {
        let base = match self.sm {
            0..=71 => (6, 0),
            72..=74 => (6, 1),
            75..=79 => (6, 3),
            80..=85 => (7, 0),
            86 => (7, 1),
            87 => (7, 4),
            88..=90 => (7, 8),
            91..=100 => (8, 6),
            101..=120 => (8, 7),
            _ => (8, 8),
        };
        match self.variant {
            Variant::Portable => base,
            // sm_90a came with 8.0, the family targets with 8.8.
            Variant::Specific if base.0 < 8 => (8, 0),
            Variant::Specific => base,
            Variant::Family => (8, 8),
        }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.variant {
            Variant::Portable => "",
            Variant::Specific => "a",
            Variant::Family => "f",
        };
        write!(f, "sm_{}{suffix}", self.sm)
    }
}

impl FromStr for Arch {
    type Err = String;

    fn from_str(text: &str) -> Result<Arch, String> {
        let wrong = || format!("'{text}' is not an architecture; write it like sm_90 or sm_90a");
        let rest = text.strip_prefix("sm_").ok_or_else(wrong)?;
        let (digits, variant) = match rest.as_bytes().last() {
            Some(b'a') => (&rest[..rest.len() - 1], Variant::Specific),
            Some(b'f') => (&rest[..rest.len() - 1], Variant::Family),
            _ => (rest, Variant::Portable),
        };
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(wrong());
        }
        let sm = digits.parse().map_err(|_| wrong())?;
        Ok(Arch { sm, variant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_and_print() {
        for name in ["sm_70", "sm_90a", "sm_100f", "sm_120"] {
            assert_eq!(name.parse::<Arch>().unwrap().to_string(), name);
        }
        for wrong in [
            "",
            "sm_",
            "sm_a",
            "90",
            "sm_9x",
            "sm_+90",
            "sm_99999999",
            "sm_é",
        ] {
            assert!(wrong.parse::<Arch>().is_err(), "{wrong}");
        }
    }
}
