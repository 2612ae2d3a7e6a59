//! Names of regions in object files.

use std::hash::{Hash, Hasher};

/// The mangled name of a region: letters, digits and underscores, different for regions
/// of different files, the same whenever the same file is compiled.
///
/// `file` is the file's full name, and `text` what else may tell two files of that name
/// apart.
pub fn region_symbol(function: &str, file: &str, text: &str) -> String {
    let mut out: String = function
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    (function, file, text).hash(&mut hash);
    out.push_str(&format!("_{:016x}", hash.finish()));
    out
}

/// The hash FNV-1a of 64 bits: the same in every build of terrace.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::region_symbol;

    #[test]
    fn symbols_differ_where_anything_does() {
        let one = region_symbol("main.region0", "/a/x.c", "text");
        assert_eq!(one, region_symbol("main.region0", "/a/x.c", "text"));
        assert!(one.starts_with("main_region0_"), "{one}");
        for other in [
            region_symbol("main_region0", "/a/x.c", "text"),
            region_symbol("main.region0", "/b/x.c", "text"),
            region_symbol("main.region0", "/a/x.c", "other"),
        ] {
            assert_ne!(one, other);
        }
    }
}
